#include "sim/workload/traces/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "sim/workload/traces/gzip.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw TraceError(path, {{0, 0, why, {}}}, /*unreadable=*/true);
}

[[noreturn]] void refuse_with_errno(const std::string& path) {
  refuse(path, "the trace cannot be read: " + std::generic_category().message(errno));
}

}  // namespace

/// An open file that closes itself; `packed` where it is gzip.
struct TraceBytes::File {
  int number = -1;
  std::unique_ptr<GzipData> packed{};
  mutable bool begun = false;  // to unpack

  ~File() {
    if (number >= 0) ::close(number);
  }
  std::size_t read(const std::string& path, char* room, std::size_t size) const {
    if (!packed) return read_plain(path, room, size);
    try {
      const std::size_t got = packed->read(room, size);
      if (!std::exchange(begun, true) && std::string_view(room, got).starts_with("\x1F\x8B"))
        refuse(path, "the trace is packed twice: gunzip it once");
      return got;
    } catch (const TraceError&) {
      throw;
    } catch (const std::runtime_error& error) {
      refuse(path, "the gzip data are damaged or end early: " + std::string(error.what()) +
                       "; copy the file again, and 'gzip -t' says whether it is whole");
    }
  }
  std::size_t read_plain(const std::string& path, char* room, std::size_t size) const {
    while (true) {
      const ssize_t got = ::read(number, room, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) refuse_with_errno(path);
    }
  }
};

TraceBytes::TraceBytes(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

TraceBytes::TraceBytes(const std::string& path) : file_(std::make_unique<File>()), name_(path) {
  file_->number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  if (file_->number < 0 || ::fstat(file_->number, &facts) != 0) refuse_with_errno(path);
  if (S_ISDIR(facts.st_mode)) refuse(path, "this is a folder; a trace is one file");
  // A file that says it is empty may still have a text, as those of /proc do.
  const bool again = S_ISREG(facts.st_mode) && facts.st_size > 0;
  if (again) {
    unsigned char magic[2] = {};
    const bool packed = ::pread(file_->number, magic, 2, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
    const auto read_file = [file = file_.get(), path](char* room, std::size_t size) {
      return file->read_plain(path, room, size);
    };
    if (packed) file_->packed = std::make_unique<GzipData>(read_file);
    return;
  }
  std::string piece(std::size_t{1} << 16, '\0');
  while (const std::size_t got = read(piece.data(), piece.size())) kept_.append(piece, 0, got);
  if (kept_.starts_with("\x1F\x8B")) refuse(path, "gzip is read from a file, not from a pipe: unpack it on the way");
  file_.reset();
  text_ = kept_;
}

TraceBytes::~TraceBytes() = default;

// A text that is kept may move with its owner.
TraceBytes::TraceBytes(TraceBytes&& other) noexcept { *this = std::move(other); }
TraceBytes& TraceBytes::operator=(TraceBytes&& other) noexcept {
  const bool keeps = other.text_.data() == other.kept_.data();
  file_ = std::move(other.file_);
  kept_ = std::move(other.kept_);
  text_ = keeps ? std::string_view(kept_) : other.text_;
  position_ = other.position_;
  name_ = std::move(other.name_);
  return *this;
}

std::size_t TraceBytes::read(char* room, std::size_t size) {
  if (file_) return file_->read(name_, room, size);
  const std::size_t got = std::min(size, text_.size() - position_);
  std::memcpy(room, text_.data() + position_, got);
  position_ += got;
  return got;
}

void TraceBytes::rewind() {
  position_ = 0;
  if (!file_) return;
  if (::lseek(file_->number, 0, SEEK_SET) != 0) refuse_with_errno(name_);
  if (!file_->packed) return;
  file_->packed->restart();
  file_->begun = false;
}

}  // namespace decodesim

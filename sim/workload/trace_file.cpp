#include "sim/workload/trace_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

#include "sim/workload/trace.hpp"

namespace decodesim {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw TraceError(path, {{0, 0, why, {}}}, /*unreadable=*/true);
}

[[noreturn]] void refuse_with_errno(const std::string& path) {
  refuse(path, "the trace cannot be read: " + std::generic_category().message(errno));
}

/// An open file that closes itself.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

std::string read_all(const std::string& path, int descriptor) {
  std::string all;
  std::string block(std::size_t{1} << 16, '\0');
  while (true) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got == 0) return all;
    if (got > 0) all.append(block, 0, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) refuse_with_errno(path);
  }
}

}  // namespace

TraceFile::TraceFile(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat facts {};
  if (file.number < 0 || ::fstat(file.number, &facts) != 0) refuse_with_errno(path);
  if (S_ISDIR(facts.st_mode)) refuse(path, "this is a folder; workload.trace names one file");
  // A file that says it is empty may still have a text, as those of /proc do; an empty mapping is not possible either.
  if (!S_ISREG(facts.st_mode) || facts.st_size == 0) {
    read_ = read_all(path, file.number);
    text_ = read_;
    return;
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (start == MAP_FAILED) refuse_with_errno(path);
  ::madvise(start, size, MADV_SEQUENTIAL);
  text_ = {static_cast<const char*>(start), size};
  mapped_ = true;
}

TraceFile::~TraceFile() {
  if (mapped_) ::munmap(const_cast<char*>(text_.data()), text_.size());
}

}  // namespace decodesim

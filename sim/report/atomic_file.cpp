#include "sim/report/atomic_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace decodesim {

namespace fs = std::filesystem;

AtomicFile::AtomicFile(const fs::path& target) : target_(target), written_(target) {
  // /dev/stdout may lead to a regular file, which is then open already: it is added to, never replaced.
  const bool device = target_.string().starts_with("/dev/") || target_.string().starts_with("/proc/");
  std::error_code none;
  const fs::path followed = fs::weakly_canonical(target, none);  // a link stays, what it names is replaced
  if (!none && !device) target_ = followed;
  const fs::file_status status = fs::status(target_, none);
  const bool replace = !device && (!fs::exists(status) || fs::is_regular_file(status));
  written_ = target_;
  // A name that no other run, and no file of the user's, is likely to have.
  if (replace) written_ += "." + std::to_string(::getpid()) + ".partial";
  errno = 0;
  stream_.open(written_, std::ios::binary | (replace ? std::ios::trunc : std::ios::app));
  if (!stream_) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (committed_ || written_ == target_) return;
  stream_.close();
  std::error_code none;
  fs::remove(written_, none);
}

void AtomicFile::check_written() const {
  if (!stream_) fail(errno);
}

void AtomicFile::commit() {
  errno = 0;
  stream_.flush();
  check_written();
  stream_.close();
  check_written();
  if (written_ != target_) {
    std::error_code error;
    fs::rename(written_, target_, error);
    if (error) fail(error.value());
  }
  committed_ = true;
}

void AtomicFile::fail(int error) const {
  throw std::system_error(error != 0 ? error : EIO, std::generic_category(), "cannot write " + target_.string());
}

}  // namespace decodesim

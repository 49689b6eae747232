#pragma once
// A file that is there whole or not at all.

#include <filesystem>
#include <fstream>
#include <ostream>

namespace decodesim {

/// Written beside its target and renamed over it by commit(); without a commit the target stays as it was. What is not
/// a regular file (a terminal, a pipe) cannot be renamed over and is written to as it is.
class AtomicFile {
 public:
  /// Throws std::system_error with the path where it cannot be written.
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] std::ostream& out() { return stream_; }
  /// Throws std::system_error with the path where writing has failed so far, as on a full disk.
  void check_written() const;
  /// Puts the file in place. Throws as check_written() does. To be called once.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target_;
  std::filesystem::path written_;  // beside the target, or the target itself
  std::ofstream stream_;
  bool committed_ = false;
};

}  // namespace decodesim

#pragma once
// The bytes of a trace file.

#include <string>
#include <string_view>

namespace decodesim {

/// A file's whole text: mapped into memory where it is a regular file, so that a trace of a gigabyte takes no memory of
/// its own; read where it is a pipe. Throws TraceError where it cannot be opened or is a folder.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  bool mapped_ = false;
  std::string read_;  // of a pipe
};

}  // namespace decodesim

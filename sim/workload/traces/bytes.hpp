#pragma once
// The bytes of a trace, piece by piece.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace decodesim {

/// A file, plain or gzip (told by its first bytes), or a text in memory. A file is read in pieces, so that one of many
/// gigabytes takes no more memory than a small one; a pipe, which can be read once only, is kept.
class TraceBytes {
 public:
  /// Throws TraceError where the file cannot be opened or is a folder.
  explicit TraceBytes(const std::string& path);
  /// `text` must outlive it; `name` stands for the file in messages.
  TraceBytes(std::string_view text, std::string name);
  ~TraceBytes();
  TraceBytes(TraceBytes&&) noexcept;
  TraceBytes& operator=(TraceBytes&&) noexcept;

  /// Fills `room` from the front; returns how much it got, 0 at the end only. Throws TraceError where the system fails or
  /// the gzip data are damaged or end early.
  std::size_t read(char* room, std::size_t size);
  /// Goes back to the beginning.
  void rewind();
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct File;
  std::unique_ptr<File> file_;  // none: the text below is all
  std::string kept_;            // of a pipe
  std::string_view text_;
  std::size_t position_ = 0;
  std::string name_;
};

}  // namespace decodesim

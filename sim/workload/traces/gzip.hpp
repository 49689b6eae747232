#pragma once
// Data packed with gzip, unpacked piece by piece.

#include <zlib.h>

#include <cstddef>
#include <functional>
#include <string>

namespace decodesim {

/// One gzip file may be several behind one another, with zeros between and behind them; all are read. zlib's own reader of files takes what is no gzip behind the
/// first for padding, so that a damaged second one would be lost in silence.
class GzipData {
 public:
  /// Fills room from the front and returns how much it got, 0 at the end only.
  using Source = std::function<std::size_t(char* room, std::size_t size)>;
  explicit GzipData(Source source);
  ~GzipData();
  GzipData(const GzipData&) = delete;
  GzipData& operator=(const GzipData&) = delete;

  /// The same of the unpacked data. Throws std::runtime_error with the reason where they are damaged or end early.
  std::size_t read(char* room, std::size_t size);
  /// Forgets everything, since the source begins again.
  void restart();

 private:
  Source source_;
  z_stream stream_{};
  std::string packed_;
  bool source_ended_ = false;
  bool between_ = true;  // before the first, or behind the last one's end
};

}  // namespace decodesim

#include "sim/workload/traces/gzip.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace decodesim {

namespace {
constexpr std::size_t piece = std::size_t{1} << 16;
constexpr int gzip_alone = 16 + MAX_WBITS;  // no other packing is told by its first bytes

unsigned char* bytes(char* text) { return reinterpret_cast<unsigned char*>(text); }
}  // namespace

GzipData::GzipData(Source source) : source_(std::move(source)), packed_(piece, '\0') {
  if (::inflateInit2(&stream_, gzip_alone) != Z_OK) throw std::bad_alloc();
}

GzipData::~GzipData() { ::inflateEnd(&stream_); }

void GzipData::restart() {
  ::inflateReset(&stream_);
  stream_.avail_in = 0;
  source_ended_ = false;
  between_ = true;
}

std::size_t GzipData::read(char* room, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<unsigned>::max();
  const auto wanted = static_cast<unsigned>(std::min(size, most));
  stream_.next_out = bytes(room);
  stream_.avail_out = wanted;
  while (stream_.avail_out == wanted && wanted > 0) {
    if (stream_.avail_in == 0 && !source_ended_) {
      stream_.next_in = bytes(packed_.data());
      stream_.avail_in = static_cast<unsigned>(source_(packed_.data(), packed_.size()));
      source_ended_ = stream_.avail_in == 0;
    }
    // Zeros fill up the last block of a tape or a disk; gzip passes over them too.
    for (; between_ && stream_.avail_in > 0 && *stream_.next_in == 0; --stream_.avail_in) ++stream_.next_in;
    if (stream_.avail_in == 0 && between_) {
      if (source_ended_) return 0;
      continue;
    }
    between_ = false;
    const int state = ::inflate(&stream_, Z_NO_FLUSH);
    if (state == Z_STREAM_END) {
      ::inflateReset(&stream_);
      between_ = true;
      continue;
    }
    if (state == Z_BUF_ERROR && source_ended_) throw std::runtime_error("unexpected end of file");
    if (state != Z_OK && state != Z_BUF_ERROR)
      throw std::runtime_error(stream_.msg != nullptr ? stream_.msg : "unknown reason");
  }
  return wanted - stream_.avail_out;
}

}  // namespace decodesim

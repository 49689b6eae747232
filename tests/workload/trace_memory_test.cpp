// A long trace takes no more memory than a short one.

#include <doctest/doctest.h>
#include <malloc.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "sim/workload/request_source.hpp"
#include "sim/workload/traces/reader.hpp"

namespace decodesim::tests {

namespace {

/// Bytes that are allocated now, of every kind.
std::size_t allocated() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// The most that was allocated above what was before, looked at every thousand requests.
class Peak {
 public:
  void look(std::int64_t request) {
    if (request % 1000 == 0) most_ = std::max(most_, allocated());
  }
  [[nodiscard]] std::size_t bytes() const { return most_ - std::min(most_, before_); }

 private:
  std::size_t before_ = allocated();
  std::size_t most_ = 0;
};

/// A file of so many rows, gone at the end; plain or packed.
class Rows {
 public:
  Rows(std::int64_t rows, bool packed)
      : path_((std::filesystem::temp_directory_path() /
               ("decodesim-rows-" + std::to_string(rows) + "-" + std::to_string(getpid())))
                  .string()) {
    gzFile out = gzopen(path_.c_str(), packed ? "wb1" : "wbT");  // T: as it is
    REQUIRE(out != nullptr);
    std::string text = "arrival_s,input_tokens,output_tokens,tenant\n";
    for (std::int64_t i = 0; i < rows; ++i) {
      text +=
          std::to_string(i / 7) + '.' + std::to_string(i % 7) + ',' + std::to_string(i % 8000 + 1) + ",90,someone\n";
      if (text.size() < 60'000 && i + 1 < rows) continue;
      REQUIRE(gzwrite(out, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
      text.clear();
    }
    REQUIRE(gzclose(out) == Z_OK);
  }
  ~Rows() { std::filesystem::remove(path_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::size_t peak_of_reading(const Rows& file, std::int64_t rows) {
  Peak peak;
  TraceReader reader(TraceBytes(file.path()), {});
  while (const Request* request = reader.next()) peak.look(request->index);
  CHECK(reader.account().kept == rows);
  return peak.bytes();
}

std::size_t peak_of_playing(const Rows& file, std::int64_t rows) {
  Peak peak;
  WorkloadSpec workload;
  workload.kind = WorkloadKind::trace;
  workload.trace.file = file.path();
  workload.trace.spread = SpreadPolicy::uniform;
  const auto source = make_request_source(workload, 1);
  std::int64_t last = -1;
  while (const auto request = source->next()) peak.look(last = request->index);
  CHECK(last + 1 == rows);
  return peak.bytes();
}

}  // namespace

TEST_CASE("twenty times the rows take no more memory, plain or packed") {
  constexpr std::size_t slack = 100'000;
  constexpr std::size_t enough = 2'000'000;
  for (const bool packed : {false, true}) {
    CAPTURE(packed);
    const Rows few(100'000, packed);
    const Rows many(2'000'000, packed);
    const std::size_t reading = peak_of_reading(few, 100'000);
    CHECK(reading > 200'000);  // a piece of the file, so that something is measured
    CHECK(reading < enough);
    CHECK(peak_of_reading(many, 2'000'000) <= reading + slack);
    CHECK(peak_of_playing(many, 2'000'000) <= peak_of_playing(few, 100'000) + slack);
  }
}

}  // namespace decodesim::tests

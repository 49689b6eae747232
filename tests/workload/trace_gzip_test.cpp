// Traces that are packed with gzip.

#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "sim/workload/traces/trace.hpp"
#include "tests/support/damage.hpp"

namespace decodesim::tests {

namespace {

std::string packed(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string in = text;
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<unsigned>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Reads bytes as a file; empty where they are refused, and then says why.
std::vector<Request> read_bytes(const std::string& bytes, std::string& why) {
  const auto path = std::filesystem::temp_directory_path() / ("decodesim-packed-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << bytes;
  std::vector<Request> requests;
  try {
    requests = read_trace(path.string());
  } catch (const TraceError& error) {
    why = error.what();
  }
  std::filesystem::remove(path);
  return requests;
}

std::string rows(std::int64_t from, std::int64_t to) {
  std::string text = from == 0 ? "arrival_s,input_tokens,output_tokens\n" : "";
  for (std::int64_t i = from; i < to; ++i) text += std::to_string(i) + ',' + std::to_string(i * i % 977 + 1) + ",7\n";
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a packed trace, also one of several parts, is read as the same rows that stand in it") {
  std::string why;
  const std::vector<Request> wanted = parse_trace(rows(0, 300), "t");
  CHECK(read_bytes(packed(rows(0, 300)), why) == wanted);
  CHECK(read_bytes(packed(rows(0, 100)) + packed("") + packed(rows(100, 300)), why) == wanted);
  CHECK(read_bytes(packed("") + packed(rows(0, 300)), why) == wanted);
  // Zeros behind a part are no data, as many as there are.
  for (const std::size_t zeros : {std::size_t{1}, std::size_t{512}, std::size_t{1} << 17}) {
    CHECK(read_bytes(packed(rows(0, 300)) + std::string(zeros, '\0'), why) == wanted);
    CHECK(read_bytes(packed(rows(0, 100)) + std::string(zeros, '\0') + packed(rows(100, 300)), why) == wanted);
  }
  CHECK(why.empty());
}

TEST_CASE("a packed trace that ends early, or has something else behind it, is refused") {
  const std::string whole = packed(rows(0, 300));
  for (std::size_t size = 3; size < whole.size(); size += 7) {
    std::string why;
    CHECK(read_bytes(whole.substr(0, size), why).empty());
    CHECK(has(why, "damaged or end early"));
  }
  for (const std::string& behind : {std::string("more"), std::string("\x1F"), std::string("\0\0more", 6)}) {
    std::string why;
    CHECK(read_bytes(whole + behind, why).empty());
    CHECK(has(why, "damaged or end early"));
  }
}

TEST_CASE("a trace that is packed twice, or is no text of UTF-8 with lines, is told what to do") {
  std::string why;
  CHECK(read_bytes(packed(packed(rows(0, 3))), why).empty());
  CHECK(has(why, "packed twice: gunzip it once"));
  CHECK(read_bytes(packed(rows(0, 3)).substr(0, 30), why).empty());
  CHECK(has(why, "copy the file again"));
  std::string wide[2];
  std::string returns;
  for (const char c : rows(0, 3)) {
    wide[0] += std::string(1, '\0') + c;
    wide[1] += c + std::string(1, '\0');
    returns += c == '\n' ? '\r' : c;
  }
  for (const std::string& text : {wide[0], wide[1], "\xFE\xFF" + wide[0], "\xFF\xFE" + wide[1]}) {
    CHECK(read_bytes(text, why).empty());
    CHECK(has(why, "the file is UTF-16: write it as UTF-8"));
  }
  CHECK(read_bytes(packed(returns), why).empty());
  CHECK(has(why, "its lines end in CR alone"));
}

TEST_CASE("a packed trace with random damage is refused, or read as it was, whichever part is hit") {
  const std::string whole = packed(rows(0, 60)) + packed(rows(60, 120));
  const std::vector<Request> wanted = parse_trace(rows(0, 120), "t");
  std::mt19937_64 random(37);
  std::int64_t refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::string text = damaged(whole, "\x1F\x8B\x08\xFF\x7E,0\n", random);
    std::string why;
    const std::vector<Request> requests = read_bytes(text, why);
    if (why.empty()) REQUIRE(requests == wanted);
    refused += why.empty() ? 0 : 1;
  }
  CHECK(refused > 1200);
}

}  // namespace decodesim::tests

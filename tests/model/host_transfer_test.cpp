// What moving KV blocks over the host link takes.

#include "sim/model/host_transfer.hpp"

#include <doctest/doctest.h>

namespace decodesim::tests {

TEST_CASE("a transfer takes its set-up, its messages and its bytes over the link") {
  // 16 tokens of one of eight ranks of a 70B model with grouped queries: 80 layers x (keys, values) of 16 x 128 x 2 bytes.
  HostTransfer link;
  link.block_bytes = Bytes(80 * 2 * 16 * 128 * 2);
  link.block_messages = 160;
  link.ranks = 8;
  link.bandwidth = BytesPerSecond(25e9);
  link.setup = Seconds(10e-6);
  link.per_message = Seconds(1e-6);
  CHECK(link.bytes(128) == Bytes(128 * 16 * 327680.0));  // 671 MB over all ranks
  // 83.9 MB a rank in 3.355 ms, and 20,480 messages of a microsecond: small pieces are bound by their number.
  CHECK(link.time(128) == Duration(10'000 + 20'480'000 + 3'355'443));
  CHECK(link.time(0) == Duration(0));
}

TEST_CASE("without a bandwidth transfers take no time") {
  HostTransfer link;
  link.block_bytes = Bytes(1000);
  link.setup = Seconds(1);
  CHECK(link.time(3) == Duration(0));
  CHECK(link.bytes(3) == Bytes(3000));
}

}  // namespace decodesim::tests

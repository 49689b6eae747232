// Memory that is reserved for whole lives, and what it wastes.

#include "sim/serving/reserved_memory.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "sim/serving/paged_memory.hpp"

namespace decodesim::tests {

namespace {

struct Lengths {
  std::int64_t input;
  std::int64_t output;
  std::int64_t generated;
};
constexpr Lengths requests[] = {{10, 25, 5}, {20, 12, 6}, {7, 40, 10}, {30, 9, 3}, {5, 5, 2}};

Sequence sequence_of(const Lengths& lengths, std::size_t slot) {
  Sequence sequence;
  sequence.slot = slot;
  sequence.request.input_tokens = lengths.input;
  sequence.output_tokens = sequence.request.output_tokens = sequence.request.max_tokens = lengths.output;
  sequence.generated = lengths.generated;
  return sequence;
}

/// Slots of a region of 256 after the requests came, first come, first served, until one does not fit.
struct Snapshot {
  std::int64_t admitted = 0;
  std::int64_t tokens = 0;  // generated ones and prompts
  std::int64_t reserved = 0;
  std::int64_t internal = 0;
  std::int64_t other = 0;  // rounding, holes and free space
};

ServerConfig region_of_256(Reservation rule) {
  ServerConfig server;
  server.num_blocks = server.usable_blocks = 256;
  server.block_size = 1;
  server.max_model_len = 128;
  server.scheduler.engine = "orca";
  server.scheduler.reservation = rule;
  return server;
}

Snapshot snapshot(Reservation rule) {
  const auto memory = make_reserved_memory(region_of_256(rule), false);
  std::deque<Sequence> sequences;
  Snapshot seen;
  for (const Lengths& lengths : requests) {
    sequences.push_back(sequence_of(lengths, sequences.size()));
    if (!memory->reserve(sequences.back())) break;
    ++seen.admitted;
    seen.tokens += sequences.back().known();
  }
  const KvSlots slots = memory->slots();
  seen.reserved = *slots.final_length - seen.tokens;
  seen.internal = slots.requested - *slots.final_length;
  seen.other = slots.total - slots.requested;
  return seen;
}

}  // namespace

TEST_CASE("a reservation of the model's maximum keeps most of the region from ever being used") {
  const Snapshot seen = snapshot(Reservation::maximum);
  CHECK(seen.admitted == 2);
  CHECK(seen.tokens == 41);
  CHECK(seen.reserved == 26);
  CHECK(seen.internal == 189);
  CHECK(seen.other == 0);
}

TEST_CASE("a reservation of the next power of two wastes less inside and more between") {
  const Snapshot seen = snapshot(Reservation::power_of_two);
  CHECK(seen.admitted == 3);
  CHECK(seen.tokens == 58);
  CHECK(seen.reserved == 56);
  CHECK(seen.internal == 35);
  CHECK(seen.other == 107);
}

TEST_CASE("a reservation of the exact length wastes nothing inside, and still a third of the region") {
  const Snapshot seen = snapshot(Reservation::oracle);
  CHECK(seen.admitted == 5);
  CHECK(seen.tokens == 98);
  CHECK(seen.reserved == 65);
  CHECK(seen.internal == 0);
  CHECK(seen.other == 93);
}

TEST_CASE("paging wastes only the unfilled part of last blocks") {
  const auto paged = [](std::int64_t block_size) {
    PagedMemory memory(256 / block_size, block_size);
    std::deque<Sequence> sequences;
    std::int64_t tokens = 0;
    for (const Lengths& lengths : requests) {
      sequences.push_back(sequence_of(lengths, sequences.size()));
      CHECK(memory.grow(sequences.back(), sequences.back().known()));
      tokens += sequences.back().known();
    }
    CHECK(tokens == 98);
    CHECK(!memory.slots().final_length.has_value());
    return std::pair(memory.slots().requested - tokens, memory.slots().total - memory.slots().requested);
  };
  CHECK(paged(4) == std::pair<std::int64_t, std::int64_t>(10, 148));
  CHECK(paged(16) == std::pair<std::int64_t, std::int64_t>(46, 112));
}

TEST_CASE("where finished sequences hold, memory comes back with the last of them") {
  for (Reservation rule : {Reservation::blocks, Reservation::maximum}) {
    const auto memory = make_reserved_memory(region_of_256(rule), true);
    Sequence first = sequence_of(requests[0], 0);
    Sequence second = sequence_of(requests[1], 1);
    Sequence third = sequence_of(requests[2], 2);
    CHECK(memory->reserve(first));
    CHECK(memory->reserve(second));
    CHECK_FALSE(memory->reserve(third));
    memory->release(first, Released::finished);
    CHECK(memory->free() == 0);
    CHECK_FALSE(memory->reserve(third));
    memory->release(second, Released::finished);
    CHECK(memory->free() == 256);
    CHECK(memory->reserve(third));
  }
}

}  // namespace decodesim::tests

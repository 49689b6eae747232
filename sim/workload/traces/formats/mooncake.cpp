// Mooncake's traces (kvcache-ai/Mooncake): whole milliseconds from zero, and chained hashes of blocks of 512 tokens, of which
// the prompt's end cuts the last. The published conversation trace has a grid of 3 seconds, which `spread` takes out.
//
// Other keys are refused, since traces with more keys mean other units and other blocks by the same names.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {
constexpr TraceKey keys[] = {
    {"timestamp", Meaning::time, true},
    {"input_length", Meaning::input_tokens, true},
    {"output_length", Meaning::output_tokens, true},
    {"hash_ids", Meaning::hash_ids, true},
};
}  // namespace

const TraceFormatInfo mooncake_format{
    .format = TraceFormat::mooncake,
    .name = "mooncake",
    .summary = "Mooncake's JSONL: timestamp (ms), input_length, output_length, hash_ids of 512 tokens",
    .time_unit = TimeUnit::ms,
    .block_size = 512,
    .shape = TraceShape::jsonl,
    .keys = keys,
    .rows = json_rows,
};

}  // namespace decodesim

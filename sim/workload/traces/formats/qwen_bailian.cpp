// Qwen-Bailian's traces (alibaba-edu/qwen-bailian-usagetraces-anon): keys as Mooncake's, but seconds, and blocks of 16 tokens.
//
// Every row has its whole context and its own time, so turns of a chat are not put together again: a row comes when it came.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {
constexpr TraceKey keys[] = {
    {"chat_id", Meaning::id},
    {"parent_chat_id", Meaning::ignored},
    {"timestamp", Meaning::time, true},
    {"input_length", Meaning::input_tokens, true},
    {"output_length", Meaning::output_tokens, true},
    {"type", Meaning::slo_class},
    {"turn", Meaning::turn},
    {"hash_ids", Meaning::hash_ids, true},
};
}  // namespace

const TraceFormatInfo qwen_bailian_format{
    .format = TraceFormat::qwen_bailian,
    .name = "qwen-bailian",
    .summary =
        "Qwen-Bailian's JSONL: timestamp (s), input_length, output_length, hash_ids of 16 tokens; its type is the "
        "class",
    .block_size = 16,
    .shape = TraceShape::jsonl,
    .keys = keys,
    .rows = json_rows,
};

}  // namespace decodesim

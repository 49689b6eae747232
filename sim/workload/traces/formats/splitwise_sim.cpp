// splitwise-sim's traces. A row of a request_type other than 2 is not an LLM's, and a batch_size is never read here.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {
constexpr TraceKey keys[] = {
    {"request_id", Meaning::id},
    {"arrival_timestamp", Meaning::time, true},
    {"prompt_size", Meaning::input_tokens, true},
    {"token_size", Meaning::output_tokens, true},
};
}  // namespace

const TraceFormatInfo splitwise_sim_format{
    .format = TraceFormat::splitwise_sim,
    .name = "splitwise-sim",
    .summary = "splitwise-sim's traces: arrival_timestamp, prompt_size, token_size",
    .keys = keys,
    .others_ignored = true,
    .rows = csv_rows,
};

}  // namespace decodesim

// vidur's traces: seconds from zero, and tokens. Its files of lengths alone have no arrivals and are no traces.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {
constexpr TraceKey keys[] = {
    {"arrived_at", Meaning::time, true},
    {"num_prefill_tokens", Meaning::input_tokens, true},
    {"num_decode_tokens", Meaning::output_tokens, true},
};
}  // namespace

const TraceFormatInfo vidur_format{
    .format = TraceFormat::vidur,
    .name = "vidur",
    .summary = "vidur's processed traces: arrived_at, num_prefill_tokens, num_decode_tokens",
    .keys = keys,
    .others_ignored = true,
    .rows = csv_rows,
};

}  // namespace decodesim

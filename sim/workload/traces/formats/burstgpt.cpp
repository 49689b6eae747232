// BurstGPT (HPMLL/BurstGPT): three layouts, whose columns are found by name. Its clock counts seconds from midnight of the
// first day recorded, so the earliest row is time zero. An answer of no tokens is a failed call.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {
constexpr TraceKey keys[] = {
    {"Timestamp", Meaning::time, true},
    {"Request tokens", Meaning::input_tokens, true},
    {"Response tokens", Meaning::output_tokens, true},
    {"Model", Meaning::tenant},
    {"Log Type", Meaning::slo_class},
};
}  // namespace

const TraceFormatInfo burstgpt_format{
    .format = TraceFormat::burstgpt,
    .name = "burstgpt",
    .summary =
        "BurstGPT 1, 2 and 3: Timestamp, Request tokens, Response tokens; its Model is the tenant, its Log Type the "
        "class",
    .from_first_row = true,
    .zero_output = RowPolicy::drop,
    .keys = keys,
    .others_ignored = true,
    .rows = csv_rows,
};

}  // namespace decodesim

// The public Azure LLM inference traces of 2023, 2024 and 2025 (Azure/AzurePublicDataset).
//
// A time stamp is `2023-11-16 18:15:46.6805900`: up to nine decimals or none, a blank or a T between date and time, and at
// its end Z, an offset such as +00:00, or nothing, which counts as UTC. The traces of 2024 leave the decimals out where they
// are zero; those of 2025 have a column more, NumImages.

#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {
constexpr TraceKey keys[] = {
    {"TIMESTAMP", Meaning::date_time, true},
    {"ContextTokens", Meaning::input_tokens, true},
    {"GeneratedTokens", Meaning::output_tokens, true},
};
}  // namespace

const TraceFormatInfo azure_format{
    .format = TraceFormat::azure,
    .name = "azure",
    .summary = "the Azure LLM inference traces of 2023, 2024 and 2025: TIMESTAMP, ContextTokens, GeneratedTokens",
    .from_first_row = true,
    .keys = keys,
    .others_ignored = true,
    .rows = csv_rows,
};

}  // namespace decodesim

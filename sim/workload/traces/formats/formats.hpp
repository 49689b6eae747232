#pragma once
// The formats of traces, each in a file of its own.

#include "sim/workload/traces/format.hpp"

namespace decodesim {

extern const TraceFormatInfo decodesim_format;
extern const TraceFormatInfo csv_format;
extern const TraceFormatInfo azure_format;
extern const TraceFormatInfo mooncake_format;
extern const TraceFormatInfo burstgpt_format;
extern const TraceFormatInfo qwen_bailian_format;
extern const TraceFormatInfo vidur_format;
extern const TraceFormatInfo splitwise_sim_format;
extern const TraceFormatInfo servegen_format;
extern const TraceFormatInfo aibrix_format;
extern const TraceFormatInfo aiperf_format;
extern const TraceFormatInfo blis_format;
extern const TraceFormatInfo vllm_bench_format;

/// Is this the first line of decodesim's YAML trace?
bool begins_own_trace(std::string_view line);

}  // namespace decodesim

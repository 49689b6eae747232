// Which formats there are.

#include <algorithm>
#include <array>

#include "sim/core/check.hpp"
#include "sim/core/nearest_name.hpp"
#include "sim/workload/traces/formats/formats.hpp"

namespace decodesim {

namespace {

constexpr std::array<const TraceFormatInfo*, 13> formats{
    &decodesim_format,    &csv_format,      &azure_format,      &mooncake_format,      &burstgpt_format,
    &qwen_bailian_format, &servegen_format, &vidur_format,      &splitwise_sim_format, &aibrix_format,
    &aiperf_format,       &blis_format,     &vllm_bench_format,
};

}  // namespace

std::string found_names(std::span<const std::string_view> names, std::span<const std::string_view> known) {
  std::string found;
  std::string hint;
  for (const std::string_view name : names) {
    found += (found.empty() ? "found '" : ", '") + std::string(name.substr(0, 40)) + "'";
    const auto near = nearest_name(name, known);
    if (near && hint.empty()) hint = "; did you mean '" + std::string(*near) + "'?";
  }
  return found + hint;
}

std::span<const TraceFormatInfo* const> trace_formats() { return formats; }

const TraceFormatInfo& trace_format(TraceFormat format) {
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const TraceFormatInfo* one) { return one->format == format; });
  check(found != formats.end(), "every format of traces stands in the table");
  return **found;
}

}  // namespace decodesim

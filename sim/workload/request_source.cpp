#include "sim/workload/request_source.hpp"

#include "sim/core/check.hpp"
#include "sim/workload/sources.hpp"

namespace decodesim {

std::unique_ptr<RequestSource> make_request_source(const WorkloadSpec& workload, std::uint64_t seed,
                                                   std::optional<std::int64_t> longest) {
  switch (workload.kind) {
    case WorkloadKind::requests:
      return make_list_source(workload.requests);
    case WorkloadKind::trace:
      return make_trace_source(workload.trace, longest, seed);
    case WorkloadKind::generator:
      return make_generator_source(workload, seed);
  }
  throw BrokenInvariant("a workload of unknown kind");
}

bool ends_by_itself(const WorkloadSpec& workload) {
  return workload.kind != WorkloadKind::generator || !workload.max_concurrency || workload.num_requests > 0;
}

std::vector<std::string> workload_files(const WorkloadSpec& workload) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& file) {
    if (!file.empty()) files.push_back(file);
  };
  add(workload.trace.file);
  add(workload.trace.second_file);
  add(workload.lengths.from);
  add(workload.input_tokens.file);
  add(workload.output_tokens.file);
  add(workload.sessions.first_input.file);
  for (const ClientSpec& client : workload.clients) {
    add(client.input_tokens.file);
    add(client.output_tokens.file);
    add(client.sessions.first_input.file);
  }
  return files;
}

}  // namespace decodesim

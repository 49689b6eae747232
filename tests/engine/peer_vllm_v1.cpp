#include "tests/engine/peer_vllm_v1.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/every_engine.hpp"
#include "tests/support/requests.hpp"

namespace decodesim::tests {

ServerConfig server_of(const json& inputs) {
  ServerConfig config =
      vllm_v1_on_seconds(inputs.value("blocks", 10'000), inputs.value("block_size", 16), inputs.value("budget", 8192));
  config.max_model_len = 100'000;
  config.scheduler.max_num_seqs = inputs.value("max_seqs", 128);
  config.scheduler.long_prefill_token_threshold = inputs.value("long_prefill_token_threshold", 0);
  config.scheduler.never_fits = NeverFits::hang;
  return config;
}

std::vector<Request> prompts(const json& lengths, std::int64_t output) {
  std::vector<Request> list;
  for (std::int64_t length : lengths) request(list, length, output);
  return list;
}

}  // namespace decodesim::tests

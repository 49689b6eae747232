#pragma once
// Names by which people know a key or a value from vLLM, its benchmark client or a datasheet.

#include <string>
#include <string_view>

namespace decodesim {

/// The path that a key of this name has in a scenario: "memory.utilization" for gpu_memory_utilization, however its words
/// are joined. Empty where the name is not known, or stands for nothing that is simulated.
std::string_view path_of_vllm_key(std::string_view key);

/// What to write in place of such a key; empty where the name is not known.
std::string vllm_key_help(std::string_view key);

/// The name that `value` has in a list of names: "formats", "engines", "gpus" or "nodes"; empty where it is not known.
std::string_view name_of_vllm_value(std::string_view list, std::string_view value);

/// What to write in place of such a value; empty where it is not known. In the list "numbers" infinity is known, which
/// stands for another process of arrivals.
std::string vllm_value_help(std::string_view list, std::string_view value);

/// The name of a model without its owner and the words that say how it was tuned: "llama-3.1-70b" for
/// meta-llama/Llama-3.1-70B-Instruct.
std::string bare_model_name(std::string_view name);

}  // namespace decodesim

#pragma once
// Scenario files that studies are tested on.

#include <string>

namespace decodesim::tests {

/// A server of 39 usable blocks of 4 tokens under 40 random requests that need 3 to 17 blocks each: it preempts.
inline constexpr const char* busy_server =
    "version: 1\n"
    "name: busy\n"
    "memory: {num_gpu_blocks: 40, block_size: 4}\n"
    "scheduler: {engine: vllm-v1, max_num_seqs: 8, max_num_batched_tokens: 16, max_model_len: 1000}\n"
    "cost: {model: fixed, step: 10 ms}\n"
    "workload:\n"
    "  num_requests: 40\n"
    "  max_concurrency: 12\n"
    "  input_tokens: {distribution: uniform, min: 4, max: 30}\n"
    "  output_tokens: {distribution: uniform, min: 8, max: 36}\n";

/// A file that lives as long as this object.
class StudyFile {
 public:
  explicit StudyFile(const std::string& text);
  ~StudyFile();
  StudyFile(const StudyFile&) = delete;
  StudyFile& operator=(const StudyFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace decodesim::tests

#pragma once
// Small lists of requests.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/workload/request.hpp"

namespace decodesim::tests {

inline Request request(std::int64_t index, const std::string& id, std::int64_t input, std::int64_t output,
                       std::int64_t arrival_s = 0, std::int64_t priority = 0) {
  return {index, id, Time(std::chrono::seconds(arrival_s)), input, output, output, priority};
}

/// Adds a request to the list, called a, b, c and so on.
inline Request& request(std::vector<Request>& list, std::int64_t input, std::int64_t output, std::int64_t arrival_s = 0,
                        std::int64_t priority = 0) {
  const auto index = static_cast<std::int64_t>(list.size());
  const std::string id = index < 26 ? std::string(1, static_cast<char>('a' + index)) : "r" + std::to_string(index);
  list.push_back({index, id, Time(std::chrono::seconds(arrival_s)), input, output, output, priority});
  return list.back();
}

/// Three that outgrow a pool of five blocks of four tokens together.
inline std::vector<Request> three_growing() {
  return {request(0, "A", 6, 7), request(1, "B", 5, 6), request(2, "C", 3, 5)};
}

inline std::vector<Request> alike(std::int64_t count, std::int64_t input, std::int64_t output) {
  std::vector<Request> list;
  for (std::int64_t i = 0; i < count; ++i) request(list, input, output);
  return list;
}

}  // namespace decodesim::tests

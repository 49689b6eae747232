#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/workload/traces/trace.hpp"

namespace decodesim {

namespace {

/// A trace of workloads/requests, as its own comment says that it was made.
struct Recipe {
  std::string name;
  std::int64_t count;
  double gap_mean;  // ms, between exponential arrivals, which are cut to whole milliseconds
  double input_mean;
  std::int64_t input_min;
  std::int64_t input_max;
  double output_mean;
  std::int64_t output_max;
};

/// `least` plus an exponential number of mean `mean` - `least`, cut to a whole one and to at most `most`.
std::int64_t length(Stream& chance, double mean, std::int64_t least, std::int64_t most) {
  const double above = chance.exponential() * (mean - static_cast<double>(least));
  return std::min(least + static_cast<std::int64_t>(above), most);
}

std::vector<Request> made(const Recipe& recipe) {
  Stream arrivals(1, "arrivals");
  Stream inputs(1, "input lengths");
  Stream outputs(1, "output lengths");
  std::vector<Request> requests;
  double now = 0;
  for (std::int64_t i = 0; i < recipe.count; ++i) {
    now += arrivals.exponential() * recipe.gap_mean;
    Request request;
    request.index = i;
    request.arrival = Time(Duration(static_cast<std::int64_t>(now) * 1'000'000));
    request.input_tokens = length(inputs, recipe.input_mean, recipe.input_min, recipe.input_max);
    request.output_tokens = length(outputs, recipe.output_mean, 1, recipe.output_max);
    request.max_tokens = request.output_tokens;
    requests.push_back(request);
  }
  return requests;
}

}  // namespace

TEST_CASE("the example traces are what their comments say, request by request") {
  const std::vector<Recipe> recipes{
      {"chat", 1200, 200, 1155, 1, 8192, 211, 1000},
      {"documents", 200, 5000, 30'000, 4096, 120'000, 350, 2000},
  };
  for (const Recipe& recipe : recipes) {
    const std::string path = std::string(DECODESIM_SOURCE_DIR) + "/workloads/requests/" + recipe.name + ".yaml";
    std::ifstream in(path, std::ios::binary);
    std::string comment;
    std::string rest;
    for (std::string line; std::getline(in, line);) (line.starts_with('#') ? comment : rest) += line + '\n';
    std::ostringstream wanted;
    write_trace(made(recipe), recipe.name, wanted);
    CHECK_MESSAGE(rest == wanted.str(), path);
    CHECK(comment.find(std::to_string(recipe.count) + " requests") != std::string::npos);
  }
}

}  // namespace decodesim

// Start-up logs of real servers: the plan must give the tokens and blocks that they printed, and refuse what they refused.
// What comes out is written to docs/validation.md, with DECODESIM_UPDATE_GOLDEN=1, and held against it otherwise.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/core/rounding.hpp"
#include "tests/support/document_section.hpp"
#include "tests/support/kv_cases.hpp"

namespace decodesim::tests {
namespace {

/// Why a log's tokens are not held against the plan's.
const std::map<std::string, std::string> not_compared{
    {"K04", "prints neither KV bytes nor tokens; that its overheads leave room for max_model_len is checked"},
    {"K06", "its KV line is cut off; the row shows communication buffers growing with tp"},
    {"K10", "prints blocks without KV bytes or overheads; see the defaults"},
    {"K12", "prints blocks alone; those of host memory are checked"},
    {"K14", "prints blocks alone; that it does not start is checked"},
    {"K16", "prints tokens alone; the concurrency is checked"},
    {"K28", "prints the KV bytes of one rank and the tokens of another, which samples too; the pool is the minimum"},
    {"K42",
     "prints blocks alone; a version that forgot to divide heads by tp had a quarter of them, as block bytes say"},
    {"K48", "prints KV bytes and no tokens; its budget is checked"},
    {"K52", "prints tokens alone; the bytes of a token, 983,040 on a rank, follow from keys and values of all heads"},
    {"K54", "prints KV bytes and no tokens; the budget of its slower stage is checked"},
    {"K56", "prints KV bytes and no tokens; that it does not start is checked"},
    {"K58", "prints KV bytes and no tokens; see the defaults"},
    {"K60", "the heads of its layers are not known, and differ between its kinds of layers"},
    {"K62", "prints tokens without KV bytes; tokens and concurrency from its blocks are checked"},
    {"K68", "prints the KV bytes of one rank and the tokens of another; that it does not start at 0.80 is checked"},
    {"K70", "prints blocks without KV bytes; the concurrency is checked"},
    {"K82", "prints blocks without KV bytes; see the defaults"},
    {"K84", "prints blocks alone; that it does not start is checked"},
    {"K90", "its GPUs are not stated: memory and weights would be fitted to the tokens; the concurrency is checked"},
};

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

const KvCase& find(const std::vector<KvCase>& logs, const std::string& id) {
  return *std::find_if(logs.begin(), logs.end(), [&](const KvCase& log) { return log.id() == id; });
}

std::optional<double> logged_tokens(const KvCase& log) {
  if (const auto tokens = log.number("kv_tokens")) return tokens;
  const auto blocks = log.number("gpu_blocks");
  return blocks ? std::optional(*blocks * log.number("block").value_or(0)) : std::nullopt;
}

MemoryPlan planned(const LoggedServer& server) {
  const auto plan = server.plan();
  const auto* error = std::get_if<PlanError>(&plan);
  REQUIRE_MESSAGE(error == nullptr, (error == nullptr ? "" : error->message));
  return std::get<MemoryPlan>(plan);
}

/// The server of a log whose KV bytes decide; K50 prints what KV and the table of requests take together.
LoggedServer from_bytes(const KvCase& log) {
  if (log.id() != "K50") return with_logged_pool(log);
  LoggedServer server = logged_server(log);
  server.gpu.memory_reported = Bytes(*log.number("kv_gib_gpu") * GiB);
  server.memory.utilization = 1;
  server.memory.weights = Bytes(0);
  server.memory.runtime_overhead = Bytes(0);
  return server;
}

struct Compared {
  std::string id, model, engine;
  double logged = 0, predicted = 0;
  [[nodiscard]] double off() const { return predicted / logged - 1; }
};

std::vector<Compared> compare_tokens(const std::vector<KvCase>& logs) {
  std::vector<Compared> rows;
  for (const KvCase& log : logs) {
    if (not_compared.count(log.id()) > 0 || log.number("kv_gib_gpu").value_or(0) <= 0) continue;
    rows.push_back({log.id(), log.text("model"), log.text("engine"), logged_tokens(log).value_or(0),
                    static_cast<double>(planned(from_bytes(log)).tokens.value())});
  }
  return rows;
}

/// KV bytes of a GPU in GiB, which tokens say of the rank that bounds them.
std::optional<double> logged_pool(const KvCase& log) {
  const auto from_tokens = log.number("kv_gib_from_tokens");
  return from_tokens ? from_tokens : log.number("kv_gib_gpu");
}

std::vector<Compared> compare_defaults(const std::vector<KvCase>& logs) {
  std::vector<Compared> rows;
  for (const KvCase& log : logs) {
    const auto server = with_default_overheads(log);
    const auto pool = logged_pool(log);
    if (!server || !pool) continue;
    const auto plan = server->plan();
    const auto* fits = std::get_if<MemoryPlan>(&plan);
    rows.push_back(
        {log.id(), log.text("model"), log.text("engine"), *pool, fits == nullptr ? 0 : fits->pool.value() / GiB});
  }
  return rows;
}

double median_error(const std::vector<Compared>& rows) {
  std::vector<double> errors;
  for (const Compared& row : rows) errors.push_back(std::fabs(row.off()));
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() / 2];
}

struct Refusal {
  std::string id, logged, ours;
};

/// What a server says where `tokens` of `length` are too few.
std::string objection(LoggedServer server, std::int64_t length) {
  const auto plan = server.plan();
  if (const auto* error = std::get_if<PlanError>(&plan)) return error->message;
  const MemoryPlan& fits = std::get<MemoryPlan>(plan);
  const auto why = start_objection(fits, length, server.limits.max_num_batched_tokens);
  if (!why) return "";
  return *why + "; the longest that fits is " +
         std::to_string(longest_sequence(fits, length, server.limits.max_num_batched_tokens));
}

std::vector<Refusal> refusals(const std::vector<KvCase>& logs) {
  std::vector<Refusal> rows;
  const auto by_blocks = [&](const std::string& id, std::int64_t length) {
    LoggedServer server = logged_server(find(logs, id));
    server.memory.num_gpu_blocks = static_cast<std::int64_t>(*find(logs, id).number("gpu_blocks"));
    return objection(server, length);
  };
  const auto by_pool = [&](const std::string& id, double gib, std::int64_t length) {
    LoggedServer server = logged_server(find(logs, id));
    server.memory.kv_cache = Bytes(gib * GiB);
    return objection(server, length);
  };
  rows.push_back({"K14", "6,048 tokens for max_model_len 8,192", by_blocks("K14", 8192)});
  rows.push_back(
      {"K20", "-1.05 GiB for the cache: 0 blocks", objection(*with_logged_overheads(find(logs, "K20")), 4096)});
  LoggedServer k28 = logged_server(find(logs, "K28"));
  k28.memory.num_gpu_tokens = 81536;
  rows.push_back({"K28", "81,536 tokens for max_model_len 131,072", objection(k28, 131072)});
  rows.push_back(
      {"K34", "5.59 GiB for max_model_len 221,000; 122,080 are estimated to fit", by_pool("K34", 5.59, 221000)});
  LoggedServer k56 = *with_default_overheads(find(logs, "K56"));
  k56.memory.utilization = 0.9;
  k56.limits = {8192, 1024, 131072};
  rows.push_back({"K56", "-2.14 GiB for the cache by default", objection(k56, 131072)});
  rows.push_back({"K56", "1.71 GiB for max_model_len 131,072", by_pool("K56", 1.71, 131072)});
  rows.push_back(
      {"K68", "22.5 GiB for max_model_len 196,608; 190,272 are estimated to fit", by_pool("K68", 22.5, 196608)});
  rows.push_back({"K84", "8,112 tokens for max_model_len 16,384", by_blocks("K84", 16384)});
  return rows;
}

std::string section_text(const std::vector<KvCase>& logs) {
  std::ostringstream out;
  const std::vector<Compared> tokens = compare_tokens(logs);
  const std::vector<Compared> defaults = compare_defaults(logs);
  double worst = 0;
  for (const Compared& row : tokens) worst = std::max(worst, std::fabs(row.off()));
  out << "Start-up logs of " << logs.size() << " real servers (vLLM, SGLang, TensorRT-LLM and others) against the "
      << "memory plan.\n\n"
      << "### Tokens from KV bytes\n\n"
      << "Logs that print the bytes of the cache and its tokens: " << tokens.size() << ", the worst "
      << fixed(worst * 100, 2) << " % off.\n\n"
      << "| log | model | server | tokens, log | tokens, plan | off |\n|---|---|---|---:|---:|---:|\n";
  for (const Compared& row : tokens)
    out << "| " << row.id << " | " << row.model << " | " << row.engine << " | " << fixed(row.logged, 0) << " | "
        << fixed(row.predicted, 0) << " | " << fixed(row.off() * 100, 2) << " % |\n";
  out << "\n### KV bytes from stated overheads\n\n"
      << "Memory, weights, non-torch memory and activation peak as the log prints them, all rounded to 0.01 GiB.\n\n"
      << "| log | model | KV GiB, log | KV GiB, plan |\n|---|---|---:|---:|\n";
  for (const KvCase& log : logs) {
    const auto server = with_logged_overheads(log);
    if (!server || !log.number("kv_gib_gpu")) continue;
    const auto plan = server->plan();
    const auto* fits = std::get_if<MemoryPlan>(&plan);
    out << "| " << log.id() << " | " << log.text("model") << " | " << fixed(*log.number("kv_gib_gpu"), 2) << " | "
        << (fits == nullptr ? "refused" : fixed(fits->pool.value() / GiB, 2)) << " |\n";
  }
  out << "\n### Refusals\n\n| log | what the server had | what the plan says |\n|---|---|---|\n";
  for (const Refusal& row : refusals(logs)) out << "| " << row.id << " | " << row.logged << " | " << row.ours << " |\n";
  out << "\n### Default overheads\n\n"
      << "The same without the overheads: text models on GPUs whose memory and utilization are known, with the weights "
         "that "
      << "the log\nprints, or else the model's. The defaults were fitted to some of these logs, and their steps and "
         "sequences "
      << "are those of the\nversion where the log does not print them. Median error "
      << fixed(median_error(defaults) * 100, 1) << " % of " << defaults.size() << ".\n\n"
      << "| log | model | server | KV GiB, log | KV GiB, plan | off |\n|---|---|---|---:|---:|---:|\n";
  for (const Compared& row : defaults)
    out << "| " << row.id << " | " << row.model << " | " << row.engine << " | " << fixed(row.logged, 2) << " | "
        << (row.predicted == 0 ? "refused" : fixed(row.predicted, 2)) << " | " << fixed(row.off() * 100, 1) << " % |\n";
  out << "\n### Tokens that are not compared\n\n| log | model | why |\n|---|---|---|\n";
  for (const auto& [id, why] : not_compared)
    out << "| " << id << " | " << find(logs, id).text("model") << " | " << why << " |\n";
  return out.str();
}

}  // namespace

TEST_CASE("tokens follow from the KV bytes that a server printed, within 0.3 %") {
  const auto logs = kv_cases();
  if (!logs) return;
  const std::vector<Compared> rows = compare_tokens(*logs);
  for (const Compared& row : rows) {
    CAPTURE(row.id);
    CHECK(std::fabs(row.off()) <= 0.003);
  }
  CHECK(rows.size() >= 22);
}

TEST_CASE("every log is compared, refused, or listed with the reason") {
  const auto logs = kv_cases();
  if (!logs) return;
  std::set<std::string> seen;
  for (const Compared& row : compare_tokens(*logs)) seen.insert(row.id);
  for (const Refusal& row : refusals(*logs)) seen.insert(row.id);
  for (const auto& [id, why] : not_compared) seen.insert(id);
  for (const KvCase& log : *logs) {
    CAPTURE(log.id());
    CHECK(seen.count(log.id()) == 1);
  }
  CHECK(seen.size() == logs->size());
}

TEST_CASE("KV bytes follow from stated overheads as closely as a log rounds its figures") {
  const auto logs = kv_cases();
  if (!logs) return;
  int compared = 0;
  for (const KvCase& log : *logs) {
    const auto server = with_logged_overheads(log);
    const auto pool = log.number("kv_gib_gpu");
    // K28 prints the bytes of a rank and the overheads of another.
    if (!server || !pool || log.id() == "K20" || log.id() == "K28") continue;
    CAPTURE(log.id());
    const MemoryPlan plan = planned(*server);
    CHECK(std::fabs(plan.pool.value() / GiB - *pool) <= 0.06);
    if (const auto tokens = logged_tokens(log))
      CHECK(std::fabs(static_cast<double>(plan.tokens.value()) / *tokens - 1) <= 0.003);
    ++compared;
  }
  CHECK(compared >= 9);
}

TEST_CASE("what a server refused is refused for the same reason") {
  const auto logs = kv_cases();
  if (!logs) return;
  for (const Refusal& row : refusals(*logs)) {
    CAPTURE(row.id);
    CAPTURE(row.logged);
    CAPTURE(row.ours);
    CHECK(row.ours != "");
    const bool none = row.logged.starts_with("-");
    CHECK((row.ours.find("no memory is left for the KV cache") == 0) == none);
    CHECK((row.ours.find("fewer than one sequence of max_model_len") != std::string::npos) == !none);
  }
  // What vLLM estimates to fit, from bytes that its log rounds.
  const auto longest = [&](const std::string& id, double gib, std::int64_t asked) {
    LoggedServer server = logged_server(find(*logs, id));
    server.memory.kv_cache = Bytes(gib * GiB);
    return static_cast<double>(longest_sequence(planned(server), asked, 2048));
  };
  CHECK(longest("K34", 5.59, 221000) == doctest::Approx(122080).epsilon(0.001));
  CHECK(longest("K68", 22.5, 196608) == doctest::Approx(190272).epsilon(0.001));
  CHECK(longest("K68", 23.26, 196608) == 196608);
}

TEST_CASE("a longer max_model_len can leave more for the cache, where it turns chunks on") {
  const auto logs = kv_cases();
  if (!logs) return;
  const MemoryPlan whole = planned(*with_logged_overheads(find(*logs, "K02")));
  const MemoryPlan chunks = planned(*with_logged_overheads(find(*logs, "K04")));
  CHECK(chunks.pool.value() / GiB == doctest::Approx(5.8).epsilon(0.01));
  CHECK(chunks.pool > whole.pool);
  CHECK_FALSE(start_objection(chunks, 35000, 512).has_value());
}

TEST_CASE("concurrency and blocks of host memory are those that servers printed") {
  const auto logs = kv_cases();
  if (!logs) return;
  int concurrencies = 0;
  int hosts = 0;
  for (const KvCase& log : *logs) {
    if (log.id() == "K62") continue;
    CAPTURE(log.id());
    const auto tokens = logged_tokens(log);
    const auto length = log.number("max_model_len");
    LoggedServer server = logged_server(log);
    if (const auto printed = log.number("max_conc"); printed && tokens && length) {
      server.memory.num_gpu_tokens = static_cast<std::int64_t>(*tokens);
      const double ours = planned(server).concurrency(static_cast<std::int64_t>(*length), 2048);
      CHECK(ours == doctest::Approx(*printed).epsilon(0.005));
      ++concurrencies;
    }
    if (const auto printed = log.number("cpu_blocks")) {
      server.memory.num_gpu_tokens.reset();
      server.memory.num_gpu_blocks = 1;
      CHECK(std::floor(4 * GiB / planned(server).block_bytes.value()) == *printed);  // 4 GiB, the default of V0
      ++hosts;
    }
  }
  CHECK(concurrencies >= 12);
  CHECK(hosts >= 12);
}

TEST_CASE("heads that are not divided among ranks make the pool smaller by as many times") {
  const auto logs = kv_cases();
  if (!logs) return;
  LoggedServer server = logged_server(find(*logs, "K42"));
  server.memory.num_gpu_blocks = 1;
  const double divided = planned(server).block_bytes.value();
  server.parallel.tp = 1;
  // The version with the mistake had 814 blocks.
  CHECK(*find(*logs, "K42").number("gpu_blocks") / 814 ==
        doctest::Approx(planned(server).block_bytes.value() / divided).epsilon(0.003));
}

TEST_CASE("a hybrid model's printed tokens and its concurrency differ as its server's did") {
  const auto logs = kv_cases();
  if (!logs) return;
  const KvCase& log = find(*logs, "K62");
  LoggedServer server = logged_server(log);
  // A state needs the page of 784 tokens, and its layers are three groups of as many as the full ones.
  server.memory.num_gpu_blocks = 1487;
  const MemoryPlan plan = planned(server);
  CHECK(plan.block_size == 784);
  CHECK(plan.groups == LayerGroups{1, 0, 3, 16});
  CHECK(static_cast<double>(plan.tokens.value()) == *log.number("kv_tokens"));
  CHECK(plan.concurrency(32768, 2048) == doctest::Approx(*log.number("max_conc")).epsilon(0.0005));
}

TEST_CASE("default overheads come near the logs, half of them within 5 %") {
  const auto logs = kv_cases();
  if (!logs) return;
  const std::vector<Compared> rows = compare_defaults(*logs);
  CHECK(rows.size() >= 16);
  CHECK(median_error(rows) < 0.05);
}

TEST_CASE("the validation page has these results") {
  const auto logs = kv_cases();
  if (!logs) return;
  check_section("docs/validation.md", "what fits", section_text(*logs));
}

}  // namespace decodesim::tests

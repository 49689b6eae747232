#include "sim/report/requests_csv.hpp"

#include <algorithm>
#include <string_view>

#include "sim/report/number_text.hpp"
#include "sim/report/report.hpp"
#include "sim/report/slo_limits.hpp"
#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

constexpr std::string_view header =
    "index,id,outcome,reason,arrival_s,scheduled_s,first_token_s,ended_s,ttft_ms,tpot_ms,e2el_ms,input_tokens,"
    "output_tokens,max_tokens,priority,preemptions,recomputed_tokens,tenant,slo_class,deadline_met,found_tokens,"
    "preempted_for_decode,preempted_for_prefill,preempted_for_admission,preempted_for_retraction,preempted_by_itself,"
    "blocks_freed,free_blocks_before,recompute_ms,away_ms,discarded_tokens,swapped_out_tokens,found_again_tokens,"
    "recompute_waited_ms,swapped_out_bytes,swapped_in_bytes,transfer_ms,transfer_waited_ms,loads,"
    "load_ms,slo,session,turn\n";

bool came(Time time) { return time.time_since_epoch().count() >= 0; }
std::string seconds(Time time) { return came(time) ? seconds_text(time.time_since_epoch()) : std::string(); }

/// The mean gap between tokens, rounded half up to a nanosecond.
Duration per_token(Duration decoding, std::int64_t gaps) { return (decoding * 2 + Duration(gaps)) / (2 * gaps); }

/// What evictions did to a request, for the cells at the end of its row; empty ones where it was never evicted.
std::string eviction_cells(const EvictionAccount& account) {
  if (account.preemptions == 0) return std::string(12, ',');
  std::string cells;
  const auto add = [&](const std::string& cell) { cells.append(1, ',').append(cell); };
  for (std::int64_t count : account.by_reason) add(std::to_string(count));
  add(std::to_string(account.of_itself));
  add(std::to_string(account.blocks));
  add(fixed_text(static_cast<double>(account.free_before) / static_cast<double>(account.preemptions), 2));
  add(milliseconds_text(account.recompute_time));
  add(milliseconds_text(account.away));
  for (std::int64_t tokens : {account.discarded_tokens, account.swapped_out_tokens, account.found_again_tokens})
    add(std::to_string(tokens));
  return cells;
}

/// What moving its KV to the host and back took, at the very end; empty cells where none of it moved.
std::string transfer_cells(const EvictionAccount& account, Bytes moved_block) {
  if (account.swapped_out_blocks == 0) return ",,,,";
  std::string cells;
  const auto add = [&](const std::string& cell) { cells.append(1, ',').append(cell); };
  for (std::int64_t blocks : {account.swapped_out_blocks, account.swapped_in_blocks})
    add(fixed_text(moved_block.value() * static_cast<double>(blocks), 0));
  add(milliseconds_text(account.transfers.total));
  add(milliseconds_text(account.transfers.waited));
  return cells;
}

std::string deadline_cell(const RequestFacts& facts) {
  if (!facts.request->deadline) return "";
  return facts.met_deadline() ? "true" : "false";
}

/// What became of the limits that one request can keep: goodput lost, and whether recompute lost it.
std::string slo_cell(const RequestFacts& facts, const SloSpec& slo) {
  if (facts.outcome != Outcome::completed || !limits_requests(slo)) return "";
  if (keeps(slo, completed_request(facts))) return "kept";
  return keeps(slo, without_recompute(facts)) ? "missed_by_recompute" : "missed";
}

std::string row_of(const RequestFacts& facts, const EvictionAccount& evictions, Bytes moved_block, const SloSpec& slo) {
  const Request& request = *facts.request;
  const bool completed = facts.outcome == Outcome::completed;
  const std::int64_t gaps = facts.output_tokens - 1;
  std::string row = std::to_string(request.index);
  const auto add = [&](const std::string& cell) { row.append(1, ',').append(cell); };
  add(csv_cell(request.id));
  add(std::string(outcome_names[static_cast<std::size_t>(facts.outcome)]));
  add(csv_cell(facts.reason));
  add(seconds(request.arrival));
  add(seconds(facts.scheduled));
  add(seconds(facts.first_token));
  add(seconds(facts.ended));
  add(came(facts.first_token) ? milliseconds_text(facts.first_token - request.arrival) : std::string());
  add(completed && gaps > 0 ? milliseconds_text(per_token(facts.ended - facts.first_token, gaps)) : std::string());
  add(completed ? milliseconds_text(facts.ended - request.arrival) : std::string());
  for (std::int64_t number : {request.input_tokens, facts.output_tokens, request.max_tokens, request.priority,
                              facts.preemptions, facts.recomputed_tokens}) {
    add(std::to_string(number));
  }
  add(csv_cell(request.tenant));
  add(csv_cell(request.slo_class));
  add(deadline_cell(facts));
  add(std::to_string(facts.found_tokens));
  row += eviction_cells(evictions);
  add(facts.outcome == Outcome::rejected ? std::string() : milliseconds_text(facts.recompute_to_end));
  row += transfer_cells(evictions, moved_block);
  add(std::to_string(facts.loads));
  add(facts.loads > 0 ? milliseconds_text(facts.loading) : std::string());
  add(slo_cell(facts, slo));
  add(csv_cell(request.session));
  add(request.turn > 0 ? std::to_string(request.turn) : std::string());
  return row + '\n';
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string cell;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) cell = "'";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    cell += length == 0 ? std::string_view("\uFFFD") : text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (char c : cell) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

RequestsCsv::RequestsCsv(const std::filesystem::path& path, Bytes moved_block, SloSpec slo,
                         std::map<std::string, SloSpec> class_slo)
    : file_(path), moved_block_(moved_block), slo_(slo), class_slo_(std::move(class_slo)) {
  file_.out() << header;
}

void RequestsCsv::step(const StepFacts& facts) {
  victims_.step(facts);
  late_.settle([this](const RequestFacts& left) { write(left); });
}

void RequestsCsv::ended(const RequestFacts& facts) {
  if (!late_.keep(facts)) write(facts);
}

void RequestsCsv::write(const RequestFacts& facts) {
  const SloSpec& slo = limits_of(facts.request->slo_class, class_slo_, slo_);
  held_.emplace(facts.request->index, row_of(facts, victims_.ended(facts), moved_block_, slo));
  for (auto first = held_.begin(); first != held_.end() && first->first == next_; first = held_.erase(first), ++next_) {
    file_.out() << first->second;
  }
  file_.check_written();
}

void RequestsCsv::run_ended(const RunFacts&) {
  late_.settle([this](const RequestFacts& left) { write(left); });
  for (const auto& [index, row] : held_) file_.out() << row;
  file_.commit();
}

}  // namespace decodesim

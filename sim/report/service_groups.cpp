#include "sim/report/service_groups.hpp"

#include <algorithm>
#include <cmath>

namespace decodesim {

namespace {

std::string name_of(const std::string& key) { return key; }
std::string name_of(std::int64_t key) { return std::to_string(key); }

}  // namespace

template <class Key>
typename ServiceGroups<Key>::Group& ServiceGroups<Key>::group(const Key& key) {
  const auto [place, fresh] = groups_.try_emplace(key);
  if (fresh) place->second.number = static_cast<std::uint32_t>(groups_.size() - 1);
  return place->second;
}

template <class Key>
void ServiceGroups<Key>::arrived(const Key& key, Time at) {
  Group& one = group(key);
  if (one.inside++ == 0) one.inside_since = at;
}

template <class Key>
void ServiceGroups<Key>::ended(const Key& key, const RequestFacts& facts, const CompletedRequest* completed,
                               bool good) {
  Group& one = group(key);
  ++one.requests;
  one.completed += facts.outcome == Outcome::completed ? 1 : 0;
  one.preemptions += facts.preemptions;
  one.recomputed_tokens += facts.recomputed_tokens;
  one.output_tokens += facts.output_tokens;
  one.with_deadline += facts.request->deadline ? 1 : 0;
  one.deadlines_met += facts.met_deadline() ? 1 : 0;
  one.longest_wait = std::max(one.longest_wait, facts.first_wait());
  if (--one.inside == 0) one.active += facts.ended - one.inside_since;
  if (completed == nullptr) return;
  numbers_.push_back(one.number);
  one.good += good ? 1 : 0;
}

template <class Key>
std::vector<GroupReport> ServiceGroups<Key>::report(std::span<const CompletedRequest> requests, double window_seconds,
                                                    bool has_slo) const {
  std::vector<std::vector<double>> ttft(groups_.size());
  std::vector<std::vector<double>> tpot(groups_.size());
  std::vector<std::vector<double>> e2el(groups_.size());
  std::vector<std::int64_t> measured(groups_.size());
  std::vector<std::int64_t> tokens(groups_.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const CompletedRequest& one = requests[i];
    const std::uint32_t number = numbers_[i];
    ++measured[number];
    tokens[number] += one.output_tokens;
    if (groups_.size() < 2) continue;
    ttft[number].push_back(to_milliseconds(one.ttft));
    e2el[number].push_back(to_milliseconds(one.e2el));
    const auto gaps = static_cast<double>(one.output_tokens - 1);
    if (gaps > 0) tpot[number].push_back(to_milliseconds(one.e2el - one.ttft) / gaps);
  }
  std::vector<GroupReport> list;
  for (const auto& [key, one] : groups_) {
    GroupReport report;
    report.name = name_of(key);
    report.requests = one.requests;
    report.completed = one.completed;
    report.preemptions = one.preemptions;
    report.recomputed_tokens = one.recomputed_tokens;
    report.with_deadline = one.with_deadline;
    report.deadlines_met = one.deadlines_met;
    report.service = ratio(static_cast<double>(one.output_tokens), to_seconds(one.active));
    report.longest_wait = one.longest_wait;
    report.measured = measured[one.number];
    report.output_throughput = ratio(static_cast<double>(tokens[one.number]), window_seconds);
    if (has_slo) report.request_goodput = ratio(static_cast<double>(one.good), window_seconds);
    report.ttft = summarize(ttft[one.number]);
    report.tpot = summarize(tpot[one.number]);
    report.e2el = summarize(e2el[one.number]);
    list.push_back(std::move(report));
  }
  return list;
}

template class ServiceGroups<std::string>;
template class ServiceGroups<std::int64_t>;

double jain_index(std::span<const GroupReport> groups) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const GroupReport& one : groups) {
    if (std::isnan(one.service)) continue;
    sum += one.service;
    squares += one.service * one.service;
    count += 1;
  }
  return count >= 2 ? ratio(sum * sum, count * squares) : not_measured;
}

}  // namespace decodesim

#include "sim/report/service_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace decodesim {

namespace {

std::string name_of(const Name& key) { return key.text(); }
std::string name_of(std::int64_t key) { return std::to_string(key); }

}  // namespace

// Most runs have one group, and in others requests of one often come together.
template <class Key>
typename ServiceGroups<Key>::Group& ServiceGroups<Key>::group(const Key& key) {
  if (last_ != groups_.end() && last_->first == key) return last_->second;
  const auto [place, fresh] = groups_.try_emplace(key);
  if (fresh) place->second.number = static_cast<std::uint32_t>(groups_.size() - 1);
  last_ = place;
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
  note_number(one.number);
  ++one.measured;
  one.measured_tokens += completed->output_tokens;
  one.good += good ? 1 : 0;
}

// While there is one group, all are of number 0.
template <class Key>
void ServiceGroups<Key>::note_number(std::uint32_t number) {
  if (groups_.size() > 1) {
    numbers_.resize(static_cast<std::size_t>(measured_));
    numbers_.push_back(number);
  }
  ++measured_;
}

// One metric after the other, so that no more than one value a request is held beside what all groups keep.
template <class Key>
void ServiceGroups<Key>::summarize_each(std::span<const CompletedRequest> requests,
                                        std::vector<GroupReport>& reports) const {
  std::vector<std::size_t> begins(groups_.size() + 1);
  for (const auto& [key, one] : groups_) begins[one.number + 1] = static_cast<std::size_t>(one.measured);
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<double> values(requests.size());
  const auto summarize_each_by = [&](Summary GroupReport::*summary, const auto& value_of) {
    std::vector<std::size_t> ends = begins;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const std::optional<double> value = value_of(requests[i]);
      if (value) values[ends[i < numbers_.size() ? numbers_[i] : 0]++] = *value;
    }
    auto report = reports.begin();
    for (const auto& [key, one] : groups_) {
      const std::size_t begin = begins[one.number];
      (*report++).*summary = summarize(std::span(values).subspan(begin, ends[one.number] - begin));
    }
  };
  summarize_each_by(&GroupReport::ttft, [](const CompletedRequest& one) { return std::optional(one.ttft_ms()); });
  summarize_each_by(&GroupReport::tpot, [](const CompletedRequest& one) { return one.tpot_ms(); });
  summarize_each_by(&GroupReport::e2el, [](const CompletedRequest& one) { return std::optional(one.e2el_ms()); });
}

template <class Key>
std::vector<GroupReport> ServiceGroups<Key>::report(std::span<const CompletedRequest> requests, double window_seconds,
                                                    bool has_slo) const {
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
    report.measured = one.measured;
    report.output_throughput = ratio(static_cast<double>(one.measured_tokens), window_seconds);
    if (has_slo) report.request_goodput = ratio(static_cast<double>(one.good), window_seconds);
    list.push_back(std::move(report));
  }
  if (groups_.size() > 1) summarize_each(requests, list);
  return list;
}

template class ServiceGroups<Name>;
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

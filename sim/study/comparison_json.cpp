// A comparison as one JSON document.

#include <ostream>
#include <string>

#include "sim/report/json_writer.hpp"
#include "sim/study/variant_comparison.hpp"

namespace decodesim {

namespace {

constexpr int schema_version = 1;

void variant(JsonWriter& json, const VariantComparison& comparison, std::size_t index) {
  const Variant& one = comparison.variants[index];
  const PlayedSeeds& played = comparison.played[index];
  json.begin_object().member("name", one.name).member("file", one.file);
  json.member_texts("varied", one.sets);
  json.member_text("case", one.scenario ? one.scenario->case_name : "");
  json.member_text("hash", comparison.hashes[index]);
  json.member_text("cannot_run", played.objection);
  json.member_texts("oracles", played.oracles);
  json.member_texts("warnings", played.warnings);
  json.member_array("runs");
  const bool ran = played.objection.empty();
  for (std::size_t seed = 0; ran && seed < played.seeds.size(); ++seed) {
    if (played.seeds[seed].empty()) continue;
    json.begin_object().member("seed", comparison.first_seed + seed);
    for (std::size_t m = 0; m < metric_table().size(); ++m) json.member(metric_table()[m].name, played.seeds[seed][m]);
    json.end_object();
  }
  json.end_array().end_object();
}

void difference(JsonWriter& json, const PairedDifference& one) {
  json.key("difference");
  if (one.pairs == 0) {
    json.null();
    return;
  }
  json.begin_object().member("pairs", one.pairs).member("mean", one.mean);
  json.member("low", one.mean - one.half_width).member("high", one.mean + one.half_width);
  json.member("relative_mean", one.relative(one.mean));
  json.member("relative_half_width", one.relative(one.half_width));
  json.key("within_noise");
  if (one.pairs > 1) {
    json.value(one.within_noise());
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace

void write_json(const VariantComparison& comparison, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", schema_version);
  json.member("seeds_asked", comparison.seeds).member_array("seeds");
  for (std::uint64_t seed : comparison.complete_seeds) json.value(seed);
  json.end_array()
      .member("seeds_are_equal", comparison.seeds_are_equal)
      .member("same_requests", comparison.request_notes.empty());
  json.member_texts("request_notes", comparison.request_notes);
  json.member_text("compared_with", comparison.first ? comparison.variants[*comparison.first].name : "");
  json.member("confidence", 0.95).member("interval", "paired differences, Student's t").member_array("variants");
  for (std::size_t v = 0; v < comparison.variants.size(); ++v) variant(json, comparison, v);
  json.end_array().member_array("metrics");
  for (const MetricRow& row : comparison.rows) {
    json.begin_object().member("name", row.metric->name);
    json.member("better", better_names[static_cast<std::size_t>(row.metric->better)]).member_array("variants");
    for (std::size_t v = 0; v < row.standings.size(); ++v) {
      const Standing& standing = row.standings[v];
      json.begin_object().member("name", comparison.variants[v].name).member("mean", standing.mean);
      json.member("std", standing.std).member("best", standing.best);
      difference(json, standing.difference);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().member_array("regressions");
  for (const Regression& one : comparison.regressions) {
    json.begin_object().member("metric", one.limit.metric->name).member("variant", one.variant);
    json.member("limit", one.limit.share).member("worse", one.worse).member("why", one.why).end_object();
  }
  json.end_array().member("version", comparison.version).member("interrupted", comparison.interrupted).end_object();
  out << '\n';
}

}  // namespace decodesim

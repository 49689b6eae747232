#include "sim/core/kind.hpp"

namespace decodesim {

namespace {

constexpr QuantityUnit byte_units[] = {
    {"B"},      {"kB", 3},      {"KB", 3, 0, 1, false}, {"MB", 6},      {"GB", 9},     {"TB", 12},
    {"PB", 15}, {"KiB", 0, 10}, {"MiB", 0, 20},         {"GiB", 0, 30}, {"TiB", 0, 40}};
constexpr QuantityUnit bandwidth_units[] = {
    {"B/s"},      {"kB/s", 3},      {"KB/s", 3, 0, 1, false}, {"MB/s", 6},      {"GB/s", 9},     {"TB/s", 12},
    {"PB/s", 15}, {"KiB/s", 0, 10}, {"MiB/s", 0, 20},         {"GiB/s", 0, 30}, {"TiB/s", 0, 40}};
constexpr QuantityUnit flop_units[] = {{"FLOP/s"},      {"MFLOP/s", 6},  {"GFLOP/s", 9},
                                       {"TFLOP/s", 12}, {"PFLOP/s", 15}, {"EFLOP/s", 18}};
constexpr QuantityUnit duration_units[] = {
    {"ns"}, {"us", 3}, {"ms", 6}, {"s", 9}, {"min", 9, 0, 60, false}, {"h", 9, 0, 3600, false}};
constexpr QuantityUnit latency_units[] = {{"ns", -9}, {"us", -6}, {"ms", -3}, {"s", 0}};
constexpr QuantityUnit rate_units[] = {{"req/s"}};
constexpr QuantityUnit token_units[] = {{"", 0, 0, 1, true}, {"k", 0, 10, 1, false}, {"M", 0, 20, 1, false}};
constexpr QuantityUnit fraction_units[] = {{"", 0, 0, 1, true}, {"%", -2, 0, 1, false}};
constexpr QuantityUnit plain_units[] = {{""}};

}  // namespace

std::span<const QuantityUnit> units_of(Kind kind) {
  switch (kind) {
    case Kind::tokens:
      return token_units;
    case Kind::bytes:
      return byte_units;
    case Kind::bandwidth:
      return bandwidth_units;
    case Kind::flop_rate:
      return flop_units;
    case Kind::duration:
      return duration_units;
    case Kind::latency:
      return latency_units;
    case Kind::request_rate:
      return rate_units;
    case Kind::fraction:
      return fraction_units;
    case Kind::count:
    case Kind::number:
      return plain_units;
    case Kind::flag:
    case Kind::choice:
    case Kind::text:
    case Kind::path:
      return {};
  }
  return {};
}

std::string_view unit_noun(Kind kind) {
  switch (kind) {
    case Kind::bytes:
      return "memory";
    case Kind::bandwidth:
      return "bandwidth";
    case Kind::flop_rate:
      return "compute-rate";
    case Kind::request_rate:
      return "request-rate";
    case Kind::duration:
    case Kind::latency:
      return "time";
    default:
      return "";
  }
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::flag:
      return "true or false";
    case Kind::count:
      return "a whole number";
    case Kind::tokens:
      return "a number of tokens";
    case Kind::bytes:
      return "an amount of memory";
    case Kind::bandwidth:
      return "a bandwidth";
    case Kind::flop_rate:
      return "a compute rate";
    case Kind::duration:
    case Kind::latency:
      return "a time";
    case Kind::request_rate:
      return "a request rate";
    case Kind::fraction:
      return "a share";
    case Kind::number:
      return "a number";
    case Kind::choice:
      return "a choice";
    case Kind::text:
      return "a text";
    case Kind::path:
      return "a file name";
  }
  return "";
}

std::string_view kind_example(Kind kind) {
  switch (kind) {
    case Kind::flag:
      return "true";
    case Kind::count:
      return "16";
    case Kind::tokens:
      return "4k";
    case Kind::bytes:
      return "80 GB";
    case Kind::bandwidth:
      return "3.35 TB/s";
    case Kind::flop_rate:
      return "989.5 TFLOP/s";
    case Kind::duration:
      return "21 ms";
    case Kind::latency:
      return "2.1 us";
    case Kind::request_rate:
      return "5 req/s";
    case Kind::fraction:
      return "25 %";
    case Kind::number:
      return "70.55e9";
    case Kind::choice:
    case Kind::text:
      return "name";
    case Kind::path:
      return "trace.csv";
  }
  return "";
}

std::vector<std::string_view> unit_names(Kind kind) {
  std::vector<std::string_view> names;
  for (const QuantityUnit& unit : units_of(kind)) {
    if (!unit.name.empty() && unit.name.substr(0, 2) != "KB") names.push_back(unit.name);
  }
  return names;
}

bool needs_unit(Kind kind) {
  const std::span<const QuantityUnit> units = units_of(kind);
  return !units.empty() && !units.front().name.empty();
}

}  // namespace decodesim

#include "sim/scenario/model_import/config_keys.hpp"

#include <cmath>
#include <utility>

#include "sim/core/quantity_text.hpp"
#include "sim/report/number_text.hpp"

namespace decodesim {

namespace {

std::string shape_name(const DocumentNode& node) {
  switch (node.shape) {
    case DocumentNode::Shape::list:
      return "a list";
    case DocumentNode::Shape::map:
      return "an object";
    default:
      return node.quoted ? "the text \"" + node.scalar + "\"" : node.scalar;
  }
}

}  // namespace

const DocumentNode* ConfigKeys::find(std::string_view key) const {
  const DocumentNode* node = object_.find(key);
  return node == nullptr || node->shape == DocumentNode::Shape::null ? nullptr : node;
}

Position ConfigKeys::place(std::string_view key) const {
  const DocumentNode* node = object_.find(key);
  return node == nullptr ? object_.at : node->at;
}

const DocumentNode* ConfigKeys::plain(std::string_view key, std::string_view what) {
  const DocumentNode* node = find(key);
  if (node == nullptr) return nullptr;
  if (node->shape == DocumentNode::Shape::scalar && !node->quoted) return node;
  error(key, "wrong-type", "'" + name(key) + "' takes " + std::string(what) + ", not " + shape_name(*node));
  return nullptr;
}

std::optional<int> ConfigKeys::whole(std::string_view key, const Range& range) {
  const DocumentNode* node = plain(key, "a whole number");
  if (node == nullptr) return std::nullopt;
  const ParsedValue parsed = parse_value(Kind::count, node->scalar);
  if (!parsed.ok()) {
    error(key, parsed.problem.code, "'" + name(key) + "' " + parsed.problem.message);
    return std::nullopt;
  }
  const std::int64_t value = std::get<std::int64_t>(parsed.value);
  if (!range.contains(static_cast<double>(value))) {
    error(key, "out-of-range",
          "'" + name(key) + "' is " + grouped(value) + "; it must be from " +
              grouped(static_cast<std::int64_t>(range.min)) + " to " + grouped(static_cast<std::int64_t>(range.max)));
    return std::nullopt;
  }
  return static_cast<int>(value);
}

std::optional<double> ConfigKeys::number(std::string_view key) {
  const DocumentNode* node = plain(key, "a number");
  if (node == nullptr) return std::nullopt;
  const ParsedValue parsed = parse_value(Kind::number, node->scalar);
  if (parsed.ok()) return std::get<double>(parsed.value);
  error(key, parsed.problem.code, "'" + name(key) + "' " + parsed.problem.message);
  return std::nullopt;
}

std::optional<bool> ConfigKeys::flag(std::string_view key) {
  const DocumentNode* node = plain(key, "true or false");
  if (node == nullptr) return std::nullopt;
  if (node->scalar == "true") return true;
  if (node->scalar == "false") return false;
  error(key, "wrong-type", "'" + name(key) + "' takes true or false, not " + node->scalar);
  return std::nullopt;
}

std::optional<std::string> ConfigKeys::text(std::string_view key) {
  const DocumentNode* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (node->shape == DocumentNode::Shape::scalar && node->quoted) return node->scalar;
  error(key, "wrong-type", "'" + name(key) + "' takes a text in quotes, not " + shape_name(*node));
  return std::nullopt;
}

void ConfigKeys::error(std::string_view key, std::string code, std::string message, std::string help) {
  reading_.error(place(key), std::move(code), std::move(message), std::move(help));
}

void ConfigKeys::warn(std::string_view key, std::string code, std::string message, std::string help) {
  reading_.warn(place(key), std::move(code), std::move(message), std::move(help));
}

void ConfigKeys::missing(std::string_view key, std::string help) {
  error(key, "missing-key", "there is no '" + name(key) + "'", std::move(help));
}

}  // namespace decodesim

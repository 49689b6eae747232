#include "sim/report/explanation_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "sim/report/explanation_values.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

struct Heading {
  std::string_view section;
  std::string_view text;
};
constexpr std::array<Heading, 7> headings{{{"hardware", "What the hardware offers"},
                                           {"model", "What the model weighs"},
                                           {"kv_cache", "What a token leaves in the KV cache"},
                                           {"memory", "Where a GPU's memory goes"},
                                           {"crossover", "When the cache weighs as much as the weights"},
                                           {"step", "One decode step, taken apart"},
                                           {"gap", "The gap"}}};

/// Columns of the table of contexts.
struct Column {
  std::string_view key;
  std::string_view head;
};
constexpr std::array<Column, 8> columns{{{"batch", "batch"},
                                         {"step_bytes", "bytes a step"},
                                         {"cache_share", "cache"},
                                         {"step_time", "step"},
                                         {"tokens_per_s", "tokens/s"},
                                         {"tokens_per_s_per_user", "a user"},
                                         {"tokens_per_s_limit", "limit"},
                                         {"intensity_ceiling", "ceiling"}}};

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}
std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// Ten places of a share.
std::string bar(double share) {
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * 10 + 0.5);
  return std::string(filled, '#') + std::string(10 - filled, '.');
}

std::string label_of(const Term& term) {
  return term.context ? term.label + " at " + context_text(*term.context) : term.label;
}

/// The share that a term's bar shows, if it has one.
std::optional<double> bar_share(const Term& term) {
  return term.unit == Unit::share ? std::optional(term.value) : term.share;
}

/// A part that a step does not have.
bool is_absent(const Term& term) { return term.unit == Unit::share && term.value == 0 && term.formula.empty(); }

class Lines {
 public:
  Lines(std::ostream& out, const Explanation& explanation) : out_(out) {
    for (const Term& term : explanation.terms) {
      if (term.section == "contexts") continue;
      label_width_ = std::max(label_width_, label_of(term).size());
      value_width_ = std::max(value_width_, value_text(term.value, term.unit).size());
    }
  }

  void write(const Term& term) const {
    const auto share = bar_share(term);
    std::string line = "  " + padded(label_of(term), label_width_) + "  " +
                       right(value_text(term.value, term.unit), value_width_) + "  " +
                       padded(std::string(source_name(term.source)), 8) + "  " +
                       (share ? bar(*share) : std::string(10, ' ')) + "  " + formula_text(term);
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  }

 private:
  std::ostream& out_;
  std::size_t label_width_ = 0;
  std::size_t value_width_ = 0;
};

void write_section(std::ostream& out, const Lines& lines, const Explanation& explanation, const Heading& heading) {
  bool begun = false;
  for (const Term& term : explanation.terms) {
    if (term.section != heading.section || is_absent(term)) continue;
    if (!begun) out << '\n' << heading.text << '\n';
    begun = true;
    lines.write(term);
  }
}

const Term* find_at(const Explanation& explanation, std::string_view key, std::int64_t context) {
  return explanation.find(std::string(key).append(".").append(std::to_string(context)));
}

void write_contexts(std::ostream& out, const Explanation& explanation) {
  std::vector<std::int64_t> contexts;
  for (const Term& term : explanation.terms)
    if (term.section == "contexts" && (contexts.empty() || contexts.back() != *term.context))
      contexts.push_back(*term.context);
  if (contexts.empty()) return;

  std::vector<std::vector<std::string>> rows{{"context", "fit"}};
  for (const Column& column : columns) rows.front().emplace_back(column.head);
  bool any_too_many = false;
  for (std::int64_t context : contexts) {
    rows.push_back(
        {context_text(context), grouped(static_cast<std::int64_t>(find_at(explanation, "sequences", context)->value))});
    for (const Column& column : columns) {
      const Term* term = find_at(explanation, column.key, context);
      rows.back().push_back(term == nullptr ? "-" : figure_text(term->value, term->unit));
      const bool too_many = column.key == "batch" && term->value > find_at(explanation, "sequences", context)->value;
      if (too_many) rows.back().back() += "*";
      any_too_many = any_too_many || too_many;
    }
  }
  out << "\nSteps by context\n";
  for (const auto& row : rows) {
    out << ' ';
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const auto& other : rows) width = std::max(width, other[i].size());
      out << ' ' << right(row[i], width) << (i + 1 < row.size() ? " " : "");
    }
    out << '\n';
  }
  if (any_too_many) out << "  * more than fit: such a step never runs\n";
  out << "  with, at " << context_text(contexts.front()) << ":\n";
  for (const Term& term : explanation.terms)
    if (term.context == contexts.front() && term.section == "contexts" && !term.formula.empty())
      out << "    " << padded(term.key.substr(0, term.key.find('.')), 22) << "= " << formula_text(term) << '\n';
}

/// Breaks a sentence into lines that a terminal holds.
void write_wrapped(std::ostream& out, std::string_view text) {
  constexpr std::size_t width = 116;
  bool first = true;
  while (!text.empty()) {
    std::size_t cut = text.size() <= width ? text.size() : text.rfind(' ', width);
    if (cut == std::string_view::npos) cut = text.size();
    out << (first ? "* " : "  ") << text.substr(0, cut) << '\n';
    text.remove_prefix(std::min(text.size(), cut + 1));
    first = false;
  }
}

}  // namespace

void write_explanation_text(std::ostream& out, const ExplanationTitle& title, const Explanation& explanation) {
  out << printable(title.scenario) << ": " << printable(title.deployment) << '\n';
  const Lines lines(out, explanation);
  for (const Heading& heading : headings) {
    if (heading.section == "step") write_contexts(out, explanation);
    write_section(out, lines, explanation, heading);
  }
  out << '\n';
  for (const Remark& remark : explanation.remarks) write_wrapped(out, remark_text(remark));
}

void write_comparison_text(std::ostream& out, const ExplanationTitle& a, const ExplanationTitle& b,
                           const Comparison& comparison) {
  out << "A  " << printable(a.scenario) << ": " << printable(a.deployment) << '\n';
  out << "B  " << printable(b.scenario) << ": " << printable(b.deployment) << '\n';
  const auto shown = [](const std::optional<double>& value, Unit unit) {
    return value ? figure_text(*value, unit) : std::string("-");
  };

  if (comparison.causes.empty()) {
    out << "\nOne of the two runs nothing, so there is no ratio to explain.\n";
  } else {
    const double ratio = comparison.causes.front().factor;
    const double gap = ratio < 1 ? 1 / ratio : ratio;
    out << "\nThe gap is " << factor_text(gap) << ": "
        << (ratio < 1 ? "A makes more tokens/s" : "B makes more tokens/s than A") << ".\n";
    out << "Each factor is the product of those indented below it.\n";
    out << "  " << padded("cause", 50) << right("A", 16) << right("B", 16) << right("factor on tokens/s", 20) << '\n';
    for (const Cause& cause : comparison.causes)
      out << "  " << padded(std::string(static_cast<std::size_t>(cause.depth) * 2, ' ') + cause.label, 50)
          << right(shown(cause.a, cause.unit), 16) << right(shown(cause.b, cause.unit), 16)
          << right(factor_text(cause.factor), 20) << '\n';
  }

  out << "\nEvery term that differs (B over A)\n";
  for (const Difference& difference : comparison.differences) {
    if (difference.context) continue;
    const bool both = difference.a && difference.b && *difference.a != 0;
    out << "  " << padded(difference.key, 50) << right(shown(difference.a, difference.unit), 16)
        << right(shown(difference.b, difference.unit), 16)
        << right(both ? factor_text(*difference.b / *difference.a) : "-", 20) << '\n';
  }
}

}  // namespace decodesim

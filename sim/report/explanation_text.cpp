#include "sim/report/explanation_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "sim/report/explanation_values.hpp"
#include "sim/report/fit_map_text.hpp"
#include "sim/report/number_text.hpp"
#include "sim/report/utf8.hpp"

namespace decodesim {

namespace {

struct Heading {
  std::string_view section;
  std::string_view text;
};
constexpr std::array<Heading, 8> headings{{{"hardware", "What the hardware offers"},
                                           {"model", "What the model weighs"},
                                           {"kv_cache", "What a token leaves in the KV cache"},
                                           {"memory", "Where a GPU's memory goes"},
                                           {"crossover", "When the cache weighs as much as the weights"},
                                           {"workload", "What the workload asks of a sequence"},
                                           {"step", "One decode step, taken apart"},
                                           {"speculation", "What speculation brings in it"}}};
constexpr Heading gap_heading{"gap", "The gap"};

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

/// Breaks text into lines of at most `width`, at blanks; the first begins with `first`, the others with `next`.
void write_wrapped(std::ostream& out, std::string_view text, std::size_t width, std::string_view first = "* ",
                   std::string_view next = "  ") {
  std::string_view start = first;
  while (!text.empty()) {
    const std::size_t room = width > start.size() ? width - start.size() : 1;
    std::size_t cut = text.size() <= room ? text.size() : text.rfind(' ', room);
    if (cut == std::string_view::npos || cut == 0) cut = std::min(text.find(' ', 1), text.size());
    out << start << text.substr(0, cut) << '\n';
    text.remove_prefix(std::min(text.size(), cut + 1));
    start = next;
  }
}

/// A column of names: those that do not fit stand on a line of their own.
std::string named(std::string_view name, std::size_t width) {
  std::string line = "  " + std::string(name);
  return name.size() <= width ? padded(std::move(line), width + 2) : line + '\n' + std::string(width + 2, ' ');
}

/// The lines of one section, aligned; its formulas stand beside the figures where all of them fit, else below.
class Lines {
 public:
  Lines(std::ostream& out, const std::vector<const Term*>& terms, std::size_t width) : out_(out), width_(width) {
    std::size_t longest_formula = 0;
    for (const Term* term : terms) {
      label_width_ = std::max(label_width_, label_of(*term).size());
      value_width_ = std::max(value_width_, value_text(term->value, term->unit).size());
      longest_formula = std::max(longest_formula, formula_text(*term).size());
      has_bars_ = has_bars_ || bar_share(*term);
    }
    const std::size_t others = 2 + 2 + value_width_ + 2 + source_width + (has_bars_ ? 2 + bar_width : 0);
    constexpr std::size_t least_label = 16;
    label_width_ = std::min(label_width_, std::max(least_label, width > others ? width - others : 0));
    beside_ = label_width_ + others + 2 + longest_formula <= width;
  }

  void write(const Term& term) const {
    std::string line = named(label_of(term), label_width_) + "  " +
                       right(value_text(term.value, term.unit), value_width_) + "  " +
                       padded(std::string(source_name(term.source)), source_width);
    if (has_bars_) {
      const auto share = bar_share(term);
      line += "  " + (share ? bar(*share) : std::string(bar_width, ' '));
    }
    const std::string formula = formula_text(term);
    if (beside_) line += "  " + formula;
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
    if (!beside_) write_wrapped(out_, formula, width_, "      = ", "        ");
  }

 private:
  static constexpr std::size_t source_width = 8;
  static constexpr std::size_t bar_width = 10;

  std::ostream& out_;
  std::size_t width_;
  std::size_t label_width_ = 0;
  std::size_t value_width_ = 0;
  bool has_bars_ = false;
  bool beside_ = false;
};

void write_section(std::ostream& out, const Explanation& explanation, const Heading& heading, std::size_t width) {
  std::vector<const Term*> terms;
  for (const Term& term : explanation.terms)
    if (term.section == heading.section && !is_absent(term)) terms.push_back(&term);
  if (terms.empty()) return;
  out << '\n' << heading.text << '\n';
  const Lines lines(out, terms, width);
  for (const Term* term : terms) lines.write(*term);
}

const Term* find_at(const Explanation& explanation, std::string_view key, std::int64_t context) {
  return explanation.find(std::string(key).append(".").append(std::to_string(context)));
}

using Rows = std::vector<std::vector<std::string>>;

/// The rows, the first of which is the head. Columns that a line does not hold follow below, beside the first again.
void write_rows(std::ostream& out, const Rows& rows, std::size_t line_width) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (std::size_t begin = 1; begin < widths.size();) {
    std::size_t end = begin;
    std::size_t used = 2 + widths.front();
    do used += 2 + widths[end++];
    while (end < widths.size() && used + 2 + widths[end] <= line_width);
    for (const auto& row : rows) {
      out << "  " << right(row.front(), widths.front());
      for (std::size_t i = begin; i < end; ++i) out << "  " << right(row[i], widths[i]);
      out << '\n';
    }
    begin = end;
    if (begin < widths.size()) out << '\n';
  }
}

void write_contexts(std::ostream& out, const Explanation& explanation, std::size_t width) {
  std::vector<std::int64_t> contexts;
  for (const Term& term : explanation.terms)
    if (term.section == "contexts" && (contexts.empty() || contexts.back() != *term.context))
      contexts.push_back(*term.context);
  if (contexts.empty()) return;

  const Term* own = explanation.find("own_context");
  const auto is_own = [&](std::int64_t context) {
    return own != nullptr && own->value == static_cast<double>(context);
  };
  Rows rows{{"context", "fit"}};
  for (const Column& column : columns) rows.front().emplace_back(column.head);
  bool any_too_many = false;
  for (std::int64_t context : contexts) {
    rows.push_back({(is_own(context) ? "> " : "") + context_text(context),
                    grouped(static_cast<std::int64_t>(find_at(explanation, "sequences", context)->value))});
    for (const Column& column : columns) {
      const Term* term = find_at(explanation, column.key, context);
      rows.back().push_back(term == nullptr ? "-" : figure_text(term->value, term->unit));
      const bool too_many = column.key == "batch" && term->value > find_at(explanation, "sequences", context)->value;
      if (too_many) rows.back().back() += "*";
      any_too_many = any_too_many || too_many;
    }
  }
  const bool asked = find_at(explanation, "batch", contexts.front())->formula.empty();
  out << "\nSteps by context, " << (asked ? "at the batch asked for" : "each with all sequences that may run at once")
      << '\n';
  write_rows(out, rows, width);
  if (own != nullptr) write_wrapped(out, "the workload's own " + own->label, width, "  > ", "    ");
  if (any_too_many) write_wrapped(out, "more than fit: such a step never runs", width, "  * ", "    ");
  out << "  with, at " << context_text(contexts.front()) << ":\n";
  for (const Term& term : explanation.terms)
    if (term.context == contexts.front() && term.section == "contexts" && !term.formula.empty())
      write_wrapped(out, formula_text(term), width, "    " + padded(term.key.substr(0, term.key.find('.')), 22) + "= ",
                    std::string(28, ' '));
}

void write_legend(std::ostream& out, std::size_t width) {
  write_wrapped(
      out,
      "Each line: the figure, its value, where it comes from, and its formula. A bar is its share of the "
      "whole, # a tenth: of a GPU's memory, or of the bytes or time of a step. Figures come from a datasheet or "
      "a model's own description (spec), from what real servers show (measured), from the scenario or a "
      "default of it (assumed), or from others (derived).",
      width, "", "");
}

}  // namespace

void write_explanation_text(std::ostream& out, const ExplanationTitle& title, const Explanation& explanation,
                            std::size_t width) {
  write_wrapped(out, printable(title.scenario) + ": " + printable(title.deployment), width, "", "  ");
  write_legend(out, width);
  for (const Heading& heading : headings) {
    if (heading.section == "step") write_contexts(out, explanation, width);
    write_section(out, explanation, heading, width);
  }
  if (explanation.fits) write_fit_map(out, *explanation.fits, width);
  out << '\n';
  const auto is_gap = [](const Remark& remark) { return remark.key == "gap"; };
  for (const Remark& remark : explanation.remarks)
    if (!is_gap(remark)) write_wrapped(out, remark_text(remark), width);
  // The comparison of contexts stands apart: the reader may have asked about another one.
  write_section(out, explanation, gap_heading, width);
  for (const Remark& remark : explanation.remarks)
    if (is_gap(remark)) write_wrapped(out, remark_text(remark), width);
}

void write_comparison_text(std::ostream& out, const ExplanationTitle& a, const ExplanationTitle& b,
                           const Comparison& comparison, std::size_t width) {
  constexpr std::size_t value_width = 16;
  constexpr std::size_t factor_width = 20;
  constexpr std::size_t others = 2 + 2 * value_width + factor_width;
  const std::size_t name_width = std::clamp<std::size_t>(width > others ? width - others : 0, 16, 50);
  write_wrapped(out, "Compared is " + remark_text(comparison.scope) + ".", width, "", "");
  write_wrapped(out, printable(a.scenario) + ": " + printable(a.deployment), width, "A  ", "   ");
  write_wrapped(out, printable(b.scenario) + ": " + printable(b.deployment), width, "B  ", "   ");
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
    out << "  " << padded("cause", name_width) << right("A", value_width) << right("B", value_width)
        << right("factor on tokens/s", factor_width) << '\n';
    for (const Cause& cause : comparison.causes)
      out << named(std::string(static_cast<std::size_t>(cause.depth) * 2, ' ') + cause.label, name_width)
          << right(shown(cause.a, cause.unit), value_width) << right(shown(cause.b, cause.unit), value_width)
          << right(factor_text(cause.factor), factor_width) << '\n';
  }

  out << "\nEvery term that differs (B over A)\n";
  for (const Difference& difference : comparison.differences) {
    if (difference.context) continue;
    const bool both = difference.a && difference.b && *difference.a != 0;
    out << named(difference.key, name_width) << right(shown(difference.a, difference.unit), value_width)
        << right(shown(difference.b, difference.unit), value_width)
        << right(both ? factor_text(*difference.b / *difference.a) : "-", factor_width) << '\n';
  }
}

}  // namespace decodesim

#include "tests/model/formula.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

namespace decodesim::tests {

namespace {

class Formula {
 public:
  Formula(const std::string& text, const std::vector<Figure>& inputs) : text_(text), inputs_(inputs) {}

  double value() {
    const double result = sum();
    if (peek() != '\0') fail("something behind the formula");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error(why + " in '" + text_ + "'"); }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("no ") + c);
    ++at_;
  }
  /// Letters, digits and underscores from here on.
  std::string word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(first, at_ - first);
  }
  bool times_follows() { return peek() == 'x' && at_ + 1 < text_.size() && text_[at_ + 1] == ' '; }

  double sum() {
    double result = product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++at_;
      const double next = product();
      result = c == '+' ? result + next : result - next;
    }
    return result;
  }
  double product() {
    double result = single();
    for (;;) {
      if (times_follows()) {
        ++at_;
        result *= single();
      } else if (peek() == '/') {
        ++at_;
        result /= single();
      } else {
        return result;
      }
    }
  }
  double single() {
    if (peek() == '(') return bracketed().front();
    const std::string name = word();
    if (name.empty()) fail("nothing to multiply");
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) return std::stod(name);
    if (peek() == '(') {
      const std::vector<double> arguments = bracketed();
      if (name == "floor") return std::floor(arguments.front());
      if (name == "ceil") return std::ceil(arguments.front());
      if (name == "min") return *std::min_element(arguments.begin(), arguments.end());
      fail("an unknown function " + name);
    }
    const auto input =
        std::find_if(inputs_.begin(), inputs_.end(), [&](const Figure& figure) { return figure.name == name; });
    if (input == inputs_.end()) fail("no input " + name);
    return input->value;
  }
  std::vector<double> bracketed() {
    std::vector<double> values;
    expect('(');
    values.push_back(sum());
    while (peek() == ',') {
      ++at_;
      values.push_back(sum());
    }
    expect(')');
    return values;
  }

  const std::string& text_;
  const std::vector<Figure>& inputs_;
  std::size_t at_ = 0;
};

}  // namespace

double evaluate(const std::string& formula, const std::vector<Figure>& inputs) {
  return Formula(formula, inputs).value();
}

}  // namespace decodesim::tests

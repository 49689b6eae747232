#include "sim/study/cholesky.hpp"

#include <cmath>
#include <utility>

namespace decodesim {

std::optional<SquareMatrix> cholesky(const SquareMatrix& matrix, double smallest) {
  const std::size_t n = matrix.size();
  SquareMatrix lower(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= lower(i, k) * lower(j, k);
      if (i != j) {
        lower(i, j) = sum / lower(j, j);
      } else if (sum > smallest) {
        lower(i, i) = std::sqrt(sum);
      } else {
        return std::nullopt;
      }
    }
  }
  return lower;
}

std::vector<double> solve(const SquareMatrix& lower, std::vector<double> right) {
  const std::size_t n = lower.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= lower(i, k) * right[k];
    right[i] /= lower(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= lower(k, i) * right[k];
    right[i] /= lower(i, i);
  }
  return right;
}

SquareMatrix inverse(const SquareMatrix& lower) {
  const std::size_t n = lower.size();
  SquareMatrix result(n);
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<double> unit(n);
    unit[column] = 1;
    const std::vector<double> solution = solve(lower, std::move(unit));
    for (std::size_t row = 0; row < n; ++row) result(row, column) = solution[row];
  }
  return result;
}

}  // namespace decodesim

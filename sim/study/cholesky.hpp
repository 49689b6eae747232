#pragma once
// Small symmetric systems of equations.

#include <cstddef>
#include <optional>
#include <vector>

namespace decodesim {

/// A square matrix, row by row.
class SquareMatrix {
 public:
  explicit SquareMatrix(std::size_t size) : size_(size), values_(size * size) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  double& operator()(std::size_t row, std::size_t column) { return values_[row * size_ + column]; }
  double operator()(std::size_t row, std::size_t column) const { return values_[row * size_ + column]; }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// The lower triangle L with L L^T = `matrix`, which must be symmetric; nothing where a pivot is below `smallest`, since
/// the matrix is then not (or hardly) positive definite.
std::optional<SquareMatrix> cholesky(const SquareMatrix& matrix, double smallest = 0);

/// x with L L^T x = `right`.
std::vector<double> solve(const SquareMatrix& lower, std::vector<double> right);

/// The inverse of L L^T.
SquareMatrix inverse(const SquareMatrix& lower);

}  // namespace decodesim

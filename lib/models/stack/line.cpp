#include "models/stack/line.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "lacp/base/sums.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {
namespace {

/// Per row, where attributes have a variance of about 1.
constexpr std::array penalties = {1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0};
/// Products of two numbers that a fit may take for sums over all rows, and for all decompositions.
constexpr double most_products = 4e9;

/// L of A = L·Lᵀ by rows of the lower triangle (Cholesky); false if A is not positive definite.
bool decompose(std::vector<std::vector<double>>& A) {
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = A[i][j] - dot_of(A[i].data(), A[j].data(), j);
      if (i != j)
        A[i][j] = rest / A[j][j];
      else if (rest > 0.0)
        A[i][i] = std::sqrt(rest);
      else
        return false;
    }
  return true;
}

/// x of L·Lᵀ·x = b, forward and back.
std::vector<double> solve_triangles(const std::vector<std::vector<double>>& L, std::vector<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = (b[i] - dot_of(L[i].data(), b.data(), i)) / L[i][i];
  for (std::size_t i = b.size(); i-- > 0;) {
    b[i] /= L[i][i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= L[i][j] * b[i];
  }
  return b;
}

/// The regression without the rows of a fold, for any penalty.
class RidgeFold {
 public:
  RidgeFold(const arma::mat& X, const arma::vec& y, const HeldOut& fold)
      : X_(columns_of(X, fold.fitted)), y_(values_of(y, fold.fitted)), means_(X.n_rows) {
    const arma::uword rows = X_.n_cols;
    for (arma::uword n = 0; n < rows; ++n) means_ += X_.col(n);
    means_ /= static_cast<double>(rows);
    X_.each_col() -= means_;
    mean_ = mean_of(y_);
    y_ -= mean_;
    dual_ = X_.n_rows > rows;
    const arma::uword size = dual_ ? rows : X_.n_rows;
    products_.resize(size);
    for (arma::uword i = 0; i < size; ++i) products_[i].resize(i + 1);
    if (dual_)
      add_products_of_rows();
    else
      add_products_of_attributes();
  }

  /// None if the penalty is too small.
  std::optional<Line> fitted(double penalty) const {
    std::vector<std::vector<double>> L = products_;
    for (std::size_t i = 0; i < L.size(); ++i) L[i][i] += penalty * static_cast<double>(X_.n_cols);
    if (!decompose(L)) return std::nullopt;
    const std::vector<double> solution = solve_triangles(L, right_);
    Line line{.constant = mean_, .slopes = arma::vec(X_.n_rows)};
    if (dual_)
      for (arma::uword n = 0; n < X_.n_cols; ++n) line.slopes += solution[n] * X_.col(n);
    else
      line.slopes = arma::vec(solution);
    line.constant -= dot_of(line.slopes.memptr(), means_.memptr(), means_.n_elem);
    return line;
  }

 private:
  /// A row at a time, so that each sum has its terms in the order of the rows.
  void add_products_of_attributes() {
    right_.assign(X_.n_rows, 0.0);
    for (arma::uword n = 0; n < X_.n_cols; ++n) {
      const double* const x = X_.colptr(n);
      for (std::size_t i = 0; i < X_.n_rows; ++i) {
        double* const sums = products_[i].data();
        const double factor = x[i];
        for (std::size_t j = 0; j <= i; ++j) sums[j] += factor * x[j];
        right_[i] += factor * y_(n);
      }
    }
  }
  void add_products_of_rows() {
    right_.assign(y_.begin(), y_.end());
    for (arma::uword i = 0; i < X_.n_cols; ++i)
      for (arma::uword j = 0; j <= i; ++j) products_[i][j] = dot_of(X_.colptr(i), X_.colptr(j), X_.n_rows);
  }

  arma::mat X_;  // centred, as is y_
  arma::vec y_;
  arma::vec means_;
  double mean_ = 0.0;
  bool dual_ = false;
  std::vector<std::vector<double>> products_;  // the lower triangle
  std::vector<double> right_;
};

bool takes_too_long(const arma::mat& X, std::size_t folds) {
  const auto attributes = static_cast<double>(X.n_rows), rows = static_cast<double>(X.n_cols);
  const double size = std::min(attributes, rows), all = static_cast<double>(folds);
  const double decompositions = static_cast<double>(penalties.size()) * size * size * size / 6.0;
  return all * (0.5 * rows * attributes * size + decompositions) > most_products;
}

}  // namespace

arma::vec Line::predict(const arma::mat& X) const {
  arma::vec f(X.n_cols);
  for (arma::uword n = 0; n < X.n_cols; ++n)
    f(n) = constant + dot_of(slopes.memptr(), X.colptr(n), slopes.n_elem);
  return f;
}

FoldLines fit_lines(const arma::mat& X, const arma::vec& y, const std::vector<HeldOut>& folds,
                    std::size_t jobs) {
  if (takes_too_long(X, folds.size())) return {};
  struct Tried {
    std::optional<Line> line;
    arma::vec out;
  };
  std::vector<std::vector<Tried>> tried(folds.size());
  std::vector<std::function<void()>> tasks;
  for (std::size_t k = 0; k < folds.size(); ++k)
    tasks.emplace_back([&, k] {
      const RidgeFold fold(X, y, folds[k]);
      const arma::mat held = columns_of(X, folds[k].held);
      for (const double penalty : penalties) {
        Tried& one = tried[k].emplace_back(Tried{fold.fitted(penalty), {}});
        if (one.line) one.out = one.line->predict(held);
      }
    });
  do_all(tasks, jobs);
  double least = std::numeric_limits<double>::infinity();
  std::optional<std::size_t> best;
  for (std::size_t p = 0; p < penalties.size(); ++p) {
    double error = 0.0;
    for (std::size_t k = 0; k < folds.size(); ++k) {
      const arma::vec& out = tried[k][p].out;
      error += out.empty() ? std::numeric_limits<double>::infinity()
                           : sum_of(arma::vec(arma::square(out - values_of(y, folds[k].held))));
    }
    if (!(error < least)) continue;
    least = error;
    best = p;
  }
  if (!best) return {};
  FoldLines found{.mean = {.slopes = arma::vec(X.n_rows)}, .out = {}};
  for (const std::vector<Tried>& of_fold : tried) {
    const Tried& one = of_fold[*best];
    found.mean.constant += one.line->constant;
    found.mean.slopes += one.line->slopes;
    found.out = arma::join_cols(found.out, one.out);
  }
  found.mean.constant /= static_cast<double>(folds.size());
  found.mean.slopes /= static_cast<double>(folds.size());
  return found;
}

}  // namespace lacp

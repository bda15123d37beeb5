#include "lacp/model/boosted.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

using Trees = std::vector<std::vector<TreeNode>>;

/// Targets as whole numbers: y = centre + 2^exponent · Y.
///
/// |Y| ≤ 2^51, so that leaves are exact doubles, and n·|Y| ≤ 2^60, so that all sums fit: a round never raises
/// Σ r² but by the rounding of its steps, and |Σ r| over any rows is at most √(n·Σ r²), so that n·max |r| of
/// the beginning, at most 2^61, bounds it for ever.
struct FixedPoint {
  double centre = 0.0;
  int exponent = 0;

  explicit FixedPoint(const arma::vec& y) {
    const double low = y.min(), high = y.max();
    centre = low < high ? 0.5 * low + 0.5 * high : low;
    const int most = std::min(51, 60 - static_cast<int>(std::bit_width(std::uint64_t{y.n_elem})));
    std::frexp(std::max(high - centre, centre - low), &exponent);
    exponent -= most;
  }

  std::vector<std::int64_t> whole(const arma::vec& y) const {
    std::vector<std::int64_t> Y;
    Y.reserve(y.n_elem);
    for (const double value : y) Y.push_back(std::llround(std::ldexp(value - centre, -exponent)));
    return Y;
  }
  double real(double Y) const { return std::ldexp(Y, exponent); }
};

/// The targets less their mean, which is returned.
std::int64_t subtract_mean(std::vector<std::int64_t>& Y) {
  std::int64_t sum = 0;
  for (const std::int64_t value : Y) sum += value;
  const auto n = static_cast<std::int64_t>(Y.size());
  for (std::int64_t& value : Y) value -= sum / n;
  return sum / n;
}

/// How many rounds on the rows `fitted` have the smallest error on the rows `held`.
std::size_t best_rounds(const arma::mat& X, const std::vector<std::int64_t>& Y, const BoostedOptions& options,
                        const arma::uvec& fitted, const arma::uvec& held) {
  const BinnedAttributes bins = make_bins(X.cols(fitted), options.bins);
  const arma::mat X_held = X.cols(held);
  std::vector<std::int64_t> residuals;
  for (const arma::uword row : fitted) residuals.push_back(Y[row]);
  const std::int64_t mean = subtract_mean(residuals);
  std::vector<double> errors;
  for (const arma::uword row : held) errors.push_back(static_cast<double>(Y[row] - mean));

  TreeGrower grower(bins, options);
  std::size_t best = 0;
  double smallest = dot_of(errors.data(), errors.data(), errors.size());
  for (std::size_t round = 1; round <= options.rounds && round - best <= options.patience; ++round) {
    const std::vector<TreeNode> tree = grower.grow(residuals);
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= leaf_value(tree, X_held.colptr(i));
    const double squares = dot_of(errors.data(), errors.data(), errors.size());
    if (squares < smallest) smallest = squares, best = round;
  }
  return best;
}

void require_finite(const arma::mat& X) {
  if (!X.is_finite()) user_error("boosted trees: attributes must be finite numbers");
}

}  // namespace

BoostedTrees BoostedTrees::fit(const arma::mat& X, const arma::vec& y, const BoostedOptions& options,
                               Stream& stream) {
  refuse("boosted trees", find_problem(options));
  if (X.n_cols != y.n_elem || y.empty())
    user_error("boosted trees: {} columns of attributes but {} targets; expected as many, and at least one",
               X.n_cols, y.n_elem);
  require_finite(X);
  if (!y.is_finite()) user_error("boosted trees: targets must be finite numbers");
  const FixedPoint fixed(y);
  std::vector<std::int64_t> Y = fixed.whole(y);

  std::size_t rounds = options.rounds;
  const auto held = static_cast<arma::uword>(options.validation_share * static_cast<double>(y.n_elem));
  if (held > 0) {
    const arma::uvec order(stream.permutation<arma::uword>(y.n_elem));
    rounds = best_rounds(X, Y, options, order.tail(y.n_elem - held), order.head(held));
  }
  const BinnedAttributes bins = make_bins(X, options.bins);
  const double base = fixed.centre + fixed.real(static_cast<double>(subtract_mean(Y)));
  TreeGrower grower(bins, options);
  Trees trees;
  while (trees.size() < rounds) {
    std::vector<TreeNode> tree = grower.grow(Y);
    if (tree.size() == 1) break;  // nothing is left to split, now or later
    for (TreeNode& node : tree)
      if (node.left == 0) node.value = fixed.real(node.value);
    trees.push_back(std::move(tree));
  }
  return BoostedTrees(X.n_rows, base, std::move(trees));
}

BoostedTrees::BoostedTrees(std::size_t attributes, double base, Trees trees)
    : attributes_(attributes), base_(base), trees_(std::move(trees)) {
  bool sound = std::isfinite(base);
  for (const std::vector<TreeNode>& tree : trees_) {
    sound = sound && !tree.empty();
    for (std::size_t i = 0; i < tree.size(); ++i)
      sound = sound && std::isfinite(tree[i].value) &&
              (tree[i].left == 0 || (tree[i].attribute < attributes && tree[i].left > i &&
                                     std::size_t{tree[i].left} + 1 < tree.size()));
  }
  if (!sound) throw std::invalid_argument("BoostedTrees: not trees");
}

arma::vec BoostedTrees::predict(const arma::mat& X) const {
  if (X.n_rows != attributes_)
    user_error("boosted trees: {} attributes; the model was fitted on {}", X.n_rows, attributes_);
  require_finite(X);
  arma::vec f(X.n_cols);
  for (arma::uword n = 0; n < X.n_cols; ++n) {
    double sum = base_;
    for (const std::vector<TreeNode>& tree : trees_) sum += leaf_value(tree, X.colptr(n));
    f(n) = sum;
  }
  return f;
}

}  // namespace lacp

// Intervals at queries: of one model, or by CV+ of those of several folds.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/conformal/predictor_parts.hpp"

namespace lacp {
namespace {

/// The columns that hold anything other than finite floats are added.
void add_beyond_float(const arma::mat& X, std::vector<arma::uword>& columns) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (arma::uword i = 0; i < X.n_rows; ++i)
      if (!(std::abs(X(i, n)) <= largest)) {
        columns.push_back(n);
        break;
      }
}

/// A matrix may have no rows, as for a method without a network; then there is nothing to fill.
void fill_columns(arma::mat& X, const std::vector<arma::uword>& columns, double value) {
  for (const arma::uword n : columns)
    for (arma::uword i = 0; i < X.n_rows; ++i) X(i, n) = value;
}

/// An empty interval stays as it is.
void scale(Bounds& bounds, double unit) {
  const arma::vec half_width = bounds.half_width();
  for (arma::uword n = 0; n < half_width.n_elem; ++n)
    if (!(half_width(n) < 0.0)) bounds.below(n) *= unit, bounds.above(n) *= unit;
}

}  // namespace

Intervals LocalPredictor::predict(const arma::mat& X, const Level& level) const {
  const LevelIntervals all = predict(X, {&level, 1});
  if (!all.too_far.empty())
    user_error(
        "LocalPredictor: query {} (from 0) lies too far from the data of the fit for a value there; leave it out",
        all.too_far.front());
  return {.f = all.f, .bounds = all.bounds.front()};
}

/// What a fold sees of queries.
struct LocalPredictor::Seen {
  arma::mat local;
  arma::vec f;

  /// Those too far out are added to the list.
  Seen(const Fold& fold, const arma::mat& X, std::vector<arma::uword>& too_far) {
    std::vector<arma::uword> far;
    arma::mat Xs = fold.scaling.attributes(X);
    add_beyond_float(Xs, far);
    fill_columns(Xs, far, 0.0);
    local = fold.score->local(Xs);
    add_beyond_float(local, far);
    fill_columns(local, far, 0.0);
    f = lacp::predict(fold.centre, Xs);
    for (arma::uword n = 0; n < f.n_elem; ++n)
      if (!std::isfinite(f(n))) far.push_back(n);
    too_far.insert(too_far.end(), far.begin(), far.end());
  }
};

/// CV+: of the intervals that each calibration point leads to, by its own score and the model that has not
/// seen it, the outermost α of the lower ends are left out, and of the upper ones. In blocks of queries,
/// since all ends are there at once.
Bounds LocalPredictor::cross_bounds(const std::vector<Seen>& seen, const arma::vec& f,
                                    const Level& level) const {
  constexpr arma::uword most_in_block = 1024;
  const std::size_t n = calibration_size(), rank = level.rank(n);
  if (rank > n) return Bounds::symmetric(arma::vec(f.n_elem, arma::fill::value(arma::datum::inf)));
  Bounds bounds{arma::vec(f.n_elem), arma::vec(f.n_elem)};
  for (arma::uword begin = 0; begin < f.n_elem; begin += most_in_block) {
    const arma::uword end = std::min(begin + most_in_block, f.n_elem);
    arma::mat lower(n, end - begin), upper(n, end - begin);
    arma::uword row = 0;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const Fold& fold = parts_->folds[k];
      const arma::vec centre = seen[k].f.subvec(begin, end - 1);
      const arma::mat local = seen[k].local.n_rows == 0 ? arma::mat(0, end - begin)
                                                        : arma::mat(seen[k].local.cols(begin, end - 1));
      const arma::vec& scores = fold.calibration.scores[fold.score->index_of(level)];
      for (const Bounds& each :
           fold.score->all_bounds(local, centre, arma::mat(arma::repmat(scores, 1, end - begin)),
                                  std::vector<Level>(scores.n_elem, level))) {
        for (arma::uword q = 0; q < end - begin; ++q) {
          const bool empty = each.below(q) == empty_interval && each.above(q) == empty_interval;
          lower(row, q) = empty ? arma::datum::inf : fold.scaling.target * (centre(q) - each.below(q));
          upper(row, q) = empty ? -arma::datum::inf : fold.scaling.target * (centre(q) + each.above(q));
        }
        ++row;
      }
    }
    const auto nth = [](arma::mat& values, arma::uword column, std::size_t place) {
      const auto found = values.begin_col(column) + static_cast<std::ptrdiff_t>(place);
      std::nth_element(values.begin_col(column), found, values.end_col(column));
      return *found;
    };
    for (arma::uword q = begin; q < end; ++q) {
      const double low = nth(lower, q - begin, n - rank), high = nth(upper, q - begin, rank - 1);
      bounds.below(q) = low > high ? empty_interval : f(q) - low;
      bounds.above(q) = low > high ? empty_interval : high - f(q);
    }
  }
  return bounds;
}

LevelIntervals LocalPredictor::predict(const arma::mat& X, std::span<const Level> levels) const {
  const StandardArithmetic arithmetic;
  if (X.n_rows != attributes())
    user_error("LocalPredictor: {} attributes; the model was fitted on {}", X.n_rows, attributes());
  if (!X.is_finite()) user_error("LocalPredictor: attributes must be finite numbers");
  LevelIntervals out;
  const Fold& first = parts_->folds.front();
  const Seen own(first, X, out.too_far);
  std::vector<Seen> seen;
  if (folds() > 1) seen.push_back(own);
  for (std::size_t k = 1; k < folds(); ++k) seen.emplace_back(parts_->folds[k], X, out.too_far);
  std::ranges::sort(out.too_far);
  out.too_far.erase(std::unique(out.too_far.begin(), out.too_far.end()), out.too_far.end());

  out.f = first.scaling.target * own.f;
  if (folds() == 1) {
    out.bounds =
        first.score->intervals(first.calibration, {.local = own.local}, own.f, levels, QuantileRule::ceiling);
    for (Bounds& bounds : out.bounds) scale(bounds, first.scaling.target);
  } else {
    for (std::size_t k = 1; k < folds(); ++k) out.f += parts_->folds[k].scaling.target * seen[k].f;
    out.f /= static_cast<double>(folds());
    for (const Level& level : levels) out.bounds.push_back(cross_bounds(seen, out.f, level));
  }
  for (Bounds& bounds : out.bounds)
    for (const arma::uword n : out.too_far) bounds.below(n) = bounds.above(n) = arma::datum::nan;
  for (const arma::uword n : out.too_far) out.f(n) = arma::datum::nan;
  return out;
}

}  // namespace lacp

// Intervals at queries of a model of several folds.

#include "models/predictor/predictor_parts.hpp"

namespace lacp {

/// How far the ends lie from the prediction f: they are quantiles of the ends that each calibration row leads
/// to, by its own score and the model that has not seen it. Between two ranks they are interpolated, since
/// with few rows the next rank may be far more than 1 − α. With a threshold for each side the ends are such
/// quantiles at α/2. In blocks of queries, which bounds the memory.
Bounds LocalPredictor::cross_bounds(const Asked& asked, Ends ends, const std::vector<Seen>& seen,
                                    const arma::vec& f, const Level& level) const {
  constexpr arma::uword most_in_block = 1024;
  const arma::uword queries = seen.front().f.n_elem;
  const bool each_side = ends == Ends::both && has_each_side(level);
  const bool one_threshold = ends == Ends::both && !each_side && !asked.one_threshold.empty();
  const Level own = each_side ? level.half() : level;
  const std::size_t n = calibration_size(), rank = own.rank(n);
  if (rank > n) return Bounds::symmetric(arma::vec(queries, arma::fill::value(arma::datum::inf)));
  const double inner = own.above_share(n);
  const auto quantile = [&](auto begin, auto end) {
    const auto found = begin + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(begin, found, end);
    if (inner == 0.0 || found == begin || !std::isfinite(*found)) return *found;
    const double before = *std::max_element(begin, found);
    return std::isfinite(before) ? *found - inner * (*found - before) : *found;
  };
  const bool whole = parts_->whole && ends == Ends::both && !parts_->after_update;
  Bounds bounds{arma::vec(queries), arma::vec(queries)};
  for (arma::uword begin = 0; begin < queries; begin += most_in_block) {
    const arma::uword end = std::min(begin + most_in_block, queries);
    arma::mat below(n, end - begin), above(n, end - begin);
    arma::uword row = 0;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const Fold& fold = parts_->folds[k];
      const View& view = one_threshold ? *asked.one_threshold[k] : asked.view(ends, k);
      const std::size_t index = view.score->index_of(level);
      const arma::vec centre = seen[k].f.subvec(begin, end - 1);
      const arma::mat local = seen[k].local.n_rows == 0 ? arma::mat(0, end - begin)
                                                        : arma::mat(seen[k].local.cols(begin, end - 1));
      const std::size_t rows = view.calibration.scores[index].n_elem;
      std::array<arma::vec, 2> q = {view.calibration.scores[index], {}};
      if (each_side) q = view.score->side_scores(view.calibration, level);
      const auto bounds_by = [&](std::size_t i) {
        const arma::vec first(centre.n_elem, arma::fill::value(q[0](i)));
        if (!each_side) return view.score->bounds(local, centre, first, level);
        return view.score->side_bounds(local, centre, first,
                                       arma::vec(centre.n_elem, arma::fill::value(q[1](i))), level);
      };
      // The whole number in the middle is part of every interval of the fold, an empty one too.
      arma::vec middle;
      if (whole) middle = fold.scaling.target * view.score->middles(local, centre)[index];
      for (std::size_t i = 0; i < rows; ++i) {
        const Bounds each = bounds_by(i);
        for (arma::uword at = 0; at < end - begin; ++at) {
          const bool empty = !each_side && each.is_empty(at);
          const double apart = f(begin + at) - fold.scaling.target * centre(at);
          double& low = below(row, at) =
              empty ? -arma::datum::inf : fold.scaling.target * each.below(at) + apart;
          double& high = above(row, at) =
              empty ? -arma::datum::inf : fold.scaling.target * each.above(at) - apart;
          if (!whole) continue;
          low = std::max(low, f(begin + at) - whole_near(middle(at)));
          high = std::max(high, whole_near(middle(at)) - f(begin + at));
        }
        ++row;
      }
    }
    for (arma::uword q = begin; q < end; ++q) {
      bounds.below(q) = quantile(below.begin_col(q - begin), below.end_col(q - begin));
      bounds.above(q) = quantile(above.begin_col(q - begin), above.end_col(q - begin));
      if (bounds.is_empty(q)) bounds.below(q) = bounds.above(q) = empty_interval;
    }
  }
  return bounds;
}

}  // namespace lacp

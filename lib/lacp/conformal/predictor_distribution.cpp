// A model at other levels, with one end, as quantiles, and with other calibration rows.

#include "lacp/conformal/predictor_parts.hpp"

namespace lacp {

LocalPredictor LocalPredictor::at_levels(std::vector<Level> wanted, Ends ends, std::size_t jobs) const {
  const bool free = levels().empty();
  if (free && ends == Ends::both) return *this;
  if (!keeps_rows())
    user_error(
        "the model was made by an older program and keeps no calibration rows; it has intervals with both ends{}; fit it again",
        free ? "" : ", at the levels of its fit");
  Parts parts = *parts_;
  parts.ends = ends;
  if (!free && ends == Ends::both) {
    parts.fitted.assign(levels().begin(), levels().end());
    for (const Level& level : levels())
      if (std::ranges::count(wanted, level) == 0) wanted.push_back(level);
  }
  for (Fold& fold : parts.folds) {
    fold.score = with_ends(fold.score, wanted, ends);
    if (!fold.score)
      user_error("method {} has intervals with both ends at the levels of its fit alone; fit it for others",
                 method());
    parts.calibrate(fold, jobs);
  }
  return LocalPredictor(std::move(parts));
}

arma::mat LocalPredictor::quantiles(const arma::mat& X, const std::vector<Level>& taus,
                                    std::size_t jobs) const {
  return quantiles_by_ends(taus, [&](const std::vector<Level>& levels, Ends ends) {
    const LevelIntervals found = at_levels(levels, ends, jobs).predict(X, levels, jobs);
    arma::mat out(levels.size(), X.n_cols);
    for (std::size_t l = 0; l < levels.size(); ++l)
      out.row(l) = (ends == Ends::lower ? found.at(l).lower() : found.at(l).upper()).t();
    return out;
  });
}

arma::mat quantiles_by_ends(const std::vector<Level>& taus,
                            const std::function<arma::mat(const std::vector<Level>&, Ends)>& ends) {
  std::vector<Level> below, above;
  for (const Level& tau : taus) {
    if (tau.value() < 0.5)
      below.push_back(tau);
    else
      above.push_back(tau.complement());
  }
  arma::mat out;
  if (!below.empty()) out = ends(below, Ends::lower);
  if (!above.empty()) out = arma::join_cols(out, ends(above, Ends::upper));
  increase(out, below.size());
  return out;
}

void increase(arma::mat& quantiles, std::size_t below) {
  for (arma::uword n = 0; n < quantiles.n_cols; ++n) {
    for (std::size_t k = below + 1; k < quantiles.n_rows; ++k)
      quantiles(k, n) = std::max(quantiles(k, n), quantiles(k - 1, n));
    for (std::size_t k = below; k-- > 0;)
      if (k + 1 < quantiles.n_rows) quantiles(k, n) = std::min(quantiles(k, n), quantiles(k + 1, n));
  }
}

LocalPredictor LocalPredictor::updated(const arma::mat& X, const arma::vec& y, const NewRows& how) const {
  if (!keeps_rows())
    user_error("the model was made by an older program and keeps no calibration rows; fit it again");
  if (X.n_rows != attributes() || X.n_cols != y.n_elem || y.empty() || !X.is_finite() || !y.is_finite())
    user_error(
        "LocalPredictor: {} rows of {} attributes and {} targets; expected finite numbers, {} attributes",
        X.n_cols, X.n_rows, y.n_elem, attributes());
  Parts parts = *parts_;
  const std::size_t all = (how.instead ? 0 : calibration_size()) + y.n_elem;
  std::size_t too_many = how.window != 0 && how.window < all ? all - how.window : 0;
  for (Fold& fold : parts.folds) {
    const std::size_t n = fold.rows.y.n_elem, dropped = how.instead ? n : std::min(too_many, n);
    fold.rows = {fold.rows.X.tail_cols(n - dropped), fold.rows.y.tail(n - dropped),
                 fold.rows.f.tail(n - dropped)};
    if (!how.instead) too_many -= dropped;
  }
  // No fold's model has seen the new rows: they take turns.
  for (std::size_t k = 0; k < folds(); ++k) {
    Fold& fold = parts.folds[k];
    std::vector<arma::uword> own, too_far;
    for (arma::uword n = too_many; n < y.n_elem; ++n)
      if (n % folds() == k) own.push_back(n);
    const arma::mat X_own = X.cols(arma::uvec(own));
    const Seen seen(fold, X_own, too_far, how.jobs);
    if (!too_far.empty())
      user_error("row {} (from 0) lies too far from the data of the fit for a value there; leave it out",
                 own[too_far.front()]);
    fold.rows.X = arma::join_rows(fold.rows.X, fold.scaling.attributes(X_own));
    fold.rows.y = arma::join_cols(fold.rows.y, fold.scaling.targets(y(arma::uvec(own))));
    fold.rows.f = arma::join_cols(fold.rows.f, seen.f);
    parts.calibrate(fold, how.jobs);
  }
  return LocalPredictor(std::move(parts));
}

}  // namespace lacp

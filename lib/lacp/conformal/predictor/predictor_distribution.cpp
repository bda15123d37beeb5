// A model at other levels, with one end, as quantiles, and with other calibration rows.

#include <numeric>

#include "lacp/base/math.hpp"
#include "lacp/conformal/predictor/predictor_parts.hpp"

namespace lacp {

LocalPredictor LocalPredictor::at_levels(std::vector<Level> wanted, Ends ends, std::size_t jobs) const {
  const StandardArithmetic arithmetic;
  if (parts_->origin) {
    LocalPredictor fitted(*this);
    fitted.parts_ = parts_->origin;
    return fitted.at_levels(std::move(wanted), ends, jobs);
  }
  if (wanted.empty()) user_error("LocalPredictor: no levels; expected at least one");
  const bool free = levels().empty();
  if (free && ends == Ends::both) return *this;
  if (!keeps_rows())
    user_error(
        "the model was made by an older program and keeps no calibration rows; it has intervals with both ends{}; fit it again",
        free ? "" : ", at the levels of its fit");
  if (ends != Ends::both && !has_distribution(find_method(method())))
    user_error("method {} has intervals with both ends alone; fit another one for bounds and quantiles",
               method());
  Parts parts = *parts_;
  parts.origin = parts_;
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
  std::vector<arma::uword> order(taus.size());
  std::iota(order.begin(), order.end(), arma::uword{0});
  std::ranges::stable_sort(order, {}, [&](arma::uword k) { return taus[k].value(); });
  std::vector<Level> below, above;
  for (const arma::uword k : order) {
    if (taus[k].value() < 0.5)
      below.push_back(taus[k]);
    else
      above.push_back(taus[k].complement());
  }
  arma::mat sorted;
  if (!below.empty()) sorted = ends(below, Ends::lower);
  if (!above.empty()) sorted = arma::join_cols(sorted, ends(above, Ends::upper));
  increase(sorted, below.size());
  arma::mat out(arma::size(sorted));
  for (arma::uword k = 0; k < order.size(); ++k) out.row(order[k]) = sorted.row(k);
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

void LocalPredictor::Fold::keep_rows(const std::vector<arma::uword>& kept) {
  const arma::uvec some(kept);
  rows = {rows.X.cols(some), rows.y(some), rows.f(some)};
  std::vector<std::uint64_t> theirs;
  for (const arma::uword n : kept) theirs.push_back(arrived[n]);
  arrived = std::move(theirs);
}

void LocalPredictor::Parts::keep_newest(std::size_t rows) {
  using Row = std::tuple<std::uint64_t, arma::uword, std::size_t>;  // when it came, its place, its fold
  std::vector<Row> all;
  for (std::size_t k = 0; k < folds.size(); ++k)
    for (arma::uword n = 0; n < folds[k].rows.y.n_elem; ++n) all.emplace_back(folds[k].arrived[n], n, k);
  if (all.size() <= rows) return;
  std::ranges::sort(all, std::greater{});
  all.resize(rows);
  std::vector<std::vector<arma::uword>> kept(folds.size());
  for (const auto& [when, place, k] : all) kept[k].push_back(place);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    std::ranges::sort(kept[k]);
    folds[k].keep_rows(kept[k]);
  }
}

LocalPredictor LocalPredictor::updated(const arma::mat& X, const arma::vec& y, const NewRows& how,
                                       std::vector<arma::uword>* too_far) const {
  const StandardArithmetic arithmetic;
  if (!keeps_rows())
    user_error("the model was made by an older program and keeps no calibration rows; fit it again");
  if (parts_->origin)
    user_error("LocalPredictor: is what at_levels made; update the model that it was made from");
  if (X.n_rows != attributes() || X.n_cols != y.n_elem || y.empty() || !X.is_finite() || !y.is_finite())
    user_error(
        "LocalPredictor: {} rows of {} attributes and {} targets; expected finite numbers, {} attributes",
        X.n_cols, X.n_rows, y.n_elem, attributes());
  if (whole()) require_whole(y, "update");
  if (grouped() && how.groups.empty())
    user_error("LocalPredictor: was fitted with groups; expected those of the new rows, too");
  Stream drawn({.seed = how.seed, .purpose = "row of a group"});
  std::vector<arma::uword> calibrating;
  for (const std::vector<arma::uword>& unit : units_of(y.n_elem, {}, how.groups))
    calibrating.push_back(one_of(unit, drawn));
  std::ranges::sort(calibrating);
  Parts parts = *parts_;
  std::uint64_t arrivals = 0;
  for (const Fold& fold : parts.folds)
    for (const std::uint64_t when : fold.arrived) arrivals = std::max(arrivals, when);
  // No fold's model has seen the new rows: they take turns.
  std::vector<arma::uword> left_out;
  for (std::size_t k = 0; k < folds(); ++k) {
    Fold& fold = parts.folds[k];
    if (how.instead) fold.keep_rows({});
    std::vector<arma::uword> own, far;
    std::vector<std::uint64_t> when;
    for (std::size_t i = 0; i < calibrating.size(); ++i)
      if ((arrivals + i) % folds() == k) {
        own.push_back(calibrating[i]);
        when.push_back(arrivals + 1 + i);
      }
    const arma::mat X_own = X.cols(arma::uvec(own));
    const Seen seen(fold, X_own, far, how.jobs);
    fold.rows.X = arma::join_rows(fold.rows.X, fold.scaling.attributes(X_own));
    fold.rows.y = arma::join_cols(fold.rows.y, fold.scaling.targets(y(arma::uvec(own))));
    fold.rows.f = arma::join_cols(fold.rows.f, seen.f);
    fold.arrived.insert(fold.arrived.end(), when.begin(), when.end());
    std::vector<arma::uword> kept;
    for (arma::uword n = 0; n < fold.rows.y.n_elem; ++n) {
      const arma::uword old = fold.rows.y.n_elem - own.size();
      if (n < old || std::ranges::count(far, n - old) == 0)
        kept.push_back(n);
      else
        left_out.push_back(own[n - old]);
    }
    if (!far.empty()) fold.keep_rows(kept);
  }
  std::ranges::sort(left_out);
  if (!left_out.empty() && too_far == nullptr)
    user_error("row {} (from 0) lies too far from the data of the fit for a value there; leave it out",
               left_out.front());
  if (left_out.size() == calibrating.size())
    user_error("LocalPredictor: all new rows lie too far from the data of the fit for a value there");
  if (too_far != nullptr) *too_far = std::move(left_out);
  if (how.window != 0) parts.keep_newest(how.window);
  parts.least = std::min(parts.least, y.min());
  parts.largest = std::max(parts.largest, y.max());
  for (Fold& fold : parts.folds) parts.calibrate(fold, how.jobs);
  return LocalPredictor(std::move(parts));
}

}  // namespace lacp

// A model with other calibration rows.

#include "lacp/base/text.hpp"
#include "models/predictor/predictor_parts.hpp"

namespace lacp {

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

/// The sides that an update asks for, or, if it does not say, those that its rows suffice for.
Sides LocalPredictor::sides_of(const Parts& parts, const NewRows& how) const {
  if (how.sides == Sides::both) return Sides::both;
  const bool asked = how.sides.has_value();
  if (!has_distribution(find_method(method()))) {
    if (asked) refuse_each_side("update", method());
    return Sides::both;
  }
  std::vector<Level> wanted = how.levels;
  if (wanted.empty()) wanted.assign(levels().begin(), levels().end());
  if (wanted.empty()) wanted = {Level(0.05)};
  std::size_t all = 0;
  for (const Fold& fold : parts.folds) all += fold.rows.y.n_elem;
  std::vector<std::size_t> classes;
  const Fold& first = parts.folds.front();
  for (const auto& [values, rows] : columns_by_value(first.rows.X.rows(arma::uvec(first.by))))
    classes.push_back(rows.size());
  for (const Level& level : wanted) {
    if (suffice_for_each_side(all, classes, level)) continue;
    if (asked)
      user_error("update: sides: each needs {} calibration rows{} at coverage {}; found {}",
                 level.half().fewest(), classes.empty() ? "" : " in a class", level.complement().text(), all);
    return Sides::both;
  }
  return Sides::each;
}

/// New rows that count: one of each group, in order. UserError unless they are such as the model takes.
std::vector<arma::uword> LocalPredictor::counted_rows(const arma::mat& X, const arma::vec& y,
                                                      const std::vector<std::size_t>& groups,
                                                      std::uint64_t seed) const {
  if (X.n_rows != attributes() || X.n_cols != y.n_elem || !X.is_finite() || !y.is_finite())
    user_error(
        "LocalPredictor: {} rows of {} attributes, {} targets; expected finite numbers of {} attributes",
        X.n_cols, X.n_rows, y.n_elem, attributes());
  if (grouped() && groups.empty() && !y.empty())
    user_error("LocalPredictor: fitted with groups; expected those of the new rows, too");
  Stream drawn({.seed = seed, .purpose = "row of a group"});
  std::vector<arma::uword> rows;
  for (const std::vector<arma::uword>& unit : units_of(y.n_elem, {}, groups))
    rows.push_back(one_of(unit, drawn));
  std::ranges::sort(rows);
  return rows;
}

LocalPredictor LocalPredictor::updated(const arma::mat& X, const arma::vec& y, const NewRows& how,
                                       std::vector<arma::uword>* too_far) const {
  if (whole()) require_whole(y, "update");
  const std::vector<arma::uword> calibrating = counted_rows(X, y, how.groups, how.seed);
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
    const Seen seen(fold, *fold.fitted->score, X_own, far, how.jobs);
    fold.rows.X = arma::join_rows(fold.rows.X, fold.scaling.attributes(X_own));
    fold.rows.y = arma::join_cols(fold.rows.y, fold.scaling.targets(y(arma::uvec(own))));
    fold.rows.f = arma::join_cols(fold.rows.f, seen.f);
    fold.arrived.insert(fold.arrived.end(), when.begin(), when.end());
    std::vector<bool> is_far(own.size(), false);
    for (const arma::uword n : far) is_far[n] = true;
    std::vector<arma::uword> kept;
    for (arma::uword n = 0; n < fold.rows.y.n_elem; ++n) {
      const arma::uword old = fold.rows.y.n_elem - own.size();
      if (n < old || !is_far[n - old])
        kept.push_back(n);
      else
        left_out.push_back(own[n - old]);
    }
    if (!far.empty()) fold.keep_rows(kept);
  }
  std::ranges::sort(left_out);
  if (!left_out.empty() && too_far == nullptr) refuse_far("row", left_out.front());
  if (left_out.size() == calibrating.size())
    user_error("update: no new rows, or all lie too far from the data of the fit");
  if (too_far != nullptr) *too_far = std::move(left_out);
  if (how.window != 0) parts.keep_newest(how.window);
  parts.least = std::min(parts.least, y.min());
  parts.largest = std::max(parts.largest, y.max());
  parts.sides = sides_of(parts, how);
  parts.after_update = parts.sides == Sides::each;
  const Method& method = find_method(parts.method);
  for (Fold& fold : parts.folds)
    parts.calibrate(fold, with_sides(fold.fitted->score, method, parts.sides, true), how.jobs);
  return LocalPredictor(std::move(parts));
}

}  // namespace lacp

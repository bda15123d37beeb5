// A model with other calibration rows.

#include "lacp/base/text.hpp"
#include "models/predictor/predictor_state.hpp"

namespace lacp {

void LocalPredictor::State::keep_rows(const std::vector<arma::uword>& kept) {
  const arma::uvec some(kept);
  rows = {rows.X.cols(some), rows.y(some), rows.f(some)};
  std::vector<std::uint64_t> when;
  std::vector<std::uint32_t> of_fit;
  for (const arma::uword n : kept) {
    when.push_back(arrived[n]);
    if (n < places.size()) of_fit.push_back(places[n]);
  }
  arrived = std::move(when);
  places = std::move(of_fit);
}

void LocalPredictor::State::keep_newest(std::size_t count) {
  if (rows.y.n_elem <= count) return;
  std::vector<std::pair<std::uint64_t, arma::uword>> all;  // when it came, its place
  for (arma::uword n = 0; n < rows.y.n_elem; ++n) all.emplace_back(arrived[n], n);
  std::ranges::sort(all, std::greater{});
  std::vector<arma::uword> kept;
  for (const auto& [when, place] : std::span(all).first(count)) kept.push_back(place);
  std::ranges::sort(kept);
  keep_rows(kept);
}

/// The sides that an update asks for, or, if it does not say, those that its rows suffice for.
Sides LocalPredictor::sides_of(const State& state, const NewRows& how) const {
  if (how.sides == Sides::both) return Sides::both;
  const bool asked = how.sides.has_value();
  if (!has_distribution(find_method(method()))) {
    if (asked) refuse_each_side("update", method());
    return Sides::both;
  }
  std::vector<Level> wanted = how.levels;
  if (wanted.empty()) wanted.assign(levels().begin(), levels().end());
  if (wanted.empty()) wanted = {Level(0.05)};
  const std::size_t all = state.rows.y.n_elem;
  std::vector<std::size_t> classes;
  for (const auto& [values, members] : columns_by_value(state.rows.X.rows(arma::uvec(state.by))))
    classes.push_back(members.size());
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
  State state = *state_;
  std::uint64_t arrivals = 0;
  for (const std::uint64_t when : state.arrived) arrivals = std::max(arrivals, when);
  if (how.instead) state.keep_rows({});
  const arma::mat X_new = X.cols(arma::uvec(calibrating));
  const QueryView seen(state, *state.fitted->score, X_new, how.jobs);
  const arma::uword old = state.rows.y.n_elem;
  state.rows.X = arma::join_rows(state.rows.X, state.scaling.attributes(X_new));
  state.rows.y = arma::join_cols(state.rows.y, state.scaling.targets(y(arma::uvec(calibrating))));
  state.rows.f = arma::join_cols(state.rows.f, seen.f);
  for (std::size_t i = 0; i < calibrating.size(); ++i) state.arrived.push_back(arrivals + 1 + i);
  std::vector<arma::uword> left_out, kept;
  for (const arma::uword n : seen.too_far) left_out.push_back(calibrating[n]);
  for (arma::uword n = 0; n < state.rows.y.n_elem; ++n)
    if (n < old || !std::ranges::binary_search(seen.too_far, n - old)) kept.push_back(n);
  if (!left_out.empty()) state.keep_rows(kept);
  if (!left_out.empty() && too_far == nullptr) refuse_far("row", left_out.front());
  if (left_out.size() == calibrating.size())
    user_error("update: no new rows, or all lie too far from the data of the fit");
  if (too_far != nullptr) *too_far = std::move(left_out);
  if (how.window != 0) state.keep_newest(how.window);
  state.least = std::min(state.least, y.min());
  state.largest = std::max(state.largest, y.max());
  state.sides = sides_of(state, how);
  state.after_update = state.sides == Sides::each;
  state.calibrate(with_sides(state.fitted->score, find_method(state.method), state.sides, true), how.jobs);
  return LocalPredictor(std::move(state));
}

}  // namespace lacp

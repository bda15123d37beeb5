// Intervals at queries, at other levels than those of the fit, and with single ends.

#include "models/predictor/predictor_state.hpp"

namespace lacp {
namespace {

/// Columns that hold anything other than finite floats are added to the list, and all of the list become 0.
void set_aside(arma::mat& X, std::vector<arma::uword>& columns) {
  if (X.n_rows == 0) return;  // as for a method without a network
  const auto is_float = [](double x) { return std::abs(x) <= double{std::numeric_limits<float>::max()}; };
  for (arma::uword n = 0; n < X.n_cols; ++n)
    if (!std::all_of(X.begin_col(n), X.end_col(n), is_float)) columns.push_back(n);
  for (const arma::uword n : columns) std::fill_n(X.colptr(n), X.n_rows, 0.0);
}

void keep_each_once(std::vector<arma::uword>& columns) {
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

/// An empty interval stays as it is.
void scale(Bounds& bounds, double unit) {
  for (arma::uword n = 0; n < bounds.below.n_elem; ++n)
    if (!bounds.is_empty(n)) {
      bounds.below(n) *= unit;
      bounds.above(n) *= unit;
    }
}

/// To the whole numbers of PredictorSettings::whole.
void make_whole(Bounds& bounds, const arma::vec& f, const arma::vec& middles) {
  for (arma::uword n = 0; n < f.n_elem; ++n) {
    const bool empty = bounds.is_empty(n);
    const double middle = whole_near(middles(n)),
                 low = empty ? middle : std::min(std::ceil(lower_end(f(n), bounds.below(n))), middle),
                 high = empty ? middle : std::max(std::floor(upper_end(f(n), bounds.above(n))), middle);
    bounds.below(n) = f(n) - low;
    bounds.above(n) = high - f(n);
  }
}

/// To the whole numbers in it, wherever they lie; if there are none, to one near its middle, or near that of
/// the fit if it is empty.
void keep_whole(Bounds& bounds, const arma::vec& f, const arma::vec& middles) {
  for (arma::uword n = 0; n < f.n_elem; ++n) {
    const bool empty = bounds.is_empty(n);
    double low = std::ceil(lower_end(f(n), bounds.below(n)));
    double high = std::floor(upper_end(f(n), bounds.above(n)));
    if (empty || low > high) {
      low = whole_near(empty ? middles(n) : f(n) + 0.5 * (bounds.above(n) - bounds.below(n)));
      high = low;
    }
    bounds.below(n) = f(n) - low;
    bounds.above(n) = high - f(n);
  }
}

/// The interval holds the other one, too.
void widen(Bounds& outer, const Bounds& inner, const arma::vec& f) {
  for (arma::uword n = 0; n < f.n_elem; ++n) {
    if (inner.is_empty(n)) continue;
    const bool empty = outer.is_empty(n);
    if (empty || lower_end(f(n), inner.below(n)) < lower_end(f(n), outer.below(n)))
      outer.below(n) = inner.below(n);
    if (empty || upper_end(f(n), inner.above(n)) > upper_end(f(n), outer.above(n)))
      outer.above(n) = inner.above(n);
  }
}

/// The interval lies within the other one.
void narrow(Bounds& inner, const Bounds& outer, const arma::vec& f) {
  for (arma::uword n = 0; n < f.n_elem; ++n) {
    if (lower_end(f(n), inner.below(n)) < lower_end(f(n), outer.below(n))) inner.below(n) = outer.below(n);
    if (upper_end(f(n), inner.above(n)) > upper_end(f(n), outer.above(n))) inner.above(n) = outer.above(n);
    if (inner.is_empty(n)) inner.below(n) = inner.above(n) = empty_interval;
  }
}

/// Those of smaller α hold those of larger α: ends that are learnt and calibrated for each level by itself
/// may cross. What is not fitted gives way to what is.
void nest(std::vector<Bounds>& bounds, std::span<const Level> levels, std::span<const Level> fitted,
          const arma::vec& f) {
  std::vector<std::size_t> first, others;
  for (std::size_t l = 0; l < levels.size(); ++l)
    (fitted.empty() || std::ranges::count(fitted, levels[l]) != 0 ? first : others).push_back(l);
  const auto alpha = [&](std::size_t l) { return levels[l].value(); };
  std::ranges::stable_sort(first, std::greater{}, alpha);
  std::ranges::stable_sort(others, std::greater{}, alpha);
  for (std::size_t i = 1; i < first.size(); ++i) widen(bounds[first[i]], bounds[first[i - 1]], f);
  for (std::size_t i = 0; i < others.size(); ++i) {
    Bounds& own = bounds[others[i]];
    if (i > 0) widen(own, bounds[others[i - 1]], f);
    const auto outer =
        std::ranges::find_if(first, [&](std::size_t l) { return alpha(l) < alpha(others[i]); });
    if (outer != first.begin()) widen(own, bounds[*(outer - 1)], f);
    if (outer != first.end()) narrow(own, bounds[*outer], f);
  }
}

}  // namespace

Intervals LocalPredictor::predict(const arma::mat& X, const Level& level) const {
  const LevelIntervals all = predict(X, {&level, 1});
  if (!all.too_far.empty()) refuse_far("query", all.too_far.front());
  return all.at(0);
}

LocalPredictor::QueryView::QueryView(const State& state, const FittedScore& score, const arma::mat& X,
                                     std::size_t jobs) {
  arma::mat Xs = state.scaling.attributes(X);
  set_aside(Xs, too_far);
  f = lacp::predict(state.centre, Xs, jobs);
  local = score.local(Xs, f, jobs);
  by = Xs.rows(arma::uvec(state.by));
  set_aside(local, too_far);
  for (arma::uword n = 0; n < f.n_elem; ++n)
    if (!std::isfinite(f(n))) too_far.push_back(n);
  keep_each_once(too_far);
}

LocalPredictor::QueryView::QueryView(const State& state, arma::mat local_of_rows)
    : local(std::move(local_of_rows)), f(state.rows.f), by(state.rows.X.rows(arma::uvec(state.by))) {
  arma::mat Xs = state.rows.X;
  set_aside(Xs, too_far);
  set_aside(local, too_far);
  keep_each_once(too_far);
}

/// Each query is calibrated by its class, or by those that have too few rows for the level, together; without
/// classes by its group.
std::vector<Bounds> LocalPredictor::bounds_by(const CalibratedScore& by, Ends ends, const QueryView& queries,
                                              std::span<const Level> levels) const {
  const auto intervals = [&](const Calibration& calibration, const arma::mat& local, const arma::vec& f,
                             std::span<const Level> at) {
    return by.score->intervals(calibration, {.local = local}, f, at, QuantileRule::ceiling);
  };
  const Bounds infinite = Bounds::symmetric(arma::vec(queries.f.n_elem, arma::fill::value(arma::datum::inf)));
  std::vector<Bounds> bounds(levels.size(), infinite);
  const auto set = [&](std::size_t l, const arma::uvec& some, const Calibration& calibration) {
    if (some.empty() || calibration.scores.front().n_elem < rows_needed(levels[l], ends)) return;
    const Bounds found =
        intervals(calibration, columns_of(queries.local, some), queries.f(some), levels.subspan(l, 1))
            .front();
    bounds[l].below(some) = found.below;
    bounds[l].above(some) = found.above;
  };
  if (state_->by.empty()) {
    const arma::vec widths = by.score->widths(queries.local);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const std::size_t groups = width_groups_at(levels[l], ends);
      if (groups == 1) {
        bounds[l] = intervals(by.calibration, queries.local, queries.f, levels.subspan(l, 1)).front();
        continue;
      }
      std::vector<std::vector<arma::uword>> members(groups);
      for (arma::uword n = 0; n < widths.n_elem; ++n)
        members[width_group(widths(n), by.score->width_cuts(), groups)].push_back(n);
      for (std::size_t g = 0; g < groups; ++g) {
        // Where new rows have drifted, a group of the fit may have few of them.
        const Calibration& own = by.by_width.at(groups)[g];
        const bool few = own.scores.front().n_elem < rows_needed_in_class(levels[l], ends);
        set(l, arma::uvec(members[g]), few ? by.calibration : own);
      }
    }
    return bounds;
  }
  for (const auto& [values, members] : columns_by_value(queries.by)) {
    const auto own = by.classes.find(values);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const std::size_t needed = rows_needed_in_class(levels[l], ends);
      // A new row counts with its class: otherwise new rows would join the others more often than old ones.
      const bool by_itself = own != by.classes.end() && own->second.rows.size() >= needed;
      const auto prepared = by.together.find(needed);
      if (by_itself)
        set(l, arma::uvec(members), own->second.calibration);
      else if (prepared != by.together.end())
        set(l, arma::uvec(members), prepared->second);
      else
        set(l, arma::uvec(members), by.calibration_up_to(needed));
    }
  }
  return bounds;
}

/// At the levels that are asked for, in the units of the target, around predictions that are known.
std::vector<Bounds> LocalPredictor::bounds_of(const Prepared& prepared, Ends ends, const QueryView& queries,
                                              const LevelIntervals& known) const {
  const arma::vec& f = known.f;
  const std::vector<Level>& wanted = prepared.questions.at(ends);
  const std::span<const Level> fitted = ends == Ends::both ? levels() : std::span<const Level>();
  // With those that it lies between.
  std::vector<Level> all = wanted;
  for (const Level& level : fitted)
    if (std::ranges::count(all, level) == 0) all.push_back(level);
  if (wanted.empty()) return {};
  const CalibratedScore& by = prepared.at(ends);
  std::vector<Bounds> bounds = bounds_by(by, ends, queries, all);
  for (std::size_t l = 0; ends == Ends::both && prepared.one_threshold && l < all.size(); ++l)
    if (!has_each_side(all[l]))
      bounds[l] = bounds_by(*prepared.one_threshold, ends, queries, {&all[l], 1}).front();
  for (Bounds& each : bounds) scale(each, scaling().target);
  if (whole() && ends == Ends::both) {
    const auto to_whole = state_->after_update ? &keep_whole : &make_whole;
    const std::vector<arma::vec> middles = by.score->middles(queries.local, queries.f);
    for (std::size_t l = 0; l < all.size(); ++l)
      to_whole(bounds[l], f, scaling().target * middles[by.score->index_of(all[l])]);
  }
  nest(bounds, all, fitted, f);
  bounds.resize(wanted.size());
  for (Bounds& each : bounds)
    for (const arma::uword n : queries.too_far) each.below(n) = each.above(n) = arma::datum::nan;
  return bounds;
}

std::shared_ptr<const LocalPredictor::Prepared> LocalPredictor::prepared_for(const Questions& questions,
                                                                             std::size_t jobs) const {
  const bool free = levels().empty(), single = !questions.lower.empty() || !questions.upper.empty();
  const auto is_fitted = [&](const Level& level) { return free || std::ranges::count(levels(), level) != 0; };
  const bool fitted = std::ranges::all_of(questions.levels, is_fitted);
  Questions all = questions;
  all.levels.assign(levels().begin(), levels().end());
  for (const Level& level : questions.levels)
    if (!is_fitted(level) || free) all.levels.push_back(level);
  const bool one_threshold =
      sides() == Sides::each &&
      !std::ranges::all_of(all.levels, [&](const Level& level) { return has_each_side(level); });
  const auto at = [](Ends ends) { return static_cast<std::size_t>(ends); };
  auto prepared = std::make_shared<Prepared>(Prepared{questions});
  prepared->by_ends[at(Ends::both)] = state_->fitted;
  if (fitted && !single && !one_threshold) return prepared;

  const std::lock_guard lock(last_->mutex);
  if (last_->prepared && last_->prepared->questions == questions) return last_->prepared;
  const Method& known = find_method(method());
  if (!fitted && !known.any_level)
    user_error("method {} has only the levels of its fit; fit it for others", method());
  if (single && !has_distribution(known))
    user_error("method {} has no bounds and quantiles; fit another one", method());
  const State& state = *state_;
  arma::mat local;
  for (const Ends ends : {Ends::both, Ends::lower, Ends::upper}) {
    if (ends != Ends::both && all.at(ends).empty()) continue;
    const auto score = with_ends(state.fitted->score, all, ends);
    if (ends == Ends::both) local = state.local_of_rows(*score, jobs);
    prepared->by_ends[at(ends)] = ends == Ends::both && fitted
                                      ? state.calibrated(score, state.fitted->calibration)
                                      : state.calibrated(score, ends, local);
    if (ends == Ends::both && one_threshold)
      prepared->one_threshold = state.calibrated(score->inner(), ends, local);
  }
  last_->prepared = prepared;
  return prepared;
}

LevelIntervals LocalPredictor::ask(const arma::mat& X, const Questions& questions, std::size_t jobs) const {
  if (X.n_rows != attributes() || !X.is_finite())
    user_error("LocalPredictor: {} attributes; expected {}, all finite", X.n_rows, attributes());
  const std::shared_ptr<const Prepared> prepared = prepared_for(questions, jobs);
  return answer(QueryView(*state_, *prepared->at(Ends::both).score, X, jobs), *prepared);
}

LevelIntervals LocalPredictor::calibrating(std::span<const Level> levels, std::size_t jobs) const {
  const std::shared_ptr<const Prepared> prepared =
      prepared_for(Questions{{levels.begin(), levels.end()}}, jobs);
  return answer(QueryView(*state_, state_->local_of_rows(*prepared->at(Ends::both).score, jobs)), *prepared);
}

LevelIntervals LocalPredictor::answer(const QueryView& queries, const Prepared& prepared) const {
  LevelIntervals out{.f = scaling().target * queries.f, .bounds = {}, .whole = whole()};
  out.too_far = queries.too_far;
  for (const auto& [values, members] : columns_by_value(queries.by))
    if (!state_->fitted->classes.contains(values)) out.new_classes += members.size();
  out.bounds = bounds_of(prepared, Ends::both, queries, out);
  out.single.asked = prepared.questions;
  for (const Ends ends : {Ends::lower, Ends::upper})
    out.single.set(ends, out.f, bounds_of(prepared, ends, queries, out));
  if (whole())
    for (arma::mat* ends : {&out.single.lower, &out.single.upper})
      for (double& end : *ends)
        if (std::isfinite(end)) end = std::clamp(end, state_->least, state_->largest);
  for (const arma::uword n : out.too_far) out.f(n) = arma::datum::nan;
  return out;
}

}  // namespace lacp

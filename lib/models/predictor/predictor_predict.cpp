// Intervals at queries, at other levels than those of the fit, and with single ends.

#include "models/predictor/predictor_parts.hpp"

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

LocalPredictor::Seen::Seen(const Fold& fold, const FittedScore& score, const arma::mat& X,
                           std::vector<arma::uword>& too_far, std::size_t jobs) {
  std::vector<arma::uword> far;
  arma::mat Xs = fold.scaling.attributes(X);
  set_aside(Xs, far);
  const bool calibrated = &score == fold.fitted->score.get() && fold.local.n_cols == X.n_cols &&
                          std::ranges::equal(Xs, fold.rows.X);
  f = calibrated ? fold.rows.f : lacp::predict(fold.centre, Xs, jobs);
  local = calibrated ? fold.local : score.local(Xs, f, jobs);
  by = Xs.rows(arma::uvec(fold.by));
  set_aside(local, far);
  for (arma::uword n = 0; n < f.n_elem; ++n)
    if (!std::isfinite(f(n))) far.push_back(n);
  too_far.insert(too_far.end(), far.begin(), far.end());
}

/// Intervals of one model: each query is calibrated by its class, or by those that have too few rows for the
/// level, together.
std::vector<Bounds> LocalPredictor::own_bounds(const View& view, Ends ends, const Seen& seen,
                                               std::span<const Level> levels) const {
  const auto bounds_by = [&](const Calibration& calibration, const arma::mat& local, const arma::vec& f,
                             std::span<const Level> at) {
    return view.score->intervals(calibration, {.local = local}, f, at, QuantileRule::ceiling);
  };
  if (by().empty()) return bounds_by(view.calibration, seen.local, seen.f, levels);
  const Bounds infinite = Bounds::symmetric(arma::vec(seen.f.n_elem, arma::fill::value(arma::datum::inf)));
  std::vector<Bounds> bounds(levels.size(), infinite);
  for (const auto& [values, queries] : columns_by_value(seen.by)) {
    const arma::uvec some(queries);
    const arma::mat local = columns_of(seen.local, some);
    const arma::vec f = seen.f(some);
    const auto own = view.classes.find(values);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const std::size_t needed = rows_needed_in_class(levels[l], ends);
      // A new row counts with its class: otherwise new rows would join the others more often than old ones.
      const bool by_itself = own != view.classes.end() && own->second.rows.size() >= needed;
      const auto prepared = view.together.find(needed);
      Calibration calibration;
      if (by_itself)
        calibration = own->second.calibration;
      else
        calibration = prepared != view.together.end() ? prepared->second : view.calibration_up_to(needed);
      if (calibration.scores.front().n_elem < rows_needed(levels[l], ends)) continue;
      const Bounds found = bounds_by(calibration, local, f, levels.subspan(l, 1)).front();
      bounds[l].below(some) = found.below;
      bounds[l].above(some) = found.above;
    }
  }
  return bounds;
}

/// The middles of intervals, of several folds their mean.
arma::vec LocalPredictor::middles(const Asked& asked, const std::vector<Seen>& seen,
                                  const Level& level) const {
  arma::vec sum(seen.front().f.n_elem, arma::fill::zeros);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const FittedScore& score = *asked.view(Ends::both, k).score;
    sum += parts_->folds[k].scaling.target * score.middles(seen[k].local, seen[k].f)[score.index_of(level)];
  }
  return sum / static_cast<double>(seen.size());
}

/// At the levels that are asked for, in the units of the target, around predictions that are known.
std::vector<Bounds> LocalPredictor::bounds_of(const Asked& asked, Ends ends, const std::vector<Seen>& seen,
                                              const LevelIntervals& known) const {
  const arma::vec& f = known.f;
  const std::vector<Level>& wanted = asked.questions.at(ends);
  const std::span<const Level> fitted = ends == Ends::both ? levels() : std::span<const Level>();
  // With those that it lies between.
  std::vector<Level> all = wanted;
  for (const Level& level : fitted)
    if (std::ranges::count(all, level) == 0) all.push_back(level);
  std::vector<Bounds> bounds;
  if (wanted.empty()) return bounds;
  if (folds() == 1) {
    bounds = own_bounds(asked.view(ends, 0), ends, seen.front(), all);
    for (std::size_t l = 0; ends == Ends::both && !asked.one_threshold.empty() && l < all.size(); ++l)
      if (!has_each_side(all[l]))
        bounds[l] = own_bounds(*asked.one_threshold.front(), ends, seen.front(), {&all[l], 1}).front();
    for (Bounds& each : bounds) scale(each, scaling().target);
  } else {
    for (const Level& level : all) bounds.push_back(cross_bounds(asked, ends, seen, f, level));
  }
  for (std::size_t l = 0; parts_->whole && ends == Ends::both && l < all.size(); ++l) {
    const auto to_whole = parts_->after_update ? &keep_whole : &make_whole;
    to_whole(bounds[l], f, middles(asked, seen, all[l]));
  }
  nest(bounds, all, fitted, f);
  bounds.resize(wanted.size());
  for (Bounds& each : bounds)
    for (const arma::uword n : known.too_far) each.below(n) = each.above(n) = arma::datum::nan;
  return bounds;
}

std::shared_ptr<const LocalPredictor::Asked> LocalPredictor::views_for(const Questions& questions,
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
  const auto both = static_cast<std::size_t>(Ends::both);
  auto answer = std::make_shared<Asked>(Asked{questions});
  for (const Fold& fold : parts_->folds) answer->views[both].push_back(fold.fitted);
  if (fitted && !single && !one_threshold) return answer;

  const std::lock_guard lock(last_->mutex);
  if (last_->asked && last_->asked->questions == questions) return last_->asked;
  const Method& known = find_method(method());
  if (!fitted && !known.any_level)
    user_error("method {} has only the levels of its fit; fit it for others", method());
  if (single && !has_distribution(known))
    user_error("method {} has no bounds and quantiles; fit another one", method());
  for (std::vector<std::shared_ptr<const View>>& views : answer->views) views.clear();
  for (const Fold& fold : parts_->folds) {
    arma::mat local;
    for (const Ends ends : {Ends::both, Ends::lower, Ends::upper}) {
      if (ends != Ends::both && all.at(ends).empty()) continue;
      const auto score = with_ends(fold.fitted->score, all, ends);
      if (ends == Ends::both && !fold.rows.y.empty()) local = score->local(fold.rows.X, fold.rows.f, jobs);
      answer->views[static_cast<std::size_t>(ends)].push_back(ends == Ends::both && fitted
                                                                  ? fold.view(score, fold.fitted->calibration)
                                                                  : parts_->view(fold, score, ends, local));
      if (ends == Ends::both && one_threshold)
        answer->one_threshold.push_back(parts_->view(fold, score->inner(), ends, local));
    }
  }
  last_->asked = answer;
  return answer;
}

LevelIntervals LocalPredictor::ask(const arma::mat& X, const Questions& questions, std::size_t jobs) const {
  if (X.n_rows != attributes() || !X.is_finite())
    user_error("LocalPredictor: {} attributes; expected {}, all finite", X.n_rows, attributes());
  const std::shared_ptr<const Asked> views = views_for(questions, jobs);
  LevelIntervals out{.f = {}, .bounds = {}, .whole = parts_->whole};
  std::vector<Seen> seen;
  for (std::size_t k = 0; k < folds(); ++k)
    seen.emplace_back(parts_->folds[k], *views->view(Ends::both, k).score, X, out.too_far, jobs);
  std::ranges::sort(out.too_far);
  out.too_far.erase(std::unique(out.too_far.begin(), out.too_far.end()), out.too_far.end());
  const Fold& first = parts_->folds.front();
  out.f = first.scaling.target * seen.front().f;
  for (std::size_t k = 1; k < folds(); ++k) out.f += parts_->folds[k].scaling.target * seen[k].f;
  if (folds() > 1) out.f /= static_cast<double>(folds());
  for (const auto& [values, queries] : columns_by_value(seen.front().by))
    if (!first.fitted->classes.contains(values)) out.new_classes += queries.size();

  out.bounds = bounds_of(*views, Ends::both, seen, out);
  out.single.asked = questions;
  for (const Ends ends : {Ends::lower, Ends::upper})
    out.single.set(ends, out.f, bounds_of(*views, ends, seen, out));
  if (parts_->whole)
    for (arma::mat* ends : {&out.single.lower, &out.single.upper})
      for (double& end : *ends)
        if (std::isfinite(end)) end = std::clamp(end, parts_->least, parts_->largest);
  for (const arma::uword n : out.too_far) out.f(n) = arma::datum::nan;
  return out;
}

}  // namespace lacp

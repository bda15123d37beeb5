// A model at other levels, with single ends, and with other calibration rows.

#include "lacp/base/math.hpp"
#include "lacp/conformal/predictor/predictor_parts.hpp"

namespace lacp {

std::shared_ptr<const LocalPredictor::Asked> LocalPredictor::views_for(const Questions& questions,
                                                                       std::size_t jobs) const {
  const bool free = levels().empty(), single = !questions.lower.empty() || !questions.upper.empty();
  const auto is_fitted = [&](const Level& level) { return free || std::ranges::count(levels(), level) != 0; };
  const bool fitted = std::ranges::all_of(questions.levels, is_fitted);
  const auto both = static_cast<std::size_t>(Ends::both);
  auto answer = std::make_shared<Asked>(Asked{questions});
  for (const Fold& fold : parts_->folds) answer->views[both].push_back(fold.fitted);
  if (fitted && !single) return answer;

  const std::lock_guard lock(last_->mutex);
  if (last_->asked && last_->asked->questions == questions) return last_->asked;
  const StandardArithmetic arithmetic;
  const Method& known = find_method(method());
  if (!fitted && !known.any_level)
    user_error("method {} has intervals with both ends at the levels of its fit alone; fit it for others",
               method());
  if (single && !has_distribution(known))
    user_error("method {} has intervals with both ends alone; fit another one for bounds and quantiles",
               method());
  Questions all = questions;
  all.levels.assign(levels().begin(), levels().end());
  for (const Level& level : questions.levels)
    if (!is_fitted(level)) all.levels.push_back(level);
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
    }
  }
  last_->asked = answer;
  return answer;
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
    const Seen seen(fold, *fold.fitted->score, X_own, far, how.jobs);
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
  for (Fold& fold : parts.folds) parts.calibrate(fold, fold.fitted->score, how.jobs);
  return LocalPredictor(std::move(parts));
}

}  // namespace lacp

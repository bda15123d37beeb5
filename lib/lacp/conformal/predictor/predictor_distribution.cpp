// A model at other levels, and with single ends.

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

}  // namespace lacp

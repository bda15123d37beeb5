// Whether rows that became known later come from the source of those that calibrate a model.

#include "models/predictor/predictor_parts.hpp"

namespace lacp {
namespace {

/// How unusual each row of a calibration is at this level: of two sides the worse one, of a score with a sign
/// its size.
arma::vec unusual(const FittedScore& score, const std::vector<arma::vec>& scores, const Level& level,
                  bool has_sign) {
  if (has_sign) return arma::abs(scores.front());
  const std::size_t levels = score.levels().size(), l = score.index_of(level);
  return levels > 0 && scores.size() == 2 * levels ? arma::vec(arma::max(scores[l], scores[levels + l]))
                                                   : scores[l];
}

arma::vec signs_of(const arma::vec& errors) {
  arma::vec signs(errors.n_elem);
  for (arma::uword i = 0; i < signs.n_elem; ++i)
    signs(i) = static_cast<double>(errors(i) > 0.0) - static_cast<double>(errors(i) < 0.0);
  return signs;
}

}  // namespace

DriftTest LocalPredictor::drift_test(const arma::mat& X, const arma::vec& y, const Level& level,
                                     const std::vector<std::size_t>& groups, std::size_t jobs) const {
  const std::vector<arma::uword> rows = counted_rows(X, y, groups, /*seed=*/1);
  std::vector<const Fold*> calibrated;  // an update may have left others without rows
  for (const Fold& fold : parts_->folds)
    if (!fold.rows.y.empty()) calibrated.push_back(&fold);
  const bool of_fit = std::ranges::all_of(calibrated, [](const Fold* fold) {
    return std::ranges::all_of(fold->arrived, [](std::uint64_t when) { return when == 0; });
  });
  const bool has_rows_of_fit = std::ranges::any_of(
      calibrated, [](const Fold* fold) { return std::ranges::count(fold->arrived, std::uint64_t{0}) > 0; });
  if (calibrated.size() > 1 && has_rows_of_fit) return {.of_fit = of_fit};

  std::vector<ScoredRows> scored;
  for (std::size_t k = 0; k < calibrated.size(); ++k) {
    const Fold& fold = *calibrated[k];
    const FittedScore& score = *fold.fitted->score;
    const bool has_sign = parts_->sides == Sides::each && score.score_count() == 1;
    const arma::vec before = unusual(score, fold.fitted->calibration.scores, level, has_sign);
    ScoredRows both{before, signs_of(fold.rows.y - fold.rows.f), before.n_elem};
    std::vector<arma::uword> own, far;
    for (std::size_t i = k; i < rows.size(); i += calibrated.size()) own.push_back(rows[i]);
    Seen seen(fold, score, X.cols(arma::uvec(own)), far, jobs);
    // As calibration rows are: where targets are whole, the one in the middle has the least score.
    Fold later = fold;
    later.rows = {fold.scaling.attributes(X.cols(arma::uvec(own))), fold.scaling.targets(y(arma::uvec(own))),
                  seen.f};
    if (!far.empty()) {
      std::ranges::sort(far);
      far.erase(std::unique(far.begin(), far.end()), far.end());
      const arma::uvec left_out(far);
      later.rows.X.shed_cols(left_out);
      later.rows.y.shed_rows(left_out);
      later.rows.f.shed_rows(left_out);
      if (seen.local.n_rows > 0) seen.local.shed_cols(left_out);
    }
    if (!later.rows.y.empty()) {
      const auto view = parts_->view(later, fold.fitted->score, Ends::both, seen.local);
      both.score = arma::join_cols(both.score, unusual(score, view->calibration.scores, level, has_sign));
      both.side = arma::join_cols(both.side, signs_of(later.rows.y - later.rows.f));
    }
    scored.push_back(std::move(both));
  }
  DriftTest found = rank_test(scored, level.value());
  if (parts_->sides == Sides::each) found.above = found.below = 0.5 * level.value();
  found.of_fit = of_fit;
  return found;
}

Explained LocalPredictor::explained_rows(const std::function<double(double)>& as_known) const {
  std::vector<double> f, y;
  for (const Fold& fold : parts_->folds)
    for (arma::uword i = 0; i < fold.rows.y.n_elem; ++i) {
      const double unit = fold.scaling.target;
      f.push_back(as_known ? as_known(unit * fold.rows.f(i)) : unit * fold.rows.f(i));
      y.push_back(as_known ? as_known(unit * fold.rows.y(i)) : unit * fold.rows.y(i));
    }
  return explained(arma::vec(f), arma::vec(y));
}

}  // namespace lacp

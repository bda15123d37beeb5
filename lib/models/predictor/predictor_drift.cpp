// Whether rows that became known later come from the source of those that calibrate a model.

#include "models/predictor/predictor_state.hpp"

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

/// Rows predict each other: of 40 p was at most .05 with probability .06 to .2, of 150 .03 to .09. Rows that
/// repeat are predicted by their copies, and more often when they are new: .15.
bool LocalPredictor::State::like_new_rows() const {
  constexpr std::size_t fewest = 150;
  return places.empty() ||
         (places.size() >= fewest &&
          find_repeats(rows.X.head_cols(places.size()), rows.y.head(places.size())).copies.empty());
}

DriftTest LocalPredictor::drift_test(const arma::mat& X, const arma::vec& y, const Level& level,
                                     const std::vector<std::size_t>& groups, std::size_t jobs) const {
  const std::vector<arma::uword> rows = counted_rows(X, y, groups, /*seed=*/1);
  const bool of_fit = std::ranges::all_of(state_->arrived, [](std::uint64_t when) { return when == 0; });
  if (!state_->like_new_rows()) return {.of_fit = of_fit};
  const FittedScore& fitted = score();
  const bool has_sign = sides() == Sides::each && fitted.score_count() == 1;
  const arma::vec before = unusual(fitted, state_->fitted->calibration.scores, level, has_sign);
  ScoredRows scored{before, signs_of(state_->rows.y - state_->rows.f), before.n_elem};
  const arma::mat X_new = X.cols(arma::uvec(rows));
  QueryView seen(*state_, fitted, X_new, jobs);
  // As calibration rows are: where targets are whole, the one in the middle has the least score.
  CentredPart later{state_->scaling.attributes(X_new), state_->scaling.targets(y(arma::uvec(rows))), seen.f};
  if (!seen.too_far.empty()) {
    const arma::uvec left_out(seen.too_far);
    later.X.shed_cols(left_out);
    later.y.shed_rows(left_out);
    later.f.shed_rows(left_out);
    if (seen.local.n_rows > 0) seen.local.shed_cols(left_out);
  }
  if (!later.y.empty()) {
    const Calibration calibration = state_->calibration_of(fitted, Ends::both, later, seen.local);
    scored.score = arma::join_cols(scored.score, unusual(fitted, calibration.scores, level, has_sign));
    scored.side = arma::join_cols(scored.side, signs_of(later.y - later.f));
  }
  DriftTest found = rank_test(scored, level.value());
  if (sides() == Sides::each) found.above = found.below = 0.5 * level.value();
  found.of_fit = of_fit;
  return found;
}

Explained LocalPredictor::explained_rows(const std::function<double(double)>& as_known) const {
  arma::vec f = scaling().target * state_->rows.f, y = scaling().target * state_->rows.y;
  if (as_known) {
    f.transform(as_known);
    y.transform(as_known);
  }
  return explained(f, y);
}

}  // namespace lacp

#include "lacp/conformal/two_sided.hpp"

namespace lacp {
namespace {

/// `sorted` are the scores of the upper side.
struct Both : PreparedCalibration {
  Calibration mirrored;
};

}  // namespace

arma::vec TwoSidedScore::scale(const arma::mat& local) const {
  return arma::clamp(inner_->scale(local), 1e-150, 1e150);
}

std::vector<arma::vec> TwoSidedScore::scores(const arma::mat& local, const arma::vec& f,
                                             const arma::vec& y) const {
  return {(y - f) / scale(local)};
}

Bounds TwoSidedScore::bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q,
                             const Level&) const {
  return {arma::vec(f.n_elem, arma::fill::value(arma::datum::inf)), q % scale(local)};
}

std::shared_ptr<const PreparedCalibration> TwoSidedScore::prepare(const Calibration& calibration) const {
  auto both = std::make_shared<Both>();
  both->sorted = {arma::sort(calibration.scores.front())};
  both->mirrored = {.scores = {-calibration.scores.front()}, .local = {}};
  both->mirrored.prepared = FittedScore::prepare(both->mirrored);
  return both;
}

std::vector<Bounds> TwoSidedScore::intervals(const Calibration& calibration, const Queries& queries,
                                             const arma::vec&, std::span<const Level> levels,
                                             QuantileRule rule) const {
  std::vector<Level> halves;
  for (const Level& level : levels) halves.push_back(level.half());
  const auto prepared = calibration.prepared ? calibration.prepared : prepare(calibration);
  const arma::mat above = thresholds(calibration, queries, halves, rule);
  const arma::mat below = thresholds(static_cast<const Both&>(*prepared).mirrored, queries, halves, rule);
  const arma::vec s = scale(queries.local);
  std::vector<Bounds> all;
  for (std::size_t l = 0; l < levels.size(); ++l) all.push_back({below.row(l).t() % s, above.row(l).t() % s});
  return all;
}

std::shared_ptr<const FittedScore> with_sides(std::shared_ptr<const FittedScore> score, const Method& method,
                                              Sides sides) {
  if (sides == Sides::both || !method.scale_family) return score;
  return std::make_shared<TwoSidedScore>(std::move(score));
}

Promise promise_of_rank(const CalibrationPlan& plan) {
  const double promised =
      static_cast<double>(plan.level.rank(plan.n(), plan.rule)) / static_cast<double>(plan.n() + 1);
  return {promised, promised};
}

Promise promised_coverage(const Method& method, Sides sides, const CalibrationPlan& plan) {
  if (sides == Sides::both || !method.scale_family) return method.promise(plan);
  const std::size_t n = plan.n(), rank = plan.level.half().rank(n, plan.rule);
  const double promised =
      (2.0 * static_cast<double>(rank) - static_cast<double>(n + 1)) / static_cast<double>(n + 1);
  return {promised, promised};
}

}  // namespace lacp

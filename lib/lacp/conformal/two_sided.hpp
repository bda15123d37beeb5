#pragma once

#include <memory>

#include "lacp/conformal/method.hpp"
#include "lacp/conformal/score.hpp"

namespace lacp {

/// The score with a sign, z = (y − f(x)) / s(x), of a method whose intervals are f ± q·s(x), and intervals
/// with a quantile for either side: f − q₁·s ≤ y ≤ f + q₂·s, where q₁ is that of −z and q₂ that of z, both
/// at α/2. Each side then misses with probability α/2 at most.
class TwoSidedScore : public FittedScore {
 public:
  explicit TwoSidedScore(std::shared_ptr<const FittedScore> inner) : inner_(std::move(inner)) {}

  arma::mat local(const arma::mat& X) const override { return inner_->local(X); }
  std::vector<arma::vec> scores(const arma::mat& local, const arma::vec& f,
                                const arma::vec& y) const override;
  /// Of one side alone: {y : z ≤ q̂}.
  Bounds bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q,
                const Level& level) const override;
  std::shared_ptr<const PreparedCalibration> prepare(const Calibration& calibration) const override;
  std::vector<Bounds> intervals(const Calibration& calibration, const Queries& queries, const arma::vec& f,
                                std::span<const Level> levels, QuantileRule rule) const override;
  /// That of the method, between 1e-150 and 1e150: s = e^(−g/2) may vanish far out, and 0/0 is no score.
  arma::vec scale(const arma::mat& local) const override;
  std::optional<double> adaptation() const override { return inner_->adaptation(); }
  void write(ModelWriter& out) const override { inner_->write(out); }

 private:
  std::shared_ptr<const FittedScore> inner_;
};

/// The score as these sides take it: as it is if it has no s(x).
std::shared_ptr<const FittedScore> with_sides(std::shared_ptr<const FittedScore> score, const Method& method,
                                              Sides sides);

/// The coverage that the method promises with these sides: of two sides, 1 less what both may miss.
Promise promised_coverage(const Method& method, Sides sides, const CalibrationPlan& plan);

}  // namespace lacp

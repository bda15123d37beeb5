#include "lacp/conformal/score.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {

bool Calibration::has_nan() const {
  return std::ranges::any_of(scores, [](const arma::vec& values) { return values.has_nan(); });
}

std::shared_ptr<const PreparedCalibration> FittedScore::prepare(const Calibration& calibration) const {
  auto prepared = std::make_shared<PreparedCalibration>();
  for (const arma::vec& scores : calibration.scores) prepared->sorted.push_back(arma::sort(scores));
  return prepared;
}

arma::mat FittedScore::thresholds(const Calibration& calibration, const Queries& queries,
                                  std::span<const Level> levels, QuantileRule rule) const {
  arma::mat q(levels.size(), queries.local.n_cols);
  auto prepared = calibration.prepared;
  if (!prepared && queries.left_out == nullptr) prepared = prepare(calibration);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const std::size_t index = index_of(levels[l]);
    if (queries.left_out != nullptr)
      q.row(l) =
          arma::vec(leave_one_out(calibration.scores[index], levels[l], rule).elem(*queries.left_out)).t();
    else
      q.row(l).fill(quantile(prepared->sorted[index], levels[l], rule));
  }
  return q;
}

std::vector<arma::vec> FittedScore::middles(const arma::mat&, const arma::vec& f) const {
  return std::vector<arma::vec>(std::max<std::size_t>(levels().size(), 1), f);
}

std::vector<Bounds> FittedScore::intervals(const Calibration& calibration, const Queries& queries,
                                           const arma::vec& f, std::span<const Level> levels,
                                           QuantileRule rule) const {
  return all_bounds(queries.local, f, thresholds(calibration, queries, levels, rule), levels);
}

std::vector<Bounds> FittedScore::all_bounds(const arma::mat& local, const arma::vec& f, const arma::mat& q,
                                            std::span<const Level> levels) const {
  std::vector<Bounds> all;
  for (std::size_t l = 0; l < levels.size(); ++l) all.push_back(bounds(local, f, q.row(l).t(), levels[l]));
  return all;
}

Calibration FittedScore::calibration(const arma::mat& local, const arma::vec& f, const arma::vec& y) const {
  return {.scores = scores(local, f, y), .local = kept_rows() == 0 ? arma::mat() : local};
}

arma::mat FittedScore::local(const arma::mat& X, const arma::vec& f, std::size_t jobs) const {
  if (jobs <= 1 || X.n_cols <= columns_of_a_task) return local(X, f);
  arma::mat all(local(X.head_cols(1), f.head(1)).n_rows, X.n_cols);
  if (all.n_rows == 0) return all;  // a method without a network: no column has an address
  in_blocks(X.n_cols, columns_of_a_task, jobs, [&](std::size_t begin, std::size_t end) {
    all.cols(begin, end - 1) = local(X.cols(begin, end - 1), f.subvec(begin, end - 1));
  });
  return all;
}

std::size_t FittedScore::index_of(const Level& level) const {
  const std::span<const Level> all = levels();
  if (all.empty()) return 0;
  const auto found = std::ranges::find(all, level);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string> texts;
  for (const Level& known : all) texts.push_back(known.text());
  user_error("level {}: the method was fitted for {}; fit it for this one", level.text(), join(texts, ", "));
}

namespace {

/// One end of intervals f ± q·s(x), at every level: the score is z = (y − f(x)) / s(x), or −z for a lower
/// one.
class OneEndScore : public FittedScore {
 public:
  OneEndScore(std::shared_ptr<const FittedScore> inner, Ends ends) : inner_(std::move(inner)), ends_(ends) {}

  using FittedScore::local;
  arma::mat local(const arma::mat& X, const arma::vec& f) const override { return inner_->local(X, f); }
  std::vector<arma::vec> scores(const arma::mat& local, const arma::vec& f,
                                const arma::vec& y) const override {
    const arma::vec s = scale(local), error = ends_ == Ends::upper ? arma::vec(y - f) : arma::vec(f - y);
    return {s.empty() ? error : error / s};
  }
  Bounds bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q, const Level&) const override {
    const arma::vec s = scale(local), end = s.empty() ? q : q % s,
                    none(f.n_elem, arma::fill::value(arma::datum::inf));
    return ends_ == Ends::upper ? Bounds{none, end} : Bounds{end, none};
  }
  std::shared_ptr<const PreparedCalibration> prepare(const Calibration& calibration) const override {
    return inner_->prepare(calibration);
  }
  arma::mat thresholds(const Calibration& calibration, const Queries& queries, std::span<const Level> levels,
                       QuantileRule rule) const override {
    return inner_->thresholds(calibration, queries, levels, rule);
  }
  /// That of the method, between 1e-150 and 1e150: s = e^(−g/2) may vanish far out, and 0/0 is no score.
  arma::vec scale(const arma::mat& local) const override {
    return arma::clamp(inner_->scale(local), 1e-150, 1e150);
  }
  std::size_t kept_rows() const override { return inner_->kept_rows(); }
  std::optional<double> adaptation() const override { return inner_->adaptation(); }
  std::shared_ptr<const FittedScore> inner() const override { return inner_; }
  void write(ModelWriter& out) const override { inner_->write(out); }

 private:
  std::shared_ptr<const FittedScore> inner_;
  Ends ends_;
};

/// The score with a sign, and intervals with a quantile for either side: f − q₁·s ≤ y ≤ f + q₂·s, where q₁ is
/// that of −z and q₂ that of z, both at α/2. Each side then misses with probability α/2 at most.
class TwoSidedScore : public OneEndScore {
 public:
  explicit TwoSidedScore(std::shared_ptr<const FittedScore> inner)
      : OneEndScore(std::move(inner), Ends::upper) {}

  std::shared_ptr<const PreparedCalibration> prepare(const Calibration& calibration) const override {
    auto both = std::make_shared<Both>();
    both->sorted = {arma::sort(calibration.scores.front())};
    both->mirrored = {.scores = {-calibration.scores.front()}, .local = {}};
    both->mirrored.prepared = FittedScore::prepare(both->mirrored);
    return both;
  }
  std::vector<Bounds> intervals(const Calibration& calibration, const Queries& queries, const arma::vec&,
                                std::span<const Level> levels, QuantileRule rule) const override {
    std::vector<Level> halves;
    for (const Level& level : levels) halves.push_back(level.half());
    const auto prepared = calibration.prepared ? calibration.prepared : prepare(calibration);
    const arma::mat above = thresholds(calibration, queries, halves, rule);
    const arma::mat below = thresholds(static_cast<const Both&>(*prepared).mirrored, queries, halves, rule);
    const arma::vec s = scale(queries.local);
    std::vector<Bounds> all;
    for (std::size_t l = 0; l < levels.size(); ++l)
      all.push_back({below.row(l).t() % s, above.row(l).t() % s});
    return all;
  }
  std::array<arma::vec, 2> side_scores(const Calibration& calibration, const Level&) const override {
    return {-calibration.scores.front(), calibration.scores.front()};
  }

 private:
  /// `sorted` are the scores of the upper side.
  struct Both : PreparedCalibration {
    Calibration mirrored;
  };
};

}  // namespace

std::shared_ptr<const FittedScore> with_sides(std::shared_ptr<const FittedScore> score, const Method& method,
                                              Sides sides, bool after_update) {
  if (!has_distribution(method)) return score;
  if (!method.scale_family) return score->with_sides(sides, after_update);
  if (const auto inner = score->inner()) score = inner;
  if (sides == Sides::both) return score;
  return std::make_shared<TwoSidedScore>(std::move(score));
}

std::shared_ptr<const FittedScore> with_ends(std::shared_ptr<const FittedScore> score,
                                             const Questions& questions, Ends ends) {
  if (!score->levels().empty()) return score->asked(questions, ends);
  if (ends == Ends::both) return score;
  return std::make_shared<OneEndScore>(std::move(score), ends);
}

Promise promise_of_rank(const CalibrationPlan& plan) {
  const double promised =
      static_cast<double>(plan.level.rank(plan.n(), plan.rule)) / static_cast<double>(plan.n() + 1);
  return {promised, promised};
}

Promise promised_coverage(const Method& method, Sides sides, const CalibrationPlan& plan) {
  if (sides == Sides::both || !has_distribution(method)) return method.promise(plan);
  const std::size_t n = plan.n(), rank = plan.level.half().rank(n, plan.rule);
  const double promised =
      (2.0 * static_cast<double>(rank) - static_cast<double>(n + 1)) / static_cast<double>(n + 1);
  return {promised, promised};
}

}  // namespace lacp

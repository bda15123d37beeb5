// Scores with a difficulty σ̂(x) by neighbours. `knn_error`: the normalised score, as crepes has it: H.
// Boström, "crepes: a Python package for generating conformal regressors and predictive systems" (COPA 2022,
// PMLR 179), after Papadopoulos, Vovk and Gammerman (JAIR 2011). `mondrian`: a quantile of its own in each
// bin of σ̂, in which coverage holds: H. Boström and U. Johansson, "Mondrian conformal regressors" (COPA 2020,
// PMLR 128).

#include "lacp/training/fit_localizer.hpp"
#include "models/methods/baselines.hpp"
#include "models/stack/centre.hpp"

namespace lacp {
namespace {

/// σ̂(x): the mean |y − f| of the points of the second part that are nearest to x, as a regression of errors.
KnnRegressor local_error(const FitInput& input) {
  return {input.X, arma::abs(input.f - input.y),
          std::min<std::size_t>(input.baselines.knn_error.neighbours, input.y.n_elem)};
}

KnnRegressor read_local_error(ModelReader& in, std::size_t inputs) {
  KnnRegressor error = read_knn(in, inputs);
  in.require(error.targets().min() >= 0.0);
  return error;
}

/// |y − f| / (σ̂ + β); intervals f ± q(σ̂ + β).
class KnnErrorScore : public ErrorScore {
 public:
  KnnErrorScore(KnnRegressor error, double beta) : error_(std::move(error)), beta_(beta) {}

  using FittedScore::local;
  arma::mat local(const arma::mat& X, const arma::vec&) const override { return error_.predict(X).t(); }
  arma::vec scale(const arma::mat& sigma) const override { return sigma.t() + beta_; }
  void write(ModelWriter& out) const override {
    out.number(beta_);
    lacp::write(out, error_);
  }

 private:
  KnnRegressor error_;
  double beta_;
};

std::shared_ptr<const FittedScore> read_knn_error(const Method&, ModelReader& in, std::size_t inputs) {
  const auto beta = in.number<double>();
  in.require(beta > 0.0 && std::isfinite(beta));
  return std::make_shared<KnnErrorScore>(read_local_error(in, inputs), beta);
}

std::size_t bins_for(std::size_t calibrating, std::size_t needed, std::size_t most) {
  return std::clamp<std::size_t>(calibrating / (2 * needed), 1, most);
}

/// Calibration points of a bin that a finite interval takes at every level.
std::size_t needed_for(const std::vector<Level>& levels) {
  return std::ranges::min_element(levels, {}, &Level::value)->fewest();
}

/// |y − f|, with q̂ the quantile over the calibration points in the same bin of σ̂. The bins cut σ̂ at quantiles
/// of its values on (a sample of) the second part, so that nothing of the calibration points is used twice.
/// There are as many as leave each, on average, twice the points that the smallest level needs.
class MondrianScore : public ErrorScore {
 public:
  MondrianScore(KnnRegressor error, arma::vec spread, std::uint64_t most_bins, std::uint64_t needed)
      : error_(std::move(error)), spread_(std::move(spread)), most_bins_(most_bins), needed_(needed) {}

  using FittedScore::local;
  arma::mat local(const arma::mat& X, const arma::vec&) const override { return error_.predict(X).t(); }
  std::size_t kept_rows() const override { return 1; }

  std::shared_ptr<const PreparedCalibration> prepare(const Calibration& calibration) const override {
    const arma::vec& scores = calibration.scores.front();
    auto bins = std::make_shared<Bins>();
    bins->edges = bin_edges(scores.n_elem);
    std::vector<std::vector<double>> of_bin(bins->edges.size() + 1);
    for (std::size_t i = 0; i < scores.n_elem; ++i) {
      bins->bin.push_back(bin_of(calibration.local(0, i), bins->edges));
      bins->place.push_back(of_bin[bins->bin[i]].size());
      of_bin[bins->bin[i]].push_back(scores(i));
    }
    for (const std::vector<double>& values : of_bin) {
      bins->scores.emplace_back(values);
      bins->sorted.push_back(arma::sort(bins->scores.back()));
    }
    return bins;
  }

  arma::mat thresholds(const Calibration& calibration, const Queries& queries, std::span<const Level> levels,
                       QuantileRule rule) const override {
    const auto prepared = calibration.prepared ? calibration.prepared : prepare(calibration);
    const auto& bins = static_cast<const Bins&>(*prepared);
    arma::mat q(levels.size(), queries.local.n_cols);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (queries.left_out == nullptr) {
        for (arma::uword n = 0; n < queries.local.n_cols; ++n)
          q(l, n) = quantile(bins.sorted[bin_of(queries.local(0, n), bins.edges)], levels[l], rule);
        continue;
      }
      std::vector<arma::vec> without;  // for each bin and each point that is left out of it
      for (const arma::vec& scores : bins.scores) without.push_back(leave_one_out(scores, levels[l], rule));
      for (arma::uword n = 0; n < queries.local.n_cols; ++n) {
        const arma::uword self = (*queries.left_out)(n);
        q(l, n) = without[bins.bin[self]](bins.place[self]);
      }
    }
    return q;
  }

  void write(ModelWriter& out) const override {
    lacp::write(out, error_);
    out.array(spread_);
    out.number(most_bins_);
    out.number(needed_);
  }

 private:
  /// `sorted` holds the scores of each bin.
  struct Bins : PreparedCalibration {
    std::vector<double> edges;
    std::vector<arma::vec> scores;        // of each bin, in the order of the points
    std::vector<std::size_t> bin, place;  // of each point: its bin, and where it lies in there
  };

  std::vector<double> bin_edges(std::size_t calibrating) const {
    const std::size_t bins = bins_for(calibrating, needed_, most_bins_);
    std::vector<double> edges;
    for (std::size_t k = 1; k < bins; ++k) edges.push_back(spread_(spread_.n_elem * k / bins));
    return edges;
  }
  static std::size_t bin_of(double sigma, const std::vector<double>& edges) {
    return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), sigma) - edges.begin());
  }

  KnnRegressor error_;
  arma::vec spread_;  // values of σ̂ on the second part, sorted
  std::uint64_t most_bins_, needed_;
};

FitResult fit_mondrian(const Method&, const FitInput& input) {
  constexpr std::size_t most_sampled = 2000;  // enough for the quantiles of σ̂; each costs a search
  const KnnRegressor error = local_error(input);
  std::vector<arma::uword> sample = input.stream("bins").permutation<arma::uword>(input.X.n_cols);
  sample.resize(std::min(sample.size(), most_sampled));
  const arma::vec spread = error.predict(input.X.cols(arma::uvec(sample)));
  return {.score = std::make_shared<MondrianScore>(error, arma::sort(spread), input.baselines.mondrian.bins,
                                                   needed_for(input.levels))};
}

std::shared_ptr<const FittedScore> read_mondrian(const Method&, ModelReader& in, std::size_t inputs) {
  KnnRegressor error = read_local_error(in, inputs);
  arma::vec spread = in.array<arma::vec>();
  const auto most_bins = in.number<std::uint64_t>(), needed = in.number<std::uint64_t>();
  constexpr std::uint64_t most = 1'000'000'000'000;
  in.require(!spread.is_empty() && spread.is_finite() && spread.is_sorted() && most_bins > 0 &&
             most_bins <= most && needed > 0 && needed <= most);
  return std::make_shared<MondrianScore>(std::move(error), std::move(spread), most_bins, needed);
}

/// Of the N + 1 points, calibrating and new, M_b lie in bin b, and Σ_b ⌈M_b (1 − α)⌉ of them are covered: at
/// least as many as with one bin, and at most one more for each further bin. Which, only the data knows.
Promise mondrian_promise(const CalibrationPlan& plan) {
  const std::size_t bins =
      bins_for(plan.points, needed_for(plan.all == nullptr ? std::vector{plan.level} : *plan.all),
               plan.baselines.mondrian.bins);
  const std::size_t n = plan.n();
  // The released code's rule takes ⌊(M_b − 1)(1 − α)⌋ + 1.
  const std::size_t least = plan.level.rank(plan.rule == QuantileRule::ceiling ? n : n + 1 - bins, plan.rule);
  const auto all = static_cast<double>(n + 1);
  return {static_cast<double>(least) / all, static_cast<double>(std::min(least + bins - 1, n + 1)) / all};
}

}  // namespace

std::vector<Method> neighbour_methods() {
  return {{.name = "knn_error",
           .about = "σ̂: the mean error of the nearest training points, as crepes has it",
           .equation = "|y − f| / (σ̂ + β)",
           .scale_family = true,
           .fit = [](const Method&, const FitInput& input) -> FitResult {
             return {.score =
                         std::make_shared<KnnErrorScore>(local_error(input), input.baselines.knn_error.beta)};
           },
           .read = &read_knn_error},
          {.name = "mondrian",
           .about = "σ̂ as of knn_error",
           .equation = "|y − f|, q in each bin of σ̂",
           .fit = &fit_mondrian,
           .read = &read_mondrian,
           .promise = &mondrian_promise}};
}

}  // namespace lacp

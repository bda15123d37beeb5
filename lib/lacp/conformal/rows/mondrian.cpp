// A quantile of its own in each bin of the difficulty σ̂: Mondrian conformal regression, H. Boström and U.
// Johansson, "Mondrian conformal regressors" (COPA 2020, PMLR 128). Coverage holds in each bin.
#include <algorithm>

#include "lacp/conformal/rows.hpp"
#include "lacp/conformal/rows/local_error.hpp"

namespace lacp {
namespace {

std::size_t bins_for(std::size_t calibrating, std::size_t needed, std::size_t most) {
  return std::clamp<std::size_t>(calibrating / (2 * needed), 1, most);
}

/// Calibration points of a bin that a finite interval takes at every level.
std::size_t needed_for(const std::vector<Level>& levels) {
  return LeaveOneOutRank::smallest_batch(*std::ranges::min_element(levels, {}, &Level::value)) - 1;
}

/// |y − f|, with q̂ the quantile over the calibration points in the same bin of σ̂. The bins cut σ̂ at quantiles
/// of its values on (a sample of) the second part, so that nothing of the calibration points is used twice.
/// There are as many as leave each, on average, twice the points that the smallest level needs for a finite
/// interval.
class MondrianScore : public FittedScore {
 public:
  MondrianScore(LocalError error, arma::vec spread, std::uint64_t most_bins, std::uint64_t needed)
      : error_(std::move(error)), spread_(std::move(spread)), most_bins_(most_bins), needed_(needed) {}

  arma::mat local(const arma::mat& X) const override { return error_.at(X); }
  std::vector<arma::vec> scores(const arma::mat&, const arma::vec& f, const arma::vec& y) const override {
    return {arma::abs(f - y)};
  }
  Bounds bounds(const arma::mat&, const arma::vec&, const arma::vec& q, const Level&) const override {
    return Bounds::symmetric(q);
  }
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
    error_.write(out);
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

  LocalError error_;
  arma::vec spread_;  // values of σ̂ on the second part, sorted
  std::uint64_t most_bins_, needed_;
};

/// Points that say where σ̂ lies: enough for the quantiles that bins need, since each costs a search.
constexpr std::size_t most_sampled = 2000;

FitResult fit(const Method&, const FitInput& input) {
  LocalError error(input);
  const std::size_t needed = needed_for(input.levels);
  std::vector<arma::uword> sample = input.stream("bins").permutation<arma::uword>(input.X.n_cols);
  sample.resize(std::min(sample.size(), most_sampled));
  const arma::vec spread = error.at(input.X.cols(arma::uvec(sample))).t();
  return {.score =
              std::make_shared<MondrianScore>(error, arma::sort(spread), input.rows.mondrian.bins, needed)};
}

std::shared_ptr<const FittedScore> read(const Method&, ModelReader& in, std::size_t inputs) {
  LocalError error(in, inputs);
  arma::vec spread = in.array<arma::vec>();
  const auto most_bins = in.number<std::uint64_t>(), needed = in.number<std::uint64_t>();
  constexpr std::uint64_t most = 1'000'000'000'000;
  if (spread.is_empty() || !spread.is_finite() || !spread.is_sorted() || most_bins == 0 || most_bins > most ||
      needed == 0 || needed > most)
    in.refuse("holds numbers that no fitted model has");
  return std::make_shared<MondrianScore>(std::move(error), std::move(spread), most_bins, needed);
}

/// Of the N + 1 points, calibrating and new, M_b lie in bin b, and Σ_b ⌈M_b (1 − α)⌉ of them are covered: at
/// least as many as with one bin, and at most one more for each further bin. Which, only the data knows.
Promise promise(const CalibrationPlan& plan) {
  const std::size_t bins =
      bins_for(plan.points, needed_for(plan.all == nullptr ? std::vector{plan.level} : *plan.all),
               plan.rows.mondrian.bins);
  const std::size_t n = plan.n();
  // The released code's rule takes ⌊(M_b − 1)(1 − α)⌋ + 1.
  const std::size_t least = plan.level.rank(plan.rule == QuantileRule::ceiling ? n : n + 1 - bins, plan.rule);
  const auto all = static_cast<double>(n + 1);
  return {static_cast<double>(least) / all, static_cast<double>(std::min(least + bins - 1, n + 1)) / all};
}

}  // namespace

Method mondrian_method() {
  Method method;
  method.name = "mondrian";
  method.about =
      "the points are divided into bins by σ̂, the mean error of the nearest training points; each bin has a quantile of its own";
  method.equation = "|y − f|, q in each bin of σ̂";
  method.fit = &fit;
  method.read = &read;
  method.promise = &promise;
  return method;
}

}  // namespace lacp

// The method of `lacp fit`: ends that a forest gives.

#include "lacp/base/threads.hpp"
#include "lacp/conformal/paper/training/fit_localizer.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {
namespace {

/// Of the forest of errors: up to this many rows larger leaves did better.
constexpr std::size_t few_rows = 5000, large_leaf = 20;

/// max(lo − y, y − hi), or one of these, with ends lo and hi for each level: in the middle between f + a
/// quantile of the errors y − f and a quantile of y itself, each at x and f by a forest of its own.
class ForestScore : public FittedScore {
 public:
  using Forest = std::shared_ptr<const QuantileForest>;

  ForestScore(const Questions& questions, Ends ends, Forest errors, Forest targets)
      : levels_(questions.at(ends)), errors_(std::move(errors)), targets_(std::move(targets)), ends_(ends) {
    for (const Level& level : questions.levels)
      taus_.insert(taus_.end(), {0.5 * level.value(), 1.0 - 0.5 * level.value()});
    for (const Level& level : questions.lower) taus_.push_back(level.value());
    for (const Level& level : questions.upper) taus_.push_back(1.0 - level.value());
    std::ranges::sort(taus_);
    taus_.erase(std::unique(taus_.begin(), taus_.end()), taus_.end());
    const double share = ends == Ends::both ? 0.5 : 1.0;
    for (const Level& level : levels_) {
      const auto rank = [&](double tau) {
        return static_cast<std::size_t>(std::ranges::lower_bound(taus_, tau) - taus_.begin());
      };
      lower_.push_back(rank(share * level.value()));
      upper_.push_back(rank(1.0 - share * level.value()));
    }
  }

  using FittedScore::local;
  /// All ends that are asked for, in increasing order.
  arma::mat local(const arma::mat& X, const arma::vec& f) const override {
    const arma::mat Z = arma::join_cols(X, f.t());
    arma::mat ends = errors_->quantiles(Z, taus_);
    ends.each_row() += f.t();
    return 0.5 * ends + 0.5 * targets_->quantiles(Z, taus_);
  }
  std::span<const Level> levels() const override { return levels_; }
  std::shared_ptr<const FittedScore> asked(const Questions& questions, Ends ends) const override {
    return std::make_shared<ForestScore>(questions, ends, errors_, targets_);
  }

  std::vector<arma::vec> scores(const arma::mat& ends, const arma::vec&, const arma::vec& y) const override {
    std::vector<arma::vec> all;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const arma::vec below = lower(ends, k) - y, above = y - upper(ends, k);
      if (ends_ == Ends::both)
        all.emplace_back(arma::max(below, above));
      else
        all.push_back(ends_ == Ends::lower ? below : above);
    }
    return all;
  }
  std::vector<arma::vec> middles(const arma::mat& ends, const arma::vec&) const override {
    std::vector<arma::vec> all;
    for (std::size_t k = 0; k < levels_.size(); ++k)
      all.push_back(0.5 * lower(ends, k) + 0.5 * upper(ends, k));
    return all;
  }
  Bounds bounds(const arma::mat& ends, const arma::vec& f, const arma::vec& q,
                const Level& level) const override {
    const std::size_t k = index_of(level);
    const arma::vec none(f.n_elem, arma::fill::value(arma::datum::inf));
    Bounds at{ends_ == Ends::upper ? none : arma::vec(f - lower(ends, k) + q),
              ends_ == Ends::lower ? none : arma::vec(upper(ends, k) - f + q)};
    for (const arma::uword n : arma::uvec(arma::find(at.below + at.above < 0.0)))
      at.below(n) = at.above(n) = empty_interval;
    return at;
  }
  void write(ModelWriter& out) const override {
    out.levels(levels_);
    lacp::write(out, *errors_);
    lacp::write(out, *targets_);
  }

 private:
  arma::vec lower(const arma::mat& ends, std::size_t k) const { return ends.row(lower_[k]).t(); }
  arma::vec upper(const arma::mat& ends, std::size_t k) const { return ends.row(upper_[k]).t(); }

  std::vector<Level> levels_;
  std::vector<double> taus_;
  std::vector<std::size_t> lower_, upper_;  // row of each level's end
  Forest errors_, targets_;
  Ends ends_;
};

FitResult fit_forest(const Method&, const FitInput& input) {
  const arma::mat Z = arma::join_cols(input.X, input.f.t());
  const BinnedAttributes bins = make_bins(Z, BoostedOptions{}.bins, input.jobs);
  const arma::vec errors = input.y - input.f;
  ForestOptions options;
  Stream of_errors = input.stream("forest of errors"), of_targets = input.stream("forest of targets");
  const auto forest = [&](const arma::vec& grown_for, const arma::vec& of, Stream& drawn) {
    return std::make_shared<QuantileForest>(
        QuantileForest::fit(bins, grown_for, of, options, drawn, input.jobs));
  };
  const auto targets = forest(input.y, input.y, of_targets);
  if (input.y.n_elem <= few_rows) options.least_rows = large_leaf;
  return {.score = std::make_shared<ForestScore>(Questions{input.levels}, Ends::both,
                                                 forest(arma::abs(errors), errors, of_errors), targets)};
}

std::shared_ptr<const FittedScore> read_forest_score(const Method&, ModelReader& in, std::size_t inputs) {
  const Questions questions{in.levels()};
  const auto forest = [&] { return std::make_shared<QuantileForest>(read_forest(in, inputs + 1)); };
  const auto errors = forest();
  return std::make_shared<ForestScore>(questions, Ends::both, errors, forest());
}

}  // namespace

Method forest_method() {
  // Meinshausen, JMLR 2006; Romano, Patterson and Candès, NeurIPS 2019.
  return {
      .name = "forest",
      .about =
          "conformalised ends of quantile forests: the middle between quantiles of the errors, by a forest grown for their size, and of y itself; both see x and f",
      .equation = "max(lo − y, y − hi)",
      .any_level = true,
      .fit = &fit_forest,
      .read = &read_forest_score};
}

}  // namespace lacp

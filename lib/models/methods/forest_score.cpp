// The method of `lacp fit`: ends that a forest gives.

#include "lacp/conformal/score.hpp"
#include "models/methods/forest_choice.hpp"

namespace lacp {
namespace {

/// How thresholds are taken.
struct Thresholds {
  bool each_side = false;  // one for each, at α/2
  bool wide = false;       // in units that grow with w beyond m, up to twice its mean
};

/// max(lo − y, y − hi) / u, or one of these, with ends lo and hi for each level: between f + a quantile of
/// the errors y − f and a quantile of y itself, each at x and f by a forest of its own. The unit u of x is
/// the width w of the middle 68 %, as far as that is below m, half its mean over training rows. Easy rows
/// have thresholds in proportion to their ends, so that a negative one does not empty their intervals; where
/// w is large, it says little about how far ends err, and thresholds are the same for all. After an update
/// they may be far from 0, and then wide rows need more: where rows drift (labels every 500 rows), w up to 4
/// m has a Winkler score that is smaller by 24 % (bike) and 0.4 % (homes), larger by 6 % (ELEC2); rows of the
/// same source differ by 0.1 %.
class ForestScore : public FittedScore {
 public:
  ForestScore(const Questions& questions, Ends ends, ChosenForests forests, Thresholds thresholds = {})
      : levels_(questions.at(ends)),
        taus_{inner_tau, 1.0 - inner_tau},
        forests_(std::move(forests)),
        ends_(ends),
        thresholds_(thresholds) {
    for (const Level& level : questions.levels)
      taus_.insert(taus_.end(), {tail(level, Ends::both), 1.0 - tail(level, Ends::both)});
    for (const Level& level : questions.lower) taus_.push_back(level.value());
    for (const Level& level : questions.upper) taus_.push_back(1.0 - level.value());
    std::ranges::sort(taus_);
    taus_.erase(std::unique(taus_.begin(), taus_.end()), taus_.end());
    for (const Level& level : levels_) {
      lower_.push_back(rank(tail(level, ends)));
      upper_.push_back(rank(1.0 - tail(level, ends)));
    }
  }

  using FittedScore::local;
  /// All ends that are asked for, in increasing order, and the unit.
  arma::mat local(const arma::mat& X, const arma::vec& f) const override {
    return with_unit(forests_.quantiles(arma::join_cols(X, f.t()), f, taus_));
  }
  arma::mat local_out_of_bag(const arma::mat& X, const arma::vec& f, std::span<const std::uint32_t> rows,
                             std::size_t jobs) const override {
    return with_unit(forests_.out_of_bag(arma::join_cols(X, f.t()), f, taus_, rows, jobs));
  }
  std::size_t bagged_rows() const override {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    for (const auto& bagged : {forests_.errors, forests_.targets})
      if (bagged) rows = std::min(rows, bagged->bags.codes.size());
    return rows;
  }
  std::span<const double> width_cuts() const override { return forests_.width_cuts; }
  arma::vec widths(const arma::mat& local) const override { return middle_widths(local).t(); }
  std::span<const Level> levels() const override { return levels_; }
  std::shared_ptr<const FittedScore> asked(const Questions& questions, Ends ends) const override {
    Thresholds own = thresholds_;
    own.each_side = own.each_side && ends == Ends::both;
    return std::make_shared<ForestScore>(questions, ends, forests_, own);
  }
  std::shared_ptr<const FittedScore> with_sides(Sides sides, bool after_update) const override {
    const bool each = sides == Sides::each;
    return std::make_shared<ForestScore>(Questions{levels_}, Ends::both, forests_,
                                         Thresholds{.each_side = each, .wide = each && after_update});
  }
  std::shared_ptr<const FittedScore> inner() const override {
    auto one = std::make_shared<ForestScore>(*this);
    one->thresholds_.each_side = false;
    return one;
  }
  std::size_t score_count() const override { return (thresholds_.each_side ? 2 : 1) * levels_.size(); }
  std::optional<ForestEnds> chosen_ends() const override { return forests_.ends; }

  std::vector<arma::vec> scores(const arma::mat& local, const arma::vec&, const arma::vec& y) const override {
    std::vector<arma::vec> all, above_all;
    const arma::vec u = unit(local);
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const arma::vec below = lower(local, k) - y, above = y - upper(local, k);
      if (ends_ == Ends::lower || thresholds_.each_side)
        all.push_back(below / u);
      else if (ends_ == Ends::upper)
        all.push_back(above / u);
      else
        all.push_back(arma::max(below, above) / u);
      if (thresholds_.each_side) above_all.push_back(above / u);
    }
    all.insert(all.end(), above_all.begin(), above_all.end());
    return all;
  }
  std::vector<arma::vec> middles(const arma::mat& local, const arma::vec&) const override {
    std::vector<arma::vec> all;
    for (std::size_t i = 0; i < score_count(); ++i) {
      const std::size_t k = i % levels_.size();
      all.push_back(0.5 * lower(local, k) + 0.5 * upper(local, k));
    }
    return all;
  }
  Bounds bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q,
                const Level& level) const override {
    return bounds_by(local, f, q, q, index_of(level));
  }
  std::vector<Bounds> intervals(const Calibration& calibration, const Queries& queries, const arma::vec& f,
                                std::span<const Level> levels, QuantileRule rule) const override {
    if (!thresholds_.each_side) return FittedScore::intervals(calibration, queries, f, levels, rule);
    const auto prepared = calibration.prepared ? calibration.prepared : prepare(calibration);
    std::vector<Bounds> all;
    for (const Level& level : levels) {
      const auto q = [&](std::size_t i) -> arma::vec {
        if (queries.left_out != nullptr)
          return leave_one_out(calibration.scores[i], level.half(), rule).elem(*queries.left_out);
        return arma::vec(f.n_elem).fill(quantile(prepared->sorted[i], level.half(), rule));
      };
      const std::size_t k = index_of(level);
      all.push_back(bounds_by(queries.local, f, q(k), q(levels_.size() + k), k));
    }
    return all;
  }
  std::array<arma::vec, 2> side_scores(const Calibration& calibration, const Level& level) const override {
    const std::size_t k = index_of(level);
    return {calibration.scores[k], calibration.scores[levels_.size() + k]};
  }
  Bounds side_bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q_below,
                     const arma::vec& q_above, const Level& level) const override {
    const std::size_t k = index_of(level);
    const arma::vec u = unit(local);
    return {f - lower(local, k) + q_below % u, upper(local, k) - f + q_above % u};
  }
  void write(ModelWriter& out) const override {
    out.levels(levels_);
    lacp::write(out, forests_);
  }

 private:
  Bounds bounds_by(const arma::mat& local, const arma::vec& f, const arma::vec& q_below,
                   const arma::vec& q_above, std::size_t k) const {
    const arma::vec none(f.n_elem, arma::fill::value(arma::datum::inf)), u = unit(local);
    Bounds at{ends_ == Ends::upper ? none : arma::vec(f - lower(local, k) + q_below % u),
              ends_ == Ends::lower ? none : arma::vec(upper(local, k) - f + q_above % u)};
    for (const arma::uword n : arma::uvec(arma::find(at.below + at.above < 0.0)))
      at.below(n) = at.above(n) = empty_interval;
    return at;
  }
  /// What lies beyond one end, of those that are asked of the forests.
  double tail(const Level& level, Ends ends) const {
    return ends == Ends::both ? 0.5 * asked_alpha(level, forests_.ends.power) : level.value();
  }
  arma::rowvec middle_widths(const arma::mat& ends) const {
    return ends.row(rank(1.0 - inner_tau)) - ends.row(rank(inner_tau));
  }
  arma::mat with_unit(const arma::mat& ends) const {
    const double m = forests_.unit;
    return arma::join_cols(ends, unit_of(middle_widths(ends), m, thresholds_.wide ? 4.0 * m : m));
  }
  std::size_t rank(double tau) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(taus_, tau) - taus_.begin());
  }
  arma::vec lower(const arma::mat& local, std::size_t k) const { return local.row(lower_[k]).t(); }
  arma::vec upper(const arma::mat& local, std::size_t k) const { return local.row(upper_[k]).t(); }
  static arma::vec unit(const arma::mat& local) { return local.row(local.n_rows - 1).t(); }

  std::vector<Level> levels_;
  std::vector<double> taus_;
  std::vector<std::size_t> lower_, upper_;  // row of each level's end
  ChosenForests forests_;
  Ends ends_;
  Thresholds thresholds_;
};

FitResult fit_forest(const Method&, const FitInput& input) {
  return {.score = std::make_shared<ForestScore>(Questions{input.levels}, Ends::both, choose_forests(input))};
}

std::shared_ptr<const FittedScore> read_forest_score(const Method&, ModelReader& in, std::size_t inputs) {
  const Questions questions{in.levels()};
  return std::make_shared<ForestScore>(questions, Ends::both, read_forests(in, inputs));
}

}  // namespace

Method forest_method() {
  // Meinshausen, JMLR 2006; Romano, Patterson and Candès, NeurIPS 2019.
  return {
      .name = "forest",
      .about =
          "lo and hi from quantile forests of errors and of y; u: the width of the middle 68 %, at most half its mean",
      .equation = "max(lo − y, y − hi) / u",
      .version = 2,
      .any_level = true,
      .every_row = true,
      .fit = &fit_forest,
      .read = &read_forest_score};
}

}  // namespace lacp

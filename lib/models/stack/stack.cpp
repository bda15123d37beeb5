#include "models/stack/stack.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "models/stack/choice.hpp"
#include "models/stack/fold_neighbours.hpp"
#include "models/stack/fold_networks.hpp"
#include "models/stack/member_weights.hpp"

namespace lacp {
namespace {

/// Rows of the first fold that can tell which members the other folds need.
constexpr std::size_t least_rows_to_give_up = 200;
/// The least part of the squared error that a member has to save. Where a fit takes seconds, it is more.
double least_gain(std::size_t rows) { return rows > 20'000 ? 0.02 : 0.01; }

/// Boosted trees are better if each may be split by some attributes alone. Where rows are many, half as many
/// trees at twice the rate are as good in a stack, and cost half.
BoostedOptions trees_options(BoostedOptions options, std::size_t rows) {
  options.columns = 0.8;
  if (rows > few_rows_to_boost) {
    options.learning_rate = std::min(1.0, 2.0 * options.learning_rate);
    options.rounds = (options.rounds + 1) / 2;
  }
  return options;
}

/// A line goes on beyond the rows of the fit, by this part of their range.
constexpr double beyond = 0.5;

/// Each attribute of a new row no farther out than in the rows of the fit.
arma::mat clamped(arma::mat X, const arma::vec& low, const arma::vec& high) {
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (arma::uword i = 0; i < X.n_rows; ++i) X(i, n) = std::clamp(X(i, n), low(i), high(i));
  return X;
}

/// Rows held out, fold after fold, and what is known of each of them together.
class HeldRows {
 public:
  explicit HeldRows(const std::vector<HeldOut>& folds) {
    for (const HeldOut& fold : folds) rows_.insert(rows_.end(), fold.held.begin(), fold.held.end());
    first_ = std::ranges::min(rows_);
    last_ = std::ranges::max(rows_);
  }

  /// Means over repeats, of the first ones if there are fewer; none of none.
  arma::vec by_row(const arma::vec& out) const {
    if (out.empty()) return {};
    arma::vec sums(last_ - first_ + 1), counts(last_ - first_ + 1);
    for (arma::uword i = 0; i < out.n_elem; ++i) {
      sums(rows_[i] - first_) += out(i);
      counts(rows_[i] - first_) += 1.0;
    }
    return sums / counts;
  }
  arma::vec targets(const arma::vec& y) const { return y.subvec(first_, last_); }
  std::size_t first() const { return first_; }

 private:
  std::vector<std::uint32_t> rows_;
  std::size_t first_, last_;  // all rows between them are held out
};

/// What members are fitted to, and the members that chose it.
struct Start {
  arma::vec y;
  bool line_first = false;
  FoldLines lines = {};
  FoldsOfTrees trees = {};
};

/// One fit, member by member.
class StackFit {
 public:
  StackFit(const arma::mat& X, const arma::vec& y, const StackFolds& how, const CentreOptions& options,
           Stream& stream, const Groups& groups, std::size_t jobs)
      : X_(X),
        folds_(stack_folds(y.n_elem, how, groups, stream)),
        once_(folds_.begin(), folds_.begin() + static_cast<std::ptrdiff_t>(folds_.size() / how.repeats)),
        held_(folds_),
        groups_(groups),
        options_(trees_options(options.boosted, y.n_elem)),
        bins_(make_bins(X, options.boosted.bins, jobs)),
        seed_of_networks_(stream.bits()),
        seed_of_boosted_(stream.bits()),
        jobs_(jobs),
        start_(chosen_start(y)),
        networks_(X, start_.y, folds_, groups, seed_of_networks_),
        neighbours_(X, start_.y, once_) {}

  CrossStacked fitted() {
    const arma::vec y = held_.targets(start_.y);
    const Keep keep = try_first_fold();
    std::vector<std::function<void()>> rest;
    // Those that take most time first: a thread that ends early has something left to do.
    if (keep.network) append(rest, networks_.others());
    if (keep.neighbours) append(rest, neighbours_.others());
    do_all(rest, jobs_);
    Members members(4);
    members[0] = held_.by_row(start_.trees.out);
    if (keep.network) members[1] = held_.by_row(networks_.out());
    if (keep.neighbours) members[2] = neighbours_.out();
    const arma::vec of_lines = held_.by_row(start_.lines.out);
    if (!start_.line_first) members[3] = of_lines;
    const double mean = mean_of(y);
    const std::vector<double> weights = weights_of(members, y, mean);
    if (weights[0] == 0.0) start_.trees.folds.clear();
    Stack stack{.low = arma::min(X_, 1),
                .high = arma::max(X_, 1),
                .mean = mean,
                .line_first = start_.line_first,
                .weights = {weights[0], weights[1], weights[2], start_.line_first ? 1.0 : weights[3]},
                .boosted = std::move(start_.trees.folds)};
    if (weights[1] > 0.0) {
      stack.networks = networks_.take();
      stack.map = networks_.map();
    }
    if (weights[2] > 0.0) stack.neighbours = neighbours_.model();
    if (stack.weights.line > 0.0) stack.line = std::move(start_.lines.mean);
    arma::vec out =
        once_.size() > 1 ? out_of_weights(members, y) : weighted(members, weights, mean, y.n_elem);
    if (start_.line_first) out += of_lines;
    return {std::move(stack), std::move(out)};
  }

 private:
  struct Keep {
    bool network, neighbours;
  };

  /// What the members predict for each row by weights that have not seen it either: with few rows those of
  /// all fit these better than new ones.
  arma::vec out_of_weights(const Members& members, const arma::vec& y) const {
    arma::vec out(y.n_elem);
    for (const HeldOut& fold : once_) {
      const auto those = [&](const std::vector<std::uint32_t>& rows) {
        Members some;
        for (const arma::vec& member : members)
          some.push_back(member.empty() ? arma::vec() : values_of(member, rows));
        return some;
      };
      const arma::vec known = values_of(y, fold.fitted);
      const double mean = mean_of(known);
      const std::vector<double> weights = weights_of(those(fold.fitted), known, mean);
      const arma::vec held = weighted(those(fold.held), weights, mean, fold.held.size());
      for (std::size_t i = 0; i < fold.held.size(); ++i) out(fold.held[i]) = held(i);
    }
    return out;
  }

  FoldsOfTrees boosted(const arma::vec& y, std::span<const HeldOut> folds) const {
    return boost_folds(X_, y, bins_, {folds.begin(), folds.end()}, options_, seed_of_boosted_, jobs_);
  }

  /// Squared errors of a prediction of the first rows, or their sums over groups.
  arma::vec losses(const arma::vec& f, const arma::vec& y) const {
    const arma::vec squares = arma::square(f - y);
    return by_group(std::vector<double>(squares.begin(), squares.end()), groups_);
  }

  /// Whether a line comes first: trees tell, on the rows of the first repeat. Other members take their
  /// time once.
  Start chosen_start(const arma::vec& y) const {
    Start start{.y = y, .lines = fit_lines(X_, y, folds_, jobs_), .trees = boosted(y, once_)};
    const arma::vec of_lines = held_.by_row(start.lines.out);
    if (once_.size() > 1 && !of_lines.empty()) {
      const arma::vec left = y - of_lines;
      FoldsOfTrees of_left = boosted(left, once_);
      const Members beside = {start.trees.out, of_lines}, after = {of_left.out};
      const double mean = mean_of(y), mean_left = mean_of(left);
      const arma::vec f = weighted(beside, weights_of(beside, y, mean), mean, y.n_elem);
      const arma::vec g = of_lines + weighted(after, weights_of(after, left, mean_left), mean_left, y.n_elem);
      if (choose({losses(f, y), losses(g, y)}) == 1) {
        start.y = left;
        start.line_first = true;
        start.trees = std::move(of_left);
      }
    }
    if (folds_.size() == once_.size()) return start;
    FoldsOfTrees more = boosted(start.y, std::span(folds_).subspan(once_.size()));
    std::ranges::move(more.folds, std::back_inserter(start.trees.folds));
    start.trees.out = arma::join_cols(start.trees.out, more.out);
    return start;
  }

  /// Which members are worth the time of the other folds, beside boosted trees, which are there. Few rows
  /// cannot tell.
  Keep try_first_fold() {
    std::vector<std::function<void()>> tasks;
    append(tasks, networks_.trials());
    append(tasks, neighbours_.trials());
    do_all(tasks, jobs_);
    const std::vector<std::uint32_t>& held = folds_.front().held;
    const arma::vec y = values_of(start_.y, held);
    const bool sure = held.size() >= least_rows_to_give_up;
    Members first = {start_.trees.out.head(held.size()), networks_.first_tried(), neighbours_.first()};
    const auto keeps = [&](std::size_t which) {
      if (sure && !first[which].empty() && gain_by(first, which, y) < least_gain(start_.y.n_elem))
        first[which].reset();
      return !first[which].empty();
    };
    const bool near = keeps(2);
    if (near) {
      do_all(neighbours_.rest_of_first(), jobs_);
      first[2] = neighbours_.first();
    }
    first[1] = networks_.first();
    Keep keep{};
    keep.network = keeps(1);
    keep.neighbours = keeps(2);
    return keep;
  }

  static void append(std::vector<std::function<void()>>& tasks, std::vector<std::function<void()>> more) {
    std::ranges::move(more, std::back_inserter(tasks));
  }

  const arma::mat& X_;
  std::vector<HeldOut> folds_, once_;  // of all repeats, and of the first
  HeldRows held_;
  const Groups& groups_;
  BoostedOptions options_;
  BinnedAttributes bins_;
  std::uint64_t seed_of_networks_, seed_of_boosted_;
  std::size_t jobs_;
  Start start_;
  FoldNetworks networks_;
  FoldNeighbours neighbours_;
};

}  // namespace

arma::vec Stack::predict(const arma::mat& X) const {
  arma::vec f(X.n_cols, arma::fill::value(mean));
  const auto add = [&](const auto& models, double weight, const arma::mat& columns) {
    for (const auto& model : models)
      f += weight / static_cast<double>(models.size()) * (model.predict(columns) - mean);
  };
  add(boosted, weights.boosted, X);
  if (networks.empty() && !neighbours && !line) return f;
  const arma::mat inside = clamped(X, low, high);
  add(networks, weights.network, map ? map->map(inside) : inside);
  if (neighbours) add(std::span(&*neighbours, 1), weights.neighbours, inside);
  if (!line) return f;
  const arma::vec more = beyond * (high - low), of_line = line->predict(clamped(X, low - more, high + more));
  return f + (line_first ? of_line : arma::vec(weights.line * (of_line - mean)));
}

std::vector<std::size_t> fold_starts(std::size_t n, std::size_t folds, const Groups& groups) {
  if (const std::size_t units = group_starts(n, groups).size() - 1; units < folds)
    user_error("{} cannot be divided into {} folds; lower cross_fit",
               counted(units, groups.empty() ? "point" : "group"), folds);
  return run_starts(n, folds, groups);
}

std::vector<HeldOut> stack_folds(std::size_t rows, const StackFolds& how, const Groups& groups,
                                 Stream& stream) {
  constexpr std::size_t many_rows = 200'000;  // enough to learn from the errors of some
  if (rows > many_rows && how.repeats == 1) {
    std::size_t begin = rows - many_rows / 2;
    while (!groups.empty() && begin > 1 && groups[begin] == groups[begin - 1]) --begin;
    return {HeldOut(rows, begin, rows)};
  }
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<HeldOut> all;
  for (std::size_t repeat = 0; repeat < how.repeats; ++repeat) {
    if (repeat > 0) order = shuffled_rows(rows, groups, stream);
    const std::vector<std::size_t> starts = fold_starts(rows, how.folds, groups_of(order, groups));
    for (std::size_t k = 0; k < how.folds; ++k)
      all.emplace_back(rows, std::span(order).subspan(starts[k], starts[k + 1] - starts[k]));
  }
  return all;
}

CrossStacked fit_stack(const arma::mat& X, const arma::vec& y, const StackFolds& how,
                       const CentreOptions& options, Stream& stream, const Groups& groups, std::size_t jobs) {
  require_table(X, y, options.boosted);
  return StackFit(X, y, how, options, stream, groups, jobs).fitted();
}

}  // namespace lacp

#include "models/stack/stack.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "models/stack/fold_neighbours.hpp"
#include "models/stack/fold_networks.hpp"

namespace lacp {
namespace {

/// Rows of the first fold that can tell which members the other folds need.
constexpr std::size_t least_rows_to_give_up = 200;
/// The least part of the squared error that a member has to save. Where a fit takes seconds, it is more.
double least_gain(std::size_t rows) { return rows > 20'000 ? 0.02 : 0.01; }

/// Randomised trees of each fold. Their leaves are as many as rows, so of very many rows there are none. Of
/// many attributes, most of which are constant in a small node, they took a third of the time and saved
/// nothing (52 of facebook_1, 280 of blog_data).
constexpr std::size_t random_trees = 20, most_rows_for_random = 50'000, least_rows_for_random = 50,
                      most_attributes_for_random = 40;

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

/// Each attribute of a new row no farther out than in the rows of the fit.
arma::mat clamped(arma::mat X, const arma::vec& low, const arma::vec& high) {
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (arma::uword i = 0; i < X.n_rows; ++i) X(i, n) = std::clamp(X(i, n), low(i), high(i));
  return X;
}

/// What members predict for rows that they have not seen; one that is not there is empty, and has weight 0.
using Members = std::vector<arma::vec>;

/// A member with less weight is not worth what it costs in every prediction.
constexpr double least_weight = 0.02;

/// Solves A·w = b for a symmetric A; nothing where A is close to singular.
std::optional<std::vector<double>> solve(std::vector<std::vector<double>> A, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = A[i][i];
    for (std::size_t k = 0; k < i; ++k) {
      const double by = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= by * A[k][j];
      b[i] -= by * b[k];
    }
    if (!(A[i][i] > 1e-10 * diagonal)) return std::nullopt;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return b;
}

/// Non-negative least squares for y − mean by the members' own distances from it. Of all sets of members
/// whose weights are positive by themselves, the one with the least error: there are few.
std::vector<double> all_weights_of(const Members& members, const arma::vec& y, double mean) {
  const std::size_t count = members.size();
  std::vector<std::vector<double>> A(count, std::vector<double>(count));
  std::vector<double> b(count), best(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      A[i][j] = A[j][i] = mean_of(arma::vec((members[i] - mean) % (members[j] - mean)));
    b[i] = mean_of(arma::vec((members[i] - mean) % (y - mean)));
  }
  double most = 0.0;  // by which the squared error falls
  for (std::size_t set = 1; set < std::size_t{1} << count; ++set) {
    std::vector<std::size_t> in;
    for (std::size_t i = 0; i < count; ++i)
      if ((set >> i & 1) != 0) in.push_back(i);
    std::vector<std::vector<double>> of_set(in.size());
    std::vector<double> right;
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (const std::size_t j : in) of_set[i].push_back(A[in[i]][j]);
      right.push_back(b[in[i]]);
    }
    const auto weights = solve(of_set, right);
    if (!weights || std::ranges::any_of(*weights, [](double weight) { return !(weight >= 0.0); })) continue;
    double gain = 0.0;
    for (std::size_t i = 0; i < in.size(); ++i) gain += (*weights)[i] * right[i];
    if (!(gain > most)) continue;
    most = gain;
    std::ranges::fill(best, 0.0);
    for (std::size_t i = 0; i < in.size(); ++i) best[in[i]] = (*weights)[i];
  }
  return best;
}

/// Without members that have too little weight.
std::vector<double> weights_of(Members members, const arma::vec& y, double mean) {
  for (;;) {
    Members there;
    for (const arma::vec& member : members)
      if (!member.empty()) there.push_back(member);
    const std::vector<double> own = all_weights_of(there, y, mean);
    std::vector<double> weights;
    bool all = true;
    for (std::size_t i = 0, k = 0; i < members.size(); ++i) {
      weights.push_back(members[i].empty() ? 0.0 : own[k++]);
      if (weights.back() < least_weight) {
        all = all && members[i].empty();
        members[i].reset();
      }
    }
    if (all) return weights;
  }
}

/// mean + Σ weight · (member − mean).
arma::vec weighted(const Members& members, const std::vector<double>& weights, double mean,
                   arma::uword rows) {
  arma::vec out(rows, arma::fill::value(mean));
  for (std::size_t i = 0; i < members.size(); ++i)
    if (weights[i] > 0.0) out += weights[i] * (members[i] - mean);
  return out;
}

/// The part by which the squared error falls by this member, on the first rows that all members predict. The
/// first rows that they predict are the same.
double gain_by(const Members& members, std::size_t which, const arma::vec& y) {
  arma::uword rows = y.n_elem;
  for (const arma::vec& member : members)
    if (!member.empty()) rows = std::min(rows, member.n_elem);
  Members first;
  for (const arma::vec& member : members)
    first.push_back(member.empty() ? arma::vec() : arma::vec(member.head(rows)));
  const arma::vec known = y.head(rows);
  const double mean = mean_of(known);
  const auto error = [&] {
    const arma::vec f = weighted(first, weights_of(first, known, mean), mean, rows);
    return mean_of(arma::vec(arma::square(f - known)));
  };
  const double with_it = error();
  first[which].reset();
  const double without_it = error();
  return without_it > 0.0 ? 1.0 - with_it / without_it : 0.0;
}

/// One fit, member by member.
class StackFit {
 public:
  StackFit(const arma::mat& X, const arma::vec& y, std::vector<HeldOut> folds, const CentreOptions& options,
           Stream& stream, const Groups& groups, std::size_t jobs)
      : X_(X),
        y_(y),
        folds_(std::move(folds)),
        options_(options),
        bins_(make_bins(X, options.boosted.bins, jobs)),
        networks_(X, y, folds_, groups, stream.bits()),
        neighbours_(X, y, folds_),
        seed_of_boosted_(stream.bits()),
        seed_of_random_(stream.bits()),
        random_(folds_.size()),
        of_random_(folds_.size()),
        jobs_(jobs) {
    for (const HeldOut& fold : folds_) held_ = arma::join_cols(held_, values_of(y, fold.held));
  }

  CrossStacked fitted() {
    FoldsOfTrees trees = boost_folds(X_, y_, bins_, folds_, trees_options(options_.boosted, y_.n_elem),
                                     seed_of_boosted_, jobs_);
    const Keep keep = try_first_fold(trees.out);
    std::vector<std::function<void()>> rest;
    // Those that take most time first: a thread that ends early has something left to do.
    if (keep.network) append(rest, networks_.others());
    for (std::size_t k = 1; keep.random && k < folds_.size(); ++k)
      rest.emplace_back([this, k] { grow_random(k); });
    if (keep.neighbours) append(rest, neighbours_.others());
    do_all(rest, jobs_);
    Members members(4);
    members[0] = std::move(trees.out);
    if (keep.network) members[1] = networks_.out();
    if (keep.neighbours) members[2] = neighbours_.out();
    if (keep.random && std::ranges::none_of(of_random_, [](const arma::vec& each) { return each.empty(); }))
      for (const arma::vec& each : of_random_) members[3] = arma::join_cols(members[3], each);
    const double mean = mean_of(held_);
    const std::vector<double> weights = weights_of(members, held_, mean);
    if (weights[0] == 0.0) trees.folds.clear();
    Stack stack{.low = arma::min(X_, 1),
                .high = arma::max(X_, 1),
                .mean = mean,
                .weights = {weights[0], weights[1], weights[2], weights[3]},
                .boosted = std::move(trees.folds)};
    if (weights[1] > 0.0) {
      stack.networks = networks_.take();
      stack.map = networks_.map();
    }
    if (weights[2] > 0.0) stack.neighbours = neighbours_.model();
    if (weights[3] > 0.0)
      for (std::optional<RandomTrees>& each : random_) stack.random.push_back(std::move(*each));
    return {std::move(stack), weighted(members, weights, mean, held_.n_elem)};
  }

 private:
  struct Keep {
    bool network, neighbours, random;
  };

  /// Which members are worth the time of the other folds, beside boosted trees, which are there. Few rows
  /// cannot tell.
  Keep try_first_fold(const arma::vec& of_trees) {
    std::vector<std::function<void()>> tasks;
    const bool has_random = y_.n_elem <= most_rows_for_random && y_.n_elem >= least_rows_for_random &&
                            X_.n_rows <= most_attributes_for_random;
    if (has_random) tasks.emplace_back([this] { grow_random(0); });
    append(tasks, networks_.trials());
    append(tasks, neighbours_.trials());
    do_all(tasks, jobs_);
    const arma::uword count = folds_.front().held.size();
    const arma::vec y = held_.head(count);
    const bool sure = count >= least_rows_to_give_up;
    Members first = {of_trees.head(count), networks_.first_tried(), neighbours_.first(), of_random_.front()};
    const auto keeps = [&](std::size_t which) {
      if (sure && !first[which].empty() && gain_by(first, which, y) < least_gain(y_.n_elem))
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
    keep.random = keeps(3);
    return keep;
  }

  void grow_random(std::size_t fold) {
    const auto& [held, fitted] = folds_[fold];
    random_[fold].emplace(RandomTrees::fit(bins_, y_, fitted, random_trees, seed_of_random_ + fold));
    of_random_[fold] = random_[fold]->predict(columns_of(X_, held));
    if (!of_random_[fold].is_finite()) of_random_[fold].reset();
  }

  static void append(std::vector<std::function<void()>>& tasks, std::vector<std::function<void()>> more) {
    std::ranges::move(more, std::back_inserter(tasks));
  }

  const arma::mat& X_;
  const arma::vec& y_;
  std::vector<HeldOut> folds_;
  const CentreOptions& options_;
  BinnedAttributes bins_;
  FoldNetworks networks_;
  FoldNeighbours neighbours_;
  std::uint64_t seed_of_boosted_, seed_of_random_;
  std::vector<std::optional<RandomTrees>> random_;
  std::vector<arma::vec> of_random_;
  std::size_t jobs_;
  arma::vec held_;  // targets of the rows held out, fold after fold
};

}  // namespace

arma::vec Stack::predict(const arma::mat& X) const {
  arma::vec f(X.n_cols, arma::fill::value(mean));
  const auto add = [&](const auto& models, double weight, const arma::mat& columns) {
    for (const auto& model : models)
      f += weight / static_cast<double>(models.size()) * (model.predict(columns) - mean);
  };
  add(boosted, weights.boosted, X);
  add(random, weights.random, X);
  if (networks.empty() && !neighbours) return f;
  const arma::mat inside = clamped(X, low, high);
  add(networks, weights.network, map ? map->map(inside) : inside);
  if (neighbours) add(std::span(&*neighbours, 1), weights.neighbours, inside);
  return f;
}

std::vector<std::size_t> fold_starts(std::size_t n, std::size_t folds, const Groups& groups) {
  if (const std::size_t units = group_starts(n, groups).size() - 1; units < folds)
    user_error("{} cannot be divided into {} folds; lower cross_fit",
               counted(units, groups.empty() ? "point" : "group"), folds);
  return run_starts(n, folds, groups);
}

std::vector<HeldOut> stack_folds(std::size_t rows, std::size_t folds, const Groups& groups) {
  constexpr std::size_t many_rows = 200'000;  // enough to learn from the errors of some
  if (rows > many_rows) {
    std::size_t begin = rows - many_rows / 2;
    while (!groups.empty() && begin > 1 && groups[begin] == groups[begin - 1]) --begin;
    return {HeldOut(rows, begin, rows)};
  }
  const std::vector<std::size_t> starts = fold_starts(rows, folds, groups);
  std::vector<HeldOut> all;
  for (std::size_t k = 0; k < folds; ++k) all.emplace_back(rows, starts[k], starts[k + 1]);
  return all;
}

CrossStacked fit_stack(const arma::mat& X, const arma::vec& y, std::size_t folds,
                       const CentreOptions& options, Stream& stream, const Groups& groups, std::size_t jobs) {
  require_table(X, y, options.boosted);
  return StackFit(X, y, stack_folds(y.n_elem, folds, groups), options, stream, groups, jobs).fitted();
}

}  // namespace lacp

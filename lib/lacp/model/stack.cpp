#include "lacp/model/stack.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/model/fold_networks.hpp"

namespace lacp {
namespace {

/// A member with less weight is not worth what it costs in every prediction.
constexpr double least_weight = 0.02;

/// Neighbours are looked for where they take less time than the rest: attributes × rows² up to this.
constexpr double most_distances = 1e11;
constexpr std::size_t most_rows_for_neighbours = 50'000;
/// Where a table has five times as many rows, this many queries are tried first: all of them are only worth
/// their time if neighbours get this weight.
constexpr std::size_t neighbours_tried = 1000;
constexpr double weight_worth_trying = 0.05;

/// Rows of the first fold that can tell that the other folds need no network.
constexpr std::size_t least_rows_to_give_up = 200;

/// Where rows are many, half as many trees at twice the rate are as good in a stack, and cost half.
BoostedOptions trees_options(BoostedOptions options, std::size_t rows) {
  if (rows > few_rows_to_boost) {
    options.learning_rate = std::min(1.0, 2.0 * options.learning_rate);
    options.rounds = (options.rounds + 1) / 2;
  }
  return options;
}

/// What a member predicts for the rows held out, fold after fold.
using OutOfFold = arma::vec;

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
std::vector<double> weights_of(const std::vector<OutOfFold>& members, const arma::vec& y, double mean) {
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

/// The same for members that are there (an empty one is not), without those that have too little weight.
std::vector<double> kept_weights(std::vector<OutOfFold> members, const arma::vec& y, double mean) {
  for (;;) {
    std::vector<OutOfFold> there;
    for (const OutOfFold& member : members)
      if (!member.empty()) there.push_back(member);
    const std::vector<double> own = weights_of(there, y, mean);
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

/// Each attribute of a new row no farther out than in the rows of the fit.
arma::mat clamped(arma::mat X, const arma::vec& low, const arma::vec& high) {
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (arma::uword i = 0; i < X.n_rows; ++i) X(i, n) = std::clamp(X(i, n), low(i), high(i));
  return X;
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
        networks_(X, y, folds_, groups, stream.bits()),
        jobs_(jobs) {
    for (const HeldOut& fold : folds_) held_ = arma::join_cols(held_, values_of(y, fold.held));
  }

  CrossStacked fitted() {
    FoldsOfTrees trees =
        boost_folds(X_, y_, folds_, trees_options(options_.boosted, y_.n_elem), jobs_, networks_.trials());
    OutOfFold of_networks = train_networks(trees.out);
    OutOfFold of_neighbours = find_neighbours({trees.out, of_networks});
    const double mean = mean_of(held_);
    const std::vector<OutOfFold> members = {std::move(trees.out), std::move(of_networks),
                                            std::move(of_neighbours)};
    const std::vector<double> weights = kept_weights(members, held_, mean);
    OutOfFold out(held_.n_elem, arma::fill::value(mean));
    for (std::size_t i = 0; i < members.size(); ++i)
      if (weights[i] > 0.0) out += weights[i] * (members[i] - mean);
    if (weights[0] == 0.0) trees.folds.clear();
    Stack stack{.low = arma::min(X_, 1),
                .high = arma::max(X_, 1),
                .mean = mean,
                .weights = {weights[0], weights[1], weights[2]},
                .boosted = std::move(trees.folds)};
    if (weights[1] > 0.0) {
      stack.networks = networks_.take();
      stack.map = networks_.map();
    }
    if (weights[2] > 0.0) stack.neighbours.emplace(X_, y_, k_);
    return {std::move(stack), std::move(out)};
  }

 private:
  /// Those of all folds, if that of the first, which is there, has a weight beside the trees. Few rows cannot
  /// tell that it has none.
  OutOfFold train_networks(const OutOfFold& of_trees) {
    const OutOfFold& first = networks_.first();
    const arma::uword count = first.n_elem;
    if (count == 0) return {};
    const arma::vec y = held_.head(count);
    const bool sure = count >= least_rows_to_give_up;
    if (sure && kept_weights({of_trees.head(count), first}, y, mean_of(y)).back() == 0.0) return {};
    return networks_.train_all(jobs_);
  }

  KnnRegressor without(const HeldOut& fold) const {
    return KnnRegressor(columns_of(X_, fold.fitted), values_of(y_, fold.fitted), 1);
  }

  OutOfFold find_neighbours(const std::vector<OutOfFold>& others) {
    const std::size_t rows = y_.n_elem;
    const auto n = static_cast<double>(rows);
    if (rows > most_rows_for_neighbours || n * n * static_cast<double>(X_.n_rows) > most_distances) return {};
    grid_ = {2, 4, 8, 16};
    std::size_t fewest = rows;
    for (const HeldOut& fold : folds_) fewest = std::min(fewest, fold.fitted.size());
    std::erase_if(grid_, [&](std::size_t k) { return k > fewest; });
    if (grid_.empty()) return {};
    std::vector<arma::mat> means(folds_.size());
    if (rows > 5 * neighbours_tried) {
      // Some queries, and then the first fold, tell whether the others are worth their time.
      const KnnRegressor first = without(folds_.front());
      const arma::mat queries = columns_of(X_, folds_.front().held);
      const std::size_t tried = std::min<std::size_t>(neighbours_tried, queries.n_cols);
      if (!(weight_among(others, first.means(queries.head_cols(tried), grid_)) > weight_worth_trying))
        return {};
      means.front() = first.means(queries, grid_);
      if (weight_among(others, means.front()) < least_weight) return {};
    }
    std::vector<std::function<void()>> tasks;
    for (std::size_t k = 0; k < folds_.size(); ++k)
      if (means[k].empty())
        tasks.emplace_back(
            [&, k] { means[k] = without(folds_[k]).means(columns_of(X_, folds_[k].held), grid_); });
    do_all(tasks, jobs_);
    arma::mat all(grid_.size(), 0);
    for (const arma::mat& each : means) all = arma::join_rows(all, each);
    return best_of(all, held_);
  }

  /// By the error, the smallest K of equal ones.
  OutOfFold best_of(const arma::mat& means, const arma::vec& y) {
    double least = std::numeric_limits<double>::infinity();
    OutOfFold best;
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      OutOfFold out = means.row(i).t();
      if (const double error = mean_of(arma::vec(arma::square(out - y))); error < least) {
        least = error;
        best = std::move(out);
        k_ = grid_[i];
      }
    }
    return best;
  }

  /// The weight of neighbours beside the others, by the first rows of the first fold.
  double weight_among(std::vector<OutOfFold> members, const arma::mat& means) {
    const arma::vec y = held_.head(means.n_cols);
    for (OutOfFold& member : members)
      if (!member.empty()) member.resize(means.n_cols);
    members.push_back(best_of(means, y));
    return kept_weights(members, y, mean_of(y)).back();
  }

  const arma::mat& X_;
  const arma::vec& y_;
  std::vector<HeldOut> folds_;
  const CentreOptions& options_;
  FoldNetworks networks_;
  std::size_t jobs_;
  arma::vec held_;  // targets of the rows held out, fold after fold
  std::vector<std::size_t> grid_;
  std::size_t k_ = 0;
};

}  // namespace

arma::vec Stack::predict(const arma::mat& X) const {
  arma::vec f(X.n_cols, arma::fill::value(mean));
  const auto add = [&](const auto& models, double weight, const arma::mat& columns) {
    for (const auto& model : models)
      f += weight / static_cast<double>(models.size()) * (model.predict(columns) - mean);
  };
  add(boosted, weights.boosted, X);
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
  return StackFit(X, y, stack_folds(y.n_elem, folds, groups), options, stream, groups, jobs).fitted();
}

}  // namespace lacp

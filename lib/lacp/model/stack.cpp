#include "lacp/model/stack.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/model/choice.hpp"

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

constexpr std::size_t least_rows_for_network = 50;

/// The first fold's network is tried with this part of its epochs; with fewer of them there is nothing to
/// try.
constexpr std::size_t first_share = 4, least_epochs_to_choose = 4;

/// Rows of the first fold that can tell that the other folds need no network.
constexpr std::size_t least_rows_to_give_up = 200;

/// The network has a budget of rows to look at in all epochs: 124 epochs for 600 rows, 28 for 36,000, one for
/// a million. The first fold tries a quarter and a half of them before: fewer take less time, and predict
/// noisy targets better and smooth ones worse.
MlpRegressorOptions network_options(std::size_t rows) {
  const std::size_t visits = std::min<std::size_t>(60'000 + 27 * rows, 1'000'000);
  const bool small = rows <= few_rows_to_boost;
  return {.hidden = {64, 64, 64},
          .adam = {.learning_rate = small ? 2e-3 : 3e-3},
          .epochs = std::clamp<std::size_t>(visits / rows, 1, 150),
          .batch = small ? std::size_t{32} : std::size_t{64}};
}

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

arma::vec values_of(const arma::vec& y, TableRows rows) {
  arma::vec some(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) some(i) = y(rows[i]);
  return some;
}

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

/// A network without a fold, and what it predicts for its rows: nothing if it diverged.
struct FoldNetwork {
  MlpRegressor network = {};
  OutOfFold out = {};
};

FoldNetwork trained(MlpTraining& training, std::size_t epochs, const arma::mat& held) {
  try {
    training.train_to(epochs);
  } catch (const RunError&) {  // it diverged
    return {};
  }
  FoldNetwork fold{training.model()};
  fold.out = fold.network.predict(held);
  if (!fold.out.is_finite()) fold.out.reset();
  return fold;
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
        groups_(groups),
        seed_(stream.bits()),
        jobs_(jobs),
        network_options_(network_options(y.n_elem)) {
    for (const HeldOut& fold : folds_) held_ = arma::join_cols(held_, values_of(y, fold.held));
  }

  CrossStacked fitted() {
    FoldsOfTrees trees =
        boost_folds(X_, y_, folds_, trees_options(options_.boosted, y_.n_elem), jobs_, network_trials());
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
    if (weights[1] == 0.0) {
      networks_.clear();
      map_.reset();
    }
    Stack stack{.low = arma::min(X_, 1),
                .high = arma::max(X_, 1),
                .mean = mean,
                .weights = {weights[0], weights[1], weights[2]},
                .boosted = std::move(trees.folds),
                .networks = std::move(networks_),
                .map = std::move(map_)};
    if (weights[2] > 0.0) stack.neighbours.emplace(X_, y_, k_);
    return {std::move(stack), std::move(out)};
  }

 private:
  /// The first fold's network with its attributes as they are, and mapped. None where there are few rows or
  /// more attributes than rows to learn from; only the former where rows are too many to look at them often.
  std::vector<std::function<void()>> network_trials() {
    if (y_.n_elem < least_rows_for_network || X_.n_rows > folds_.front().fitted.size()) return {};
    left_ = network_options_.epochs < least_epochs_to_choose ? 1 : 2;
    std::vector<std::function<void()>> tasks = {[this] { try_inputs(raw_, X_); }};
    if (left_ == 2)
      tasks.emplace_back([this] {
        map_ = BellMap::fit(X_);
        mapped_X_ = map_->map(X_);
        try_inputs(mapped_, mapped_X_);
      });
    return tasks;
  }

  /// A training of the first fold, and where it stands.
  struct Trial {
    std::unique_ptr<MlpTraining> training = {};
    arma::mat held = {};
    FoldNetwork best = {};
  };

  void try_inputs(Trial& trial, const arma::mat& X) {
    const auto& [held, fitted] = folds_.front();
    trial.held = columns_of(X, held);
    trial.training = std::make_unique<MlpTraining>(columns_of(X, fitted), values_of(y_, fitted),
                                                   network_options_, Stream(seed_));
    trial.best = trained(*trial.training, epochs_of(first_share), trial.held);
    if (few_rows()) choose_epochs(trial);
    if (--left_ == 0) choose_network();
  }

  /// Both inputs are trained as long as they want before one is chosen: networks that have learnt little may
  /// mislead, and others, of many rows, have learnt enough in a quarter of their epochs.
  bool few_rows() const { return y_.n_elem <= few_rows_to_boost; }

  std::size_t epochs_of(std::size_t share) const {
    const std::size_t epochs = network_options_.epochs;
    return epochs < least_epochs_to_choose ? epochs : (epochs + share - 1) / share;
  }

  /// Half of the epochs, unless a quarter or all of them are better. A training that has ended and goes on is
  /// at a disadvantage against one that is as long from its beginning: if its mean is better, that is enough.
  void choose_epochs(Trial& trial) const {
    for (const std::size_t share : {std::size_t{2}, std::size_t{1}}) {
      if (epochs_of(share) == trial.best.network.epochs) break;
      FoldNetwork longer = trained(*trial.training, epochs_of(share), trial.held);
      const bool go_on = share == 2 ? !is_better(trial.best, longer) : has_less_error(longer, trial.best);
      if (!go_on) break;
      trial.best = std::move(longer);
    }
  }

  void choose_network() {
    const bool mapped = is_better(mapped_.best, raw_.best);
    if (!mapped) {
      map_.reset();
      mapped_X_.reset();
    }
    Trial chosen = std::move(mapped ? mapped_ : raw_);
    raw_ = {};
    mapped_ = {};
    if (!few_rows()) choose_epochs(chosen);
    first_ = std::move(chosen.best);
    network_options_.epochs = first_.network.epochs;
  }

  bool has_less_error(const FoldNetwork& other, const FoldNetwork& than) const {
    return !other.out.empty() && (than.out.empty() || mean_of(losses_of(other)) < mean_of(losses_of(than)));
  }

  bool is_better(const FoldNetwork& other, const FoldNetwork& than) const {
    if (other.out.empty() || than.out.empty()) return !other.out.empty();
    return choose({losses_of(than), losses_of(other)}) == 1;
  }

  /// Squared errors on the rows of the first fold, or their sums over groups.
  arma::vec losses_of(const FoldNetwork& fold) const {
    std::vector<double> losses;
    const std::vector<std::uint32_t>& held = folds_.front().held;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const double miss = fold.out(i) - held_(i);
      if (i == 0 || groups_.empty() || groups_[held[i]] != groups_[held[i - 1]]) losses.push_back(0.0);
      losses.back() += miss * miss;
    }
    return losses;
  }

  /// Those of the other folds are as that of the first, which tells whether they are worth their time beside
  /// the trees.
  OutOfFold train_networks(const OutOfFold& of_trees) {
    const arma::uword count = first_.out.n_elem;
    const arma::vec y = held_.head(count);
    if (count == 0 || kept_weights({of_trees.head(count), first_.out}, y, mean_of(y)).back() == 0.0)
      return {};
    std::vector<FoldNetwork> all(folds_.size());
    all.front() = std::move(first_);
    std::vector<std::function<void()>> tasks;
    const arma::mat& X = map_ ? mapped_X_ : X_;
    for (std::size_t k = 1; k < folds_.size(); ++k)
      tasks.emplace_back([&, k] {
        const auto& [held, fitted] = folds_[k];
        MlpTraining training(columns_of(X, fitted), values_of(y_, fitted), network_options_,
                             Stream(seed_ + k));
        all[k] = trained(training, network_options_.epochs, columns_of(X, held));
      });
    do_all(tasks, jobs_);
    OutOfFold out;
    for (FoldNetwork& each : all) {
      if (each.out.empty()) return {};
      out = arma::join_cols(out, each.out);
      networks_.push_back(std::move(each.network));
    }
    mapped_X_.reset();
    return out;
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
  const Groups& groups_;
  std::uint64_t seed_;
  std::size_t jobs_;
  arma::vec held_;  // targets of the rows held out, fold after fold
  MlpRegressorOptions network_options_;
  Trial raw_, mapped_;             // of the first fold
  std::atomic<std::size_t> left_;  // of these: the last one to end goes on
  FoldNetwork first_;              // that of the first fold
  std::optional<BellMap> map_;
  arma::mat mapped_X_;
  std::vector<MlpRegressor> networks_;  // of the folds
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

#include "models/stack/fold_networks.hpp"

#include "lacp/base/error.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/threads.hpp"
#include "models/stack/choice.hpp"

namespace lacp {
namespace {

constexpr std::size_t least_rows_for_network = 50;

/// A network is tried first with this part of its epochs; where it has fewer, there is nothing to try.
constexpr std::size_t first_part = 4, least_epochs_to_choose = 4;

/// The network has a budget of rows to look at in all epochs: 125 epochs for 600 rows, 13 for 36,000, one for
/// 300,000 or more. Fewer epochs take less time, and predict noisy targets better and smooth ones worse.
MlpRegressorOptions network_options(std::size_t rows) {
  const std::size_t visits = std::min<std::size_t>(60'000 + 25 * rows, 500'000);
  const bool small = rows <= few_rows_to_boost;
  return {.hidden = {64, 64, 64},
          .adam = {.learning_rate = small ? 2e-3 : 3e-3},
          .epochs = std::clamp<std::size_t>(visits / rows, 1, 150),
          .batch = small ? std::size_t{32} : std::size_t{64}};
}

}  // namespace

FoldNetworks::FoldNetworks(const arma::mat& X, const arma::vec& y, const std::vector<HeldOut>& folds,
                           const Groups& groups, std::uint64_t seed)
    : X_(X), y_(y), folds_(folds), groups_(groups), seed_(seed), options_(network_options(y.n_elem)) {}

std::vector<std::function<void()>> FoldNetworks::trials() {
  if (y_.n_elem < least_rows_for_network || X_.n_rows > folds_.front().fitted.size()) return {};
  std::vector<std::function<void()>> tasks = {[this] { try_inputs(raw_, X_); }};
  if (options_.epochs >= least_epochs_to_choose)
    tasks.emplace_back([this] {
      map_ = BellMap::fit(X_);
      mapped_X_ = map_->map(X_);
      try_inputs(mapped_, mapped_X_);
    });
  untried_ = tasks.size();
  return tasks;
}

FoldNetworks::Member FoldNetworks::trained(MlpTraining& training, std::size_t epochs, const arma::mat& held) {
  try {
    training.train_to(epochs);
  } catch (const RunError&) {  // it diverged
    return {};
  }
  Member member{training.model()};
  member.out = member.network.predict(held);
  if (!member.out.is_finite()) member.out.reset();
  return member;
}

std::size_t FoldNetworks::epochs_of(std::size_t part) const {
  const std::size_t epochs = options_.epochs;
  return epochs < least_epochs_to_choose ? epochs : (epochs + part - 1) / part;
}

/// With few rows, networks that have learnt little may mislead: each is trained as long as is best for it
/// before one is chosen. Others have learnt enough in a quarter of their epochs. Whoever tries last chooses.
void FoldNetworks::try_inputs(Trial& trial, const arma::mat& X) {
  const auto& [held, fitted] = folds_.front();
  trial.held = columns_of(X, held);
  trial.training = std::make_unique<MlpTraining>(columns_of<float>(X, fitted), values_of(y_, fitted),
                                                 options_, Stream(seed_));
  trial.best = trained(*trial.training, epochs_of(first_part), trial.held);
  if (y_.n_elem <= few_rows_to_boost) choose_epochs(trial);
  if (--untried_ > 0) return;
  choose_inputs();
  tried_ = first();
  if (tried_.empty()) return;
  if (y_.n_elem > few_rows_to_boost) choose_epochs(chosen_);
  options_.epochs = chosen_.best.network.epochs;
  chosen_.training.reset();
}

/// Half of the epochs, unless a quarter or all of them are better. A training that has ended and goes on is
/// at a disadvantage against one that is as long from its beginning: less error is enough for all of them.
void FoldNetworks::choose_epochs(Trial& trial) const {
  const auto go_on_to = [&](std::size_t part) {
    return epochs_of(part) == trial.best.network.epochs
               ? Member()
               : trained(*trial.training, epochs_of(part), trial.held);
  };
  Member half = go_on_to(2);
  if (half.out.empty() || is_better(trial.best, half)) return;
  trial.best = std::move(half);
  Member whole = go_on_to(1);
  if (has_less_error(whole, trial.best)) trial.best = std::move(whole);
}

void FoldNetworks::choose_inputs() {
  const bool mapped = is_better(mapped_.best, raw_.best);
  if (!mapped) {
    map_.reset();
    mapped_X_.reset();
  }
  chosen_ = std::move(mapped ? mapped_ : raw_);
  raw_ = {};
  mapped_ = {};
}

bool FoldNetworks::is_better(const Member& other, const Member& than) const {
  if (other.out.empty() || than.out.empty()) return !other.out.empty();
  return choose({losses_of(than), losses_of(other)}) == 1;
}

bool FoldNetworks::has_less_error(const Member& other, const Member& than) const {
  return !other.out.empty() && mean_of(losses_of(other)) < mean_of(losses_of(than));
}

/// Squared errors on the rows of the first fold, or their sums over groups.
arma::vec FoldNetworks::losses_of(const Member& first) const {
  std::vector<double> losses;
  const std::vector<std::uint32_t>& held = folds_.front().held;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const double miss = first.out(i) - y_(held[i]);
    losses.push_back(miss * miss);
  }
  return by_group(losses, groups_of(held, groups_));
}

std::vector<std::function<void()>> FoldNetworks::others() {
  members_.resize(folds_.size());
  members_.front() = std::move(chosen_.best);
  std::vector<std::function<void()>> tasks;
  for (std::size_t k = 1; k < folds_.size(); ++k)
    tasks.emplace_back([this, k] {
      const auto& [held, fitted] = folds_[k];
      const arma::mat& X = map_ ? mapped_X_ : X_;
      MlpTraining training(columns_of<float>(X, fitted), values_of(y_, fitted), options_, Stream(seed_ + k));
      members_[k] = trained(training, options_.epochs, columns_of(X, held));
    });
  return tasks;
}

arma::vec FoldNetworks::out() {
  mapped_X_.reset();
  arma::vec out;
  for (Member& each : members_) {
    if (each.out.empty()) return {};
    out = arma::join_cols(out, each.out);
    networks_.push_back(std::move(each.network));
  }
  return out;
}

}  // namespace lacp

#include "lacp/conformal/centred_parts.hpp"

#include <algorithm>
#include <map>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/predictor.hpp"

namespace lacp {
namespace {

/// So that enough rows are behind it to learn from their errors, and no group is on both sides.
std::size_t start_of_last(std::size_t n, const std::vector<std::size_t>& groups) {
  std::size_t begin = n - many_rows_to_boost / 2;
  while (!groups.empty() && begin > 1 && groups[begin] == groups[begin - 1]) --begin;
  return begin;
}

}  // namespace

CentredParts centre_parts(const arma::mat& X, const arma::vec& y, const Split& split,
                          const CentreProtocol& protocol,
                          const std::function<Stream(std::string_view purpose)>& stream) {
  const arma::uvec first_rows(split.proper);
  const Scaling scaling = Scaling::fit(X.cols(first_rows), y(first_rows));
  const auto part = [&](const std::vector<arma::uword>& of) {
    const arma::uvec rows(of);
    return CentredPart{.X = scaling.attributes(X.cols(rows)), .y = scaling.targets(y(rows))};
  };
  CentredPart first = part(split.proper), second = part(split.train), third = part(split.test);
  const auto fit = [&](std::string_view purpose) {
    Stream drawn = stream(purpose);
    return fit_centre(first.X, first.y, protocol.centre, drawn);
  };
  const bool folds = protocol.cross_fit != 0 && !protocol.redraw,
             once =
                 folds && protocol.centre.kind == CentreKind::boosted && protocol.centre.boosted.choose_once;
  std::optional<Centre> of_second;
  if (protocol.redraw) of_second = fit("knn-train");
  std::optional<CrossBoosted> boosted;
  if (once && protocol.errors && second.y.n_elem > many_rows_to_boost) {
    const std::size_t begin = start_of_last(second.y.n_elem, protocol.groups);
    boosted = boost_before(second.X, second.y, begin, protocol.centre.boosted);
    second.X.shed_cols(0, begin - 1);
    second.y.shed_rows(0, begin - 1);
  } else if (once && (protocol.errors || second.y.n_elem <= few_rows_to_boost))
    boosted =
        boost_folds(second.X, second.y, fold_starts(second.y.n_elem, protocol.cross_fit, protocol.groups),
                    protocol.centre.boosted, protocol.jobs);
  Centre centre = boosted ? Centre(std::move(boosted->trees))
                          : fit(protocol.redraw ? "knn-test" : name_of(protocol.centre.kind));
  Stream drawn = stream("folds");
  if (boosted)
    second.f = std::move(boosted->out);
  else if (folds && protocol.errors)
    second.f = out_of_fold(second.X, second.y, protocol.cross_fit, protocol.centre, drawn, protocol.groups);
  else
    second.f = predict(of_second ? *of_second : centre, second.X);
  require_finite(second.f, second.X, protocol.attributes);
  third.f = predict(centre, third.X);
  return {.scaling = scaling,
          .first = std::move(first),
          .second = std::move(second),
          .third = std::move(third),
          .centre = std::move(centre),
          .of_second = std::move(of_second)};
}

SplitOptions shares(const PredictorSettings& settings) {
  return {.proper = settings.proper, .train = settings.train, .test = settings.calibration};
}

Stream shared_stream(const PredictorSettings& settings, std::string_view purpose) {
  return Stream({.seed = settings.seed, .dataset = "", .run = 0, .method = "", .purpose = purpose});
}

namespace {

/// The rows of each group, in order, without those left out, which are sorted; without groups each row is
/// one.
std::vector<std::vector<arma::uword>> grouped(std::size_t n, const std::vector<arma::uword>& left_out,
                                              const std::vector<std::size_t>& groups) {
  std::vector<std::vector<arma::uword>> all;
  std::map<std::size_t, std::size_t> place;
  for (arma::uword row = 0; row < n; ++row) {
    if (std::ranges::binary_search(left_out, row)) continue;
    if (groups.empty() || place.emplace(groups[row], all.size()).second) all.emplace_back();
    all[groups.empty() ? all.size() - 1 : place.at(groups[row])].push_back(row);
  }
  return all;
}

/// What a split deals out: groups, or rows.
std::vector<std::vector<arma::uword>> units_of(std::size_t n, const std::vector<arma::uword>& left_out,
                                               const PredictorSettings& settings) {
  if (!settings.groups.empty() && settings.groups.size() != n)
    user_error("settings.groups: has {} numbers for {}; expected one for each, or none",
               settings.groups.size(), counted(n, "row"));
  return grouped(n, left_out, settings.groups);
}

void add_rows(const std::vector<arma::uword>& unit, std::vector<arma::uword>& rows) {
  rows.insert(rows.end(), unit.begin(), unit.end());
}

arma::uword one_of(const std::vector<arma::uword>& unit, Stream& drawn) {
  return unit[unit.size() == 1 ? 0 : drawn.below(unit.size())];
}

Split split_without(std::size_t n, const std::vector<arma::uword>& left_out,
                    const PredictorSettings& settings) {
  const auto units = units_of(n, left_out, settings);
  if (!settings.groups.empty() && units.size() < 3)
    user_error("settings.groups: {} cannot be split into three parts", counted(units.size(), "group"));
  Stream stream = shared_stream(settings, "split"), drawn = shared_stream(settings, "row of a group");
  const Split places = split_rows(units.size(), shares(settings), stream);
  Split split;
  for (const arma::uword unit : places.proper) add_rows(units[unit], split.proper);
  for (const arma::uword unit : places.train) add_rows(units[unit], split.train);
  for (const arma::uword unit : places.test) split.test.push_back(one_of(units[unit], drawn));
  if (settings.cross_fit != 0) join_first_parts(split);
  return split;
}

/// Copies that a fit leaves out.
std::vector<arma::uword> copies_in(const arma::mat& X, const arma::vec& y) {
  Repeats repeats = find_repeats(X, y);
  return repeats.by_chance ? std::vector<arma::uword>() : std::move(repeats.copies);
}

}  // namespace

Split split_of_fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings) {
  return split_without(y.n_elem, copies_in(X, y), settings);
}

Split split_of_fit(std::size_t n, const PredictorSettings& settings) {
  return split_without(n, {}, settings);
}

std::vector<Split> folds_of_fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings) {
  const auto units = units_of(y.n_elem, copies_in(X, y), settings);
  const std::size_t n = units.size(), folds = settings.calibration_folds;
  if (n < 2 * folds)
    user_error("settings.calibration_folds: {} cannot be cut into {} folds of at least 2",
               counted(n, settings.groups.empty() ? "row" : "group"), folds);
  Stream stream = shared_stream(settings, "split"), drawn = shared_stream(settings, "row of a group");
  const auto order = stream.permutation(n);
  std::vector<Split> all(folds);
  for (std::size_t k = 0; k < folds; ++k) {
    const std::size_t begin = k * n / folds, end = (k + 1) * n / folds;
    for (std::size_t i = begin; i < end; ++i) all[k].test.push_back(one_of(units[order[i]], drawn));
    for (std::size_t i = end; i < begin + n; ++i) add_rows(units[order[i % n]], all[k].train);
    all[k].proper = all[k].train;
  }
  return all;
}

}  // namespace lacp

#include "models/predictor/centred_parts.hpp"

#include <map>

#include "lacp/base/text.hpp"
#include "models/predictor/predictor.hpp"

namespace lacp {
CentredParts centre_parts(const arma::mat& X, const arma::vec& y, const Split& split,
                          const CentreProtocol& protocol,
                          const std::function<Stream(std::string_view purpose)>& stream) {
  const arma::uvec first_rows(split.proper);
  arma::mat X_first = X.cols(first_rows);
  Scaling scaling = Scaling::fit(X_first, y(first_rows));
  X_first.reset();
  const auto part = [&](const std::vector<arma::uword>& of) {
    const arma::uvec rows(of);
    return CentredPart{.X = scaling.attributes(X.cols(rows)), .y = scaling.targets(y(rows))};
  };
  const bool folds = protocol.cross_fit != 0 && !protocol.redraw,
             stacks = folds && protocol.centre.kind == CentreKind::stack;
  CentredPart first, second = part(split.train), third = part(split.test);
  if (!stacks) first = part(split.proper);
  const auto fit = [&](std::string_view purpose) {
    Stream drawn = stream(purpose);
    return fit_centre(first.X, first.y, protocol.centre, drawn, protocol.groups_first, protocol.jobs);
  };
  std::optional<Centre> of_second;
  if (protocol.redraw) of_second = fit("knn-train");
  std::optional<CrossStacked> stacked;
  Groups groups = protocol.groups;
  if (stacks) {
    Stream drawn = stream(name_of(protocol.centre.kind));
    const StackFolds how{.folds = protocol.cross_fit, .repeats = protocol.every_row ? 2u : 1u};
    stacked = fit_stack(second.X, second.y, how, protocol.centre, drawn, protocol.groups, protocol.jobs);
    // With many rows, only the last ones are predicted.
    if (const arma::uword before = second.y.n_elem - stacked->out.n_elem; before > 0) {
      if (!groups.empty()) groups.erase(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(before));
      second.X.shed_cols(0, before - 1);
      second.y.shed_rows(0, before - 1);
    }
  }
  Centre centre = stacked ? Centre(std::move(stacked->stack))
                          : fit(protocol.redraw ? "knn-test" : name_of(protocol.centre.kind));
  Stream drawn = stream("folds");
  if (stacked)
    second.f = std::move(stacked->out);
  else if (folds && (protocol.errors || protocol.every_row))
    second.f = out_of_fold(second.X, second.y, protocol.cross_fit, protocol.centre, drawn, protocol.groups);
  else
    second.f = predict(of_second ? *of_second : centre, second.X);
  require_predictions(second.f, second.X, protocol.attributes);
  if (!protocol.every_row) third.f = predict(centre, third.X, protocol.jobs);
  return {.scaling = scaling,
          .first = std::move(first),
          .second = std::move(second),
          .third = std::move(third),
          .centre = std::move(centre),
          .of_second = std::move(of_second),
          .groups_first = protocol.groups_first,
          .groups = std::move(groups)};
}

SplitOptions shares(const PredictorSettings& settings) {
  return {.proper = settings.proper, .train = settings.train, .test = settings.calibration};
}

Stream stream_of(const PredictorSettings& settings, std::string_view method, std::string_view purpose) {
  return Stream({.seed = settings.seed,
                 .dataset = settings.dataset,
                 .run = settings.run,
                 .method = method,
                 .purpose = purpose});
}

void require_groups(const std::vector<std::size_t>& groups, std::size_t n) {
  if (!groups.empty() && groups.size() != n)
    user_error("groups: has {} numbers for {}; expected one for each", groups.size(), counted(n, "row"));
}

RowUnits units_of(std::size_t n, const std::vector<arma::uword>& left_out,
                  const std::vector<std::size_t>& groups) {
  require_groups(groups, n);
  RowUnits all;
  std::map<std::size_t, std::size_t> place;
  for (arma::uword row = 0; row < n; ++row) {
    if (std::ranges::binary_search(left_out, row)) continue;
    if (groups.empty() || place.emplace(groups[row], all.size()).second) all.emplace_back();
    all[groups.empty() ? all.size() - 1 : place.at(groups[row])].push_back(row);
  }
  return all;
}

arma::uword one_of(const std::vector<arma::uword>& unit, Stream& drawn) {
  return unit[unit.size() == 1 ? 0 : drawn.below(unit.size())];
}

namespace {

void add_rows(const std::vector<arma::uword>& unit, std::vector<arma::uword>& rows) {
  rows.insert(rows.end(), unit.begin(), unit.end());
}

Split one_split(const RowUnits& units, const PredictorSettings& settings) {
  if (!settings.groups.empty() && units.size() < 3)
    user_error("settings.groups: {} cannot be split", counted(units.size(), "group"));
  Stream stream = stream_of(settings, "", "split"), drawn = stream_of(settings, "", "row of a group");
  const Split places = split_rows(units.size(), shares(settings), stream);
  Split split;
  for (const arma::uword unit : places.proper) add_rows(units[unit], split.proper);
  for (const arma::uword unit : places.train) add_rows(units[unit], split.train);
  for (const arma::uword unit : places.test) split.test.push_back(one_of(units[unit], drawn));
  if (settings.cross_fit != 0) join_first_parts(split);
  return split;
}

/// Every row trains, and every row, or one of each group, calibrates.
Split all_rows(const RowUnits& units, const PredictorSettings& settings) {
  Stream stream = stream_of(settings, "", "split"), drawn = stream_of(settings, "", "row of a group");
  Split split;
  for (const std::size_t unit : stream.permutation(units.size())) {
    add_rows(units[unit], split.train);
    split.test.push_back(one_of(units[unit], drawn));
  }
  split.proper = split.train;
  return split;
}

}  // namespace

FitSplit split_of_fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings) {
  Repeats repeats = find_repeats(X, y);
  FitSplit found{.split = {}, .repeated = repeats.copies.size()};
  const std::vector<arma::uword> left_out = dropped_copies(std::move(repeats), settings.copies);
  found.dropped = left_out.size();
  const RowUnits units = units_of(y.n_elem, left_out, settings.groups);
  found.split = settings.every_row ? all_rows(units, settings) : one_split(units, settings);
  return found;
}

}  // namespace lacp

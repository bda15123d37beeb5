// What `lacp predict` is asked for, in terms of models that have it.
#include <algorithm>
#include <cmath>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "tool/info.hpp"
#include "tool/predict/predict.hpp"
#include "tool/shares.hpp"

namespace lacp {
namespace {

/// Quantiles between which draws are uniform. More in the middle would cross more often; in the tails there
/// are as many as the calibration rows can tell apart.
std::vector<Level> grid_of_draws(std::size_t calibration_rows) {
  constexpr int parts = 50;
  std::vector<Level> grid;
  for (int k = 1; k < parts; ++k) grid.emplace_back(k / static_cast<double>(parts));
  for (const double share : {0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5}) {
    const Level tail(share);
    if (tail.fewest() > calibration_rows) break;
    grid.push_back(tail);
    grid.push_back(tail.complement());
  }
  std::ranges::sort(grid, {}, &Level::value);
  return grid;
}

/// In percent, exactly: a share has at most nine digits, so two shares have two names.
std::string percent(const Level& part) {
  std::string text = fmt::format("{:.7f}", 100.0 * part.value());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// On the line through these points, which stays at its ends beyond them; x increases.
double interpolated(const std::vector<double>& x, const std::vector<double>& y, double at) {
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(x, at) - x.begin());
  if (above == 0) return y.front();
  if (above == x.size()) return y.back();
  const double part = (at - x[above - 1]) / (x[above] - x[above - 1]);
  return y[above - 1] + part * (y[above] - y[above - 1]);
}

}  // namespace

Place OneSided::bound(bool is_upper, const Level& level) {
  std::vector<Level>& levels = is_upper ? upper : lower;
  const auto found = std::ranges::find(levels, level);
  const auto place = static_cast<std::size_t>(found - levels.begin());
  if (found == levels.end()) levels.push_back(level);
  return {is_upper ? of_upper : of_lower, place, is_upper};
}

Increasing OneSided::quantiles(std::vector<Level> taus) {
  Increasing all;
  std::ranges::sort(taus, {}, &Level::value);
  for (const Level& tau : taus) {
    const bool is_lower = tau.value() < 0.5;
    all.places.push_back(bound(!is_lower, is_lower ? tau : tau.complement()));
    all.below += is_lower ? 1 : 0;
  }
  return all;
}

Asked::Asked(const TableModel& model, const PredictOptions& options)
    : options_(options), whole_(model.predictor().whole()), both_(model.levels()) {
  const bool other =
      !options.quantiles.empty() || !options.upper.empty() || !options.lower.empty() || options.samples > 0;
  if (!options.coverage.empty()) both_ = covering_levels(options.coverage);
  if (other && options.coverage.empty()) both_.clear();
  const bool by_level = options.names == "level";
  const auto name = [&](std::string_view what, const Level& part) {
    names_.push_back(fmt::format("{}_{}", what, by_level ? part.text() : percent(part)));
  };
  OneSided one_sided;
  for (std::size_t l = 0; l < both_.size(); ++l)
    for (const bool end : {false, true}) {
      places_.push_back({0, l, end});
      name(end ? "upper" : "lower", by_level ? both_[l] : both_[l].complement());
    }
  for (const bool end : {false, true})
    for (const Level& part : read_shares(end ? "--upper" : "--lower", end ? options.upper : options.lower)) {
      places_.push_back(one_sided.bound(end, part.complement()));
      name(end ? "upper_bound" : "lower_bound", part);
    }
  std::vector<Level> taus = read_shares("--quantiles", options.quantiles);
  quantiles_ = one_sided.quantiles(taus);
  std::ranges::sort(taus, {}, &Level::value);
  for (const Level& tau : taus) name("quantile", tau);
  if (options.samples > 0) {
    const std::vector<Level> grid = grid_of_draws(model.predictor().calibration_size());
    grid_ = one_sided.quantiles(grid);
    for (const Level& tau : grid) shares_.push_back(tau.value());
    for (std::uint64_t k = 1; k <= options.samples; ++k) names_.push_back(fmt::format("sample_{}", k));
  }
  std::array<std::size_t, 3> number{};  // of each kind of model, now that it is known which there are
  const auto add = [&](std::size_t kind, const std::vector<Level>& levels, Ends ends) {
    number[kind] = models_.size();
    if (levels.empty()) return;
    models_.push_back(levels == model.levels() && ends == Ends::both
                          ? model
                          : model.at_levels(levels, ends, thread_count(options.jobs, 64)));
    tell_infinite(levels, ends);
  };
  add(0, both_, Ends::both);
  add(OneSided::of_lower, one_sided.lower, Ends::lower);
  add(OneSided::of_upper, one_sided.upper, Ends::upper);
  for (std::vector<Place>* all : {&places_, &quantiles_.places, &grid_.places})
    for (Place& each : *all) each.model = number[each.model];
}

std::string Asked::lines_of(const ManyIntervals& found, arma::uword begin, arma::uword end) const {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  const auto number = [&](double value) {
    text.push_back(',');
    if (!std::isnan(value)) fmt::format_to(out, "{}", value);
  };
  const TableIntervals& first = found.front();
  for (arma::uword n = begin; n < end; ++n) {
    fmt::format_to(out, "{}", first.lines[n]);
    for (std::size_t i = 0; i < options_.keep.size(); ++i)
      fmt::format_to(out, ",{}", csv_quoted(first.kept[n][i]));
    number(first.f(n));
    for (const Place& place : places_) number(place.at(found, n));
    if (!quantiles_.places.empty())
      for (const double value : quantiles_.at(found, n)) number(value);
    if (options_.samples > 0) add_samples(grid_.at(found, n), first.contents[n], number);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

void Asked::tell_infinite(const std::vector<Level>& levels, Ends ends) const {
  if (ends == Ends::both && options_.coverage.empty()) return;  // `fit` said so
  if (ends != Ends::both && options_.samples > 0) return;       // draws stay within what is finite
  const std::size_t n = models_.back().predictor().calibration_size();
  for (const std::string& line : class_lines_at(models_.back(), levels)) tell("{}\n", line);
  for (const Level& level : levels)
    if (level.fewest() > n)
      tell("coverage {} needs at least {} calibration rows, and the model has {}: {} are infinite\n",
           level.complement().text(), level.fewest(), n, ends == Ends::both ? "its intervals" : "its bounds");
}

/// By the row's own random numbers, so that a row has the same draws wherever it stands, and another row, or
/// a row of another table, has others.
void Asked::add_samples(const arma::mat& quantiles, std::uint64_t content,
                        const std::function<void(double)>& number) const {
  std::vector<double> shares, values;
  for (arma::uword k = 0; k < quantiles.n_elem; ++k)
    if (std::isfinite(quantiles(k))) {
      shares.push_back(shares_[k]);
      values.push_back(quantiles(k));
    }
  Stream drawn(
      {.seed = options_.seed, .dataset = "", .run = content, .method = "predict", .purpose = "samples"});
  for (std::uint64_t k = 0; k < options_.samples; ++k) {
    const double at = drawn.uniform();
    const double value = values.empty() ? arma::datum::nan : interpolated(shares, values, at);
    number(whole_ ? std::round(value) + 0.0 : value);
  }
}

std::string Asked::about() const {
  std::vector<std::string> parts_of_it;
  const auto add = [&](std::size_t count, const char* what, const char* before = "") {
    if (count > 0) parts_of_it.push_back(before + counted(count, what));
  };
  const std::size_t bounds = options_.upper.size() + options_.lower.size();
  add(both_.size(), "level", "intervals at ");
  add(bounds, "bound"), add(quantiles_.places.size(), "quantile"), add(options_.samples, "draw");
  return join(parts_of_it, ", ");
}

}  // namespace lacp

// What `lacp predict` is asked for.
#include <algorithm>
#include <cmath>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "tool/drift.hpp"
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

Asked::Asked(const TableModel& model, const PredictOptions& options)
    : model_(model), options_(options), whole_(model.predictor().whole()) {
  const bool other =
      !options.quantiles.empty() || !options.upper.empty() || !options.lower.empty() || options.samples > 0;
  if (!options.coverage.empty())
    questions_.levels = covering_levels(options.coverage);
  else if (!other)
    questions_.levels = model.levels();
  const bool by_level = options.names == "level";
  const auto name = [&](std::string_view what, const Level& part) {
    names_.push_back(fmt::format("{}_{}", what, by_level ? part.text() : percent(part)));
  };
  for (const Level& level : questions_.levels)
    for (const char* end : {"lower", "upper"}) name(end, by_level ? level : level.complement());
  for (const Level& part : read_shares("--lower", options.lower)) {
    questions_.lower.push_back(part.complement());
    bounds_.emplace_back(Ends::lower, part.complement());
    name("lower_bound", part);
  }
  for (const Level& part : read_shares("--upper", options.upper)) {
    questions_.upper.push_back(part.complement());
    bounds_.emplace_back(Ends::upper, part.complement());
    name("upper_bound", part);
  }
  taus_ = read_shares("--quantiles", options.quantiles);
  std::ranges::sort(taus_, {}, &Level::value);
  for (const Level& tau : taus_) name("quantile", tau);
  if (options.samples > 0) grid_ = grid_of_draws(model.predictor().calibration_size());
  for (std::uint64_t k = 1; k <= options.samples; ++k) names_.push_back(fmt::format("sample_{}", k));
  if (options.why && questions_.levels.empty())
    user_error("--why: tells of intervals, and none are asked for; add --coverage");
  if (options.why) names_.push_back("why");
  questions_ = questions_.with_quantiles(taus_).with_quantiles(grid_);
  model.predictor().prepare(questions_, thread_count(options.jobs, 64));
  for (const Ends ends : {Ends::both, Ends::lower, Ends::upper}) tell_infinite(model, ends);
}

/// Of each row those that stand before the draws, in a column.
arma::mat Asked::numbers_of(const TableIntervals& found) const {
  arma::mat all(2 * questions_.levels.size() + bounds_.size(), found.f.n_elem);
  arma::uword k = 0;
  for (arma::uword l = 0; l < questions_.levels.size(); ++l) {
    all.row(k++) = found.lower.row(l);
    all.row(k++) = found.upper.row(l);
  }
  for (const auto& [ends, level] : bounds_) all.row(k++) = found.single.at(ends, level);
  return arma::join_cols(all, found.single.quantiles(taus_));
}

void Asked::write_lines(const TableIntervals& found,
                        const std::function<void(const std::string&)>& append) const {
  if (found.f.empty()) return;
  const arma::mat numbers = numbers_of(found), grid = found.single.quantiles(grid_);
  const std::vector<std::string> why = options_.why ? reasons(found) : std::vector<std::string>();
  std::string text;
  const auto out = std::back_inserter(text);
  const auto number = [&](double value) {
    text.push_back(',');
    if (!std::isnan(value)) fmt::format_to(out, "{}", value);
  };
  for (arma::uword n = 0; n < found.f.n_elem; ++n) {
    text.clear();
    fmt::format_to(out, "{}", found.lines[n]);
    for (std::size_t i = 0; i < options_.keep.size(); ++i)
      fmt::format_to(out, ",{}", csv_quoted(found.kept[n][i]));
    number(found.f(n));
    for (arma::uword k = 0; k < numbers.n_rows; ++k) number(numbers(k, n));
    if (options_.samples > 0) add_samples(grid.col(n), found.contents[n], number);
    if (options_.why) fmt::format_to(out, ",{}", csv_quoted(why[n]));
    text.push_back('\n');
    append(text);
  }
}

std::vector<std::string> Asked::reasons(const TableIntervals& found) const {
  constexpr double least = 1.1;
  constexpr std::size_t most = 3;
  const arma::mat widening = model_.widening(found.X, questions_, level_spoken_of(questions_.levels));
  std::vector<std::string> all;
  for (arma::uword n = 0; n < widening.n_cols; ++n) {
    std::vector<arma::uword> columns;
    for (arma::uword c = 0; c < widening.n_rows; ++c)
      if (widening(c, n) >= least) columns.push_back(c);
    std::ranges::stable_sort(columns, std::greater{}, [&](arma::uword c) { return widening(c, n); });
    columns.resize(std::min(columns.size(), most));
    std::vector<std::string> texts;
    for (const arma::uword c : columns)
      texts.push_back(
          fmt::format("{} +{:.0f} %", model_.columns().attributes[c].name, 100.0 * (widening(c, n) - 1.0)));
    all.push_back(join(texts, "; "));
  }
  return all;
}

void Asked::tell_infinite(const TableModel& model, Ends ends) const {
  if (ends == Ends::both && options_.coverage.empty()) return;  // `fit` said so
  if (ends != Ends::both && options_.samples > 0) return;       // draws stay within what is finite
  const std::size_t n = model.predictor().calibration_size();
  const std::vector<Level>& levels = questions_.at(ends);
  for (const std::string& line : class_lines_at(model, levels, ends)) tell("{}\n", line);
  for (const Level& level : levels)
    if (level.fewest() > n)
      tell("coverage {} needs at least {} calibration rows, and the model has {}: {} are infinite\n",
           level.complement().text(), level.fewest(), n, ends == Ends::both ? "its intervals" : "its bounds");
}

/// By the row's own random numbers, so that a row has the same draws wherever it stands, and another row, or
/// a row of another table, has others.
void Asked::add_samples(const arma::vec& quantiles, std::uint64_t content,
                        const std::function<void(double)>& number) const {
  std::vector<double> shares, values;
  for (arma::uword k = 0; k < quantiles.n_elem; ++k)
    if (std::isfinite(quantiles(k))) {
      shares.push_back(grid_[k].value());
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
  add(questions_.levels.size(), "level", "intervals at ");
  add(bounds_.size(), "bound");
  add(taus_.size(), "quantile");
  add(options_.samples, "draw");
  return join(parts_of_it, ", ");
}

}  // namespace lacp

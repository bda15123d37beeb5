// What `lacp predict` is asked for.
#include <algorithm>
#include <cmath>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "tool/drift.hpp"
#include "tool/predict/predict.hpp"
#include "tool/tool.hpp"

namespace lacp {
namespace {

/// In percent, exactly: a share has at most nine digits, so two shares have two names.
std::string percent(const Level& part) {
  std::string text = fmt::format("{:.7f}", 100.0 * part.value());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::vector<Level> read_shares(const char* option, const std::vector<std::string>& texts) {
  std::vector<Level> shares;
  for (const std::string& text : texts) {
    const std::string whole = text.substr(0, text.find('.'));  // 95 and 99.5 are percent
    const bool percent = whole.size() == 2 && whole[0] > '0' && parse_integer(whole);
    try {
      shares.push_back(
          Level::parse(percent ? "0." + whole + text.substr(std::min(text.size(), std::size_t{3})) : text));
    } catch (const UserError&) {
      user_error("{} {}: expected decimals between 0 and 1, as 0.95", option, text);
    }
    if (std::ranges::count(shares, shares.back()) > 1)
      user_error("{}: {} is given twice", option, shares.back().text());
  }
  return shares;
}

std::vector<Level> covering_levels(const std::vector<std::string>& coverage) {
  std::vector<Level> levels;
  for (const Level& covered : read_shares("--coverage", coverage)) {
    levels.push_back(covered.complement());
    if (covered.value() < 0.5)
      user_error("--coverage {0}: expected 0.5 or more; to miss {0}, say --coverage {1}", covered.text(),
                 levels.back().text());
  }
  return levels;
}

Asked::Asked(const TableModel& model, const PredictOptions& options) : model_(model), options_(options) {
  const bool other = !options.quantiles.empty() || !options.upper.empty() || !options.lower.empty();
  if (!options.coverage.empty())
    questions_.levels = covering_levels(options.coverage);
  else if (!other)
    questions_.levels = model.levels();
  const auto name = [&](std::string_view what, const Level& part) {
    names_.push_back(fmt::format("{}_{}", what, percent(part)));
  };
  for (const Level& level : questions_.levels)
    for (const char* end : {"lower", "upper"}) name(end, level.complement());
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
  if (options.why && questions_.levels.empty()) user_error("--why: needs --coverage");
  if (options.why) names_.push_back("why");
  questions_ = questions_.with_quantiles(taus_);
  model.predictor().prepare(questions_, thread_count(options.jobs, 64));
}

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

std::string Asked::lines(const TableIntervals& found) const {
  if (found.f.empty()) return "";
  const arma::mat numbers = numbers_of(found);
  const std::vector<std::string> why = options_.why ? reasons(found) : std::vector<std::string>();
  std::string text;
  const auto out = std::back_inserter(text);
  const auto number = [&](double value) {
    text.push_back(',');
    if (!std::isnan(value)) fmt::format_to(out, "{}", value);
  };
  for (arma::uword n = 0; n < found.f.n_elem; ++n) {
    fmt::format_to(out, "{}", found.lines[n]);
    for (std::size_t i = 0; i < options_.keep.size(); ++i)
      fmt::format_to(out, ",{}", csv_quoted(found.kept[n][i]));
    number(found.f(n));
    for (arma::uword k = 0; k < numbers.n_rows; ++k) number(numbers(k, n));
    if (options_.why) fmt::format_to(out, ",{}", csv_quoted(why[n]));
    text.push_back('\n');
  }
  return text;
}

arma::mat Asked::widening(const TableIntervals& found) const {
  return model_.widening(found.X, questions_, level_spoken_of(questions_.levels));
}

std::vector<std::string> Asked::reasons(const TableIntervals& found) const {
  constexpr double least = 1.1;
  constexpr std::size_t most = 3;
  const arma::mat wider = widening(found);
  std::vector<std::string> all;
  for (arma::uword n = 0; n < wider.n_cols; ++n) {
    std::vector<arma::uword> columns;
    for (arma::uword c = 0; c < wider.n_rows; ++c)
      if (wider(c, n) >= least) columns.push_back(c);
    std::ranges::stable_sort(columns, std::greater{}, [&](arma::uword c) { return wider(c, n); });
    columns.resize(std::min(columns.size(), most));
    std::vector<std::string> texts;
    for (const arma::uword c : columns)
      texts.push_back(
          fmt::format("{} +{:.0f} %", model_.columns().attributes[c].name, 100.0 * (wider(c, n) - 1.0)));
    all.push_back(join(texts, "; "));
  }
  return all;
}

std::vector<std::string> Asked::warnings() const {
  std::vector<std::string> warnings;
  for (const Ends ends : {Ends::both, Ends::lower, Ends::upper}) warn_of(ends, warnings);
  return warnings;
}

void Asked::warn_of(Ends ends, std::vector<std::string>& warnings) const {
  if (ends == Ends::both && options_.coverage.empty()) return;  // `fit` said so
  const LocalPredictor& predictor = model_.predictor();
  const std::vector<Level>& levels = questions_.at(ends);
  for (std::string& line : infinite_lines(model_, levels, ends)) warnings.push_back(std::move(line));
  for (const Level& level : levels)
    if (ends == Ends::both && predictor.sides() == Sides::each && !predictor.has_each_side(level))
      warnings.push_back(fmt::format(
          "coverage {} has one threshold for both sides; one for each needs {} rows, {} calibrate",
          level.complement().text(), level.half().fewest(), predictor.calibration_size()));
}

std::string Asked::about() const {
  std::vector<std::string> parts_of_it;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts_of_it.push_back(counted(count, what));
  };
  add(questions_.levels.size(), "interval");
  add(bounds_.size(), "bound");
  add(taus_.size(), "quantile");
  return join(parts_of_it, ", ");
}

}  // namespace lacp

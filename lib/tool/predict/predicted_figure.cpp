#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/gnuplot.hpp"
#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "tool/predict/predict.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_rows = 200;  // as many bars can be told apart

struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double width() const { return high - low; }
  /// At both ends, also if all values are alike.
  Axis with_room() const {
    const double room = width() > 0.0 ? 0.03 * width() : std::max(1.0, 0.1 * std::abs(low));
    return {low - room, high + room};
  }
};

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// f and four fifths of the ends are seen, and where ends reach farther as much again on either side.
Axis y_axis(const std::vector<DrawnRow>& rows) {
  Axis middle, all;
  std::vector<double> ends[2];  // lower, upper
  for (const DrawnRow& row : rows) {
    middle.include(row.f);
    all.include(row.f);
    for (std::size_t i = 0; i < row.ends.size(); ++i)
      if (std::isfinite(row.ends[i])) {
        ends[i % 2].push_back(row.ends[i]);
        all.include(row.ends[i]);
      }
    if (std::isnan(row.truth)) continue;
    all.include(row.truth);
    for (std::vector<double>& side : ends) side.push_back(row.truth);
  }
  for (std::vector<double>& side : ends) {
    std::ranges::sort(side);
    if (const std::size_t tenth = side.size() / 10; !side.empty()) {
      middle.include(side[tenth]);
      middle.include(side[side.size() - 1 - tenth]);
    }
  }
  return Axis{std::max(all.low, middle.low - middle.width()),
              std::min(all.high, middle.high + middle.width())}
      .with_room();
}

}  // namespace

PredictedFigure::PredictedFigure(const PredictOptions& options, const Asked& asked, const TableModel& model)
    : options_(options),
      model_(model),
      levels_(asked.questions().levels),
      bands_(levels_.size()),
      drawn_({.seed = 1, .dataset = "", .run = 0, .method = "predict", .purpose = "figure"}) {
  if (levels_.empty()) user_error("--figure: needs --coverage");
  std::iota(bands_.begin(), bands_.end(), std::size_t{0});
  std::ranges::sort(bands_, {}, [&](std::size_t l) { return levels_[l].value(); });
}

std::vector<std::string> PredictedFigure::truth() const {
  std::vector<std::string> columns;
  for (const Column& column : model_.columns().target) columns.push_back(column.name);
  return columns;
}

/// The target of a row, if the table has it.
double PredictedFigure::truth_in(const std::vector<std::string>& kept) const {
  const std::vector<Column>& target = model_.columns().target;
  const std::size_t before = options_.keep.size();
  if (kept.size() != before + target.size()) return no_number;
  double sum = 0.0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const std::string& cell = kept[before + i];
    const auto number = read_written(cell, target[i].written.value_or(Notation{}));
    sum += number && !says_missing(cell, model_.columns()) ? *number : no_number;
  }
  return std::isfinite(sum) ? sum : no_number;
}

void PredictedFigure::add(const TableIntervals& intervals) {
  for (arma::uword n = 0; n < intervals.f.n_elem; ++n) {
    ++seen_;
    std::size_t place = rows_.size();  // of this row; as all before it, it stays with the same chance
    if (place < most_rows)
      rows_.emplace_back();
    else if (place = static_cast<std::size_t>(drawn_.uniform() * static_cast<double>(seen_));
             place >= most_rows)
      continue;
    const double truth = intervals.kept.empty() ? no_number : truth_in(intervals.kept[n]);
    DrawnRow& row = rows_[place] = {intervals.f(n), truth, {}};
    for (const std::size_t l : bands_) {
      const double lower = intervals.lower(l, n), upper = intervals.upper(l, n);
      row.ends.insert(row.ends.end(), {std::isnan(lower) ? row.f : lower, std::isnan(upper) ? row.f : upper});
    }
  }
}

void PredictedFigure::draw() {
  const std::string file = options_.figure.string();
  if (rows_.empty()) user_error("{}: is not drawn: no row has a prediction", file);
  std::ranges::stable_sort(rows_, {}, &DrawnRow::f);
  const Axis y = y_axis(rows_);
  std::vector<std::string> names, shades;
  const std::string& method = model_.predictor().method();
  const auto steps = static_cast<double>(bands_.size() - 1);
  for (std::size_t b = 0; b < bands_.size(); ++b) {
    shades.push_back(method_shade(method, steps == 0.0 ? 0.35 : 0.2 + 0.4 * static_cast<double>(b) / steps));
    names.push_back(fmt::format("'{:.9g} % interval'", 100.0 * levels_[bands_[b]].complement().value()));
  }
  std::string data, target;
  std::size_t cut = 0, truths = 0, missed = 0, place = 0;
  for (const DrawnRow& row : rows_) {
    data += fmt::format("{},{:.12g}", ++place, row.f);
    for (const double end : row.ends) data += fmt::format(",{:.12g}", std::clamp(end, y.low, y.high));
    data += std::isnan(row.truth) ? "," : fmt::format(",{:.12g}", row.truth);
    data += '\n';
    truths += std::isnan(row.truth) ? 0 : 1;
    missed += row.truth < row.ends[0] || row.truth > row.ends[1] ? 1 : 0;  // of the widest band
    cut += std::ranges::any_of(row.ends, [&](double end) { return end < y.low || end > y.high; }) ? 1 : 0;
  }
  for (const Column& column : model_.columns().target) target += (target.empty() ? "" : " + ") + column.name;
  const std::string shown = rows_.size() == seen_
                                ? counted(seen_, "row")
                                : fmt::format("{} of {} rows, drawn at random", rows_.size(), seen_);
  draw_picture(options_.figure, "predicted",
               fmt::format("bars = {}\nbottom = {:.12e}\ntop = {:.12e}\n$rows << EOD\n{}EOD\n", rows_.size(),
                           y.low, y.high, data) +
                   gnuplot_list("bands", names) + gnuplot_list("shades", shades) +
                   gnuplot_text("y_label", target) +
                   gnuplot_text("miss_label", fmt::format("outside: {} of {}", missed, truths)) +
                   fmt::format("has_truth = {}\n", truths > 0 ? 1 : 0) +
                   gnuplot_text("x_label", fmt::format("rows, ordered by prediction ({})", shown)));
  note("{}: shows {}{}\n", file, shown,
       cut > 0 ? fmt::format("; intervals of {} reach beyond its edge", cut) : "");
}

}  // namespace lacp

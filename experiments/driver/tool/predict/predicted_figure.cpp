#include <algorithm>
#include <chrono>
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

/// Marks of an axis of dates, at most eight, where minutes, hours, days, months or years begin: as gnuplot
/// takes them.
std::string date_marks(const Axis& axis) {
  constexpr double most = 7, day = 86400;  // steps
  std::vector<std::string> marks;
  const auto part = [](DatePart which, double seconds) {
    return static_cast<int>(part_of_date(which, seconds));
  };
  for (const double step : {60.0, 600.0, 3600.0, 6 * 3600.0, day, 7 * day})
    if (marks.empty() && axis.width() <= most * step)
      for (double t = std::ceil(axis.low / step) * step; t <= axis.high; t += step) {
        const std::string date = fmt::format("{:02}-{:02}", part(DatePart::month, t), part(DatePart::day, t));
        const std::string text = step < day ? fmt::format("{} {:02}:{:02}", date, part(DatePart::hour, t),
                                                          part(DatePart::minute, t))
                                            : fmt::format("{}-{}", part(DatePart::year, t), date);
        marks.push_back(fmt::format("\"{}\" {:.0f}", text, t));
      }
  for (const int step : {1, 3, 12, 60, 240, 1200, 6000}) {  // months
    if (!marks.empty() || axis.width() > most * step * 31 * day) continue;
    const int first = 12 * part(DatePart::year, axis.low) + part(DatePart::month, axis.low) - 1;
    for (int m = (first + step - 1) / step * step; true; m += step) {
      const std::chrono::sys_days begin = std::chrono::year(m / 12) / (m % 12 + 1) / 1;
      const double t = day * static_cast<double>(begin.time_since_epoch().count());
      if (t > axis.high) break;
      const std::string text =
          step < 12 ? fmt::format("{}-{:02}", m / 12, m % 12 + 1) : fmt::format("{}", m / 12);
      if (t >= axis.low) marks.push_back(fmt::format("\"{}\" {:.0f}", text, t));
    }
  }
  return fmt::format("set xtics ({})", join(marks, ", "));
}

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

/// From left to right, those with the same x beside each other, as far as there is room.
Axis place_rows(std::vector<DrawnRow>& rows, bool by_prediction) {
  std::ranges::stable_sort(rows, {}, [](const DrawnRow& row) { return std::pair(row.x, row.f); });
  const std::size_t n = rows.size();
  if (by_prediction) {
    for (std::size_t i = 0; i < n; ++i) {
      rows[i].x = static_cast<double>(i + 1);
      rows[i].half = 0.5;
    }
    return {0.0, static_cast<double>(n + 1)};
  }
  constexpr double none = std::numeric_limits<double>::infinity();
  const double span = rows.back().x - rows.front().x, bar = span > 0.0 ? span / most_rows : 1.0;
  Axis axis;
  double before = -none;
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    const double x = rows[i].x;
    while (end < n && rows[end].x == x) ++end;
    const double gap = std::min(x - before, end < n ? rows[end].x - x : none),
                 alike = static_cast<double>(end - i),
                 width = std::max(bar, std::min(alike * bar, 0.8 * gap));
    axis.include(x - 0.5 * width);
    axis.include(x + 0.5 * width);
    for (std::size_t k = i; k < end; ++k) {
      rows[k].half = 0.5 * width / alike;
      rows[k].x = x + width * ((static_cast<double>(k - i) + 0.5) / alike - 0.5);
    }
    before = x;
  }
  return axis.with_room();
}

}  // namespace

PredictedFigure::PredictedFigure(const PredictOptions& options, const Asked& asked, const TableModel& model)
    : options_(options),
      model_(model),
      levels_(asked.questions().levels),
      bands_(levels_.size()),
      drawn_({.seed = 1, .dataset = "", .run = 0, .method = "predict", .purpose = "figure"}),
      places_(model.columns(), "--figure-over", options.figure_over) {
  if (levels_.empty())
    user_error("--figure: draws intervals, and none are asked for; name some with --coverage");
  std::iota(bands_.begin(), bands_.end(), std::size_t{0});
  std::ranges::sort(bands_, {}, [&](std::size_t l) { return levels_[l].value(); });
}

std::vector<std::string> PredictedFigure::keep() const {
  std::vector<std::string> columns = options_.keep;
  if (!options_.figure_over.empty()) columns.push_back(options_.figure_over);
  return columns;
}

std::vector<std::string> PredictedFigure::truth() const {
  std::vector<std::string> columns;
  for (const Column& column : model_.columns().target) columns.push_back(column.name);
  return columns;
}

/// The target of a row, if the table has it.
double PredictedFigure::truth_in(const std::vector<std::string>& kept) const {
  const std::vector<Column>& target = model_.columns().target;
  const std::size_t before = keep().size();
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
    const std::vector<std::string> kept =
        intervals.kept.empty() ? std::vector<std::string>{} : intervals.kept[n];
    Place at{intervals.f(n), intervals.f(n)};
    if (!options_.figure_over.empty()) at = places_.read(kept[keep().size() - 1], intervals.lines[n]);
    ++(at.is_missing() ? without_ : seen_);
    if (at.is_missing()) continue;
    std::size_t place = rows_.size();  // of this row; as all before it, it stays with the same chance
    if (place < most_rows)
      rows_.emplace_back();
    else if (place = static_cast<std::size_t>(drawn_.uniform() * static_cast<double>(seen_));
             place >= most_rows)
      continue;
    DrawnRow& row = rows_[place] = {0.0, 0.0, intervals.f(n), truth_in(kept), {}, at};
    for (const std::size_t l : bands_) {
      const double lower = intervals.lower(l, n), upper = intervals.upper(l, n);
      row.ends.insert(row.ends.end(), {std::isnan(lower) ? row.f : lower, std::isnan(upper) ? row.f : upper});
    }
  }
}

void PredictedFigure::draw() {
  const std::string file = options_.figure.string(), &over = options_.figure_over;
  if (rows_.empty())
    user_error("{}: is not drawn: no row has {}", file,
               over.empty() ? "a prediction" : "a number or date in " + show_text(over));
  places_.decide();
  for (DrawnRow& row : rows_) row.x = places_.of(row.place);
  const Axis x = place_rows(rows_, over.empty()), y = y_axis(rows_);
  std::vector<std::string> names, shades;
  const std::string& method = model_.predictor().method();
  const auto steps = static_cast<double>(bands_.size() - 1);
  for (std::size_t b = 0; b < bands_.size(); ++b) {
    shades.push_back(method_shade(method, steps == 0.0 ? 0.35 : 0.2 + 0.4 * static_cast<double>(b) / steps));
    names.push_back(fmt::format("'{:.9g} % interval'", 100.0 * levels_[bands_[b]].complement().value()));
  }
  std::string data, target;
  std::size_t cut = 0, truths = 0;
  for (const DrawnRow& row : rows_) {
    data += fmt::format("{:.12g},{:.12g},{:.12g},{:.12g}", row.x, row.x - row.half, row.x + row.half, row.f);
    for (const double end : row.ends) data += fmt::format(",{:.12g}", std::clamp(end, y.low, y.high));
    data += std::isnan(row.truth) ? "," : fmt::format(",{:.12g}", row.truth);
    data += '\n';
    truths += std::isnan(row.truth) ? 0 : 1;
    cut += std::ranges::any_of(row.ends, [&](double end) { return end < y.low || end > y.high; }) ? 1 : 0;
  }
  for (const Column& column : model_.columns().target) target += (target.empty() ? "" : " + ") + column.name;
  const std::string shown = rows_.size() == seen_
                                ? counted(seen_, "row")
                                : fmt::format("{} of {} rows, drawn at random", rows_.size(), seen_);
  draw_picture(
      options_.figure, "predicted",
      fmt::format("left = {:.12e}\nright = {:.12e}\nbottom = {:.12e}\ntop = {:.12e}\n$rows << EOD\n{}EOD\n",
                  x.low, x.high, y.low, y.high, data) +
          gnuplot_list("bands", names) + gnuplot_list("shades", shades) + gnuplot_text("over", over) +
          gnuplot_text("y_label", target) + fmt::format("has_truth = {}\n", truths > 0 ? 1 : 0) +
          gnuplot_text("x_marks", places_.dates() ? date_marks(x) : "") +
          gnuplot_text("x_label",
                       fmt::format("{} ({})", over.empty() ? "rows, ordered by prediction" : over, shown)));
  note("{}: shows {}{}{}\n", file, shown,
       cut > 0 ? fmt::format("; intervals of {} reach beyond its edge", cut) : "",
       without_ > 0 ? fmt::format("; {} without a number or date in {} left out", counted(without_, "row"),
                                  show_text(over))
                    : "");
}

}  // namespace lacp

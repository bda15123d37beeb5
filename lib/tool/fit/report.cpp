// What `lacp fit` says about a model: for people, on at most 20 lines, and as json.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "common/coverage.hpp"
#include "common/json.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "models/stack/centre.hpp"
#include "tool/fit/fit.hpp"
#include "tool/tool.hpp"

namespace lacp {
namespace {

/// The half-widths of the calibration rows at one coverage: their mean, and that of their outer tenths.
struct HalfWidths {
  double mean = 0.0, smallest = 0.0, largest = 0.0;
};

struct Quality {
  double rmse = 0.0, r2 = 0.0;
  std::size_t too_far = 0;                   // calibration rows without an interval
  std::vector<HalfWidths> half_widths = {};  // of each coverage
  std::string clip = {};  // how to cut intervals that reach beyond what the target can be; or ""
};

/// Where targets are never below 0, or all within 0 and 1, and intervals are.
std::string clip_hint(const Fitted& fit, const TableIntervals& intervals) {
  const Columns& columns = fit.table.columns;
  const double least = fit.table.y.min(), most = fit.table.y.max();
  if (std::isfinite(columns.least) || std::isfinite(columns.most) || least < 0.0) return "";
  const bool share = !columns.log_target && most <= 1.0;
  const auto beyond = [&](double end) { return std::isfinite(end) && (end < 0.0 || (share && end > 1.0)); };
  if (std::ranges::none_of(intervals.lower, beyond) &&
      !(share && std::ranges::any_of(intervals.upper, beyond)))
    return "";
  return share ? "all targets are within 0 and 1: --clip 0,1" : "no target is below 0: --clip 0,";
}

HalfWidths half_widths_of(std::vector<double> sizes) {
  std::ranges::sort(sizes);
  const std::size_t tenth = std::max<std::size_t>(1, sizes.size() / 10);
  const std::span all(sizes);
  return {mean_of(all), mean_of(all.first(tenth)), mean_of(all.last(tenth))};
}

Quality quality_of(const Fitted& fit) {
  const TableIntervals intervals = fit.model.calibrating(fit.settings.jobs);
  Quality quality{.clip = clip_hint(fit, intervals)};
  quality.too_far = arma::uvec(arma::find_nonfinite(intervals.f)).n_elem;
  const UnseenRows unseen = unseen_rows(fit);
  const arma::vec errors = arma::square(unseen.y - unseen.f),
                  spread = arma::square(unseen.y - mean_of(unseen.y));
  quality.rmse = std::sqrt(mean_of(errors));
  quality.r2 = 1.0 - mean_of(errors) / mean_of(spread);
  for (std::size_t l = 0; l < fit.model.levels().size(); ++l) {
    std::vector<double> sizes;
    for (arma::uword n = 0; n < intervals.f.n_elem; ++n) {
      if (std::isnan(intervals.f(n))) continue;
      const double size = 0.5 * (intervals.upper(l, n) - intervals.lower(l, n));
      sizes.push_back(std::isnan(size) ? 0.0 : size);  // an empty interval
    }
    quality.half_widths.push_back(half_widths_of(std::move(sizes)));
  }
  return quality;
}

/// Ties of whole numbers make coverage more; so does every_row, as was measured.
std::pair<double, double> coverage_of(const Fitted& fit, const Level& level) {
  const auto [low, high] =
      expected_coverage(level, fit.settings.sides, fit.model.predictor().calibration_size());
  return {low, fit.settings.every_row || fit.settings.whole ? 1.0 : high};
}

/// As many of the texts as fit on the line.
std::string on_a_line(const std::vector<std::string>& texts) {
  constexpr std::size_t room = 46;
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = (i == 0 ? "" : ", ") + one_line(texts[i]);
    if (i > 0 && text_width(line) + text_width(text) > room)
      return line + fmt::format(", ... ({} in all)", texts.size());
    line += text;
  }
  return line;
}

template <class... Args>
void say_line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
  say("  {:<12}{}\n", label, fmt::format(format, std::forward<Args>(args)...));
}

void say_list(std::string_view label, const std::vector<std::string>& texts) {
  if (!texts.empty()) say_line(label, "{}", on_a_line(texts));
}

std::string centre_text(const Fitted& fit) {
  const FitReport& report = fit.model.predictor().report();
  if (!fit.table.prediction.empty()) return "the prediction of column " + show_text(fit.table.prediction);
  if (report.neighbours > 0) return fmt::format("{} neighbours", report.neighbours);
  if (report.centre_epochs > 0) return fmt::format("a network, {}", counted(report.centre_epochs, "epoch"));
  if (report.weights.empty()) return fmt::format("{} boosted trees", report.trees);
  constexpr const char* members[] = {"boosted trees", "network", "neighbours", "line"};
  std::multimap<double, std::string, std::greater<>> parts;
  for (std::size_t i = 0; i < report.weights.size(); ++i)
    if (const double weight = report.weights[i]; weight > 0.0 && !(report.line_first && i == 3))
      parts.emplace(weight, fmt::format("{:.2f} {}", weight, members[i]));
  std::vector<std::string> texts;
  if (report.line_first) texts.emplace_back("a line");
  for (const auto& [weight, text] : parts) texts.push_back(text);
  return texts.empty() ? "the mean" : join(texts, " + ");
}

std::string kind_text(const Column& column) {
  const auto values = [&](const char* what) { return counted(column.values.size(), what); };
  switch (column.kind) {
    case ColumnKind::number: {
      const std::string unit = column.written.value_or(Notation{}).unit;
      return unit.empty() ? column.name : fmt::format("{} ({})", column.name, unit);
    }
    case ColumnKind::category:
      return fmt::format("{} (category of {})", column.name, column.values.size());
    case ColumnKind::ordered:
      return fmt::format("{} ({} in order)", column.name, values("value"));
    case ColumnKind::date:
      return fmt::format("{} (date)", column.name);
    case ColumnKind::mean:
      return fmt::format("{} (mean of target)", column.name);
    case ColumnKind::list:
      return fmt::format("{} (lists of {})", column.name, values("member"));
  }
  return column.name;
}

void say_columns(const Fitted& fit) {
  std::vector<std::string> used, filled, unused;
  const std::vector<Column>& columns = fit.loaded.columns.attributes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    used.push_back(kind_text(columns[i]));
    if (const std::size_t cells = fit.loaded.table.filled[i]; cells > 0)
      filled.push_back(fmt::format("{} ({})", columns[i].name, counted(cells, "missing cell")));
  }
  for (const UnusedColumn& column : fit.input.unused)
    unused.push_back(fmt::format("{}: {}", column.name, unused_text(column)));
  for (const std::string& column : fit.loaded.table.dropped_columns)
    unused.push_back(column + ": missing cells");
  say_list("columns", used);
  if (!fit.input.text.empty()) say_line("", "guessed; `lacp datasets add` writes them down");
  say_list("filled", filled);
  say_list("not used", unused);
}

void say_rows(const Fitted& fit) {
  const PredictorSettings& settings = fit.settings;
  const std::size_t rows = fit.table.y.n_elem, calibrating = fit.model.predictor().calibration_size();
  const char* units = settings.groups.empty() ? "" : " groups";
  if (settings.every_row)
    say_line("rows", "{}; every row trains, {}{} calibrate", rows, calibrating, units);
  else
    say_line("rows", "{}; {}{} calibrate", rows, calibrating, units);
  if (fit.loaded.table.dropped_rows > 0 && fit.input.text.empty())  // of a draft it is among the notes
    say_line("left out", "{}, which have missing cells", counted(fit.loaded.table.dropped_rows, "row"));
  if (!settings.groups.empty())
    say_line("groups", "of {}; one row of each calibrates", show_text(fit.options.group));
  if (fit.options.by.empty()) return;
  const auto own = std::ranges::count_if(fit.model.classes(), [&](const TableModel::Class& each) {
    return each.rows >= fit.model.predictor().rows_needed_in_class(Level(0.5));
  });
  say_line("by", "{}: {} of {} calibrated by own rows; see `lacp info`", show_text(fit.options.by), own,
           counted(fit.model.classes().size(), "value"));
}

void say_learnt(const Fitted& fit) {
  const FitReport& report = fit.model.predictor().report();
  const Columns& columns = fit.model.columns();
  say_line("method", "{}, seed {}{}", fit.options.method, fit.settings.seed,
           fit.settings.sides == Sides::each ? ", a quantile for each side" : "");
  say_line("prediction", "{}", centre_text(fit));
  const std::string adaptation =
      report.adaptation
          ? fmt::format("; adaptation {} (0: one size; 1: as the local error)", *report.adaptation)
          : "";
  if (report.epochs_tried > 0)
    say_line("epochs", "{}, the best of {} tried{}", report.best_epoch, report.epochs_tried, adaptation);
  if (const std::string ends = ends_text(report); !ends.empty()) say_line("ends", "{}", ends);
  std::string limits;
  if (std::isfinite(columns.least) || std::isfinite(columns.most))
    limits = fmt::format("from {} to {}", columns.least, columns.most);
  if (fit.settings.whole)
    say_line("", "whole, as all targets are (else: --no-whole-ends){}", limits.empty() ? "" : ", " + limits);
  else if (!limits.empty())
    say_line("clip", "intervals {}", limits);
}

/// At the coverage that has most of them.
std::size_t width_groups_of(const Fitted& fit) {
  std::size_t most = 1;
  for (const Level& level : fit.model.levels())
    most = std::max(most, fit.model.predictor().width_groups_at(level));
  return most;
}

void say_quality(const Fitted& fit, const Quality& quality) {
  const std::string rmse = std::isfinite(quality.rmse) ? five_digits(quality.rmse) : "–",
                    r2 = std::isfinite(quality.r2) ? fmt::format("{:.3f}", quality.r2) : "–";
  say_line("error", "RMSE {}, R² {} on {}", rmse, r2,
           fit.table.prediction.empty() ? "rows that were not seen" : "calibration rows");
  if (quality.too_far > 0)
    say_line("", "{} too far out to predict", counted(quality.too_far, "calibration row"));
  std::vector<std::vector<std::string>> table{
      {"coverage", "to expect", "half-width", "smallest tenth", "largest tenth"}};
  for (std::size_t l = 0; l < fit.model.levels().size(); ++l) {
    const Level& level = fit.model.levels()[l];
    const auto [low, high] = coverage_of(fit, level);
    const HalfWidths& widths = quality.half_widths[l];
    std::string expected =
        high == 1.0 ? fmt::format("{:.3f} or more", low) : fmt::format("{:.3f} to {:.3f}", low, high);
    if (fit.options.method == "mondrian") expected = "";  // a quantile for each point
    if (low == 1.0) expected = "";
    table.push_back({level.complement().text(), expected, five_digits(widths.mean),
                     five_digits(widths.smallest), five_digits(widths.largest)});
  }
  say("{}", in_columns(table, 2));
  if (fit.settings.every_row)
    say_line("", "as measured; --calibration split makes it a theorem");
  else if (const std::size_t groups = width_groups_of(fit); groups > 1)
    say_line("", "by theorem, in each of up to {} groups of rows by width", groups);
  if (!quality.clip.empty()) say_line("range", "{}", quality.clip);
}

std::vector<Notice> notices_of(const Fitted& fit, const Quality& quality) {
  std::vector<Notice> notices = find_doubts(fit, quality.r2);
  for (std::string& line : infinite_lines(fit.model, fit.model.levels()))
    notices.push_back({"", {}, std::move(line)});
  return notices;
}

std::string json_of(const Fitted& fit, const Quality& quality, const std::vector<Notice>& notices) {
  const FitReport& report = fit.model.predictor().report();
  std::vector<std::string> coverages;
  for (std::size_t l = 0; l < fit.model.levels().size(); ++l) {
    const auto [low, high] = coverage_of(fit, fit.model.levels()[l]);
    coverages.push_back(json_object({{"coverage", fit.model.levels()[l].complement().text()},
                                     {"expected_low", json_number(low, 4)},
                                     {"expected_high", json_number(high, 4)},
                                     {"half_width", json_number(quality.half_widths[l].mean)}}));
  }
  const auto unused = [](const UnusedColumn& column) {
    return json_object({{"column", json_text(column.name)}, {"reason", json_text(unused_text(column))}});
  };
  const auto number = [](std::size_t count) { return fmt::format("{}", count); };
  const auto text = [](const Notice& notice) { return json_text(notice.text); };
  return json_object({{"model", json_text(fit.options.model.string())},
                      {"target", json_text(target_text(fit.input.description))},
                      {"method", json_text(fit.options.method)},
                      {"settings", json_text(as_set_options(fit.settings, fit.options.set))},
                      {"centre", json_text(centre_text(fit))},
                      {"rows", number(fit.table.y.n_elem)},
                      {"rows_left_out", number(fit.loaded.table.dropped_rows)},
                      {"repeated_rows", number(report.repeated_rows)},
                      {"copies_dropped", number(report.dropped_rows)},
                      {"training_rows", number(fit.learning())},
                      {"calibration_rows", number(fit.model.predictor().calibration_size())},
                      {"every_row", fit.settings.every_row ? "true" : "false"},
                      {"columns", json_list(fit.model.columns().attributes, column_json)},
                      {"not_used", json_list(fit.input.unused, unused)},
                      {"rmse", json_number(quality.rmse)},
                      {"r2", json_number(quality.r2)},
                      {"rmse_rows", number(unseen_rows(fit).y.n_elem)},
                      {"coverages", json_list(coverages)},
                      {"warnings", json_list(notices, text)},
                      {"info", info_json(fit.options.model.string(), fit.model)}}) +
         "\n";
}

}  // namespace

std::size_t Fitted::learning() const {
  const Split& split = rows.parts.split;
  return split.proper.size() + (settings.cross_fit == 0 ? split.train.size() : 0);
}

UnseenRows unseen_rows(const Fitted& fit) {
  arma::uvec rows(fit.rows.parts.split.test);
  arma::vec f = fit.model.predictor().report().out_of_folds;
  if (fit.table.prediction.empty() && !f.empty()) {
    rows = arma::uvec(arma::uvec(fit.rows.parts.split.train).tail(f.n_elem));
    if (fit.table.columns.log_target) f.transform([](double t) { return math::expm1(t); });
  } else {
    std::vector<arma::uword> too_far;
    f = fit.model.predict(fit.rows.X.cols(rows), &too_far, fit.settings.jobs).f;
    const arma::uvec near = arma::find_finite(f);
    rows = arma::uvec(rows(near));
    f = arma::vec(f(near));
  }
  arma::vec y = fit.table.y(rows);
  if (fit.table.columns.log_target) y.transform([](double t) { return math::expm1(t); });
  return {rows, f, y};
}

FitAnswer answer_of(const Fitted& fit) {
  const Quality quality = quality_of(fit);
  FitAnswer answer{.json = {}, .notices = notices_of(fit, quality)};
  answer.json = json_of(fit, quality, answer.notices);
  return answer;
}

void report_fit(const Fitted& fit) {
  if (fit.options.json) return show("{}", answer_of(fit).json);
  const Quality quality = quality_of(fit);
  std::vector<std::string> coverages;
  for (const Level& level : fit.model.levels()) coverages.push_back(level.complement().text());
  const std::vector<Column>& targets = fit.model.columns().target;
  const std::string target = targets.size() == 1 && !fit.model.columns().log_target
                                 ? one_line(kind_text(targets.front()))
                                 : target_text(fit.input.description);
  say("{}: predicts {} at coverage {}\n", fit.options.model.string(), target, join(coverages, ", "));
  say_columns(fit);
  say_rows(fit);
  say_learnt(fit);
  say_quality(fit, quality);
  for (const Notice& doubt : notices_of(fit, quality))
    if (quiet)
      tell("BEWARE {}\n", doubt.text);  // a promise that may not hold is no chatter
    else
      say("  BEWARE {}\n", doubt.text);
}

}  // namespace lacp

// What `lacp fit` says about a model: for people, and as json.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "common/coverage.hpp"
#include "common/json.hpp"
#include "common/message.hpp"
#include "common/yaml.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/model/centre.hpp"
#include "tool/class_coverage.hpp"
#include "tool/fit/fit.hpp"
#include "tool/info.hpp"

namespace lacp {
namespace {

/// How good the model is on rows that the prediction has not seen: training rows out of folds, if it has any,
/// else calibration rows, as for the sizes.
struct Quality {
  double rmse = 0, r2 = 0;
  std::string rows;                 ///< that these two are from
  std::vector<double> half_widths;  ///< the mean of each level
  std::string deciles;
  std::string clip;     ///< how to cut intervals that reach beyond what the target can be; or ""
  std::string extreme;  ///< extreme_targets
};

/// Of targets that are never below 0, or all within 0 and 1, where intervals are not.
std::string clip_hint(const Fitted& fit, const TableIntervals& intervals) {
  const Columns& columns = fit.table.columns;
  arma::vec y = fit.table.y;
  if (columns.log_target) y.transform([](double t) { return math::expm1(t); });
  if (std::isfinite(columns.least) || std::isfinite(columns.most) || y.min() < 0.0) return "";
  const bool share = y.max() <= 1.0;
  std::size_t beyond = 0;
  for (arma::uword n = 0; n < intervals.lower.n_cols; ++n) {
    bool leaves = false;
    for (arma::uword l = 0; l < intervals.lower.n_rows; ++l) {
      const double lower = intervals.lower(l, n), upper = intervals.upper(l, n);
      leaves =
          leaves || (std::isfinite(lower) && lower < 0.0) || (share && std::isfinite(upper) && upper > 1.0);
    }
    beyond += leaves ? 1 : 0;
  }
  if (beyond == 0) return "";
  return fmt::format(
      "{}, but intervals of {} of {} calibration rows {}; if none can be, --clip {} cuts them there, which costs no coverage",
      share ? "all targets are within 0 and 1" : "no target is below 0", beyond, intervals.lower.n_cols,
      share ? "reach beyond" : "begin there", share ? "0,1" : "0,");
}

/// Mean half-widths of the tenths of the calibration rows, from the smallest; without those that lie too far
/// out for an interval, which are counted.
Quality quality_of(const Fitted& fit) {
  const auto& [options, input, loaded, table, settings, of_fit, model] = fit;
  constexpr std::size_t deciles = 10;
  const FitReport& report = model.predictor().report();
  const bool in_folds = !report.calibrating.empty();
  const arma::uvec calibrating(in_folds ? report.calibrating : of_fit.split.test);
  const arma::mat X = of_fit.X.cols(calibrating);
  std::vector<arma::uword> too_far, near;
  const TableIntervals intervals = model.predict(X, &too_far, settings.jobs);
  for (arma::uword n = 0; n < X.n_cols; ++n)
    if (!std::ranges::binary_search(too_far, n)) near.push_back(n);
  Quality quality;
  quality.clip = clip_hint(fit, intervals);
  quality.extreme = extreme_targets(fit);
  arma::vec f = report.out_of_folds, y;
  if (table.prediction.empty() && !f.empty()) {
    y = table.y(in_folds ? calibrating : arma::uvec(arma::uvec(of_fit.split.train).tail(f.n_elem)));
    quality.rows = fmt::format("out of folds, on {}", counted(f.n_elem, in_folds ? "row" : "training row"));
    if (table.columns.log_target) f.transform([](double t) { return math::expm1(t); });
  } else {
    y = table.y(calibrating(arma::uvec(near)));
    f = intervals.f(arma::uvec(near));
    quality.rows =
        fmt::format("on {}{}", counted(near.size(), "calibration row"),
                    table.prediction.empty() ? ", which it has not seen"
                                             : "; whether it was made without them, the table does not say");
  }
  if (table.columns.log_target) y.transform([](double t) { return math::expm1(t); });
  const arma::vec errors = arma::square(y - f), spread = arma::square(y - mean_of(y));
  quality.rmse = std::sqrt(mean_of(errors));
  quality.r2 = 1.0 - mean_of(errors) / mean_of(spread);
  std::vector<std::vector<std::string>> rows{{"tenth of the rows"}};
  for (std::size_t k = 0; k < deciles; ++k) rows.push_back({fmt::format("{}", k + 1)});
  for (std::size_t l = 0; l < model.levels().size(); ++l) {
    rows[0].push_back("level " + model.levels()[l].text());
    std::vector<double> sizes;
    for (const arma::uword n : near) {
      const double size = 0.5 * (intervals.upper(l, n) - intervals.lower(l, n));
      sizes.push_back(std::isnan(size) ? 0.0 : size);  // an empty interval
    }
    quality.half_widths.push_back(mean_of(std::span(sizes)));
    std::ranges::sort(sizes);
    for (std::size_t k = 0; k < deciles; ++k) {
      const std::size_t begin = sizes.size() * k / deciles, end = sizes.size() * (k + 1) / deciles;
      rows[k + 1].push_back(
          begin == end ? "" : five_digits(mean_of(std::span(sizes).subspan(begin, end - begin))));
    }
  }
  quality.deciles = in_columns(rows, 4);
  if (!too_far.empty())
    quality.deciles +=
        fmt::format("  {} {} too far from those of the fit for a value there: left out of the tenths.\n",
                    counted(too_far.size(), "calibration row"), too_far.size() == 1 ? "lies" : "lie");
  return quality;
}

/// Of nine models of ten with this many rows to calibrate. With folds, or whole targets, it may be more.
std::pair<double, double> coverage_of(const Level& level, const PredictorSettings& settings, std::size_t n) {
  const auto [low, high] = expected_coverage(level, settings.sides, n);
  return {low, settings.calibration_folds != 0 || settings.whole ? 1.0 : high};
}

template <class... Args>
void say_line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
  say("  {:<16}{}\n", label, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void say_wrapped(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
  say("  {:<16}{}\n", label, wrapped(fmt::format(format, std::forward<Args>(args)...), 18, 18));
}

std::string centre_text(const FitReport& report, bool extremes) {
  if (report.neighbours > 0) return fmt::format("{} neighbours", report.neighbours);
  if (report.centre_epochs > 0)
    return fmt::format("a network, {} of training", counted(report.centre_epochs, "epoch"));
  if (report.weights.empty()) return fmt::format("{} boosted trees", report.trees);
  std::string network = "network";
  if (report.network_epochs > 0)
    network += fmt::format(" ({}{})", report.mapped ? "of attributes by ranks, " : "",
                           counted(report.network_epochs, "epoch"));
  const std::string_view members[] = {"boosted trees", network, "neighbours", "random trees"};
  std::multimap<double, std::string, std::greater<>> parts;
  for (std::size_t i = 0; i < report.weights.size(); ++i)
    if (const double weight = report.weights[i]; weight > 0.0)
      parts.emplace(weight, fmt::format("{:.2f} {}", weight, members[i]));
  std::vector<std::string> texts;
  for (const auto& [weight, text] : parts) texts.push_back(text);
  if (!texts.empty()) return join(texts, ", ") + " (by least squares, so their sum need not be 1)";
  return extremes ? "the mean: a few extreme targets hide what attributes tell"
                  : "the mean: no attribute tells more";
}

void say_guesses(const Draft& draft) {
  if (draft.text.empty()) return;
  say("  guessed, since there is no description (`lacp datasets add` writes one, to be corrected):\n");
  const auto is_unused = [&](const std::string& line) {  // told below
    return std::ranges::any_of(draft.unused, [&](const auto& column) {
      return trim(line).starts_with("- " + yaml_quoted(column.first) + "  #");
    });
  };
  for (const std::string& line : split_text(draft.text, '\n'))
    if (!line.starts_with('#') && line.find("# guess") != std::string::npos && !is_unused(line))
      say("    {}\n", trim(line));
}

std::string json_of(const Fitted& fit, const Quality& quality, const std::vector<std::string>& doubts) {
  const Split& split = fit.rows.split;
  const FitReport& report = fit.model.predictor().report();
  const auto named = [&](const auto& pair) {
    const std::string leak = leak_of(fit, pair.first, pair.second);
    const std::string reason = leak.empty() ? pair.second : pair.second + "; " + leak;
    return json_object({{"column", json_text(pair.first)}, {"reason", json_text(reason)}});
  };
  std::vector<std::string> levels;
  for (std::size_t l = 0; l < fit.model.levels().size(); ++l) {
    const Level& level = fit.model.levels()[l];
    const auto [low, high] = coverage_of(level, fit.settings, split.test.size());
    levels.push_back(json_object({{"level", level.text()},
                                  {"coverage", level.complement().text()},
                                  {"expected_low", json_number(low, 4)},
                                  {"expected_high", json_number(high, 4)},
                                  {"half_width", json_number(quality.half_widths[l])}}));
  }
  return json_object({{"model", json_text(fit.options.model.string())},
                      {"target", json_text(target_text(fit.input.description))},
                      {"method", json_text(fit.options.method)},
                      {"settings", json_text(as_set_options(fit.settings, fit.options.set))},
                      {"centre", json_text(centre_text(report, !quality.extreme.empty()))},
                      {"ends", json_text(ends_text(report))},
                      {"rows", fmt::format("{}", fit.table.y.n_elem)},
                      {"rows_left_out", fmt::format("{}", fit.loaded.table.dropped_rows)},
                      {"repeated_rows", fmt::format("{}", report.repeated_rows)},
                      {"copies_dropped", fmt::format("{}", report.dropped_rows)},
                      {"training_rows",
                       fmt::format("{}", split.proper.size() +
                                             (fit.settings.cross_fit == 0 ? split.train.size() : 0))},
                      {"calibration_rows", fmt::format("{}", split.test.size())},
                      {"calibration_folds", fmt::format("{}", fit.settings.calibration_folds)},
                      {"by", json_text(fit.options.by)},
                      {"classes", classes_json(fit.model)},
                      {"whole_ends", fit.settings.whole ? "true" : "false"},
                      {"columns", json_list(fit.model.columns().attributes, column_json)},
                      {"not_used", json_list(fit.input.unused, named)},
                      {"rmse", json_number(quality.rmse)},
                      {"r2", json_number(quality.r2)},
                      {"rmse_rows", json_text(quality.rows)},
                      {"levels", json_list(levels)},
                      {"warnings", json_texts(doubts)},
                      {"info", info_json(fit.options.model.string(), fit.model)}}) +
         "\n";
}

void say_columns(const Fitted& fit) {
  say("columns\n");
  say_guesses(fit.input);
  for (const std::string& line : column_lines(fit.input.description, fit.loaded))
    if (!line.starts_with("left out") && !line.starts_with("dropped rows")) say("  {}\n", line);
  for (const auto& [column, why] : fit.input.unused) {
    say_line("not used", "{}: {}", one_line(column), why);
    if (const std::string leak = leak_of(fit, column, why); !leak.empty()) say_wrapped("", "{}", leak);
  }
}

void say_rows(const Fitted& fit) {
  const auto& [options, input, loaded, table, settings, rows, model] = fit;
  const Split& split = rows.split;
  say("rows\n");
  if (settings.calibration_folds != 0)
    say_wrapped(
        "rows",
        "{}, in {} folds: {} calibrates, by a model of the other folds; a prediction is the mean of the models",
        counted(split.test.size(), settings.groups.empty() ? "row" : "group"), settings.calibration_folds,
        settings.groups.empty() ? "each" : "a row of each");
  else if (settings.cross_fit == 0)
    say_line("rows", "{} for the prediction, {} for the sizes, {} to calibrate", split.proper.size(),
             split.train.size(), split.test.size());
  else
    say_line("rows", "{} for the prediction and, out of {} folds, for the sizes, {} to calibrate",
             split.train.size(), settings.cross_fit, split.test.size());
  if (loaded.table.dropped_rows > 0)
    say_line("left out", "{} of {}, which have missing cells", loaded.table.dropped_rows,
             counted(table.y.n_elem + loaded.table.dropped_rows, "row"));
  if (const FitReport& report = model.predictor().report(); report.repeated_rows > 0)
    say_line("repeated rows", "{} of {} {} an earlier one, target included: {}", report.repeated_rows,
             counted(table.y.n_elem, "row"), report.repeated_rows == 1 ? "equals" : "equal",
             report.dropped_rows == 0 ? "all are used" : "each different row is used once");
  if (!settings.groups.empty())
    say_line("groups", "of {}, each in one part and one fold; one row of each calibrates",
             show_text(options.group));
  if (options.by.empty()) return;
  const char* label = "calibrated by";
  for (const std::string& line : class_lines(model)) {
    say_wrapped(label, "{}, {}", model.by_gaps() ? "missing cells" : show_text(options.by), line);
    label = "";
  }
  for (const std::string& line : class_lines_at(model, model.levels())) say_wrapped("", "{}", line);
}

void say_learnt(const Fitted& fit, bool extremes) {
  say("settings\n");
  say_line("method", "{}, seed {}{}", fit.options.method, fit.settings.seed,
           fit.settings.sides == Sides::each ? ", a quantile for each side" : "");
  say_wrapped("--set", "{} (`lacp help fit` has the defaults)",
              as_set_options(fit.settings, fit.options.set));
  const FitReport& report = fit.model.predictor().report();
  say_line(fit.settings.centre.kind == CentreKind::knn ? "K" : "prediction", "{}",
           fit.table.prediction.empty() ? centre_text(report, extremes)
                                        : "from column " + show_text(fit.table.prediction));
  const std::optional<double> theta = report.adaptation;
  if (report.epochs_tried > 0 && theta == 0.0)
    say_line("epochs", "none: the best of {} tried does not improve the score", report.epochs_tried);
  else if (report.epochs_tried > 0)
    say_line("epochs", "{}, the best of {} tried", report.best_epoch, report.epochs_tried);
  if (theta == 0.0)
    say_line("adaptation", "0: one size for all rows");
  else if (theta == 1.0)
    say_line("adaptation", "1: sizes in proportion to the local error");
  else if (theta)
    say_line("adaptation", "{0}: sizes as the local error to the power of {0}", *theta);
  if (fit.model.columns().log_target)
    say_line("target", "log(1 + y) is learnt; predictions and intervals are turned back, exp(x) - 1");
  const std::string ends = ends_text(report);
  if (!ends.empty()) say_wrapped("ends", "{}", ends);
  if (fit.settings.whole)
    say_line(ends.empty() ? "ends" : "", "whole numbers, as all targets are (--no-whole-ends: any numbers)");
  const Columns& columns = fit.model.columns();
  if (std::isfinite(columns.least) || std::isfinite(columns.most))
    say_line("clip", "intervals end at {} and {}, the limits of the target", columns.least, columns.most);
}

/// ", or --set split.test=0.4", if that many rows calibrate a level whose intervals are infinite.
std::string more_calibration(const Fitted& fit, const Level& level) {
  constexpr double most = 0.6;  // of the rows; the others have to learn
  const Split& split = fit.rows.split;
  const auto all = static_cast<double>(split.test.size() + split.train.size() +
                                       (fit.settings.cross_fit == 0 ? split.proper.size() : 0));
  std::size_t enough = split.test.size();
  while (static_cast<double>(enough) < all && coverage_of(level, fit.settings, enough).first == 1.0) ++enough;
  const double share = std::ceil(100.0 * static_cast<double>(enough + 1) / all) / 100.0;
  if (fit.settings.calibration_folds != 0 || share > most) return "";
  return fmt::format(", or --set split.test={}", share);
}

/// Why a level has no finite interval; "" if it has.
std::string infinite_text(const Fitted& fit, const Level& level) {
  const std::size_t n = fit.rows.split.test.size();
  if (coverage_of(level, fit.settings, n).first != 1.0) return "";
  return fmt::format("At level {} all intervals are infinite: {} calibrate; use more rows{}.", level.text(),
                     counted(n, "row"), more_calibration(fit, level));
}

void say_quality(const Fitted& fit, const Quality& quality) {
  const std::size_t n = fit.rows.split.test.size();
  say("what to expect\n");
  say_line("promise", "holds as long as new rows come from the same source as the known ones");
  say_line("prediction", "RMSE {}, R² {:.3f}, {}", five_digits(quality.rmse), quality.r2, quality.rows);
  const bool folds = fit.settings.calibration_folds != 0;
  const bool one_quantile = fit.options.method != "mondrian";
  for (const Level& level : fit.model.levels()) {
    const auto [low, high] = coverage_of(level, fit.settings, n);
    if (const std::string infinite = infinite_text(fit, level); !infinite.empty())
      say("  {}\n", infinite);
    else if (folds || (one_quantile && fit.settings.whole))
      say_line("coverage",
               "{} on average, or more; with {} to calibrate nineteen models of twenty have {:.3f} or more",
               level.complement().text(), counted(n, "row"), low);
    else if (one_quantile)
      say_line("coverage", "{} on average; with {} to calibrate nine models of ten have {:.3f} to {:.3f}",
               level.complement().text(), counted(n, "row"), low, high);
  }
  if (folds)
    say_wrapped(
        "",
        "since rows calibrate in folds, this is measured, not a theorem (up to four tenths fewer misses than promised were seen); --calibration-folds 0 makes it one");
  else if (one_quantile && fit.settings.whole)
    say_line("", "more as far as ties of whole numbers make it");
  if (const std::string classes = class_coverage_text(fit.model); !classes.empty())
    say("  coverage of the classes, of nineteen models of twenty:\n{}", classes);
  say("  mean half-width of the calibration rows, the smallest tenth first:\n{}", quality.deciles);
  say("what next\n");
  say_wrapped(
      "smaller",
      "more rows, more columns that explain the target, or less coverage (--coverage 0.8); another --method, of which `lacp evaluate` on rows that were held out says how it does");
  say_wrapped(
      "safer", "{}",
      folds
          ? "more coverage (--coverage 0.99), or --calibration-folds 0, which sets rows aside to calibrate, at the price of wider intervals"
          : "more coverage (--coverage 0.99), or more rows to calibrate (--set split.test=0.4), which narrows the range above");
  if (!quality.clip.empty()) say_wrapped("range", "{}", quality.clip);
}

}  // namespace

void report_fit(const Fitted& fit) {
  const Quality quality = quality_of(fit);
  std::vector<std::string> doubts = find_doubts(fit);
  if (!quality.extreme.empty())
    doubts.push_back(quality.extreme);
  else if (std::string weak = weak_prediction(quality.r2); !weak.empty())
    doubts.push_back(std::move(weak));
  if (std::string leak = target_in_columns(fit, quality.r2); !leak.empty()) doubts.push_back(std::move(leak));
  for (const Level& level : fit.model.levels())
    if (std::string infinite = infinite_text(fit, level); !infinite.empty()) {
      if (quiet) tell("{}\n", infinite);
      if (fit.options.json) doubts.push_back(std::move(infinite));
    }
  for (std::string& line : class_lines_at(fit.model, fit.model.levels())) {
    if (quiet) tell("{}\n", line);
    if (fit.options.json) doubts.push_back(std::move(line));
  }
  if (fit.options.json) return show("{}", json_of(fit, quality, doubts));
  std::vector<std::string> levels;
  for (const Level& level : fit.model.levels()) levels.push_back(level.text());
  say("{}: predicts {} at {} {}\n", fit.options.model.string(), target_text(fit.input.description),
      levels.size() == 1 ? "level" : "levels", join(levels, ", "));
  say_columns(fit);
  say_rows(fit);
  say_learnt(fit, !quality.extreme.empty());
  say_quality(fit, quality);
  for (const std::string& doubt : doubts)
    if (quiet)
      tell("BEWARE {}\n", doubt);  // a promise that may not hold is no chatter
    else
      say_wrapped("BEWARE", "{}", doubt);
}

}  // namespace lacp

// `lacp fit`: fits a model to a table, saves it, and says what it learnt.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>

#include "analysis/statistics.hpp"
#include "commands/commands.hpp"
#include "common/message.hpp"
#include "datasets/check.hpp"
#include "datasets/draft.hpp"
#include "datasets/load.hpp"
#include "engine/plan.hpp"
#include "io/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/table_model.hpp"
#include "lacp/data/split.hpp"
#include "lacp/model/centre.hpp"
#include "report/words.hpp"
#include "settings/experiment.hpp"

namespace lacp {
namespace {

struct FitOptions {
  std::string data, method, group, prediction, sides, clip;
  DraftOptions draft;
  std::filesystem::path model, datasets_folder;
  std::vector<std::string> levels, coverage, set;
  std::uint64_t seed = 1;
  bool json = false;
  std::size_t jobs = 0;
};

/// Settings of an experiment that a fit has, too.
void refuse_other_settings(const std::vector<std::string>& set) {
  for (const std::string& item : set) {
    const std::string key = item.substr(0, item.find('=')), group = key.substr(0, key.find('.'));
    if (key == "seed" || key == "levels" || key == "methods")
      user_error("--set {}: a fit has an option for this, --{}", item, key == "methods" ? "method" : key);
    const std::vector<std::string> groups = {"split",   "predictor", "transformation",
                                             "network", "training",  "baselines"};
    if (key == "evaluation.sides" || group == "rows") continue;
    if (std::ranges::find(groups, group) == groups.end() || key == "split.whole_batches" ||
        key == "predictor.redraw_per_part")
      user_error("--set {}: is no setting of a fit; expected a key of {}; `lacp help settings` lists them",
                 item, join(groups, ", "));
  }
}

/// A setting of a prediction that is not made would do nothing.
void refuse_other_kinds(const std::vector<std::string>& set, CentreKind kind) {
  for (const std::string& item : set) {
    const std::string key = item.substr(0, item.find('='));
    const bool of_knn = key == "predictor.grid" || key == "predictor.selection" || key == "predictor.folds" ||
                        key == "predictor.points";
    if (of_knn && kind != CentreKind::knn)
      user_error("--set {}: is for K nearest neighbours alone; add --set predictor.kind=knn, or leave it out",
                 item);
    if (key == "predictor.rounds" && kind != CentreKind::boosted)
      user_error("--set {}: is for boosted trees alone; add --set predictor.kind=boosted, or leave it out",
                 item);
  }
}

PredictorSettings settings_of(const FitOptions& options) {
  refuse_other_settings(options.set);
  find_method(options.method);
  const PredictorSettings start = PredictorSettings::recommended();
  YamlMap map = YamlMap::parse(
      fmt::format(
          "{{datasets: [table], methods: [fixed], levels: [0.1], training: {{selection: {{level: {}}}}}, "
          "predictor: {{kind: {}, rounds: {}, choose_once: {}, cross_fit: {}}}}}",
          start.training.selection.level.text(), name_of(start.centre.kind), start.centre.boosted.rounds,
          start.centre.boosted.choose_once, start.cross_fit),
      "lacp fit");
  override_values(map, options.set);
  const Experiment e = read_experiment(map, "fit");
  refuse_other_kinds(options.set, e.predictor.kind);
  return {.method = options.method,
          .seed = options.seed,
          .proper = e.split.proper,
          .train = e.split.train,
          .calibration = e.split.test,
          .centre = e.predictor,
          .cross_fit = e.predictor.cross_fit,
          .sides = options.sides == "each" ? Sides::each : e.evaluation.sides,
          .transformation = e.transformation,
          .network = e.network,
          .training = e.training,
          .rows = e.rows,
          .jobs = thread_count(options.jobs, 64)};
}

/// 1 − α, exact: a level has at most nine digits.
Level rest_of(const Level& level) { return Level::parse(fmt::format("{:.9f}", 1.0 - level.value())); }

std::vector<Level> levels_of(const FitOptions& options) {
  const bool as_coverage = !options.coverage.empty();
  if (as_coverage && !options.levels.empty())
    user_error("--coverage and --levels say the same, a level being 1 minus the coverage; leave one out");
  if (!as_coverage && options.levels.empty()) return {Level(0.05), Level(0.1), Level(0.32)};
  const std::string_view option = as_coverage ? "--coverage" : "--levels";
  std::vector<Level> levels;
  for (const std::string& text : as_coverage ? options.coverage : options.levels) {
    const Level given = Level::parse(text);
    levels.push_back(as_coverage ? rest_of(given) : given);
    const Level &alpha = levels.back(), coverage = rest_of(alpha);
    if (alpha.value() > 0.5)
      user_error(
          "{} {}: such intervals would cover {} of new rows; expected {}; for intervals that cover {}, say --coverage {} or --levels {}",
          option, text, coverage.text(), as_coverage ? "a coverage of 0.5 or more" : "a level of 0.5 or less",
          alpha.text(), alpha.text(), coverage.text());
    if (std::ranges::count(levels, alpha) > 1) user_error("{}: {} is given twice", option, given.text());
  }
  return levels;
}

/// Says on standard error how far the training is: on a terminal at each epoch, elsewhere every ten seconds.
class Epochs {
 public:
  explicit Epochs(std::size_t most) : most_(most), terminal_(::isatty(STDERR_FILENO) == 1) {
    if (!terminal_ && !quiet) clock_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
  }

  void operator()(const EpochReport& report) {
    std::string phase =
        report.final_training ? "training on all rows of its part" : "choosing the number of epochs";
    if (report.epoch == 1 && !terminal_)
      note("{}{}\n", phase, report.final_training ? "" : fmt::format(", at most {}", most_));
    phase += fmt::format(
        ": epoch {}{}", report.epoch,
        report.validation_score ? fmt::format(", validation score {:.4g}", *report.validation_score) : "");
    if (terminal_ && !quiet) told_ = true, tell("\r{}\033[K", phase);
    const std::lock_guard lock(mutex_);
    phase_ = std::move(phase);
  }
  void end() {
    clock_ = {};
    if (told_) tell("\r\033[K");
  }

 private:
  void tick(const std::stop_token& stop) {
    constexpr std::size_t seconds = 10;
    std::unique_lock lock(mutex_);
    for (std::size_t n = 1;
         !wake_.wait_for(lock, stop, std::chrono::seconds(seconds), [] { return false; }) &&
         !stop.stop_requested();
         ++n)
      note("{} s: {}\n", n * seconds, phase_);
  }

  std::size_t most_;
  bool terminal_, told_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string phase_ = "fitting the prediction";
  std::jthread clock_;  // the last member: it ends first
};

TableModel train(const TableToFit& table, const FitOptions& options, const PredictorSettings& settings,
                 const std::vector<Level>& levels, Epochs& epochs) {
  try {
    TableModel model =
        TableModel::fit(table, levels, settings, [&](const EpochReport& report) { epochs(report); });
    epochs.end();
    return model;
  } catch (const TrainingError& error) {
    epochs.end();
    run_error(
        "{}; no model was written; try smaller steps (--set training.learning_rate={:g}), another --seed, or another --method than {} (fixed trains nothing)",
        error.what(), settings.training.adam.learning_rate / 10.0, options.method);
  } catch (const RunError& error) {
    epochs.end();
    run_error("{}; no model was written", error.what());
  }
}

/// How good the model is on its calibration rows, which the prediction has not seen.
struct Quality {
  double rmse = 0, r2 = 0;
  std::vector<double> half_widths;  ///< the mean of each level
  std::string deciles;
};

/// Mean half-widths of the tenths of the calibration rows, from the smallest; without those that lie too far
/// out for an interval, which are counted.
Quality quality_of(const TableModel& model, const arma::mat& X, arma::vec y) {
  constexpr std::size_t deciles = 10;
  std::vector<arma::uword> too_far;
  const TableIntervals intervals = model.predict(X, &too_far);
  if (model.columns().log_target) y.transform([](double t) { return math::expm1(t); });
  const auto is_far = [&](arma::uword n) { return std::ranges::binary_search(too_far, n); };
  Quality quality;
  std::vector<double> targets, errors;
  for (arma::uword n = 0; n < y.n_elem; ++n)
    if (!is_far(n))
      targets.push_back(y(n)), errors.push_back((y(n) - intervals.f(n)) * (y(n) - intervals.f(n)));
  const double mean = mean_of(std::span(targets));
  std::vector<double> spread;
  for (const double target : targets) spread.push_back((target - mean) * (target - mean));
  quality.rmse = std::sqrt(mean_of(std::span(errors)));
  quality.r2 = 1.0 - mean_of(std::span(errors)) / mean_of(std::span(spread));
  std::vector<std::vector<std::string>> rows{{"tenth of the rows"}};
  for (std::size_t k = 0; k < deciles; ++k) rows.push_back({fmt::format("{}", k + 1)});
  for (std::size_t l = 0; l < model.levels().size(); ++l) {
    rows[0].push_back("level " + model.levels()[l].text());
    std::vector<double> sizes;
    for (arma::uword n = 0; n < X.n_cols; ++n) {
      const double size = 0.5 * (intervals.upper(l, n) - intervals.lower(l, n));
      if (!is_far(n)) sizes.push_back(std::isnan(size) ? 0.0 : size);  // an empty interval
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
        fmt::format("  {} too far from those of the fit for a value there: left out of the tenths.\n",
                    too_far.size() == 1 ? "1 calibration row lies"
                                        : fmt::format("{} calibration rows lie", too_far.size()));
  return quality;
}

/// The range in which the coverage of nine models of ten lies, if this many rows calibrate: with one quantile
/// that of the k-th of n scores is Beta(k, n + 1 − k), with one for each side Beta(2k − n − 1, 2(n + 1 − k)).
/// (1, 1) if the intervals are infinite.
std::pair<double, double> expected_coverage(const Level& level, Sides sides, std::size_t n) {
  const std::size_t k = (sides == Sides::each ? level.half() : level).rank(n);
  if (k > n) return {1.0, 1.0};
  const auto outside = static_cast<double>((sides == Sides::each ? 2 : 1) * (n + 1 - k));
  const auto quantile = [&](double p) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (incomplete_beta(static_cast<double>(n + 1) - outside, outside, middle) < p ? low : high) = middle;
    }
    return low;
  };
  return {quantile(0.05), quantile(0.95)};
}

void say_line(std::string_view label, const std::string& value) { say("  {:<16}{}\n", label, value); }

std::string adaptation_words(double theta) {
  if (theta == 0.0) return "one size for all rows";
  return theta == 1.0 ? "sizes in proportion to the local error"
                      : fmt::format("sizes as the local error to the power of {}", theta);
}

std::string centre_text(const FitReport& report) {
  if (report.neighbours > 0) return fmt::format("{} neighbours", report.neighbours);
  if (report.centre_epochs > 0)
    return fmt::format("a network, {} of training", counted(report.centre_epochs, "epoch"));
  return fmt::format("{} boosted trees", report.trees);
}

/// What `auto` chose, and why.
std::string stages_text(const FitReport& report) {
  std::vector<std::string> scores;
  for (const StageScore& stage : report.stages)
    scores.push_back(fmt::format("{} {:.3f}", stage.method, stage.score));
  return fmt::format("{}, which has the lowest Winkler score on validation rows; relative to fixed: {}",
                     report.chosen, join(scores, ", "));
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

/// The columns of a table become those of the model: some may be dropped for a missing cell.
void show_learnt(const Columns& learnt, LoadedDataset& loaded) {
  std::vector<std::size_t> filled;
  loaded.table.dropped_columns.clear();
  for (std::size_t i = 0; i < loaded.columns.attributes.size(); ++i) {
    const std::string& name = loaded.columns.attributes[i].name;
    if (std::ranges::find(learnt.attributes, name, &Column::name) == learnt.attributes.end())
      loaded.table.dropped_columns.push_back(name);
    else
      filled.push_back(learnt.attributes[filled.size()].if_missing == IfMissing::fill ? loaded.table.filled[i]
                                                                                      : 0);
  }
  loaded.table.filled = std::move(filled);
  loaded.columns = learnt;
}

std::string repeats_text(const Repeats& repeats, std::size_t rows) {
  if (repeats.copies.empty()) return "";
  const std::string found =
      fmt::format("{} of {} {} an earlier one", repeats.copies.size(), counted(rows, "row"),
                  repeats.copies.size() == 1 ? "equals" : "equal");
  if (!repeats.by_chance) return found + ": each different row is used once";
  return found +
         ", as rows of few values do by chance, so all are used; if they are copies, take them out, or coverage is lost";
}

/// The column of --prediction as an attribute that every row needs.
void require_prediction(TableToFit& table) {
  const auto column = std::ranges::find(table.columns.attributes, table.prediction, &Column::name);
  if (column == table.columns.attributes.end() || column->kind != ColumnKind::number ||
      table.columns.log_target)
    user_error(
        "--prediction {}: is no attribute of numbers, or log(1 + y) is learnt; expected a column of predictions of the target",
        show_text(table.prediction));
  column->if_missing = IfMissing::refuse;
  const std::vector<std::string> names = table.columns.attribute_names();
  const arma::rowvec values =
      table.X.row(static_cast<arma::uword>(std::ranges::find(names, table.prediction) - names.begin()));
  if (values.has_nan())
    user_error("--prediction {}: a row has none; leave such rows out", show_text(table.prediction));
}

/// Settings as --set takes them.
std::string settings_text(const PredictorSettings& settings) {
  std::string text = fmt::format("predictor.kind={} predictor.cross_fit={}", name_of(settings.centre.kind),
                                 settings.cross_fit);
  if (settings.centre.kind == CentreKind::boosted)
    text += fmt::format(" predictor.rounds={} predictor.choose_once={}", settings.centre.boosted.rounds,
                        settings.centre.boosted.choose_once);
  return text + fmt::format(" split.test={} training.epochs={} training.selection.level={}",
                            settings.calibration, settings.training.epochs,
                            settings.training.selection.level.text());
}

/// What a fit is told about, once for people and once for programs.
struct Fitted {
  const FitOptions& options;
  const DescribedTable& input;
  const LoadedDataset& loaded;
  const TableToFit& table;
  const PredictorSettings& settings;
  const Split& split;
  const TableModel& model;
  Quality quality;
};

std::string json_of(const Fitted& fit) {
  const Split& split = fit.split;
  const auto named = [](const auto& pair) {
    return json_object({{"column", json_text(pair.first)}, {"reason", json_text(pair.second)}});
  };
  const auto column = [](const Column& c) {
    constexpr const char* kinds[] = {"number", "category", "ordered", "date", "mean of target"};
    return json_object({{"column", json_text(c.name)},
                        {"kind", json_text(kinds[static_cast<std::size_t>(c.kind)])},
                        {"attributes", fmt::format("{}", attribute_count(c))}});
  };
  std::vector<std::string> levels;
  for (std::size_t l = 0; l < fit.model.levels().size(); ++l) {
    const Level& level = fit.model.levels()[l];
    const auto [low, high] = expected_coverage(level, fit.settings.sides, split.test.size());
    levels.push_back(json_object({{"level", level.text()},
                                  {"coverage", rest_of(level).text()},
                                  {"expected_low", json_number(low, 4)},
                                  {"expected_high", json_number(high, 4)},
                                  {"half_width", json_number(fit.quality.half_widths[l])}}));
  }
  return json_object(
             {{"model", json_text(fit.options.model.string())},
              {"target", json_text(target_text(fit.input.description))},
              {"method", json_text(fit.options.method)},
              {"settings", json_text(settings_text(fit.settings))},
              {"chosen", json_text(fit.model.predictor().report().chosen)},
              {"rows", fmt::format("{}", fit.table.y.n_elem)},
              {"rows_left_out", fmt::format("{}", fit.loaded.table.dropped_rows)},
              {"repeated_rows", fmt::format("{}", find_repeats(fit.table.X, fit.table.y).copies.size())},
              {"training_rows",
               fmt::format("{}",
                           split.proper.size() + (fit.settings.cross_fit == 0 ? split.train.size() : 0))},
              {"calibration_rows", fmt::format("{}", split.test.size())},
              {"columns", json_list(fit.model.columns().attributes, column)},
              {"not_used", json_list(fit.input.draft.unused, named)},
              {"rmse", json_number(fit.quality.rmse)},
              {"r2", json_number(fit.quality.r2)},
              {"levels", json_list(levels, [](const std::string& text) { return text; })}}) +
         "\n";
}

void say_wrapped(std::string_view label, const std::string& value) {
  say("  {:<16}{}\n", label, wrapped(value, 18, 18));
}

void say_columns(const Fitted& fit) {
  say("columns\n");
  say_guesses(fit.input.draft);
  for (const std::string& line : column_lines(fit.input.description, fit.loaded))
    if (!line.starts_with("left out") && !line.starts_with("dropped rows")) say("  {}\n", line);
  for (const auto& [column, why] : fit.input.draft.unused)
    say_line("not used", fmt::format("{}: {}", one_line(column), why));
}

void say_rows(const Fitted& fit) {
  const auto& [options, input, loaded, table, settings, split, model, quality] = fit;
  say("rows\n");
  say_line("rows",
           settings.cross_fit == 0
               ? fmt::format("{} for the prediction, {} for the sizes, {} to calibrate", split.proper.size(),
                             split.train.size(), split.test.size())
               : fmt::format("{} for the prediction and, out of {} folds, for the sizes, {} to calibrate",
                             split.train.size(), settings.cross_fit, split.test.size()));
  if (loaded.table.dropped_rows > 0)
    say_line("left out", fmt::format("{} of {}, which have missing cells", loaded.table.dropped_rows,
                                     counted(table.y.n_elem + loaded.table.dropped_rows, "row")));
  if (const std::string text = repeats_text(find_repeats(table.X, table.y), table.y.n_elem); !text.empty())
    say_line("repeated rows", text);
  if (!settings.groups.empty())
    say_line("groups", fmt::format("of {}, each in one part and one fold; one row of each calibrates",
                                   show_text(options.group)));
}

void say_learnt(const Fitted& fit) {
  say("settings\n");
  say_line("method", fmt::format("{}, seed {}{}", fit.options.method, fit.settings.seed,
                                 fit.settings.sides == Sides::each ? ", a quantile for each side" : ""));
  say_wrapped("--set", settings_text(fit.settings) + " (`lacp help fit` has the defaults)");
  const FitReport& report = fit.model.predictor().report();
  say_line(fit.settings.centre.kind == CentreKind::knn ? "K" : "prediction",
           fit.table.prediction.empty() ? centre_text(report)
                                        : fmt::format("from column {}", show_text(fit.table.prediction)));
  const std::optional<double> theta = report.adaptation;
  if (!report.chosen.empty()) say_wrapped("chosen", stages_text(report));
  if (report.epochs_tried > 0 && (report.chosen.empty() || report.chosen == "adapt"))
    say_line("epochs",
             theta == 0.0
                 ? fmt::format("none: the best of {} tried does not improve the score", report.epochs_tried)
                 : fmt::format("{}, the best of {} tried", report.best_epoch, report.epochs_tried));
  if (theta) say_line("adaptation", fmt::format("{}: {}", *theta, adaptation_words(*theta)));
  if (fit.model.columns().log_target)
    say_line("target", "log(1 + y) is learnt; predictions and intervals are turned back, exp(x) - 1");
  const Columns& columns = fit.model.columns();
  if (std::isfinite(columns.least) || std::isfinite(columns.most))
    say_line("clip", fmt::format("intervals end at {} and {}, the limits of the target", columns.least,
                                 columns.most));
}

void say_quality(const Fitted& fit) {
  const std::size_t n = fit.split.test.size();
  say("what to expect\n");
  say_line("prediction", fmt::format("RMSE {}, R² {:.3f}, on the {} that calibrate and that it has not seen",
                                     five_digits(fit.quality.rmse), fit.quality.r2, counted(n, "row")));
  const bool one_quantile = fit.options.method != "mondrian" && fit.options.method != "rlcp";
  for (const Level& level : fit.model.levels()) {
    const auto [low, high] = expected_coverage(level, fit.settings.sides, n);
    if (low == 1.0)
      say("  At level {} all intervals are infinite: {} calibrate; use more rows, or a larger split.test.\n",
          level.text(), counted(n, "row"));
    else if (one_quantile)
      say_line("coverage",
               fmt::format("{} on average; with {} to calibrate nine models of ten have {:.3f} to {:.3f}",
                           rest_of(level).text(), counted(n, "row"), low, high));
  }
  say("  mean half-width of the calibration rows, the smallest tenth first:\n{}", fit.quality.deciles);
  say("what next\n");
  say_wrapped(
      "smaller",
      "more rows, more columns that explain the target, or less coverage (--coverage 0.8); `lacp evaluate` on rows that were held out compares methods");
  say_wrapped(
      "safer",
      "more coverage (--coverage 0.99), or more rows to calibrate (--set split.test=0.4), which narrows the range above");
}

/// Where rows are few, more of them calibrate, up to a half: as many as the smallest level needs.
void share_few_rows(PredictorSettings& settings, const std::vector<Level>& levels, std::size_t rows,
                    const std::vector<std::string>& set) {
  if (std::ranges::any_of(set, [](const std::string& item) { return item.starts_with("split."); })) return;
  double wanted = settings.calibration;
  for (const Level& level : levels) {
    const double least = (settings.sides == Sides::each ? 2.0 : 1.0) / level.value();  // and a row to spare
    wanted = std::max(wanted, std::min(0.5, (least + 1.0) / static_cast<double>(rows)));
  }
  settings.calibration = wanted;
  settings.proper = settings.train = (1.0 - wanted) / 2.0;
}

/// Into the columns: "0,100", "0," or ",100".
void read_limits(const std::string& clip, Columns& columns) {
  const std::vector<std::string> ends = split_text(clip, ',');
  const auto read = [&](std::size_t i, double otherwise) {
    if (ends.size() == 2 && trim(ends[i]).empty()) return otherwise;
    const auto number = ends.size() == 2 ? parse_double(trim(ends[i])) : std::nullopt;
    if (!number)
      user_error(
          "--clip {}: expected the least and the largest value that the target can have, as 0,100 or 0,",
          show_text(clip));
    return *number;
  };
  columns.least = read(0, columns.least), columns.most = read(1, columns.most);
  if (!(columns.least < columns.most))
    user_error("--clip {}: the first number must be smaller", show_text(clip));
}

/// Values that are there can be.
void check_limits(const Columns& columns, arma::vec y, const std::string& target) {
  if (columns.log_target) y.transform([](double t) { return math::expm1(t); });
  for (const double value : y)
    if (!(value >= columns.least && value <= columns.most))
      user_error("{} is {} in a row; expected {} to {}, as --clip or the description says", show_text(target),
                 value, columns.least, columns.most);
}

int fit_model(const FitOptions& given) {
  FitOptions options = given;
  if (options.method.empty())
    options.method = options.sides == "each" ? "adapt" : PredictorSettings::recommended().method;
  PredictorSettings settings = settings_of(options);
  const std::vector<Level> levels = levels_of(options);
  const DescribedTable input = describe_table(options.datasets_folder, options.data, options.draft);
  if (is_synthetic(input.description))
    user_error("{}: is synthetic: there is no table whose further rows could be predicted", options.data);
  if (!input.draft.text.empty()) tell_notes(input.draft);
  protect_inputs(input.description);
  check_writable(options.model);
  LoadedDataset loaded = load_for_fit(input.description, options.group);
  TableToFit table{loaded.columns, loaded.format, std::move(loaded.data.X), std::move(loaded.data.y),
                   options.prediction};
  if (!options.prediction.empty()) require_prediction(table);
  if (!options.clip.empty()) read_limits(options.clip, table.columns);
  check_limits(table.columns, table.y, target_text(input.description));
  settings.groups = std::move(loaded.groups);
  share_few_rows(settings, levels, table.y.n_elem, options.set);
  const FitRows rows = rows_of_fit(table, settings);
  const Split& split = rows.split;
  note("{}: {}, {}; fitting {}\n", input.description.source->table.string(), counted(table.y.n_elem, "row"),
       counted(rows.X.n_rows, "attribute"), options.method);
  Epochs epochs(settings.training.epochs);
  const TableModel model = train(table, options, settings, levels, epochs);
  model.save(options.model);
  show_learnt(model.columns(), loaded);
  const arma::uvec calibrating(split.test);
  const Fitted fit{
      options,  input, loaded, table,
      settings, split, model,  quality_of(model, rows.X.cols(calibrating), table.y(calibrating))};
  if (options.json) {
    show("{}", json_of(fit));
    return exit_done;
  }
  std::vector<std::string> level_texts;
  for (const Level& level : levels) level_texts.push_back(level.text());
  say("{}: predicts {} at {} {}\n", options.model.string(), target_text(input.description),
      levels.size() == 1 ? "level" : "levels", join(level_texts, ", "));
  say_columns(fit), say_rows(fit), say_learnt(fit), say_quality(fit);
  return exit_done;
}

}  // namespace

void add_fit(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "fit", "Fit a model to a csv of your own, or to a data set", fit_model);
  add(command, "DATA", o.data, "DATASET",
      "a table (csv, csv.gz, xlsx, or - for standard input), a data set, or its description (.yaml)")
      ->required();
  add_draft_options(command, o.draft);
  add(command, "--model", o.model, "FILE", "file for the model")->required();
  add(command, "--method", o.method, "METHOD",
      "one of `lacp methods` (default: auto; with --sides each adapt)");
  add(command, "--levels", o.levels, "LEVELS", "levels α of the intervals (default: 0.05,0.1,0.32)")
      ->delimiter(',');
  add(command, "--coverage", o.coverage, "SHARES", "the same as the coverage 1 - α, e.g. 0.95,0.9")
      ->delimiter(',');
  add(command, "--group", o.group, "COLUMN", "column that says which rows belong together; no attribute");
  add(command, "--prediction", o.prediction, "COLUMN",
      "column with predictions of the target by a model of your own, each made without its row: the centre of the intervals");
  add(command, "--sides", o.sides, "both|each",
      "one quantile for both sides, or one for each: for errors that are lopsided (default: both)")
      ->check(CLI::IsMember({"both", "each"}));
  add(command, "--clip", o.clip, "MIN,MAX",
      "values that the target can have, to which intervals are cut, e.g. 0,100 or 0,");
  add(command, "--seed", o.seed, "N", "where all random numbers begin (default: 1)");
  add_jobs(command, o.jobs);
  add_set(command, o.set, "settings of an experiment, e.g. --set training.epochs=20");
  command.add_flag("--json", o.json, "print what was fitted as json");
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
  command.footer("Defaults of --set, which are not those of an experiment: " +
                 settings_text(PredictorSettings::recommended()) + ".");
}

}  // namespace lacp

// `lacp fit`: fits a model to a table, saves it, and says what it learnt.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "commands/commands.hpp"
#include "common/layout.hpp"
#include "common/message.hpp"
#include "datasets/check.hpp"
#include "datasets/draft.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/table_model.hpp"
#include "lacp/data/split.hpp"
#include "lacp/model/centre.hpp"
#include "settings/experiment.hpp"

namespace lacp {
namespace {

struct FitOptions {
  std::string data, method = "adapt", group;
  DraftOptions draft;
  std::filesystem::path model, datasets_folder;
  std::vector<std::string> levels, coverage, set;
  std::uint64_t seed = 1;
};

/// Settings of an experiment that a fit has, too.
void refuse_other_settings(const std::vector<std::string>& set) {
  for (const std::string& item : set) {
    const std::string key = item.substr(0, item.find('=')), group = key.substr(0, key.find('.'));
    if (key == "seed" || key == "levels" || key == "methods")
      user_error("--set {}: a fit has an option for this, --{}", item, key == "methods" ? "method" : key);
    const std::vector<std::string> groups = {"split",   "predictor", "transformation",
                                             "network", "training",  "rows"};
    if (key == "evaluation.sides") continue;
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
          "predictor: {{kind: {}, rounds: {}, cross_fit: {}}}}}",
          start.training.selection.level.text(), name_of(start.centre.kind), start.centre.boosted.rounds,
          start.cross_fit),
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
          .sides = e.evaluation.sides,
          .transformation = e.transformation,
          .network = e.network,
          .training = e.training,
          .rows = e.rows};
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

/// Says on standard error how far the training is.
class Epochs {
 public:
  explicit Epochs(std::size_t most) : most_(most), terminal_(::isatty(STDERR_FILENO) == 1) {}

  void operator()(const EpochReport& report) {
    if (report.epoch == 1 && !terminal_)
      note("{}\n", report.final_training ? fmt::format("training on all rows of its part")
                                         : fmt::format("choosing the number of epochs, at most {}", most_));
    if (!terminal_ || quiet) return;
    told_ = true;
    tell("\r{}: epoch {}{}\033[K",
         report.final_training ? "training on all rows of its part" : "choosing the number of epochs",
         report.epoch,
         report.validation_score ? fmt::format(", validation score {:.4g}", *report.validation_score) : "");
  }
  void end() const {
    if (told_) tell("\r\033[K");
  }

 private:
  std::size_t most_;
  bool terminal_, told_ = false;
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

/// Mean half-widths of the tenths of the calibration rows, from the smallest; without those that lie too far
/// out for an interval, which are counted.
std::string deciles_text(const TableModel& model, const arma::mat& X) {
  constexpr std::size_t deciles = 10;
  std::vector<arma::uword> too_far;
  const TableIntervals intervals = model.predict(X, &too_far);
  const auto is_far = [&](arma::uword n) { return std::ranges::binary_search(too_far, n); };
  std::vector<std::vector<std::string>> rows{{"tenth of the rows"}};
  for (const Level& level : model.levels()) rows[0].push_back("level " + level.text());
  for (std::size_t k = 0; k < deciles; ++k) {
    rows.push_back({fmt::format("{}", k + 1)});
    for (std::size_t l = 0; l < model.levels().size(); ++l) {
      std::vector<double> sizes;
      for (arma::uword n = 0; n < X.n_cols; ++n) {
        const double size = 0.5 * (intervals.upper(l, n) - intervals.lower(l, n));
        if (!is_far(n)) sizes.push_back(std::isnan(size) ? 0.0 : size);  // an empty interval
      }
      std::ranges::sort(sizes);
      const std::size_t begin = sizes.size() * k / deciles, end = sizes.size() * (k + 1) / deciles;
      rows.back().push_back(
          begin == end ? "" : five_digits(mean_of(std::span(sizes).subspan(begin, end - begin))));
    }
  }
  std::string text = in_columns(rows, 4);
  if (!too_far.empty())
    text += fmt::format("  {} too far from those of the fit for a value there: left out of the tenths.\n",
                        too_far.size() == 1 ? "1 calibration row lies"
                                            : fmt::format("{} calibration rows lie", too_far.size()));
  return text;
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

void say_guesses(const std::string& draft) {
  if (draft.empty()) return;
  say("  guessed, since there is no description (`lacp datasets add` writes one, to be corrected):\n");
  for (const std::string& line : split_text(draft, '\n'))
    if (!line.starts_with('#') && line.find("# guess") != std::string::npos) say("    {}\n", trim(line));
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

int fit_model(const FitOptions& options) {
  PredictorSettings settings = settings_of(options);
  const std::vector<Level> levels = levels_of(options);
  const DescribedTable input = describe_table(options.datasets_folder, options.data, options.draft);
  if (is_synthetic(input.description))
    user_error("{}: is synthetic: there is no table whose further rows could be predicted", options.data);
  for (const std::string& words : input.notes) note("{}\n", words);
  protect_inputs(input.description);
  check_writable(options.model);
  LoadedDataset loaded = load_for_fit(input.description, options.group);
  const TableToFit table{loaded.columns, loaded.format, std::move(loaded.data.X), std::move(loaded.data.y)};
  settings.groups = std::move(loaded.groups);
  const FitRows rows = rows_of_fit(table, settings);
  const Split& split = rows.split;
  note("{}: {}, {}; fitting {}\n", input.description.source->table.string(), counted(table.y.n_elem, "row"),
       counted(rows.X.n_rows, "attribute"), options.method);
  Epochs epochs(settings.training.epochs);
  const TableModel model = train(table, options, settings, levels, epochs);
  model.save(options.model);

  const std::string target = target_text(input.description);
  std::vector<std::string> level_texts;
  for (const Level& level : levels) level_texts.push_back(level.text());
  say("{}: predicts {} at {} {}\n", options.model.string(), target, levels.size() == 1 ? "level" : "levels",
      join(level_texts, ", "));
  say_guesses(input.draft);
  show_learnt(model.columns(), loaded);
  for (const std::string& line : column_lines(input.description, loaded)) say("  {}\n", line);
  say_line("rows",
           settings.cross_fit == 0
               ? fmt::format("{} for the prediction, {} for the sizes, {} to calibrate", split.proper.size(),
                             split.train.size(), split.test.size())
               : fmt::format("{} for the prediction and, out of {} folds, for the sizes, {} to calibrate",
                             split.train.size(), settings.cross_fit, split.test.size()));
  if (const std::string text = repeats_text(find_repeats(table.X, table.y), table.y.n_elem); !text.empty())
    say_line("repeated rows", text);
  if (!settings.groups.empty())
    say_line("groups", fmt::format("of {}, each in one part and one fold; one row of each calibrates",
                                   show_text(options.group)));
  const FitReport& report = model.predictor().report();
  say_line(settings.centre.kind == CentreKind::knn ? "K" : "prediction", centre_text(report));
  const std::optional<double> theta = report.adaptation;
  say_line("epochs", report.epochs_tried == 0 ? "none: nothing to train"
                     : theta == 0.0
                         ? fmt::format("none: the best of {} tried was no gain", report.epochs_tried)
                         : fmt::format("{}, the best of {} tried", report.best_epoch, report.epochs_tried));
  if (theta) say_line("adaptation", fmt::format("{}: {}", *theta, adaptation_words(*theta)));
  if (model.columns().log_target)
    say_line("target", "log(1 + y) is learnt; predictions and intervals are turned back, exp(x) - 1");
  say("  mean half-width of the calibration rows, the smallest tenth first:\n{}",
      deciles_text(model, rows.X.cols(arma::uvec(split.test))));
  for (const Level& level : levels)
    if ((settings.sides == Sides::each ? level.half() : level).rank(split.test.size()) > split.test.size())
      say("  At level {} all intervals are infinite: {} calibrate; use more rows, or a larger split.test.\n",
          level.text(), counted(split.test.size(), "row"));
  return exit_done;
}

}  // namespace

void add_fit(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "fit", "Fit a model to a csv of your own, or to a data set", fit_model);
  add(command, "DATA", o.data, "DATASET",
      "a table (csv, csv.gz or xlsx), a data set, or its description (.yaml)")
      ->required();
  add_draft_options(command, o.draft);
  add(command, "--model", o.model, "FILE", "file for the model")->required();
  add(command, "--method", o.method, "METHOD", "one of `lacp methods` (default: adapt)");
  add(command, "--levels", o.levels, "LEVELS", "levels α of the intervals (default: 0.05,0.1,0.32)")
      ->delimiter(',');
  add(command, "--coverage", o.coverage, "SHARES", "the same as the coverage 1 - α, e.g. 0.95,0.9")
      ->delimiter(',');
  add(command, "--group", o.group, "COLUMN", "column that says which rows belong together; no attribute");
  add(command, "--seed", o.seed, "N", "where all random numbers begin (default: 1)");
  add_set(command, o.set, "settings of an experiment, e.g. --set training.epochs=20");
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
}

}  // namespace lacp

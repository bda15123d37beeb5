// `lacp fit`: fits a model to a table, and saves it.
#include "tool/fit/fit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "lacp/table/gaps.hpp"
#include "tool/shares.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Says on standard error how far the training is: on a terminal at each epoch or fold, elsewhere every ten
/// seconds.
class Epochs {
 public:
  explicit Epochs(const PredictorSettings& settings)
      : most_(settings.training.epochs),
        folds_(settings.calibration_folds),
        terminal_(::isatty(STDERR_FILENO) == 1) {
    if (folds_ > 0) show(fold_text());
    if (!terminal_ && !quiet) clock_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
  }

  void operator()(const EpochReport& report) {
    if (report.epoch == 0) {
      ++folds_done_;
      if (folds_done_ < folds_) show(fold_text());
      return;
    }
    std::string phase =
        report.final_training ? "training on all rows of its part" : "looking for the length of training";
    if (report.epoch == 1 && report.fold == 0 && !terminal_)
      note("{}{}\n", phase, report.final_training ? "" : fmt::format(", at most {} epochs", most_));
    phase += fmt::format(
        ": epoch {}{}", report.epoch,
        report.validation_score ? fmt::format(", validation score {:.4g}", *report.validation_score) : "");
    show(folds_ > 0 ? fold_text() + ", " + phase : phase);
  }
  ~Epochs() {
    clock_ = {};
    if (told_) tell("\r\033[K");
  }

 private:
  std::string fold_text() const { return fmt::format("fitting fold {} of {}", folds_done_ + 1, folds_); }

  void show(const std::string& phase) {
    if (terminal_ && !quiet) {
      told_ = true;
      tell("\r{}\033[K", phase);
    }
    const std::lock_guard lock(mutex_);
    phase_ = phase;
  }

  void tick(const std::stop_token& stop) {
    constexpr std::size_t seconds = 10;
    std::unique_lock lock(mutex_);
    for (std::size_t n = 1;
         !wake_.wait_for(lock, stop, std::chrono::seconds(seconds), [] { return false; }) &&
         !stop.stop_requested();
         ++n)
      note("{} s: {}\n", n * seconds, phase_);
  }

  std::size_t most_, folds_, folds_done_ = 0;
  bool terminal_, told_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string phase_ = "fitting the prediction";
  std::jthread clock_;  // the last member: it ends first
};

TableModel train(const TableToFit& table, const FitRows& rows, const PredictorSettings& settings,
                 const std::vector<Level>& levels) try {
  Epochs epochs(settings);
  return TableModel::fit(table, rows, levels, settings, [&](const EpochReport& report) { epochs(report); });
} catch (const TrainingError& error) {
  run_error(
      "{}; no model was written; try smaller steps (--set training.learning_rate={:g}), another --seed, or another --method than {} (fixed trains nothing)",
      error.what(), settings.training.adam.learning_rate / 10.0, settings.method);
} catch (const RunError& error) {
  run_error("{}; no model was written", error.what());
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

/// A column that is called "missing" wins, since it is what `--by COLUMN` says.
void check_by(const std::string& by, const TableToFit& table, const Draft& input) {
  const Columns& columns = table.columns;
  std::vector<std::string> names;
  for (const Column& column : columns.attributes) names.push_back(column.name);
  const bool is_attribute = std::ranges::find(names, by) != names.end();
  if (is_attribute && by == by_missing)
    note("--by missing: calibrates by the column of that name; to calibrate by missing cells, rename it\n");
  const auto is_named = [&](const auto& column) { return column.first == by; };
  const bool is_other = std::ranges::find(columns.target, by, &Column::name) != columns.target.end() ||
                        std::ranges::any_of(input.unused, is_named) || table.group == by;
  if (names_gaps(columns, by) && !is_other) {
    if (gaps_of(columns, table.X).is_zero())
      user_error(
          "--by missing: no cell is missing in the rows and columns that are used, so there is nothing to calibrate by; leave it out, or name a column");
    return;
  }
  if (!is_attribute)
    user_error("--by {}: is no attribute{}; attributes: {}", show_text(by), did_you_mean(by, names),
               short_list(names));
}

/// Values that are there can be.
void check_limits(const Columns& columns, arma::vec y, const std::string& target) {
  if (columns.log_target) y.transform([](double t) { return math::expm1(t); });
  for (const double value : y)
    if (!(value >= columns.least && value <= columns.most))
      user_error("{} is {} in a row; expected {} to {}, as --clip or the description says", show_text(target),
                 value, columns.least, columns.most);
}

/// Loudly, since coverage may rest on it; not where the person has decided.
void tell_repeats(const Repeats& repeats, std::size_t rows, const FitOptions& options) {
  if (repeats.copies.empty() || !options.copies.empty()) return;
  if (repeats.times > 1)
    tell("each different row occurs {} times, so each is used once; --copies keep uses all {}\n",
         repeats.times, counted(rows, "row"));
  else
    tell(
        "{} of {} {} an earlier one, target included; all are used. Coverage is as promised if new rows repeat known ones as often as these do. If these are copies by mistake, it is less for new rows: --copies drop uses each different row once (--copies keep: without this note)\n",
        repeats.copies.size(), counted(rows, "row"), repeats.copies.size() == 1 ? "equals" : "equal");
}

/// A column of which no value has rows enough would calibrate nothing.
void check_classes(const std::string& by, const TableToFit& table, const FitRows& rows) {
  constexpr std::size_t fewest_rows = 30, many = 64;  // rows as PredictorSettings::by has them
  std::size_t attribute = 0;
  for (const Column& column : table.columns.attributes) {
    const std::size_t first = std::exchange(attribute, attribute + attribute_count(column));
    if (column.name != by || attribute_count(column) != 1) continue;
    std::map<double, std::size_t> counts;
    for (const double value : table.X.row(first))
      if (!std::isnan(value)) counts[value] = 0;
    std::size_t most = 0;
    for (const arma::uword n : rows.split.test)
      if (const auto found = counts.find(table.X(first, n)); found != counts.end())
        most = std::max(most, ++found->second);
    if (counts.size() > many && most < fewest_rows)
      user_error(
          "--by {}: has {} different values, and none of them the {} calibration rows that it needs; the most frequent has {}; name a column of fewer values",
          show_text(by), counts.size(), fewest_rows, most);
  }
}

/// Ten fits instead of one: why, and how to do without.
void note_folds(const FitOptions& options, const PredictorSettings& settings) {
  if (settings.calibration_folds == 0 || options.calibration_folds) return;
  note(
      "with fewer than 1,000 {} each of them calibrates, by a model of the other folds: {} models are fitted, which takes that much longer; --calibration-folds 0 fits one\n",
      settings.groups.empty() ? "rows" : "groups", settings.calibration_folds);
}

/// Beside no table that it could be named after, and over no file that nobody named, is a model written.
fs::path model_after(const std::string& data) {
  std::error_code ignored;
  if (data == "-" || (fs::exists(data, ignored) && !fs::is_regular_file(data, ignored)))
    user_error("--model: is missing, and {} is no file that the model could be named after", data);
  const fs::path model = name_after(data) + ".lacp";
  if (fs::exists(model, ignored))
    user_error("{0}: is there already; --model {0} replaces it, another --model keeps it", model.string());
  return model;
}

/// Rows that a program hands over.
std::vector<double> doubles_of_input() {
  const std::string bytes = read_pipe("-");
  if (bytes.empty() || bytes.size() % sizeof(double) != 0)
    user_error("standard input: has {}; expected rows of doubles", counted(bytes.size(), "byte"));
  std::vector<double> rows(bytes.size() / sizeof(double));
  std::memcpy(rows.data(), bytes.data(), bytes.size());
  return rows;
}

}  // namespace

int fit_model(const FitOptions& given) {
  FitOptions options = given;
  if (options.method.empty())
    options.method = options.sides == "each" ? "adapt" : PredictorSettings::recommended().method;
  if (options.model.empty()) options.model = model_after(options.data);
  PredictorSettings settings = settings_of(options);
  options.draft.jobs = settings.jobs;
  const std::vector<Level> levels = options.coverage.empty()
                                        ? std::vector{Level(0.05), Level(0.1), Level(0.32)}
                                        : covering_levels(options.coverage);
  if (options.doubles && !options.data.ends_with(".yaml"))
    user_error(
        "--doubles: found {}; expected a description (.yaml), whose table has the names of the columns",
        show_text(options.data));
  Draft input = describe_table(options.datasets_folder, options.data, options.draft);
  if (is_synthetic(input.description))
    user_error("{}: is synthetic: there is no table whose further rows could be predicted", options.data);
  if (!input.text.empty()) tell_notes(input);
  protect_inputs(input.description);
  if (options.data == "-" || options.doubles) protect_input("-");
  check_writable(options.model);
  if (options.doubles)
    input.description.source->rows = std::make_shared<const std::vector<double>>(doubles_of_input());
  LoadedDataset loaded = load_for_fit(input.description, options.group);
  input.description.source->rows.reset();
  TableToFit table{loaded.columns,           loaded.format,      std::move(loaded.data.X),
                   std::move(loaded.data.y), options.prediction, options.by,
                   !options.no_row_hashes,   options.group,      std::move(loaded.groups)};
  if (!options.prediction.empty()) require_prediction(table);
  if (!options.by.empty()) check_by(options.by, table, input);
  if (!options.clip.empty()) read_limits(options.clip, table.columns);
  check_limits(table.columns, table.y, target_text(input.description));
  constexpr std::size_t least_rows_for_network = 100;  // fewer may not suffice to validate it
  if (given.method.empty() && options.method == "adapt" && table.y.n_elem < least_rows_for_network)
    settings.method = options.method = "knn_error";
  settings.groups = groups_of(table.group_texts);
  settings.whole = !options.no_whole_ends && options.prediction.empty() && !table.columns.log_target &&
                   std::ranges::all_of(table.y, [](double y) { return y == std::round(y); });
  const Repeats repeats = find_repeats(table.X, table.y);
  tell_repeats(repeats, table.y.n_elem, options);
  // What is divided: groups, of which one row each calibrates, or rows without copies that are dropped.
  const std::size_t units = settings.groups.empty()
                                ? table.y.n_elem - dropped_copies(repeats, settings.copies).size()
                                : std::set(settings.groups.begin(), settings.groups.end()).size();
  settings.calibration_folds = calibration_folds(options, settings, units);
  if (settings.calibration_folds == 0) share_rows(settings, levels, units, options);
  const FitRows rows = rows_of_fit(table, settings);
  note("{}: {}, {}; fitting {}\n", input.description.source->table.string(), counted(table.y.n_elem, "row"),
       counted(rows.X.n_rows, "attribute"), options.method);
  note_folds(options, settings);
  if (!options.by.empty()) check_classes(options.by, table, rows);
  const TableModel model = train(table, rows, settings, levels);
  model.save(options.model);
  show_learnt(model.columns(), loaded);
  report_fit({options, input, loaded, table, settings, rows, model});
  return exit_done;
}

}  // namespace lacp

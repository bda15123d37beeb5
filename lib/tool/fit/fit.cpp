// `lacp fit`: fits a model to a table, and saves it.
#include "tool/fit/fit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "tool/tool.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Shows on a terminal how far the training is: at each epoch or fold.
class Epochs {
 public:
  explicit Epochs(const PredictorSettings& settings)
      : folds_(settings.calibration_folds), shown_(::isatty(STDERR_FILENO) == 1 && !quiet) {
    if (folds_ > 0) show("");
  }
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;
  ~Epochs() {
    if (shown_) tell("\r\033[K");
  }

  void operator()(const EpochReport& report) {
    if (report.epoch == 0)
      ++folds_done_;
    else
      show(fmt::format("{}: epoch {}", report.final_training ? "final training" : "training", report.epoch));
    if (report.epoch == 0 && folds_done_ < folds_) show("");
  }

 private:
  void show(const std::string& phase) const {
    if (!shown_) return;
    const std::string fold = folds_ > 0 ? fmt::format("fitting fold {} of {} ", folds_done_ + 1, folds_) : "";
    tell("\r{}{}\033[K", fold, phase);
  }

  std::size_t folds_, folds_done_ = 0;
  bool shown_;
};

TableModel train(const TableToFit& table, const FitRows& rows, const PredictorSettings& settings,
                 const std::vector<Level>& levels) try {
  Epochs epochs(settings);
  return TableModel::fit(table, rows, levels, settings, [&](const EpochReport& report) { epochs(report); });
} catch (const TrainingError& error) {
  run_error("{}; no model was written; try --set training.learning_rate={:g}, or --method fixed",
            error.what(), settings.training.adam.learning_rate / 10.0);
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
    user_error("--prediction {}: expected a column of predictions of the target",
               show_text(table.prediction));
  column->if_missing = IfMissing::refuse;
  const std::vector<std::string> names = table.columns.attribute_names();
  const arma::rowvec values =
      table.X.row(static_cast<arma::uword>(std::ranges::find(names, table.prediction) - names.begin()));
  if (values.has_nan()) user_error("--prediction {}: is missing in a row", show_text(table.prediction));
}

void check_by(const std::string& by, const Columns& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns.attributes) names.push_back(column.name);
  if (std::ranges::find(names, by) == names.end())
    user_error("--by {}: is no attribute{}; attributes: {}", show_text(by), did_you_mean(by, names),
               short_list(names));
}

/// Values that are there can be.
void check_limits(const Columns& columns, arma::vec y, const std::string& target) {
  if (columns.log_target) y.transform([](double t) { return math::expm1(t); });
  for (const double value : y)
    if (!(value >= columns.least && value <= columns.most))
      user_error("{} is {} in a row; expected {} to {} (--clip)", show_text(target), value, columns.least,
                 columns.most);
}

/// Loudly, since coverage may rest on it; not where the person has decided.
void tell_repeats(const Repeats& repeats, std::size_t rows, const FitOptions& options) {
  constexpr std::size_t few = 100;  // one in this many changes no coverage
  if (few * repeats.copies.size() < rows || !options.copies.empty()) return;
  if (repeats.times > 1)
    tell("each row occurs {} times and is used once; --copies keep uses all {}\n", repeats.times,
         counted(rows, "row"));
  else
    tell("{} of {} equal an earlier one; --copies drop leaves them out\n", repeats.copies.size(),
         counted(rows, "row"));
}

/// The name of a model that --model does not give. A pipe gives it none, and a file that exists is not
/// replaced.
fs::path model_after(const std::string& data) {
  std::error_code ignored;
  if (data == "-" || (fs::exists(data, ignored) && !fs::is_regular_file(data, ignored)))
    user_error("--model: is missing, and {} is no name for it", data);
  const fs::path model = name_after(data) + ".lacp";
  if (fs::exists(model, ignored))
    user_error("{0}: is there already; --model {0} replaces it", model.string());
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
  const std::vector<Level> levels = options.coverage.empty()
                                        ? std::vector{Level(0.05), Level(0.1), Level(0.32)}
                                        : covering_levels(options.coverage);
  if (options.doubles && !options.data.ends_with(".yaml"))
    user_error("--doubles: found {}; expected a description (.yaml)", show_text(options.data));
  Draft input = describe_table(options.datasets_folder, options.data, options.draft);
  if (is_synthetic(input.description)) user_error("{}: is synthetic, no table", options.data);
  for (const std::string& words : input.notes) note("{}\n", words);
  protect_inputs(input.description);
  if (options.data == "-" || options.doubles) protect_input("-");
  check_writable(options.model);
  if (options.doubles)
    input.description.source->rows = std::make_shared<const std::vector<double>>(doubles_of_input());
  LoadedDataset loaded = load_for_fit(input.description, options.group);
  input.description.source->rows.reset();
  TableToFit table{
      loaded.columns, loaded.format, std::move(loaded.data.X), std::move(loaded.data.y), options.prediction,
      options.by,     options.group, std::move(loaded.groups)};
  for (const UnusedColumn& column : input.unused)
    if (column.reason == Unused::constant && column.count == 0)
      table.constant.emplace_back(column.name, column.cell);
  if (!options.prediction.empty()) require_prediction(table);
  if (!options.by.empty()) check_by(options.by, table.columns);
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
  const TableModel model = train(table, rows, settings, levels);
  model.save(options.model);
  show_learnt(model.columns(), loaded);
  report_fit({options, input, loaded, table, settings, rows, model});
  return exit_done;
}

}  // namespace lacp

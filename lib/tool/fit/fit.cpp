// `lacp fit`: fits a model to a table, and saves it.
#include "tool/fit/fit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
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

/// Shows on a terminal how far the training is.
class Epochs {
 public:
  Epochs() = default;
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;
  ~Epochs() { end(); }
  void end() {
    if (std::exchange(shown_, false)) tell("\r\033[K");
  }

  void operator()(const EpochReport& report) const {
    if (!shown_) return;
    tell("\r{}: epoch {}\033[K", report.final_training ? "final training" : "training", report.epoch);
  }

 private:
  bool shown_ = ::isatty(STDERR_FILENO) == 1 && !quiet;
};

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
    option_error("prediction", table.prediction, "expected a column of predictions of the target");
  column->if_missing = IfMissing::refuse;
  const std::vector<std::string> names = table.columns.attribute_names();
  const arma::rowvec values =
      table.X.row(static_cast<arma::uword>(std::ranges::find(names, table.prediction) - names.begin()));
  if (values.has_nan()) option_error("prediction", table.prediction, "is missing in a row");
}

void check_by(const std::string& by, const Columns& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns.attributes) names.push_back(column.name);
  if (std::ranges::find(names, by) == names.end())
    option_error(
        "by", by,
        fmt::format("is no attribute{}; attributes: {}", did_you_mean(by, names), short_list(names)));
}

/// Values that are there can be.
void check_limits(const Columns& columns, arma::vec y, const std::string& target) {
  if (columns.log_target) y.transform([](double t) { return math::expm1(t); });
  for (const double value : y)
    if (!(value >= columns.least && value <= columns.most))
      user_error("{} is {} in a row; expected {} to {} (--clip)", show_text(target), value, columns.least,
                 columns.most);
}

/// Coverage may rest on it; not where the person has decided.
std::optional<Notice> repeats_notice(const Repeats& repeats, std::size_t rows, const FitOptions& options) {
  constexpr std::size_t few = 100;  // one in this many changes no coverage
  const std::size_t copies = repeats.copies.size();
  if (few * copies < rows || !options.copies.empty()) return std::nullopt;
  const std::vector<std::string> values{fmt::format("{}", repeats.times > 1 ? repeats.times : copies),
                                        counted(rows, "row")};
  if (repeats.times > 1)
    return Notice{"all_repeated", values,
                  fmt::format("each row occurs {} times and is used once; --copies keep uses all {}",
                              values[0], values[1])};
  return Notice{
      "repeated", values,
      fmt::format("{} of {} equal an earlier one; --copies drop leaves them out", values[0], values[1])};
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

}  // namespace

FitPlan plan_of(const FitOptions& given) {
  FitPlan plan{.options = given, .settings = {}, .levels = {}, .own_method = given.method.empty()};
  if (plan.own_method)
    plan.options.method = given.sides == "each" ? "adapt" : PredictorSettings::recommended().method;
  plan.settings = settings_of(plan.options);
  plan.levels = given.coverage.empty() ? std::vector{Level(0.05), Level(0.1), Level(0.32)}
                                       : covering_levels(given.coverage);
  return plan;
}

Fitted fit_table(FitPlan plan, Draft input, LoadedDataset loaded,
                 const std::function<void(const EpochReport&)>& on_epoch) {
  auto& [options, settings, levels, own_method] = plan;
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
  if (own_method && options.method == "adapt" && table.y.n_elem < least_rows_for_network)
    settings.method = options.method = "knn_error";
  settings.groups = groups_of(table.group_texts);
  settings.whole = !options.no_whole_ends && options.prediction.empty() && !table.columns.log_target &&
                   std::ranges::all_of(table.y, [](double y) { return y == std::round(y); });
  const Repeats repeats = find_repeats(table.X, table.y);
  // What is divided: groups, of which one row each calibrates, or rows without copies that are dropped.
  const std::size_t units = settings.groups.empty()
                                ? table.y.n_elem - dropped_copies(repeats, settings.copies).size()
                                : std::set(settings.groups.begin(), settings.groups.end()).size();
  // Of few groups, or of rows that repeat, as many folds as there are.
  if (settings.cross_fit > units) settings.cross_fit = std::max<std::size_t>(2, units);
  settings.every_row = uses_every_row(options, settings, table.y.n_elem, units);
  if (!settings.every_row) share_rows(settings, levels, units, options);
  FitRows rows = rows_of_fit(table, settings);
  TableModel model = TableModel::fit(table, rows, levels, settings, on_epoch);
  show_learnt(model.columns(), loaded);
  std::optional<Notice> notice = repeats_notice(repeats, table.y.n_elem, options);
  return {std::move(options),  std::move(input), std::move(loaded), std::move(table),
          std::move(settings), std::move(rows),  std::move(model),  std::move(notice)};
}

int fit_model(const FitOptions& given) {
  FitPlan plan = plan_of(given);
  if (plan.options.model.empty()) plan.options.model = model_after(given.data);
  Draft input = describe_table(given.datasets_folder, given.data, given.draft);
  if (is_synthetic(input.description)) user_error("{}: is synthetic, no table", given.data);
  for (const std::string& words : input.notes) note("{}\n", words);
  protect_inputs(input.description);
  if (given.data == "-") protect_input("-");
  check_writable(plan.options.model);
  LoadedDataset loaded = load_for_fit(input.description, given.group);
  const double learning_rate = plan.settings.training.adam.learning_rate;
  Epochs epochs;
  const Fitted fit = [&] {
    try {
      return fit_table(std::move(plan), std::move(input), std::move(loaded),
                       [&](const EpochReport& report) { epochs(report); });
    } catch (const TrainingError& error) {
      run_error("{}; no model was written; try --set training.learning_rate={:g}, or --method fixed",
                error.what(), learning_rate / 10.0);
    } catch (const RunError& error) {
      run_error("{}; no model was written", error.what());
    }
  }();
  epochs.end();
  if (fit.repeats) tell("{}\n", fit.repeats->text);  // loudly
  fit.model.save(fit.options.model);
  report_fit(fit);
  return exit_done;
}

}  // namespace lacp

// The options of `lacp fit`, and the settings that they make.
#include <algorithm>
#include <array>
#include <cmath>

#include "commands/commands.hpp"
#include "commands/fit/fit.hpp"
#include "engine/plan.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {
namespace {

/// Settings of an experiment that a fit has, too.
void refuse_other_settings(const std::vector<std::string>& set) {
  const std::vector<std::string> groups = {"split",   "predictor", "transformation",
                                           "network", "training",  "baselines"};
  for (const std::string& item : set) {
    const std::string key = item.substr(0, item.find('=')), group = key.substr(0, key.find('.'));
    for (const auto& [other, option] :
         {std::pair("seed", "seed"), {"levels", "coverage"}, {"methods", "method"}})
      if (key == other) user_error("--set {}: a fit has an option for this, --{}", item, option);
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
    constexpr std::array of_knn = {"predictor.grid", "predictor.selection", "predictor.folds",
                                   "predictor.points"};
    if (std::ranges::find(of_knn, key) != of_knn.end() && kind != CentreKind::knn)
      user_error("--set {}: is for K nearest neighbours alone; add --set predictor.kind=knn, or leave it out",
                 item);
    if (key == "predictor.rounds" && kind != CentreKind::boosted && kind != CentreKind::stack)
      user_error(
          "--set {}: is for boosted trees and stacks alone; add --set predictor.kind=stack, or leave it out",
          item);
  }
}

bool shares_are_given(const std::vector<std::string>& set) {
  return std::ranges::any_of(set, [](const std::string& item) { return item.starts_with("split."); });
}

/// The settings with those shares of a split that are not given: they take what is left, in proportion.
std::vector<std::string> with_other_shares(std::vector<std::string> set, const PredictorSettings& start) {
  double left = 1.0, others = 0.0;
  std::vector<std::pair<std::string, double>> open;
  for (const auto& [name, share] : {std::pair{"split.proper=", start.proper},
                                    {"split.train=", start.train},
                                    {"split.test=", start.calibration}}) {
    const auto given =
        std::ranges::find_if(set, [&name = name](const std::string& item) { return item.starts_with(name); });
    if (given == set.end())
      open.emplace_back(name, share), others += share;
    else
      left -= parse_double(given->substr(given->find('=') + 1)).value_or(0.0);
  }
  if (open.size() == 3 || left <= 0.0) return set;
  for (const auto& [name, share] : open) set.push_back(fmt::format("{}{:.12g}", name, left * share / others));
  return set;
}

}  // namespace

PredictorSettings settings_of(const FitOptions& options) {
  refuse_other_settings(options.set);
  find_method(options.method);
  const PredictorSettings start = PredictorSettings::recommended();
  Experiment e;
  e.training.selection.level = start.training.selection.level;
  static_cast<CentreOptions&>(e.predictor) = start.centre;
  e.predictor.cross_fit = start.cross_fit;
  set_values(e, with_other_shares(options.set, start));
  refuse_other_kinds(options.set, e.predictor.kind);
  if (const auto problem = check_of(find_method(options.method), e.training).problem())
    user_error("--set training.objective: {}", problem->message);  // the field is objective.kind
  return {.method = options.method,
          .seed = options.seed,
          .proper = e.split.proper,
          .train = e.split.train,
          .calibration = e.split.test,
          .centre = e.predictor,
          .cross_fit = e.predictor.cross_fit,
          .sides = options.sides == "each" ? Sides::each : e.evaluation.sides,
          .copies = options.copies == "keep"   ? Copies::keep
                    : options.copies == "drop" ? Copies::drop
                                               : Copies::by_itself,
          .transformation = e.transformation,
          .network = e.network,
          .training = e.training,
          .baselines = e.baselines,
          .jobs = thread_count(options.jobs, 64)};
}

std::vector<Level> read_shares(const char* option, const std::vector<std::string>& texts) {
  std::vector<Level> shares;
  for (const std::string& text : texts) {
    const std::string whole = text.substr(0, text.find('.'));  // 95 and 99.5 are percent
    const bool percent = whole.size() == 2 && whole[0] > '0' && parse_integer(whole);
    try {
      shares.push_back(
          Level::parse(percent ? "0." + whole + text.substr(std::min(text.size(), std::size_t{3})) : text));
    } catch (const UserError&) {
      user_error("{} {}: expected decimals between 0 and 1 with at most 9 digits, such as 0.95", option,
                 text);
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
      user_error(
          "--coverage {0}: expected 0.5 or more; for intervals that miss {0} of new rows, say --coverage {1}",
          covered.text(), levels.back().text());
  }
  return levels;
}

void share_few_rows(PredictorSettings& settings, const std::vector<Level>& levels, std::size_t units,
                    const std::vector<std::string>& set) {
  if (shares_are_given(set)) return;
  double wanted = settings.calibration;
  for (const Level& level : levels) {
    const double least = (settings.sides == Sides::each ? 2.0 : 1.0) / level.value();  // and a row to spare
    const double all = static_cast<double>(units);
    // One that needs more than half is infinite anyway: the others should not pay for it.
    if (least <= 0.5 * all) wanted = std::max(wanted, std::min(0.5, (least + 1.0) / all));
  }
  settings.calibration = wanted;
  settings.proper = settings.train = (1.0 - wanted) / 2.0;
}

std::size_t calibration_folds(const FitOptions& options, const PredictorSettings& settings,
                              std::size_t units) {
  if (!settings.groups.empty() && units < 3)
    user_error("--group {}: has {}; expected at least 3", show_text(options.group), counted(units, "group"));
  const bool possible = calibrates_by_folds(find_method(options.method), settings.sides) &&
                        settings.cross_fit != 0 && options.by.empty();
  if (!options.calibration_folds) {
    constexpr std::size_t few_rows = 1000, folds_of_few_rows = 10;
    // A class of the paper stays what it is there: f ± q·s(x), with one q and one f.
    const bool as_in_paper = find_method(options.method).transformation != nullptr;
    const bool few = units < few_rows && units >= 4;
    const bool by_folds = possible && !as_in_paper && few && !shares_are_given(options.set);
    return by_folds ? std::min(folds_of_few_rows, units / 2) : 0;
  }
  const std::size_t folds = *options.calibration_folds;
  if (folds == 0) return 0;
  if (!possible)
    user_error(
        "--calibration-folds {}: needs a method with one quantile for all rows (not mondrian), --sides both, a predictor.cross_fit of at least 2 and no --by; leave it out",
        folds);
  if (shares_are_given(options.set))
    user_error("--calibration-folds {}: no rows are set aside then; leave out --set split", folds);
  if (folds == 1 || 2 * folds > units)
    user_error("--calibration-folds {}: expected 0, or 2 to {}, half of the {}", folds, units / 2,
               settings.groups.empty() ? "rows" : "groups");
  return folds;
}

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

std::string as_set_options(const PredictorSettings& settings, const std::vector<std::string>& given) {
  std::string text = fmt::format("predictor.kind={} predictor.cross_fit={}", name_of(settings.centre.kind),
                                 settings.cross_fit);
  if (settings.centre.kind == CentreKind::boosted || settings.centre.kind == CentreKind::stack)
    text += fmt::format(" predictor.rounds={}", settings.centre.boosted.rounds);
  if (settings.calibration_folds == 0) text += fmt::format(" split.test={}", settings.calibration);
  text += fmt::format(" training.epochs={} training.selection.level={}", settings.training.epochs,
                      settings.training.selection.level.text());
  for (const std::string& item : given)
    if (text.find(item.substr(0, item.find('=') + 1)) == std::string::npos) text += " " + item;
  return text;
}

void add_fit(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "fit", "Fit a model to a csv of your own, or to a data set", fit_model);
  add(command, "DATA", o.data, "DATASET",
      "a table (csv, csv.gz, xlsx, or - for standard input), a data set, or its description (.yaml)")
      ->required();
  add_draft_options(command, o.draft);
  add(command, "--model", o.model, "FILE",
      "file for the model (default: named after the table, my.lacp of my.csv, unless there is such a file)");
  add(command, "--method", o.method, "METHOD",
      "one of `lacp methods` (default: forest; with --sides each adapt, or below 100 rows knn_error)");
  add(command, "--coverage", o.coverage, "SHARES",
      "shares of new rows that intervals cover, 1 - α, e.g. 0.95,0.9, or 95,90 (default: 0.95,0.9,0.68)")
      ->delimiter(',');
  add(command, "--group", o.group, "COLUMN", "column that says which rows belong together; no attribute");
  add(command, "--by", o.by, "COLUMN",
      "attribute of which each value is calibrated by its own rows, so that coverage holds for each; values with fewer than 30 of these are calibrated together");
  add(command, "--copies", o.copies, "keep|drop",
      "rows that equal an earlier one, target included: keep them, as new rows will repeat them, too, or drop them as copies by mistake (default: drop where each different row occurs equally often, at least twice)");
  add(command, "--prediction", o.prediction, "COLUMN",
      "column with predictions of the target by a model of your own, each made without its row: the centre of the intervals");
  add(command, "--sides", o.sides, "both|each",
      "one quantile for both sides, or one for each: for errors that are lopsided (default: both)");
  add(command, "--clip", o.clip, "MIN,MAX",
      "values that the target can have, to which intervals are cut, e.g. 0,100 or 0,");
  command.add_flag("--no-whole-ends", o.no_whole_ends,
                   "where all targets are whole numbers: let intervals end between them");
  add(command, "--calibration-folds", o.calibration_folds, "K",
      "all rows calibrate, each by a model of the other folds; 0: some are set aside for that (default: 10 for forest with fewer than 1,000 rows or, with --group, groups; else 0)");
  add(command, "--seed", o.seed, "N", "where all random numbers begin (default: 1)");
  add_jobs(command, o.jobs);
  add_set(command, o.set, "settings of an experiment, e.g. --set training.epochs=20");
  command.add_flag("--no-row-hashes", o.no_row_hashes,
                   "keep no hashes of rows in the model, by which `evaluate` knows rows of the fit again");
  command.add_flag("--json", o.json, "print what was fitted as json");
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
  command.footer("Defaults of --set, which are not those of an experiment: " +
                 as_set_options(PredictorSettings::recommended()) + ".");
}

}  // namespace lacp

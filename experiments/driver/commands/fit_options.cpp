// The options of `lacp fit`, and the settings that they make.
#include <algorithm>
#include <set>

#include "commands/commands.hpp"
#include "commands/fit.hpp"
#include "engine/plan.hpp"
#include "io/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {
namespace {

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

bool shares_are_given(const std::vector<std::string>& set) {
  return std::ranges::any_of(set, [](const std::string& item) { return item.starts_with("split."); });
}

constexpr std::size_t few_rows = 500, folds_of_few_rows = 10;

/// What is divided: groups, of which one row each calibrates, or rows.
std::size_t unit_count(const std::vector<std::size_t>& groups, std::size_t rows) {
  return groups.empty() ? rows : std::set(groups.begin(), groups.end()).size();
}

}  // namespace

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
  if (const auto problem = find_problem(find_method(options.method), e.training))
    user_error("--set training.objective: {}", problem->message);  // the field is objective.kind
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

// Exact: a level has at most nine digits.
Level rest_of(const Level& level) { return Level::parse(fmt::format("{:.9f}", 1.0 - level.value())); }

std::vector<Level> levels_of(const FitOptions& options) {
  const bool as_coverage = !options.coverage.empty();
  if (as_coverage && !options.levels.empty())
    user_error("--coverage and --levels say the same, a level being 1 minus the coverage; leave one out");
  if (!as_coverage && options.levels.empty()) return {Level(0.05), Level(0.1), Level(0.32)};
  const std::string_view option = as_coverage ? "--coverage" : "--levels";
  std::vector<Level> levels;
  const auto parse = [&](const std::string& text) {
    try {
      return Level::parse(text);
    } catch (const UserError&) {
      user_error("{} {}: expected decimals between 0 and 1 with at most 9 digits, such as {}", option, text,
                 as_coverage ? "0.95" : "0.05");
    }
  };
  for (const std::string& text : as_coverage ? options.coverage : options.levels) {
    const Level given = parse(text);
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

void share_few_rows(PredictorSettings& settings, const std::vector<Level>& levels, std::size_t rows,
                    const std::vector<std::string>& set) {
  if (shares_are_given(set)) return;
  const auto units = static_cast<double>(unit_count(settings.groups, rows));
  double wanted = settings.calibration;
  for (const Level& level : levels) {
    const double least = (settings.sides == Sides::each ? 2.0 : 1.0) / level.value();  // and a row to spare
    wanted = std::max(wanted, std::min(0.5, (least + 1.0) / units));
  }
  settings.calibration = wanted;
  settings.proper = settings.train = (1.0 - wanted) / 2.0;
}

std::size_t calibration_folds(const FitOptions& options, const PredictorSettings& settings,
                              const TableToFit& table) {
  const std::size_t units = unit_count(settings.groups, table.y.n_elem);
  if (units < 3)
    user_error("--group {}: has {}; expected at least 3", show_text(options.group), counted(units, "group"));
  const bool possible = calibrates_by_folds(find_method(options.method), settings.sides) &&
                        may_calibrate_by_folds(table.columns) && settings.cross_fit != 0;
  if (!options.calibration_folds) {
    // A class of the paper stays what it is there: f ± q·s(x), with one q and one f.
    const bool as_in_paper = find_method(options.method).transformation != nullptr;
    const bool few = table.y.n_elem < few_rows && units >= 4;
    return possible && !as_in_paper && few && !shares_are_given(options.set)
               ? std::min(folds_of_few_rows, units / 2)
               : 0;
  }
  const std::size_t folds = *options.calibration_folds;
  if (folds == 0) return 0;
  if (!possible)
    user_error(
        "--calibration-folds {}: needs a method with one quantile for all rows (not mondrian or rlcp), --sides both, a predictor.cross_fit of at least 2, and no column that is read by means of the target; leave it out",
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
  if (settings.centre.kind == CentreKind::boosted)
    text += fmt::format(" predictor.rounds={} predictor.choose_once={}", settings.centre.boosted.rounds,
                        settings.centre.boosted.choose_once);
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
  add(command, "--calibration-folds", o.calibration_folds, "K",
      "all rows calibrate, each by a model of the other folds (CV+); 0: some are set aside for that (default: 10 for auto and other methods by trees with fewer than 500 rows, else 0)");
  add(command, "--seed", o.seed, "N", "where all random numbers begin (default: 1)");
  add_jobs(command, o.jobs);
  add_set(command, o.set, "settings of an experiment, e.g. --set training.epochs=20");
  command.add_flag("--json", o.json, "print what was fitted as json");
  add_datasets_folder(command, o.datasets_folder);
  add_quiet(command);
  command.footer("Defaults of --set, which are not those of an experiment: " +
                 as_set_options(PredictorSettings::recommended()) + ".");
}

}  // namespace lacp

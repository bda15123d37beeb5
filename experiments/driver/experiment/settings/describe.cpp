#include <set>

#include "common/settings/values.hpp"
#include "experiment/settings/settings.hpp"

namespace lacp {
namespace {

SettingValue names(std::vector<std::string>& field) {
  return {"a list of names, none twice", values::in_brackets(field),
          [&](const YamlMap& map, const std::string& name) {
            field = map.get<std::vector<std::string>>(name);
            std::set<std::string> seen;
            for (const std::string& item : field) {
              if (!seen.insert(item).second)
                map.fail(name, fmt::format("{} is given twice", show_text(item)));
              if (!is_name(item))
                map.fail(name, fmt::format("found {}; expected names of letters, digits, '_', '-', '.'",
                                           show_text(item)));
            }
          }};
}

}  // namespace

std::vector<Setting> describe(Experiment& e) {
  SettingList v;
  using namespace touches;
  using namespace values;
  v.add("title", text(e.title), nothing,
        "what the experiment is, in a few words; heads its tables and its report");
  v.add("seed", number(e.seed, not_negative), all,
        "where all random numbers begin; the same seed gives the same numbers");
  v.add("runs", number(e.runs, Range{1, 100000}), nothing,
        "repetitions, each with a split and random numbers of its own; results are means over them");
  v.add("datasets", names(e.datasets), nothing, "data sets to run on; required; `lacp datasets` lists them");
  v.add("methods", names(e.methods), nothing, "methods to compare; required; `lacp methods` lists them");
  v.add(
      "levels", levels(e.levels), all,
      "levels α at which intervals are made; required; an interval at α may miss the truth with probability α");
  describe_model(v, e);
  v.group("evaluation", "how intervals are calibrated and scored on the test part", [&] {
    v.add(
        "mode", choice(e.evaluation.mode, {"leave_one_out", "halves"}), all,
        "each scored point is calibrated by the others of the pool (leave_one_out), or a random half calibrates and the other half is scored (halves), so that validity is a measurement");
    v.add("calibration_share", number(e.evaluation.calibration_share, share),
          e.evaluation.mode == EvaluationMode::halves ? all : nothing,
          "with halves: share of the pool that calibrates; the others are scored");
    v.add("pool", number(e.evaluation.pool, not_negative), all,
          "number of test points that take part, from the first on; 0: all");
    v.add("scored", number(e.evaluation.scored, not_negative), all,
          "this many points of the pool, drawn at random, are scored; 0: all");
    v.add(
        "quantile", choice(e.evaluation.quantile, {"ceiling", "floor_index"}), all,
        "which of N sorted calibration scores is q: the ⌈(N+1)(1−α)⌉-th (ceiling), or index int((1−α)N) from zero, as in the released code (floor_index)");
    describe_sides(v, e.evaluation.sides);
    v.add(
        "excess_risk", flag(e.evaluation.excess_risk), all,
        "also measure the excess risk of target coverage (ert, ert_error): whether x tells who is covered; takes up to some seconds per task");
    v.add(
        "crps", flag(e.evaluation.crps), distribution,
        "also measure the CRPS (crps), twice the mean pinball loss of the calibrated quantiles 0.01 to 0.99; infinite ones count as the nearest finite one");
  });
  v.group("keep_intervals", "intervals of the first run that are kept whole, for figures", [&] {
    v.add("datasets", names(e.keep_intervals.datasets), nothing, "data sets whose intervals are kept");
    v.add("level", level(e.keep_intervals.level), kept, "the level α of the intervals that are kept");
  });
  v.group("reference", "a published table to compare with", [&] {
    v.add("file", text(e.reference.file), nothing,
          "csv of the published numbers, relative to the experiment's yaml; empty: none");
    v.add("names", pairs(e.reference.names), nothing,
          "data sets that the published table has under another name, {ours: theirs}");
    v.add(
        "beside", text(e.reference.beside), nothing,
        "csv of published sizes (columns width_mean and ours), Winkler scores (winkler) or CRPS in the unit of y (crps; ours beside them with predictor.cross_fit), relative to the experiment's yaml: shown beside ours, without a test; empty: none");
  });
  v.group(
      "report",
      "its place in `lacp report` of a folder of experiments; based_on and --name do not hand it on", [&] {
        v.add(
            "role", choice(e.report.role, {"protocol", "main", "many_runs", "single_level"}), nothing,
            "protocol: has tables, figures and claims; main: so has this, and claims are told from it; many_runs: of its base, kept as manifest.yaml, table.csv and runs.csv, without its cells; single_level: is only compared with its base");
        v.add("base", text(e.report.base), nothing, "name of the experiment that it is compared with");
      });
  return std::move(v.all);
}

}  // namespace lacp

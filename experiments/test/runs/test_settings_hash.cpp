// A cell counts for an experiment if the hash of its settings does. So a setting may be left out of a hash
// only where it changes no number. All settings are changed here, one at a time, for all methods.
#include <fmt/ranges.h>

#include <span>

#include "datasets/catalog.hpp"
#include "experiment/engine/run_task.hpp"
#include "experiment/settings/experiment.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/conformal/registry.hpp"
#include "sample_results.hpp"

using namespace lacp;

namespace {

// Two data sets, of which the intervals of one are kept.
constexpr const char* tiny =
    "datasets: [tiny, other]\nmethods: [fixed]\nlevels: [0.1, 0.32]\n"
    "split: {proper: 0.4, train: 0.3, test: 0.3}\n"
    "predictor: {grid: [2, 4], points: 30, rounds: 3}\n"
    "network: {hidden: [3]}\n"
    "training: {epochs: 2, batch: 8, level: 0.1, selection: {level: 0.1, patience: 1}}\n"
    "keep_intervals: {datasets: [tiny], level: 0.1}\n";

/// What decides which other settings are used.
const std::vector<Words> ways = {
    {},
    {"predictor.kind=boosted", "predictor.cross_fit=3", "evaluation.mode=halves", "evaluation.sides=each",
     "training.objective=one_level", "keep_intervals.datasets=[other]"},
    {"predictor.kind=mlp", "predictor.selection=hold_out", "split.whole_batches=true"}};

Words others(const Setting& setting) {
  if (setting.key == "methods") return {"[exp]"};
  if (setting.key == "datasets") return {"[tiny]"};
  if (setting.key == "keep_intervals.datasets") return {"[]", "[other]"};
  if (setting.values.starts_with("a mapping")) return {"{tiny: tiny}"};
  if (setting.values.starts_with("a list, each a whole")) return {"[2, 3]"};
  if (setting.values.starts_with("a list, each")) return {"[0.1]"};
  if (setting.values.starts_with("a decimal")) return {"0.32"};
  if (setting.values == "a text") return {""};
  if (setting.range && setting.whole)
    return {setting.text == "0" ? "20" : fmt::format("{}", std::stoi(setting.text) + 1)};
  if (setting.range) {
    const double half = std::stod(setting.text) / 2.0;
    return {fmt::format("{}", half == 0.0 ? 0.01 : half)};
  }
  Words choices;
  for (std::string rest = setting.values + " or "; !rest.empty();) {
    const std::size_t end = rest.find(" or ");
    REQUIRE_MESSAGE(end != std::string::npos, setting.key, ": ", setting.values);
    if (rest.substr(0, end) != setting.text) choices.push_back(rest.substr(0, end));
    rest.erase(0, end + 4);
  }
  return choices;
}

/// An experiment on `tiny`, run 0, whose rows are prepared when a method is first asked for.
class Trial {
 public:
  Trial(Experiment experiment, const Dataset& data) : experiment_(std::move(experiment)), data_(data) {}

  std::string hash(const std::string& method) const {
    return settings_hash(experiment_, {"tiny", 0, method}, "data");
  }
  /// All that a cell and a file of intervals hold, or why there are none.
  std::string numbers(const std::string& method) {
    try {
      if (!prepared_) prepared_ = prepare(experiment_, data_, 0);
      const TaskResult result = run_task(experiment_, *prepared_, {"tiny", 0, method});
      return to_text(result.cell) + result.intervals;
    } catch (const std::exception& error) {
      return error.what();
    }
  }

 private:
  Experiment experiment_;
  const Dataset& data_;
  std::optional<Prepared> prepared_;
};

}  // namespace

TEST_CASE("settings with the same hash give the same numbers: every setting, every method") {
  const TemporaryFolder folder;
  write_file(folder / "tiny.yaml",
             "{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: 200}}\n");
  write_file(folder / "e/e.yaml", tiny);
  const DatasetDescription description = Catalog(folder.path()).find("tiny");
  const Dataset data = load_run(description, data_fingerprint(description), 1, 0);
  std::set<std::string> refused;
  std::size_t all = 0, same = 0;
  for (const Words& way : std::span(ways).first(all_cases ? ways.size() : 2)) {
    const Experiment base = load_experiment(folder / "e/e.yaml", way);
    Trial before(base, data);
    std::map<std::string, std::string> numbers;
    for (const std::string& method : method_names()) numbers[method] = before.numbers(method);
    for (const Setting& setting : setting_values(base))
      for (const std::string& value : others(setting)) try {
          Words set = way;
          set.push_back(setting.key + "=" + value);
          CAPTURE(join(set, " "));
          Trial after(load_experiment(folder / "e/e.yaml", set), data);
          for (const std::string& method : method_names()) {
            ++all;
            if (after.hash(method) != before.hash(method)) continue;
            ++same;
            CHECK_MESSAGE((after.numbers(method) == numbers[method]), method);
          }
        } catch (const UserError&) {  // no such experiment
          refused.insert(setting.key);
        }
  }
  MESSAGE(fmt::format("{} of {} changed tasks have the same hash", same, all));
  // Each of these goes with another; every method depends on them.
  CHECK(fmt::format("{}", fmt::join(refused, " ")) ==
        "predictor.redraw_per_part split.proper split.test split.train");
  CHECK(3 * same > all);  // and what a setting does not change is not done again
}

// `algorithm` in settings.cpp stands for how numbers are made: it has to be raised when the same settings
// give others, or old cells would pass for new ones. The cells in results/ say what the numbers were.
TEST_CASE("the committed cells come out again") {
  const fs::path folder = source_folder / "results/paper";
  const Manifest manifest = load_manifest(folder);
  const Experiment& paper = manifest.experiment;
  const Cells cells(folder);
  const DatasetDescription description = Catalog(source_datasets).find("concrete");
  const std::string fingerprint = data_fingerprint(description);
  REQUIRE(manifest.data.at("concrete").fingerprint == fingerprint);
  const Prepared prepared = prepare(paper, load_run(description, fingerprint, paper.seed, 0), 0);
  for (const std::string& method : paper.methods) {
    const Task task{"concrete", 0, method};
    const Cell committed = newest(cells, task).value(),
               computed = stored_cell(paper, fingerprint, run_task(paper, prepared, task));
    REQUIRE_MESSAGE(computed.settings == committed.settings,
                    "results/paper was made with another algorithm or other settings: make reproduce");
    CHECK_MESSAGE(
        to_text(computed) == to_text(committed), method,
        ": the same settings give other numbers than results/paper has: raise algorithm, or undo the change");
  }
}

TEST_CASE("the committed cells are those of the manifest's settings, of which none may be missing") {
  for (const char* name : {"full", "frontier", "single_level_005"})  // one has a list of earlier runs
    CHECK_MESSAGE(load_results(source_folder / "results" / name).different.empty(), name);
  write_sample("sample_cut");
  const std::string line = "    excess_risk: false\n";
  std::string text = read_file("sample_cut/manifest.yaml");
  write_file("sample_cut/manifest.yaml", text.erase(text.find(line), line.size()));
  CHECK_REFUSED(load_results("sample_cut"), "does not have all settings");
}

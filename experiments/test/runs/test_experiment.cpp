#include <doctest/doctest.h>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "said.hpp"
#include "settings/experiment.hpp"
#include "temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
const fs::path protocols = fs::path(LACP_SOURCE_DIR) / "experiments";

lacp::Experiment smoke(const std::vector<std::string>& set = {}) {
  return lacp::load_experiment(protocols / "smoke.yaml", set);
}

/// The message of the UserError that reading this text ends in.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  lacp::write_file(folder / "e.yaml", text);
  return message_of([&] { lacp::load_experiment(folder / "e.yaml"); });
}

const std::string least = "datasets: [cos]\nmethods: [fixed]\nlevels: [0.1]\n";

}  // namespace

TEST_CASE("every protocol reads, and reads back from what is written of it") {
  std::vector<lacp::Experiment> experiments = {
      smoke({"evaluation.excess_risk=true", "split.sample={cos: 0.25}"})};
  for (const char* name : {"smoke", "paper", "release", "full", "single_level_005"})
    experiments.push_back(lacp::load_experiment(protocols / fmt::format("{}.yaml", name)));
  for (const lacp::Experiment& experiment : experiments) {
    CAPTURE(experiment.name);
    const std::string text = lacp::to_yaml(experiment);
    const lacp::Experiment again =
        lacp::read_experiment(lacp::YamlMap::parse(text, "again"), experiment.name);
    CHECK(lacp::to_yaml(again) == text);
    const lacp::Task task{experiment.datasets[0], 0, experiment.methods[0]};
    CHECK(lacp::settings_hash(again, task, "data") == lacp::settings_hash(experiment, task, "data"));
  }
}

TEST_CASE("the protocols differ in what the released code does differently") {
  const auto paper = lacp::load_experiment(protocols / "paper.yaml");
  const auto release = lacp::load_experiment(protocols / "release.yaml");
  CHECK(paper.evaluation.quantile == lacp::QuantileRule::ceiling);
  CHECK(paper.training.quantile == lacp::QuantileRule::ceiling);
  CHECK(release.evaluation.quantile == lacp::QuantileRule::floor_index);
  CHECK(release.training.quantile == lacp::QuantileRule::floor_index);
  CHECK(release.network.released.divide_by_origin);
  CHECK_FALSE(release.training.objective.released.square_root);
  CHECK(release.training.selection.released.count_from_zero);
  CHECK(paper.training.objective.loss == lacp::Loss::plain);
  CHECK(release.training.objective.loss == lacp::Loss::plain);
  CHECK(lacp::load_experiment(protocols / "full.yaml").training.objective.loss == lacp::Loss::logarithm);
  CHECK(release.reference.names.at("energy_with_y1") == "energy");
}

TEST_CASE("what a yaml has wrong is named with its line and key") {
  CHECK(refusal(least) == "nothing was thrown");
  check_has(refusal(least + "sed: 3\n"), "e.yaml:4: unknown key 'sed' (did you mean 'seed'?)");
  check_has(refusal("methods: [fixed]\nlevels: [0.1]\n"), "key 'datasets'");
  check_has(refusal(least + "training:\n  epochs: 0\n"), "e.yaml:5: key 'training.epochs': found 0");
  check_has(refusal(least + "split: {proper: 0.4, train: 0.4, test: 0.4}\n"),
            "key 'split.test': the three shares add up to 1.2");
  check_has(refusal(least + "predictor: {grid: [4, 2]}\n"), "key 'predictor.grid'");
  check_has(refusal(least + "predictor: {selection: holdout}\n"), "did you mean 'hold_out'?");
  check_has(refusal(least + "evaluation: {pool: 10, scored: 11}\n"), "key 'evaluation.scored'");
  check_has(refusal(least + "network: {hidden: []}\n"), "key 'network.hidden'");
  check_has(refusal("datasets: [cos]\nmethods: [fixd]\nlevels: [0.1]\n"), "e.yaml:2: key 'methods'");
  check_has(refusal("datasets: [cos]\nmethods: [fixed]\nlevels: [1.1]\n"), "e.yaml:3: key 'levels'");
  check_has(refusal("datasets: [cos, cos]\nmethods: [fixed]\nlevels: [0.1]\n"), "'cos' is given twice");
  check_has(refusal("datasets: [../cos]\nmethods: [fixed]\nlevels: [0.1]\n"), "e.yaml:1: key 'datasets'");
  check_has(refusal("datasets: [cos]\nmethods: [fixed]\nlevels: [0.1, 0.10]\n"), "'0.10' is given twice");
  check_has(refusal(least + "training:\n  selection: {decimals: 9999999999}\n"),
            "key 'training.selection.decimals': found");
  for (const char* theta : {"0", "-0.5", "1.5", ".nan"})
    check_has(refusal(least + "training:\n  adaptation: " + theta + "\n"),
              "e.yaml:5: key 'training.adaptation': ");
}

TEST_CASE("more levels than a cell is made for are refused before anything runs") {
  std::string levels = "0.0001";
  for (int i = 2; i <= 500; ++i) levels += fmt::format(", {:.4f}", i * 1e-4);
  const std::string rest = "datasets: [cos]\nmethods: [fixed]\n";
  CHECK(refusal(rest + "levels: [" + levels + "]\n") == "nothing was thrown");
  check_has(refusal(rest + "levels: [" + levels + ", 0.0501]\n"),
            "e.yaml:3: key 'levels': found 501 levels; expected at most 500");
}

TEST_CASE("an objective that a method cannot have is refused, if the method is one of those selected") {
  const lacp::Experiment all = smoke({"training.objective=adaptation"});
  CHECK_REFUSED(
      lacp::select(all, {}),
      "training: objective: found adaptation, which needs a method whose intervals are f ± q·s(x), and mixture is none");
  CHECK_THROWS_AS(lacp::select(all, {.datasets = {}, .methods = {"exp", "mixture"}, .runs = 0}),
                  lacp::UserError);
  CHECK(lacp::select(all, {.datasets = {}, .methods = {"exp", "fixed"}, .runs = 0}).methods.size() == 2);
}

TEST_CASE("changes are told by key and value, and not of what neither of the two uses") {
  const std::string winkler = "training.selection.criterion=winkler", level = "training.selection.level=0.2";
  CHECK(lacp::to_text(lacp::changes(smoke(), smoke({winkler, "predictor.kind=boosted", "title=other"}))) ==
        "predictor.kind: knn → boosted; training.selection.criterion: size → winkler");
  CHECK(lacp::changes(smoke({winkler}), smoke({winkler, level})).empty());
}

TEST_CASE("validation by the Winkler score looks at the experiment's levels") {
  CHECK(smoke({"levels=[0.2, 0.3]"}).training.selection.levels ==
        std::vector<lacp::Level>{lacp::Level(0.2), lacp::Level(0.3)});
}

TEST_CASE("--set takes dotted keys and yaml values, and its mistakes are named") {
  CHECK(smoke({"training.epochs=20"}).training.epochs == 20);
  CHECK(smoke({"network.hidden=[3, 4]"}).network.hidden == std::vector<std::size_t>{3, 4});
  CHECK(smoke({"transformation.gamma=0.5"}).transformation.gamma == 0.5);  // a group that the yaml leaves out
  CHECK_REFUSED(smoke({"training.epochs"}), "expected key=value");
  CHECK_REFUSED(smoke({"training.epochs=0"}), "--set training.epochs");
  CHECK_REFUSED(smoke({"training.epoch=1"}), "--set training.epoch");
}

TEST_CASE("keep_intervals names data sets and a level of the experiment") {
  const std::string kept =
      "datasets: [cos, concrete]\nmethods: [fixed]\nlevels: [0.05, 0.1]\nkeep_intervals: ";
  CHECK(refusal(kept + "{datasets: [concrete], level: 0.1}\n") == "nothing was thrown");
  check_has(
      refusal(kept + "{datasets: [concret]}\n"),
      "e.yaml:4: key 'keep_intervals.datasets': found 'concret' (did you mean 'concrete'?); expected data sets of this experiment: cos, concrete");
  check_has(
      refusal(kept + "{datasets: [cos], level: 0.3}\n"),
      "e.yaml:4: key 'keep_intervals.level': found 0.3; expected a level of this experiment: 0.05, 0.1");
  // What is left out by an option leaves what is kept of it.
  CHECK(smoke({"datasets=[concrete]", "levels=[0.2]"}).keep_intervals.datasets ==
        std::vector<std::string>{"cos"});
  CHECK(lacp::select(smoke(), {.datasets = {"concrete"}, .methods = {}}).datasets.size() == 1);
}

TEST_CASE("folds that cannot be are named, and what goes with neighbours alone") {
  CHECK_REFUSED(smoke({"predictor.cross_fit=1"}), "found 1; expected 0, or at least 2 folds");
  CHECK_REFUSED(smoke({"predictor.redraw_per_part=true", "predictor.kind=mlp"}), "redraw_per_part");
}

TEST_CASE("shares of rows are of data sets of the experiment, and shares") {
  CHECK(smoke({"split.sample={cos: 0.5}"}).sample == std::map<std::string, double>{{"cos", 0.5}});
  CHECK_REFUSED(smoke({"split.sample={coss: 0.5}"}), "expected data sets of this");
  CHECK_REFUSED(smoke({"split.sample={cos: 1.5}"}), "above 0, at most 1");
  CHECK_REFUSED(smoke({"evaluation.calibration_share=1"}), "strictly between 0 and 1");
}

TEST_CASE(
    "what an experiment is to the report is its own: no number depends on it, and nothing hands it on") {
  const auto load = [](const char* name) { return lacp::load_experiment(protocols / name); };
  CHECK(load("full.yaml").report.role == lacp::ReportRole::main);
  CHECK(load("single_level_005.yaml").report.role == lacp::ReportRole::single_level);
  CHECK(load("frontier.yaml").report.base == "");  // is based on full
  CHECK(load("full.yaml").report.base == "paper");
  CHECK(select(load("full.yaml"), {.datasets = {}, .methods = {}, .name = "mine"}).report.role ==
        lacp::ReportRole::protocol);
  const lacp::Experiment set = smoke({"report.role=many_runs", "report.base=paper"});
  CHECK(lacp::settings_hash(set, {"cos", 0, "exp"}, "d") ==
        lacp::settings_hash(smoke(), {"cos", 0, "exp"}, "d"));
  CHECK(lacp::changes(smoke(), set).empty());
}

TEST_CASE("a task's hash tells data, data set, run and method apart") {
  const lacp::Experiment e = smoke();
  const std::string base = lacp::settings_hash(e, {"cos", 0, "erc"}, "d");
  CHECK(base != lacp::settings_hash(e, {"cos", 0, "erc"}, "other"));
  CHECK(base != lacp::settings_hash(e, {"concrete", 0, "erc"}, "d"));
  CHECK(base != lacp::settings_hash(e, {"cos", 1, "erc"}, "d"));
  CHECK(base != lacp::settings_hash(e, {"cos", 0, "exp"}, "d"));
}

TEST_CASE("a method's own version touches that method alone") {
  const lacp::Experiment e = smoke();
  lacp::Method mine = lacp::find_method("exp");
  REQUIRE(mine.version == 0);
  const std::string exp = lacp::settings_hash(e, {"cos", 0, "exp"}, "d");
  mine.name = "mine";
  lacp::register_method(mine);
  mine.name = "newer", mine.version = 1;
  lacp::register_method(mine);
  CHECK(lacp::settings_hash(e, {"cos", 0, "exp"}, "d") == exp);
  CHECK(lacp::settings_hash(e, {"cos", 0, "newer"}, "d") != lacp::settings_hash(e, {"cos", 0, "mine"}, "d"));
}

TEST_CASE("based_on chains, and a chain that comes back to where it was is named") {
  const auto paper = lacp::load_experiment(protocols / "paper.yaml");
  const auto full = lacp::load_experiment(protocols / "full.yaml");
  CHECK(full.name == "full");
  CHECK(full.training.epochs == paper.training.epochs);
  CHECK(full.reference.file.empty());  // what a yaml says replaces what it is based on
  CHECK(full.reference.names.empty());

  const TemporaryFolder folder;
  lacp::write_file(folder / "first.yaml", least + "runs: 3\nseed: 3\ntraining: {epochs: 3, batch: 3}\n");
  lacp::write_file(folder / "second.yaml", "{based_on: first.yaml, seed: 2, training: {batch: 2}}");
  lacp::write_file(folder / "third.yaml", "{based_on: ./second.yaml, training: {shuffle: false}}");
  const auto third = lacp::load_experiment(folder / "third.yaml", {"levels=[0.2]"});
  CHECK(third.name == "third");
  CHECK(third.runs == 3);
  CHECK(third.seed == 2);
  CHECK(third.training.epochs == 3);
  CHECK(third.training.batch == 2);
  CHECK_FALSE(third.training.released.shuffle);
  CHECK(third.levels.at(0).text() == "0.2");

  fs::remove(folder / "first.yaml");  // it was an input of this process, over which nothing is written
  lacp::write_file(folder / "first.yaml", "{based_on: third.yaml}");
  const auto load = [&](const char* name) { return lacp::load_experiment(folder / name); };
  for (const char* name : {"first.yaml", "second.yaml", "third.yaml"})
    CHECK_REFUSED(load(name), "which is itself based on this file");
  fs::remove(folder / "first.yaml");
  lacp::write_file(folder / "first.yaml", "{based_on: none.yaml}");
  CHECK_REFUSED(load("third.yaml"), "first.yaml:1: key 'based_on': ");
}

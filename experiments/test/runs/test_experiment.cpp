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

/// Those of the methods whose tasks on a data set are other ones after the change.
std::vector<std::string> differing(const lacp::Experiment& before, const lacp::Experiment& after,
                                   std::vector<std::string> methods, const std::string& dataset,
                                   std::size_t run) {
  std::erase_if(methods, [&](const std::string& method) {
    const lacp::Task task{dataset, run, method};
    return lacp::settings_hash(before, task, "data") == lacp::settings_hash(after, task, "data");
  });
  return methods;
}

/// Methods of the smoke experiment whose tasks on `dataset` are done again after --set.
std::vector<std::string> touched_by(const std::string& set, const std::string& dataset = "concrete",
                                    std::size_t run = 0) {
  return differing(smoke(), smoke({set}), smoke().methods, dataset, run);
}

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

TEST_CASE("settings of adaptation and of the criterion touch what uses them") {
  const std::vector<std::string> nobody;
  const auto touched = [](const std::vector<std::string>& before, std::vector<std::string> more) {
    more.insert(more.begin(), before.begin(), before.end());
    return differing(smoke(before), smoke(more), {"erc_error_fit", "exp", "fixed", "adapt_50", "adapt"},
                     "cos", 1);
  };
  const std::string adaptation = "training.objective=adaptation";
  CHECK(touched({}, {adaptation}) == std::vector<std::string>{"exp"});
  CHECK(touched({}, {"training.adaptation=0.25"}) == nobody);
  CHECK(touched({adaptation}, {"training.adaptation=0.25"}) == std::vector<std::string>{"exp"});
  for (const char* unused : {"training.loss=logarithm", "training.square_root=false",
                             "training.count_diagonal=true", "training.level=0.2"})
    CHECK_MESSAGE(touched({adaptation}, {unused}) == nobody, unused);
  const std::string winkler = "training.selection.criterion=winkler";
  CHECK(touched({}, {"training.selection.criterion=size"}) == nobody);
  CHECK(touched({}, {winkler}) == std::vector<std::string>{"erc_error_fit", "exp"});
  CHECK(touched({}, {"training.selection.level=0.2"}) == std::vector<std::string>{"erc_error_fit", "exp"});
  CHECK(touched({winkler}, {"training.selection.level=0.2"}) == nobody);
  CHECK(touched({}, {"training.epochs=3"}) ==
        std::vector<std::string>{"erc_error_fit", "exp", "adapt_50", "adapt"});
  const auto changes = lacp::changes(smoke(), smoke({winkler}));
  CHECK(lacp::to_text(changes) == "training.selection.criterion: size → winkler");
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

TEST_CASE("a setting touches exactly what depends on it") {
  const std::vector<std::string> nobody, all = smoke().methods;
  const std::vector<std::string> size = {"erc", "linear", "exp", "sigma", "mixture"};
  std::vector<std::string> trained = all;
  std::erase(trained, "fixed");

  for (const char* set : {"title=other", "runs=3", "datasets=[concrete]", "methods=[fixed]",
                          "reference.file=", "reference.beside=other.csv", "training.level=0.2",
                          "keep_intervals.level=0.1", "split.sample={cos: 0.25}"})
    CHECK_MESSAGE(touched_by(set) == nobody, set);
  for (const char* set :
       {"seed=2", "levels=[0.1]", "split={proper: 0.3, train: 0.5, test: 0.2}", "predictor.points=100",
        "predictor.folds=4", "evaluation.mode=leave_one_out", "evaluation.quantile=floor_index",
        "evaluation.excess_risk=true", "evaluation.calibration_share=0.75"})
    CHECK_MESSAGE(touched_by(set) == all, set);
  for (const char* set : {"training.epochs=3", "training.batch=8", "network.hidden=[5]",
                          "transformation.gamma=1", "training.selection.patience=1"})
    CHECK_MESSAGE(touched_by(set) == trained, set);
  const std::string whole = "split.whole_batches=true";  // parts are cut to them, of every method
  CHECK(differing(smoke({whole}), smoke({whole, "training.batch=8"}), all, "cos", 1) == all);
  CHECK(touched_by("training.square_root=false") == size);
  CHECK(touched_by("training.objective=one_level") == size);
  CHECK(touched_by("training.loss=logarithm") == size);
  CHECK(touched_by("training.squared_error_fit=true") == std::vector<std::string>{"erc_error_fit"});
  CHECK(touched_by("keep_intervals.level=0.1", "cos", 0) == all);
  CHECK(touched_by("keep_intervals.level=0.1", "cos", 1) == nobody);
  CHECK(touched_by("split.sample={cos: 0.25}", "cos") == all);
  CHECK(touched_by("split.sample={cos: 1.0}", "cos") == nobody);
}

TEST_CASE("keys younger than some cells touch nothing at their defaults, else what they change") {
  const std::vector<std::string> nobody, all = smoke().methods;
  for (const char* set :
       {"predictor.kind=knn", "predictor.cross_fit=0", "evaluation.sides=both", "predictor.rounds=50"})
    CHECK_MESSAGE(touched_by(set) == nobody, set);
  for (const char* set : {"predictor.kind=boosted", "predictor.kind=mlp", "predictor.cross_fit=5"})
    CHECK_MESSAGE(touched_by(set) == all, set);
  std::vector<std::string> scaled = all;
  std::erase(scaled, "mixture");
  CHECK(touched_by("evaluation.sides=each") == scaled);

  const auto same = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const lacp::Task task{"cos", 0, "exp"};
    return lacp::settings_hash(smoke(a), task, "d") == lacp::settings_hash(smoke(b), task, "d");
  };
  CHECK_FALSE(same({"predictor.kind=boosted"}, {"predictor.kind=boosted", "predictor.rounds=50"}));
  CHECK(same({"predictor.kind=boosted"}, {"predictor.kind=boosted", "predictor.points=50"}));  // KNN's alone
  const std::string left_out = "evaluation.mode=leave_one_out";
  CHECK(same({left_out}, {left_out, "evaluation.calibration_share=0.75"}));  // of halves alone
  CHECK(lacp::to_text(lacp::changes(smoke(), smoke({"predictor.kind=boosted"}))) ==
        "predictor.kind: knn → boosted");
}

TEST_CASE("a setting of a baseline changes the tasks of that baseline alone, also by the name that it had") {
  const auto touched = [](const std::string& set) {
    return lacp::join(differing(smoke(), smoke({set}), lacp::method_names(), "concrete", 0), " ");
  };
  CHECK(touched("baselines.knn_error.neighbours=7") == "knn_error mondrian");
  CHECK(touched("baselines.knn_error.beta=0.5") == "knn_error");
  CHECK(touched("baselines.mondrian.bins=3") == "mondrian");
  CHECK(touched("baselines.rlcp.bandwidth=2") == "rlcp");
  CHECK(differing(smoke({"rows.rlcp.bandwidth=2"}), smoke({"baselines.rlcp.bandwidth=2"}), {"rlcp"}, "cos", 0)
            .empty());
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
  CHECK(load("frontier_two_sides.yaml").report.base == "frontier_boosted");
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

TEST_CASE("a method's own version touches that method alone, and version 0 is what cells have always had") {
  const lacp::Experiment e = smoke();
  const lacp::Task task{"cos", 0, "exp"};
  const lacp::Versions here = lacp::versions_of("exp");
  CHECK(here.method == 0);
  CHECK(lacp::settings_hash(e, task, "d", here) == lacp::settings_hash(e, task, "d"));
  CHECK(lacp::settings_hash(e, task, "d", {here.algorithm, 1}) != lacp::settings_hash(e, task, "d"));
  lacp::Method mine = lacp::find_method("exp");
  mine.name = "mine", mine.version = 1;
  lacp::register_method(mine);
  CHECK(lacp::versions_of("mine").method == 1);
  CHECK(lacp::settings_hash(e, {"cos", 0, "mine"}, "d") ==
        lacp::settings_hash(e, {"cos", 0, "mine"}, "d", {here.algorithm, 1}));
  CHECK(lacp::versions_of("exp").method == 0);
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

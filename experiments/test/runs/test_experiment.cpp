#include <doctest/doctest.h>

#include "experiment/settings/experiment.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

namespace fs = std::filesystem;
const fs::path protocols = fs::path(LACP_SOURCE_DIR) / "experiments";

Experiment load(const std::string& name, const std::vector<std::string>& set = {}) {
  return load_experiment(protocols / (name + ".yaml"), set);
}
Experiment smoke(const std::vector<std::string>& set = {}) { return load("smoke", set); }

/// The message of the UserError that reading this text ends in.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder / "e.yaml", text);
  return message_of([&] { load_experiment(folder / "e.yaml"); });
}

const std::string least = "datasets: [cos]\nmethods: [fixed]\nlevels: [0.1]\n";

}  // namespace

TEST_CASE("the protocols are those of the committed results, and differ in what the released code does") {
  for (const char* name : {"paper", "release", "full", "frontier", "single_level_005"}) {
    CAPTURE(name);
    CHECK(changes(load(name), load_manifest(protocols / "../results" / name).experiment).empty());
    const std::string text = to_yaml(load(name));
    CHECK(to_yaml(read_experiment(YamlMap::parse(text, "again"), name)) == text);
  }
  check_has(to_text(changes(load("paper"), load("release"))),
            {"network.divide_by_origin: false → true", "training.square_root: true → false",
             "count_from_zero: false → true", "evaluation.quantile: ceiling → floor_index"});
  CHECK(load("release").training.quantile == QuantileRule::floor_index);  // follows that of evaluation
  check_has(to_text(changes(load("paper"), load("full"))), "training.loss: plain → logarithm");
  CHECK(load("release").reference.names.at("energy_with_y1") == "energy");
}

TEST_CASE("what a yaml has wrong is named with its line and key") {
  CHECK(refusal(least) == "nothing was thrown");
  std::string levels = "levels: [0.0001";
  for (int i = 2; i <= 500; ++i) levels += fmt::format(", {:.4f}", i * 1e-4);
  const std::string rest = "datasets: [cos]\nmethods: [fixed]\n",
                    kept =
                        "datasets: [cos, concrete]\nmethods: [fixed]\nlevels: [0.05, 0.1]\nkeep_intervals: ";
  CHECK(refusal(rest + levels + "]\n") == "nothing was thrown");
  CHECK(refusal(kept + "{datasets: [concrete], level: 0.1}\n") == "nothing was thrown");
  for (const auto& [yaml, part] : std::initializer_list<std::pair<std::string, const char*>>{
           {least + "sed: 3\n", "e.yaml:4: unknown key 'sed' (did you mean 'seed'?)"},
           {"methods: [fixed]\nlevels: [0.1]\n", "key 'datasets'"},
           {least + "evaluation: {crps: true}\n", "e.yaml:4: key 'evaluation.crps': was removed; winkler "},
           {least + "training:\n  epochs: 0\n", "e.yaml:5: key 'training.epochs': found 0"},
           {least + "split: {proper: 0.4, train: 0.4, test: 0.4}\n",
            "key 'split.test': the three shares add up to 1.2"},
           {least + "predictor: {grid: [4, 2]}\n", "key 'predictor.grid'"},
           {least + "predictor: {selection: holdout}\n", "did you mean 'hold_out'?"},
           {least + "evaluation: {pool: 10, scored: 11}\n", "key 'evaluation.scored'"},
           {"datasets: [cos]\nmethods: [fixd]\nlevels: [0.1]\n", "e.yaml:2: key 'methods'"},
           {"datasets: [../cos]\nmethods: [fixed]\nlevels: [0.1]\n", "e.yaml:1: key 'datasets'"},
           {rest + "levels: [1.1]\n", "e.yaml:3: key 'levels'"},
           {rest + "levels: [0.1, 0.10]\n", "'0.10' is given twice"},
           {rest + levels + ", 0.0501]\n", "e.yaml:3: key 'levels': found 501 levels; at most 500"},
           {kept + "{datasets: [concret]}\n", "e.yaml:4: key 'keep_intervals.datasets': found 'concret'; "}})
    check_has(refusal(yaml), part);
}

TEST_CASE("changes are told by key and value, and not of what neither of the two uses") {
  const std::string batch = "training.batch=8", level = "training.level=0.2";
  CHECK(to_text(changes(smoke(), smoke({batch, "predictor.kind=boosted", "title=other"}))) ==
        "predictor.kind: knn → boosted; training.batch: 16 → 8");
  CHECK(changes(smoke({batch}), smoke({batch, level})).empty());
}

TEST_CASE("--set takes dotted keys and yaml values, and its mistakes are named") {
  CHECK(smoke({"training.epochs=20"}).training.epochs == 20);
  CHECK(smoke({"network.hidden=[3, 4]"}).network.hidden == std::vector<std::size_t>{3, 4});
  CHECK(smoke({"transformation.gamma=0.5"}).transformation.gamma == 0.5);  // a group that the yaml leaves out
  // Validation by the Winkler score looks at the experiment's levels.
  CHECK(smoke({"levels=[0.2, 0.3]"}).training.selection.levels == std::vector<Level>{Level(0.2), Level(0.3)});
  // What is left out by an option leaves what is kept of it.
  CHECK(smoke({"datasets=[concrete]", "levels=[0.2]"}).keep_intervals.datasets ==
        std::vector<std::string>{"cos"});
  for (const auto& [set, part] : std::initializer_list<std::pair<std::string, const char*>>{
           {"training.epochs", "expected key=value"},
           {"training.epochs=0", "--set training.epochs"},
           {"trainin.epochs=1", "--set trainin.epochs: unknown key 'trainin' (did you mean 'training'?)"},
           {"title.first=x", "--set title.first: 'title' is 'Smoke test', not a mapping"},
           {"training.epochs=[1", "--set training.epochs:1: is not valid yaml: "},
           {"split.sample={cos: 0.5}", "--set split.sample: was removed; use "},
           {"predictor.cross_fit=1", "found 1; expected 0, or at least 2 folds"}})
    CHECK_REFUSED(smoke({set}), part);
  CHECK_REFUSED(smoke({"predictor.redraw_per_part=true", "predictor.kind=mlp"}), "redraw_per_part");
}

TEST_CASE("a task's hash tells data, data set, run, method and the method's own version apart") {
  const Experiment e = smoke();
  Method mine = find_method("exp");
  mine.name = "mine";
  register_method(mine);
  const std::string base = settings_hash(e, {"cos", 0, "mine"}, "d"),
                    exp = settings_hash(e, {"cos", 0, "exp"}, "d");
  for (const auto& [task, data] : {std::pair(Task{"cos", 0, "mine"}, "other"),
                                   {{"concrete", 0, "mine"}, "d"},
                                   {{"cos", 1, "mine"}, "d"},
                                   {{"cos", 0, "exp"}, "d"}})
    CHECK(settings_hash(e, task, data) != base);
  const_cast<Method&>(find_method("mine")).version = 1;  // as if its entry had been changed
  CHECK(settings_hash(e, {"cos", 0, "mine"}, "d") != base);
  CHECK(settings_hash(e, {"cos", 0, "exp"}, "d") == exp);
}

TEST_CASE("based_on chains, and a chain that comes back to where it was is named") {
  const TemporaryFolder folder;
  write_file(folder / "first.yaml",
             least + "runs: 3\nseed: 3\ntraining: {epochs: 3, batch: 3}\nreference: {file: a.csv}\n");
  write_file(folder / "second.yaml", "{based_on: first.yaml, seed: 2, training: {batch: 2}}");
  write_file(folder / "below/third.yaml", "{based_on: ../second.yaml, training: {shuffle: false}}");
  const auto third = load_experiment(folder / "below/third.yaml", {"levels=[0.2]"});
  CHECK(third.name == "third");
  CHECK(third.runs == 3);
  CHECK(third.seed == 2);
  CHECK((third.training.epochs == 3 && third.training.batch == 2));
  CHECK(third.reference.file == "../a.csv");  // beside the yaml that names it

  fs::remove(folder / "first.yaml");  // it was an input of this process, over which nothing is written
  write_file(folder / "first.yaml", "{based_on: below/third.yaml}");
  for (const char* name : {"first.yaml", "second.yaml", "below/third.yaml"})
    CHECK_REFUSED(load_experiment(folder / name), "which is itself based on this file");
}

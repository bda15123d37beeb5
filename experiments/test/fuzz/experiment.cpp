// An experiment, which may be based on base.yaml beside it.
#include "experiment/settings/experiment.hpp"

#include "target.hpp"
#include "yaml_input.hpp"

namespace lacp {
namespace {

constexpr std::string_view base = R"(datasets: [cos]
methods: [fixed]
levels: [0.1]
)";

/// What a manifest says about an experiment has to be the experiment.
void check(const Experiment& experiment) {
  const std::string written = to_yaml(experiment);
  const Experiment again = read_experiment(YamlMap::parse(written, "manifest.yaml"), experiment.name);
  fuzz::require(to_yaml(again) == written, "an experiment is the same once written and read");
  const Task task{experiment.datasets.at(0), 0, experiment.methods.at(0)};
  fuzz::require(settings_hash(experiment, task, "") == settings_hash(again, task, ""),
                "and has the same hash");
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  static YamlInput file("experiment.yaml");
  static const bool has_base = bool(std::ofstream(file.folder / "base.yaml") << base);
  require(has_base, "a temporary folder");
  const auto& path = file.write(bytes);
  std::optional<Experiment> experiment;
  read_or_refuse(path.string(), [&] { experiment = load_experiment(path); });
  if (experiment) check(*experiment);
}

std::vector<std::string> fuzz::costly_inputs() { return costly_yaml(); }

}  // namespace lacp

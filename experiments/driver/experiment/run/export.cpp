// `lacp export`: <output>/<dataset>.csv with part, x1, x2, …, y, scaled as the methods of that run get them.
// `part` is proper (the predictor is fitted on it), train (methods are; with predictor.cross_fit both are
// proper), calibration and test; with evaluation.mode leave_one_out all of the pool is test.
#include <map>

#include "common/message.hpp"
#include "experiment/engine/run_task.hpp"
#include "experiment/run/run.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

void add_rows(std::string& text, std::string_view part, const arma::mat& X, const arma::vec& y) {
  for (arma::uword i = 0; i < y.n_elem; ++i) {
    text += part;
    for (const double x : X.col(i)) text += fmt::format(",{}", x);
    text += fmt::format(",{}\n", y(i));
  }
}

}  // namespace

int export_rows(const ExportOptions& options) {
  Experiment experiment =
      select(load_experiment(options.experiment), {.datasets = options.datasets, .methods = {}});
  if (experiment.predictor.cross_fit != 0) {  // no row depends on the prediction; a stack keeps none of them
    experiment.predictor.kind = CentreKind::boosted;
    experiment.predictor.boosted.rounds = 1;
  }
  if (options.run >= experiment.runs)
    user_error("--run: found {}; {} has {} runs, so expected at most {}", options.run,
               options.experiment.string(), experiment.runs, experiment.runs - 1);
  const Catalog catalog = open_catalog(options.datasets_folder);
  const auto file_of = [&](const std::string& name) { return options.output / (name + ".csv"); };
  std::map<std::string, DatasetDescription> datasets;
  for (const std::string& name : experiment.datasets) protect_inputs(datasets[name] = catalog.find(name));
  for (const std::string& name : experiment.datasets) check_writable(file_of(name));
  for (const std::string& name : experiment.datasets) {
    const Dataset data =
        load_run(datasets[name], data_fingerprint(datasets[name]), experiment.seed, options.run);
    const Prepared p = prepare(experiment, data, options.run);
    const Roles roles = assign(experiment, {name, options.run, "fixed"}, p.third.y.n_elem);
    std::string text = "part";
    for (arma::uword k = 1; k <= p.third.X.n_rows; ++k) text += fmt::format(",x{}", k);
    text += ",y\n";
    add_rows(text, "proper", p.first.X, p.first.y);
    if (experiment.predictor.cross_fit == 0) add_rows(text, "train", p.second.X, p.second.y);
    if (experiment.evaluation.mode == EvaluationMode::halves)
      add_rows(text, "calibration", p.third.X.cols(roles.calibration), p.third.y.elem(roles.calibration));
    add_rows(text, "test", p.third.X.cols(roles.scored), p.third.y.elem(roles.scored));
    write_file(file_of(name), text);
    say("{}\n", file_of(name).string());
  }
  return exit_done;
}

}  // namespace lacp

#include "work/export.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>

#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "datasets/datasets_folder.hpp"
#include "datasets/table_file.hpp"
#include "engine/data_source.hpp"
#include "engine/prepare.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "store/fingerprint.hpp"

namespace lacp {
namespace {

void add_rows(std::string& text, std::string_view part, const arma::mat& X, const arma::vec& y) {
  for (arma::uword i = 0; i < y.n_elem; ++i) {
    text += part;
    for (arma::uword k = 0; k < X.n_rows; ++k) fmt::format_to(std::back_inserter(text), ",{}", X(k, i));
    fmt::format_to(std::back_inserter(text), ",{}\n", y(i));
  }
}

}  // namespace

int export_rows(const ExportRequest& request) {
  const Experiment experiment =
      select(load_experiment(request.experiment), {.datasets = request.datasets, .methods = {}});
  if (request.run >= experiment.runs)
    user_error("--run: found {}; {} has {} runs, so expected at most {}", request.run,
               request.experiment.string(), experiment.runs, experiment.runs - 1);
  const Catalog catalog = open_catalog(request.datasets_folder);
  const auto file_of = [&](const std::string& name) { return request.output / (name + ".csv"); };
  std::map<std::string, DatasetDescription> datasets;
  for (const std::string& name : experiment.datasets) protect_inputs(datasets[name] = catalog.find(name));
  for (const std::string& name : experiment.datasets) check_writable(file_of(name));
  for (const std::string& name : experiment.datasets) {
    DataSource source(experiment.seed);
    source.add(datasets[name], 1, data_fingerprint(datasets[name]));
    const Prepared p = prepare(experiment, *source.get(name, request.run), request.run);
    const Roles roles = assign(experiment, {name, request.run, "fixed"}, p.y_test.n_elem);
    std::string text = "part";
    for (arma::uword k = 1; k <= p.X_test.n_rows; ++k) text += fmt::format(",x{}", k);
    text += ",y\n";
    add_rows(text, "proper", p.X_proper, p.y_proper);
    if (experiment.predictor.cross_fit == 0) add_rows(text, "train", p.X_train, p.y_train);
    if (experiment.evaluation.mode == EvaluationMode::halves)
      add_rows(text, "calibration", p.X_test.cols(roles.calibration), p.y_test.elem(roles.calibration));
    add_rows(text, "test", p.X_test.cols(roles.scored), p.y_test.elem(roles.scored));
    write_file(file_of(name), text);
    say("{}\n", file_of(name).string());
  }
  return exit_done;
}

}  // namespace lacp

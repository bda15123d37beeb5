// What the tasks of a run share: rows, their parts, and the point prediction.
#include <algorithm>
#include <cmath>

#include "experiment/engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t local_error_neighbours = 32;

arma::vec take_if_any(const arma::vec& values, const std::vector<arma::uword>& rows) {
  return values.empty() ? arma::vec() : arma::vec(values.elem(arma::uvec(rows)));
}

void record(const Centre& centre, const std::string& suffix, std::vector<Measurement>& values) {
  if (const auto* boosted = std::get_if<BoostedTrees>(&centre))
    values.push_back({"rounds", "", 0, static_cast<double>(boosted->trees().size())});
  if (const auto* stack = std::get_if<Stack>(&centre)) {
    const auto& [boosted, network, neighbours, random] = stack->weights;
    values.push_back({"weight_boosted", "", 0, boosted});
    values.push_back({"weight_network", "", 0, network});
    values.push_back({"weight_neighbours", "", 0, neighbours});
    values.push_back({"weight_random", "", 0, random});
  }
  if (const auto* mlp = std::get_if<MlpRegressor>(&centre))
    values.push_back({"mlp_epochs", "", 0, static_cast<double>(mlp->epochs)});
  if (kind_of(centre) != CentreKind::knn) return;
  const auto& knn = std::get<KnnRegressor>(centre);
  values.push_back({"k" + suffix, "", 0, static_cast<double>(knn.k())});
  for (const KnnTrial& trial : knn.trials())
    values.push_back({"k_error" + suffix, "", trial.k, trial.error});  // the bin is K itself
}

/// The parts of a run, before predictor.cross_fit joins the first two.
Split split_of(const Experiment& experiment, const Dataset& dataset, std::size_t run) {
  Stream stream(StreamName{experiment.seed, dataset.name, run, "", "split"});
  Split split = split_rows(dataset.y.n_elem, experiment.split, stream);
  if (experiment.whole_batches)
    for (auto* rows : {&split.proper, &split.train, &split.test})
      keep_whole_batches(*rows, experiment.training.batch);
  return split;
}

}  // namespace

Dataset load_run(const DatasetDescription& description, const std::string& fingerprint, std::uint64_t seed,
                 std::size_t run) {
  if (is_synthetic(description)) {
    Stream stream(StreamName{seed, description.name, run, "", "data"});
    return generate_synthetic(description, stream);
  }
  Dataset data = load_dataset(description);
  if (data_fingerprint(description, data.fingerprint) != fingerprint)
    run_error("{}: was changed after the run began; run again", description.source->path.string());
  return data;
}

Roles assign(const Experiment& experiment, const Task& task, std::size_t test_points) {
  const EvaluationOptions& options = experiment.evaluation;
  const std::size_t pool = options.pool == 0 ? test_points : std::min(options.pool, test_points);
  Roles roles;
  if (options.mode == EvaluationMode::halves) {
    Stream stream(StreamName{experiment.seed, task.dataset, task.run, "", "halves"});
    const arma::uvec order(stream.permutation<arma::uword>(pool));
    const std::size_t first = pool / 2;
    roles.calibration = arma::sort(order.head(first));
    roles.scored = arma::sort(order.tail(pool - first));
  } else {
    roles.calibration = roles.scored = arma::regspace<arma::uvec>(0, pool - 1);
  }
  if (options.scored != 0 && options.scored < roles.scored.n_elem) {
    Stream stream(StreamName{experiment.seed, task.dataset, task.run, task.method, "scored"});
    const arma::uvec order(stream.permutation<arma::uword>(roles.scored.n_elem));
    roles.scored = roles.scored.elem(arma::sort(order.head(options.scored)));
  }
  return roles;
}

Prepared prepare(const Experiment& experiment, Dataset dataset, std::size_t run) {
  const auto stream = [&](std::string_view purpose) {
    return Stream(StreamName{experiment.seed, dataset.name, run, "", purpose});
  };
  const SplitSizes sizes = split_sizes(dataset.y.n_elem, experiment.split);
  for (const std::size_t part : {sizes.proper, sizes.train, sizes.test})
    if (experiment.whole_batches && part < experiment.training.batch)
      user_error("split.whole_batches: {} makes no whole batch of {}", counted(part, "row"),
                 experiment.training.batch);
  Split split = split_of(experiment, dataset, run);
  const std::size_t folds = experiment.predictor.cross_fit;
  if (folds != 0) join_first_parts(split);
  if (arma::all(dataset.y.elem(arma::uvec(split.proper)) == 0.0))
    user_error("all {} targets of the proper part are zero, the unit of sizes", split.proper.size());

  // Where a cell is missing, the mean of the part that fits the predictor: nothing of the others leaks.
  if (dataset.filled > 0)
    fill_missing(dataset.X, known_means(dataset.X.cols(arma::uvec(split.proper)), dataset.attributes));
  const PredictorOptions& predictor = experiment.predictor;
  Prepared out{centre_parts(dataset.X, dataset.y, split,
                            {.centre = predictor,
                             .cross_fit = folds,
                             .redraw = predictor.redraw_per_part,
                             .attributes = dataset.attributes},
                            stream),
               std::move(dataset.X), std::move(dataset.y), std::move(split)};
  const CentredPart &train = out.second, &test = out.third;
  out.values = {{"rows_proper", "", 0, static_cast<double>(out.split.proper.size())},
                {"rows_train", "", 0, static_cast<double>(out.split.train.size())},
                {"rows_test", "", 0, static_cast<double>(out.split.test.size())}};
  record(out.centre, "", out.values);
  if (out.of_second) record(*out.of_second, "_train", out.values);
  require_predictions(test.f, test.X, dataset.attributes);
  const arma::vec error_train = arma::abs(train.f - train.y), error_test = arma::abs(test.f - test.y);
  const std::string kind(name_of(predictor.kind));
  out.values.push_back({kind + "_rmse", "", 0, std::sqrt(mean_of(arma::vec(arma::square(error_test))))});

  const std::size_t neighbours = std::min<std::size_t>(local_error_neighbours, train.y.n_elem);
  out.local_error_test = KnnRegressor(train.X, error_train, neighbours).predict(test.X);

  // The attributes of a synthetic set are 1, x and x². Other sets have an x if they have one attribute.
  if (!dataset.sigma.empty() || out.X.n_rows == 1)
    out.x_test = arma::mat(out.X.cols(arma::uvec(out.split.test))).row(dataset.sigma.empty() ? 0 : 1).t();
  out.sigma_test = take_if_any(dataset.sigma, out.split.test);
  out.truth_test = take_if_any(dataset.truth, out.split.test);
  return out;
}

}  // namespace lacp

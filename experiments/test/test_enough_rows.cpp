#include <doctest/doctest.h>

#include <cmath>

#include "datasets/dataset.hpp"
#include "engine/enough_rows.hpp"
#include "engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

namespace {

lacp::Experiment experiment_of(const std::string& name, std::vector<std::string> set = {}) {
  for (const char* item : {"network.hidden=[2]", "training.epochs=1", "methods=[fixed, exp]"})
    set.emplace_back(item);
  return lacp::load_experiment(fs::path(LACP_SOURCE_DIR) / "experiments" / (name + ".yaml"), set);
}

lacp::Dataset noise(std::size_t rows) {
  lacp::Stream stream(1);
  lacp::Dataset data{.name = "noise",
                     .X = arma::mat(1, rows),
                     .y = arma::vec(rows),
                     .attributes = {"x"},
                     .fingerprint = "",
                     .sigma = {},
                     .truth = {}};
  data.X.imbue([&] { return stream.normal(); });
  data.y.imbue([&] { return stream.normal(); });
  return data;
}

/// What a run says about these rows; "" if it goes through.
std::string failure(const lacp::Experiment& experiment, const std::string& method, std::size_t rows) {
  try {
    lacp::run_task(experiment, lacp::prepare(experiment, noise(rows), 0), {"noise", 0, method}, {});
    return "";
  } catch (const lacp::UserError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("what is said about a number of rows is what a run does with them") {
  std::size_t running = 0, failing = 0;
  const auto agree = [&](const lacp::Experiment& experiment) {
    for (const std::string method : {"fixed", "exp", "adapt", "cqr"})
      for (std::size_t rows = 1; rows <= 180; rows += rows < 12 ? 1 : 7) {
        CAPTURE(experiment.name);
        CAPTURE(method);
        CAPTURE(rows);
        const std::string said = lacp::too_few_rows(experiment, method, rows);
        CHECK(said == failure(experiment, method, rows));
        ++(said.empty() ? running : failing);
      }
  };
  for (const std::string name : {"paper", "full", "release", "single_level_005"}) agree(experiment_of(name));
  agree(experiment_of("paper", {"training.drop_partial_batch=true", "training.batch=64"}));
  agree(experiment_of("release", {"training.batch=24"}));
  agree(experiment_of("paper", {"predictor.folds=30", "predictor.grid=[16]"}));
  agree(experiment_of("paper", {"predictor.cross_fit=4"}));
  CHECK(running > 100);
  CHECK(failing > 100);
}

TEST_CASE("a failure because of too few rows names the setting to change") {
  const auto said = [](const lacp::Experiment& experiment, std::size_t rows) {
    return lacp::too_few_rows(experiment, "exp", rows);
  };
  CHECK(
      said(experiment_of("paper"), 100) ==
      "training: 8 validation rows of 40 are too few for a finite interval at level 0.1, which needs 10; use more rows, or raise training.selection.validation_share or training.selection.level");
  CHECK(has(
      said(experiment_of("paper", {"training.selection.validation_rows=5"}), 1000),
      "5 validation rows of 400 are too few for a finite interval at level 0.1, which needs 10; use more rows, or raise training.selection.validation_rows or"));
  CHECK(
      said(experiment_of("paper", {"training.objective=one_level", "training.level=0.05"}), 1000) ==
      "training: a batch of 16 is too small for level 0.05, which needs 20; raise training.batch or training.level");
  CHECK(
      said(experiment_of("paper", {"training.drop_partial_batch=true", "training.batch=512"}), 1000) ==
      "training: the fitted rows make no whole batch of 512; use more rows, lower training.batch, or set training.drop_partial_batch to false");
  CHECK(
      said(experiment_of("release", {"training.batch=24"}), 100) ==
      "split: a part of 20 rows makes no whole batch of 24; use more rows, lower training.batch, or set split.whole_batches to false");
  CHECK(has(said(experiment_of("paper"), 2), "2 rows cannot be split"));
  CHECK(has(said(experiment_of("paper"), 10),
            "KNN: 4 points cannot be divided into 5 folds; lower predictor.folds"));
}

TEST_CASE("levels whose intervals will be infinite are named beforehand") {
  for (const std::string name : {"paper", "full", "release"})
    for (const std::size_t rows : std::vector<std::size_t>{100, 120, 150, 200, 250}) {
      const lacp::Experiment experiment = experiment_of(name);
      const lacp::TaskResult result =
          lacp::run_task(experiment, lacp::prepare(experiment, noise(rows), 0), {"noise", 0, "fixed"});
      std::vector<std::string> infinite;
      for (const lacp::Measurement& value : result.cell.values)
        if (value.metric == "size_mean" && std::isinf(value.value)) infinite.push_back(value.alpha);
      CAPTURE(name);
      CAPTURE(rows);
      CHECK(lacp::infinite_levels(experiment, rows) == infinite);
    }
  const std::string text = lacp::enough_rows_text({experiment_of("full")}, 120);
  CHECK_MESSAGE(text == "full: intervals are infinite at level 0.05\n", text);
}

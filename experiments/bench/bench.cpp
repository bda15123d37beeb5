// Times the parts that decide how long an experiment takes, in processor time of one thread, as a csv: `make
// bench` builds and runs it, `make bench-peers` sets the same work of other libraries beside it.
#include <fmt/format.h>

#include <algorithm>
#include <armadillo>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <numeric>

#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "models/stack/centre.hpp"
#include "models/trees/boosted.hpp"
#include "table/csv.hpp"
#include "table/table_model.hpp"

namespace lacp {
namespace {

/// Seconds of processor time that this thread has used: on an idle machine the same as time on the clock.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The shortest time of one call, in seconds: of at least three repetitions, for half a second. Calls that
/// are short are timed several at once.
double shortest(const std::function<void()>& function) {
  constexpr double budget = 0.5, sample = 1e-3;
  constexpr int fewest = 3;
  std::size_t calls = 1;
  const auto once = [&] {
    const double start = thread_seconds();
    for (std::size_t i = 0; i < calls; ++i) function();
    return (thread_seconds() - start) / static_cast<double>(calls);
  };
  double best = std::max(once(), 1e-9);  // also warms the caches
  calls = static_cast<std::size_t>(std::clamp(std::ceil(sample / best), 1.0, 1e5));
  const double start = thread_seconds();
  for (int round = 1; round < fewest || thread_seconds() - start < budget; ++round)
    best = std::min(best, once());
  return best;
}

/// Keeps the compiler from leaving out the work that leads to a value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

void print_number(const std::string& name, double value) {
  fmt::print("{},{:.6g}\n", name, value);
  std::fflush(stdout);
}

/// A step of method exp on random data; the batches take turns.
void time_step(std::size_t inputs, std::size_t batch) {
  constexpr std::size_t rows = 4096;
  Stream stream(7);
  arma::fmat X(inputs, rows);
  arma::vec log_a(rows);
  std::vector<arma::uword> order(rows);
  for (float& x : X) x = static_cast<float>(stream.normal());
  for (double& a : log_a) a = 2.0 * std::log(std::abs(stream.normal()));
  std::iota(order.begin(), order.end(), arma::uword{0});
  stream.shuffle(std::span(order));
  Trainer trainer = make_trainer(find_class("exp"), {}, {}, {}, {.learning_rate = 1e-5}, inputs, batch);
  trainer.initialise(stream);
  std::size_t first = 0;
  const double seconds = shortest([&] {
    keep(trainer.step(X, log_a, std::span(order).subspan(first, batch)).loss);
    first = (first + batch) % rows;
  });
  print_number(fmt::format("step/{}/{}", inputs, batch), seconds);
}

/// 100 rounds on 80 % of the rows, without early stopping.
void time_boosting(const DatasetDescription& description) {
  const Dataset data = load_dataset(description);
  const Scaling scaling = Scaling::fit(data.X, data.y);
  Stream stream(11);
  const arma::uvec order(stream.permutation<arma::uword>(data.y.n_elem));
  const arma::uvec rows = order.head(data.y.n_elem * 4 / 5);
  const arma::mat X = scaling.attributes(data.X.cols(rows));
  const arma::vec y = scaling.targets(data.y.elem(rows));
  const double seconds = shortest([&] { keep(BoostedTrees::fit(X, y, {.validation_share = 0.0}, stream)); });
  print_number("boosted/" + description.name, seconds);
}

/// A row of `lacp predict`: from the bytes of a csv to intervals at three levels.
void time_prediction(const DatasetDescription& description) {
  const LoadedDataset loaded = load_for_fit(description);
  PredictorSettings settings;
  settings.training.epochs = 1;  // as long to predict as after a long training
  const TableModel model = TableModel::fit({loaded.columns, loaded.format, loaded.data.X, loaded.data.y},
                                           {Level(0.05), Level(0.1), Level(0.32)}, settings);
  const std::string bytes = read_file(description.source->path);
  const CsvHeader header = read_csv_header(bytes, description.name, description.format);
  const CsvSource source{bytes, description.name, description.format, header};
  const double seconds = shortest([&] { keep(model.predict(source)); });
  print_number("predict/" + description.name, seconds / static_cast<double>(loaded.data.y.n_elem));
  const auto& knn = std::get<KnnRegressor>(model.predictor().centre());
  print_number("neighbours/" + description.name, static_cast<double>(knn.k()));
}

void time_all() {
  fmt::print("name,value\n");
  for (const std::size_t inputs : {8u, 18u, 53u})
    for (const std::size_t batch : {16u, 256u}) time_step(inputs, batch);
  const Catalog catalog = open_catalog("");
  for (const char* name : {"CASP", "homes"}) {
    const DatasetDescription description = catalog.find(name);
    if (!at_hand(description)) {
      tell("{0} is missing and left out; `lacp datasets fetch {0}` gets it\n", name);
      continue;
    }
    time_boosting(description);
    time_prediction(description);
  }
}

}  // namespace
}  // namespace lacp

int main() try {
  lacp::time_all();
  return lacp::exit_done;
} catch (const std::exception& error) {
  fmt::print(stderr, "lacp_bench: {}\n", error.what());
  return lacp::exit_failed;
}

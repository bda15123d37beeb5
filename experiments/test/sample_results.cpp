#include "sample_results.hpp"

#include "experiment/store/store.hpp"
#include "lacp/base/random.hpp"
#include "report/analysis/choice.hpp"

namespace lacp {
namespace {

/// Mean size of a made-up method: bigger for small α, a tenth smaller than fixed if trained.
double true_size(std::string_view dataset, std::string_view method, double alpha) {
  const double scale = dataset.starts_with("energy") ? 0.1 : 0.4;
  const double relative = method == "fixed" ? 1.0 : method == "erc_error_fit" ? 1.6 : 0.9;
  return scale * relative * (1.0 - std::log(alpha) / 3.0);
}

/// Coverage in a decile of local error: `fixed` covers easy points too often and hard ones too rarely.
double coverage_in(std::string_view method, double alpha, std::size_t decile) {
  const double slope = method == "fixed" ? 0.02 : 0.008;
  return std::clamp(1.0 - alpha - slope * (static_cast<double>(decile) - 5.5), 0.0, 1.0);
}

Cell sample_cell(const Experiment& e, const Task& task, const SampleFlaws& flaws) {
  Stream stream({e.seed, task.dataset, task.run, task.method, "sample"});
  Stream shared({e.seed, task.dataset, task.run, "", "sample"});  // runs are paired
  const double common = 1.0 + 0.05 * shared.normal();
  Cell cell;
  cell.task = task;
  for (const Level& level : e.levels) {
    const auto add = [&](const char* metric, double value, std::size_t bin = 0) {
      cell.values.push_back({metric, level.text(), bin, value});
    };
    const double alpha = level.value();
    const double size = true_size(task.dataset, task.method, alpha) * common * (1.0 + 0.02 * stream.normal());
    const bool infinite = flaws.infinite && task.dataset == "energy_y1" && task.method == "linear" &&
                          task.run == 1 && level.text() == "0.05";
    add("size_mean", size);
    add("validity", std::round(50.0 * (1.0 - alpha + 0.02 * stream.normal())) / 50.0);
    add("infinite", infinite ? 0.02 : 0.0);
    for (std::size_t bin = 1; bin <= 10; ++bin)
      add("coverage_by_error", coverage_in(task.method, alpha, bin) + 0.01 * stream.normal(), bin);
    for (std::size_t bin = 1; bin <= 10; ++bin)
      add("size_by_error", task.method == "fixed" ? size : size * (0.5 + static_cast<double>(bin) / 11.0),
          bin);
    add("size_error_correlation", task.method == "fixed" ? 0.0 : 0.35 + 0.02 * stream.normal());
    add("winkler", 2.5 * size);
  }
  const EvaluationOptions& evaluation = e.evaluation;
  const bool halves = evaluation.mode == EvaluationMode::halves;
  const std::size_t test = task.dataset == "concrete" ? 60 : 200;
  const std::size_t pool = evaluation.pool == 0 ? test : std::min(evaluation.pool, test);
  const std::size_t scored = halves ? pool - pool / 2 : pool;
  for (const auto& [metric, value] : std::initializer_list<std::pair<const char*, std::size_t>>{
           {"rows_test", test},
           {"calibration_points", halves ? pool / 2 : pool},
           {"scored_points", evaluation.scored == 0 ? scored : std::min(evaluation.scored, scored)},
           {"best_epoch", 7}})
    cell.values.push_back({metric, "", 0, static_cast<double>(value)});
  return cell;
}

/// Intervals around a parabola, wider in its middle.
std::string sample_intervals(const Task& task) {
  std::string text = "x,y,f,half_width,truth,sigma\n";
  for (int i = 0; i < 200; ++i) {
    const double x = 0.01 * (i * 37 % 200) - 1.0, truth = 0.5 + 0.8 * x - 1.2 * x * x;
    const double sigma = 0.1 + (std::abs(x) < 0.5 ? 2.0 - 2.0 * std::abs(x) : 0.0), f = truth + 0.1 * sigma;
    const double y = truth + (i % 5 - 2) * sigma, half_width = task.method == "fixed" ? 2.9 : 1.0 + sigma;
    text += fmt::format("{},{},{},{},{},{}\n", x, y, f, half_width, truth, sigma);
  }
  return text;
}

bool is_missing(const Task& task, const SampleFlaws& flaws) {
  if (!flaws.incomplete || task.dataset != "concrete") return false;
  return task.method == "erc_error_fit" || (task.method == "erc" && task.run >= 3);
}

}  // namespace

Experiment sample_experiment() {
  Experiment e;
  e.name = "sample";
  e.title = "Made-up numbers";
  e.datasets = {"energy_y1", "concrete", "cos", "linear"};
  e.methods = {"erc_error_fit", "erc", "linear", "exp", "sigma", "fixed", "mixture"};
  for (const char* alpha : {"0.05", "0.1", "0.32"}) e.levels.push_back(Level::parse(alpha));
  e.keep_intervals.datasets = {"cos", "linear"};
  e.reference.file = "table1.csv";
  e.reference.names = {{"energy_y1", "energy"}};
  return e;
}

void make_small(Experiment& e) {
  e.datasets = {"concrete"}, e.methods = {"fixed", "exp"};
  e.reference = {}, e.keep_intervals.datasets.clear();
}

void store_sample(const std::filesystem::path& folder, const Experiment& experiment,
                  const std::vector<TaskResult>& results) {
  for (const TaskResult& result : results) store_result(folder, experiment, "made up", result);
  merge_cells(folder, [](const Cell&) { return true; });
}

Results write_sample(const std::filesystem::path& folder, const SampleFlaws& flaws,
                     const std::function<void(Experiment&)>& change) {
  Experiment e = sample_experiment();
  e.name = folder.filename().string();
  if (change) change(e);
  std::filesystem::remove_all(folder);
  // What has no intervals goes straight into the files of cells: a run waits for the disk after each.
  std::map<std::string, std::string> rows;
  std::vector<TaskResult> others;
  for (const std::string& name : e.datasets) rows[name] = cell_header;
  for (const Task& task : grid(e)) {
    if (is_missing(task, flaws)) continue;
    TaskResult result{sample_cell(e, task, flaws), keeps_intervals(e, task) ? sample_intervals(task) : ""};
    if (result.intervals.empty())
      rows[task.dataset] += to_rows(stored_cell(e, "made up", result));
    else
      others.push_back(std::move(result));
  }
  for (const auto& [name, text] : rows) write_file(cells_path(folder, name), text);
  store_sample(folder, e, others);
  write_file(folder / "table1.csv", to_text(sample_reference()));
  std::string manifest = fmt::format("source: {}.yaml\ncommit: 0123456789ab\ndata:\n", e.name);
  for (const std::string& name : e.datasets)
    manifest += fmt::format("  {}: {{fingerprint: made up{}}}\n", name,
                            name == "cos" || name == "linear" ? ", synthetic: true" : "");
  write_file(folder / "manifest.yaml", manifest + "experiment:\n" + to_yaml(e, 2));
  return load_results(folder);
}

Results frontier_results(std::size_t datasets, std::size_t runs) {
  Results results;
  results.folder = "sample_frontier";
  results.source = "sample_frontier.yaml";
  Experiment& e = results.experiment;
  e.name = "sample_frontier", e.runs = runs;
  for (std::size_t i = 0; i < datasets; ++i) e.datasets.push_back(fmt::format("set_{}", i + 1));
  const std::map<std::string, double> adaptations = {{"fixed", 0.0}, {"erc", 0.25},    {"exp", 0.5},
                                                     {"sigma", 0.5}, {"linear", 0.75}, {"ml", 1.0}};
  e.methods = {"fixed", "exp", "erc", "sigma", "linear", "ml", "adapt", "cqr", "mondrian"};
  for (const char* alpha : {"0.05", "0.1", "0.32"}) e.levels.push_back(Level::parse(alpha));
  const std::map<std::string, double> scores = {{"adapt", 1.5}, {"cqr", 1.7}, {"mondrian", 4.0}};
  for (const Task& task : grid(e)) {
    const double d = std::stod(task.dataset.substr(4)) - 1.0;
    const double theta = adaptations.contains(task.method) ? adaptations.at(task.method) : 0.9;
    const double score = scores.contains(task.method) ? scores.at(task.method) : 3.0 - theta;
    const double jitter = 1.0 + 0.004 * Stream({1, task.dataset, task.run, task.method, "made up"}).normal();
    Cell& cell = results.cells[task];
    cell.task = task;
    for (const char* alpha : {"0.05", "0.1", "0.32"})
      for (const Measurement& m : std::initializer_list<Measurement>{
               {"size_mean", alpha, 0,
                (1.0 - 0.2 * theta) * jitter * (task.method == "mondrian" ? 1.5 : 1.0)},
               {"infinite", alpha, 0, 0.0},
               {"winkler", alpha, 0, score * jitter * (1.0 + d)},
               {"coverage_by_error", alpha, 10, 0.5 + 0.4 * theta - 0.01 * d}})
        cell.values.push_back(m);
  }
  return results;
}

double& value_of(Results& results, const Task& task, std::string_view metric, std::string_view alpha) {
  for (Measurement& m : results.cells.at(task).values)
    if (m.metric == metric && m.alpha == alpha) return m.value;
  throw std::out_of_range(std::string(metric));
}

const Row& row_of(const Frame& table, const Keys& keys) {
  const Row* row = table.find(keys);
  if (row == nullptr) throw std::logic_error("no such row");
  return *row;
}

Frame sample_reference() {
  Frame table({"dataset", "method", "alpha", "size_mean", "size_std", "validity_mean", "validity_std"},
              "reference");
  for (const char* dataset : {"energy", "concrete"})
    for (const char* method : {"erc_error_fit", "erc", "linear", "exp", "sigma", "fixed"})
      for (const double alpha : {0.05, 0.1, 0.32}) {
        const double size = true_size(dataset, method, alpha);
        table.add({dataset, method, alpha, size, 0.05 * size, 1.0 - alpha, 0.02});
      }
  return table;
}

}  // namespace lacp

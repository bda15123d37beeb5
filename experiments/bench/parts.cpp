// Boosted trees, reading csv, predicting a table, evaluating.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.hpp"
#include "datasets/load.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/classes/transformation_class.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/metrics.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/conformal/table_model.hpp"
#include "lacp/data/csv.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/boosted.hpp"
#include "lacp/model/centre.hpp"

namespace lacp::bench {

void boosting(Context& context) {
  context.report.section(
      "Boosted trees",
      "100 rounds on 80 % of the rows, without early stopping; the error is the root mean square on the others, in units of the mean |y|.");
  Frame table({"data set", "rows", "d", "fit, s", "a prediction, µs", "error"});
  for (const std::string name : {"homes", "CASP", "facebook_1", "blog_data"}) {
    const std::optional<Shuffled> data = shuffled(context, name);
    if (!data) continue;
    const arma::uword rows = data->y.n_elem * 4 / 5, others = data->y.n_elem - rows;
    const arma::mat X = data->X.head_cols(rows), X_new = data->X.tail_cols(others);
    const arma::vec y = data->y.head(rows), y_new = data->y.tail(others);
    const auto fit = [&] {
      Stream unused(1);
      return BoostedTrees::fit(X, y, {.validation_share = 0.0}, unused);
    };
    const double seconds = shortest([&] { keep(fit()); }, context.budget);
    const BoostedTrees model = fit();
    const double prediction =
        shortest([&] { keep(model.predict(X_new)); }, context.budget) / static_cast<double>(others);
    const arma::vec r = model.predict(X_new) - y_new;
    const double error = std::sqrt(dot_of(r.memptr(), r.memptr(), r.n_elem) / static_cast<double>(others));
    table.add({name, std::to_string(rows), std::to_string(X.n_rows), display(seconds, 3),
               display(1e6 * prediction, 2), display(error, 4)});
    context.report.number("boosted/" + name, seconds);
    context.report.number("boosted_error/" + name, error);
  }
  context.report.table(table);
}

namespace {

/// Numbers with six significant digits, twenty to a record.
std::string random_table(std::size_t records) {
  Stream stream(9);
  std::string text;
  for (std::size_t column = 1; column <= 20; ++column)
    text += fmt::format("{}c{}", column > 1 ? "," : "", column);
  for (std::size_t record = 0; record < records; ++record)
    for (std::size_t column = 0; column < 20; ++column)
      text += fmt::format("{}{:.6g}", column > 0 ? ',' : '\n', 100.0 * stream.normal());
  return text + "\n";
}

}  // namespace

void csv_reading(Context& context) {
  context.report.section(
      "Reading csv",
      "From bytes in memory to numbers, all columns; and a whole data set: file, SHA-256, numbers of the columns in use.");
  Frame table({"table", "MB", "csv, MB/s", "whole data set, MB/s"});
  const auto rate = [](std::size_t bytes, double seconds) {
    return 1e-6 * static_cast<double>(bytes) / seconds;
  };
  const auto megabytes = [](std::size_t bytes) { return display(1e-6 * static_cast<double>(bytes), 1); };

  const std::string random = random_table(50000);
  const double seconds = shortest([&] { keep(read_csv(random, "random")); }, context.budget);
  table.add({"random numbers", megabytes(random.size()), display(rate(random.size(), seconds), 0), ""});
  context.report.number("csv_mb_per_second/random", rate(random.size(), seconds));

  for (const std::string name : {"CASP", "homes", "facebook_1"}) {
    const auto found = fetched(context, name);
    if (!found) continue;
    const DatasetDescription& description = *found;
    const std::string bytes = read_file(description.source->table);
    const CsvHeader header = read_csv_header(bytes, name, description.format);
    // Columns that a description drops may hold text.
    std::vector<CellUse> use(header.names.size(), CellUse::number);
    for (std::size_t c = 0; c < use.size(); ++c)
      if (std::ranges::find(description.drop.columns, header.names[c]) != description.drop.columns.end())
        use[c] = CellUse::skip;
    const CsvSource source{bytes, name, description.format, header};
    const std::vector<double> best =
        shortest({[&] { keep(read_csv(source, use, [](auto...) { return std::optional<double>(); })); },
                  [&] { keep(load_dataset(description)); }},
                 context.budget);
    table.add({name, megabytes(bytes.size()), display(rate(bytes.size(), best[0]), 0),
               display(rate(bytes.size(), best[1]), 0)});
    context.report.number("csv_mb_per_second/" + name, rate(bytes.size(), best[0]));
  }
  context.report.table(table);
}

void predicting(Context& context) {
  context.report.section(
      "Predicting a table",
      "What `lacp predict` does in each thread: from the bytes of a csv to intervals at three levels. The parts: csv to numbers, neighbours, network.");
  Frame table({"data set", "rows", "points", "d", "K", "rows/s", "csv, µs/row", "neighbours, µs/row",
               "network, µs/row"});
  for (const std::string name : {"CASP", "homes"}) {
    const auto found = fetched(context, name);
    if (!found) continue;
    const DatasetDescription& description = *found;
    const LoadedDataset loaded = load_for_fit(description);
    PredictorSettings settings;
    settings.training.epochs = 1;  // as long to predict as after a long training
    const TableModel model = TableModel::fit({loaded.columns, loaded.format, loaded.data.X, loaded.data.y},
                                             {Level(0.05), Level(0.1), Level(0.32)}, settings);
    const std::string bytes = read_file(description.source->table);
    const CsvHeader header = read_csv_header(bytes, name, description.format);
    const CsvSource source{bytes, name, description.format, header};
    const LocalPredictor& predictor = model.predictor();
    const auto& knn = std::get<KnnRegressor>(predictor.centre());
    const arma::mat X = predictor.scaling().attributes(loaded.data.X);
    const std::vector<double> best =
        shortest({[&] { keep(model.predict(source)); }, [&] { keep(encode(model.columns(), source)); },
                  [&] { keep(knn.predict(X)); }, [&] { keep(predictor.score().local(X)); }},
                 4.0 * context.budget);
    const auto rows = static_cast<double>(X.n_cols);
    table.add({name, std::to_string(X.n_cols), std::to_string(knn.points().n_cols), std::to_string(X.n_rows),
               std::to_string(knn.k()), display(rows / best[0], 0), display(1e6 * best[1] / rows, 2),
               display(1e6 * best[2] / rows, 2), display(1e6 * best[3] / rows, 2)});
    context.report.number("predict_seconds_per_row/" + name, best[0] / rows);
    context.report.number("predict_k/" + name, static_cast<double>(knn.k()));
  }
  context.report.table(table);
}

namespace {

/// Slope of log(seconds) against log(n), by least squares.
double growth(const std::vector<double>& n, const std::vector<double>& seconds) {
  const arma::vec x = arma::log(arma::vec(n)), y = arma::log(arma::vec(seconds));
  const arma::vec centred = x - arma::mean(x);
  return dot_of(centred.memptr(), y.memptr(), y.n_elem) /
         dot_of(centred.memptr(), centred.memptr(), centred.n_elem);
}

}  // namespace

void leave_one_out(Context& context) {
  context.report.section(
      "Leave-one-out evaluation",
      "Every point calibrated by all others at α = 0.1. Evaluation: scores, thresholds, half-widths, mean size and share of points inside, in seconds;\nall metrics: everything that a result file holds for one level (slabs, deciles, correlations) on top.");
  const Level level = Level::parse("0.1");
  const TransformationClass& method = find_class("exp");
  std::vector<double> sizes, evaluation, everything;
  Frame table({"points", "evaluation, s", "with all metrics, s"});
  for (const std::size_t n : {1000u, 10000u, 100000u, 1000000u}) {
    Stream stream(13);
    arma::mat g(1, n);
    arma::vec error(n), log_a(n), scores;
    for (std::size_t i = 0; i < n; ++i) {
      g(0, i) = stream.normal(), error(i) = stream.normal();
      log_a(i) = 2.0 * std::log(std::abs(error(i)));
    }
    ScoredIntervals intervals{.X = g,
                              .f = arma::vec(n, arma::fill::zeros),
                              .y = error,
                              .bounds = {},
                              .local_error = arma::abs(error)};
    arma::vec half_width;
    const auto evaluate = [&] {
      method.scores({}, log_a, g, {}, scores);
      method.half_widths({}, lacp::leave_one_out(scores, level), g, {}, half_width);
      double size = 0.0;
      std::size_t inside = 0;
      for (std::size_t i = 0; i < n; ++i) {
        size += half_width(i);
        inside += std::abs(error(i)) <= half_width(i) ? 1 : 0;
      }
      keep(size), keep(inside);
    };
    sizes.push_back(static_cast<double>(n));
    evaluation.push_back(shortest(evaluate, context.budget));
    everything.push_back(shortest(
        [&] {
          evaluate();
          intervals.bounds = Bounds::symmetric(half_width);
          Stream slabs(1);
          keep(measure(intervals, level, slabs));
        },
        0.0));
    table.add({std::to_string(n), fmt::format("{:.6f}", evaluation.back()),
               fmt::format("{:.6f}", everything.back())});
    context.report.number(fmt::format("leave_one_out/{}", n), evaluation.back());
  }
  table.add(
      {"growth exponent", display(growth(sizes, evaluation), 2), display(growth(sizes, everything), 2)});
  context.report.number("leave_one_out/exponent", growth(sizes, evaluation));
  context.report.table(table);
}

}  // namespace lacp::bench

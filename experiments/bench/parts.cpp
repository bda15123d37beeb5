// Boosted trees, and predicting a table.
#include <cmath>

#include "bench.hpp"
#include "datasets/load.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/centre.hpp"
#include "lacp/model/trees/boosted.hpp"
#include "lacp/table/csv.hpp"
#include "lacp/table/table_model.hpp"

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
    const arma::vec f = knn.predict(X);
    const std::vector<double> best =
        shortest({[&] { keep(model.predict(source)); }, [&] { keep(encode(model.columns(), source)); },
                  [&] { keep(knn.predict(X)); }, [&] { keep(predictor.score().local(X, f)); }},
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

}  // namespace lacp::bench

#include <fmt/format.h>

#include "datasets/load.hpp"
#include "lacp/base/files.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/conformal/table_model.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/centre.hpp"
#include "sections.hpp"
#include "timing.hpp"

namespace lacp::bench {

void predicting(Context& context) {
  context.report.section(
      "Predicting a table",
      "What `lacp predict` does in each thread: from the bytes of a csv to intervals at three levels. The parts: csv to numbers, neighbours, network.");
  Frame table({"data set", "rows", "points", "d", "K", "rows/s", "csv, µs/row", "neighbours, µs/row",
               "network, µs/row"});
  for (const std::string name : {"CASP", "homes"}) {
    const DatasetDescription description = context.catalog.find(name);
    if (!at_hand(description)) {
      context.report.say(fmt::format("{} is missing and left out.", name));
      continue;
    }
    const LoadedDataset loaded = load_with_columns(description);
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

}  // namespace lacp::bench

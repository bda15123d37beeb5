// Targets of few values: an interval's end that came from one of them holds it, to the last digit.
#include <doctest/doctest.h>

#include "lacp/conformal/table_model.hpp"

using namespace lacp;

namespace {

/// A row in fifteen kinds: one category of three, and 1 to 5 stars that depend on it a little.
std::string stars(std::size_t n, Stream& stream) {
  std::string text = "kind,stars\n";
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t kind = stream.below(3);
    text += fmt::format("{},{}\n", "abc"[kind], 1 + std::min(stream.below(5), 2 + stream.below(2 + kind)));
  }
  return text;
}

/// How many ends fall short of a number of stars by less than 1e-9: all rows with so many lie outside.
std::size_t lost(const TableIntervals& intervals) {
  std::size_t count = 0;
  for (arma::uword l = 0; l < intervals.lower.n_rows; ++l)
    for (arma::uword n = 0; n < intervals.lower.n_cols; ++n)
      for (double y = 1.0; y <= 5.0; ++y) {
        const double below = intervals.lower(l, n) - y, above = y - intervals.upper(l, n);
        count += (below > 0.0 && below < 1e-9) || (above > 0.0 && above < 1e-9) ? 1 : 0;
      }
  return count;
}

std::size_t lost_in_fits(const std::string& method, bool log_target) {
  std::size_t count = 0;
  const CsvFormat format;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Stream stream(seed);
    const std::string text = stars(400, stream), three = "kind\na\nb\nc\n", name = "stars.csv";
    const CsvHeader header = read_csv_header(text, name, format),
                    other = read_csv_header(three, name, format);
    const Columns columns{.attributes = {{.name = "kind", .kind = ColumnKind::category}},
                          .target = {{.name = "stars"}},
                          .log_target = log_target};
    PredictorSettings settings{.method = method, .seed = seed};
    settings.network.hidden = {8};
    settings.training.epochs = 2;
    const std::vector<Level> levels = {Level(0.05), Level(0.1), Level(0.2), Level(0.32), Level(0.5)};
    const TableModel model =
        TableModel::fit(read_table({text, name, format, header}, columns), levels, settings);
    count += lost(model.predict(CsvSource{three, name, format, other}));
  }
  return count;
}

}  // namespace

TEST_CASE("no method loses a tie by rounding") {
  for (const std::string method : {"fixed", "adapt", "exp", "erc", "knn_error", "mondrian", "cqr", "rlcp"}) {
    CAPTURE(method);
    CHECK(lost_in_fits(method, false) == 0);
    CHECK(lost_in_fits(method, true) == 0);
  }
}

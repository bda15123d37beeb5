// What a fitted model does not depend on: calibration rows, whose x and y are changed, and its file stays the
// same up to the calibration, which is its end.
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"
#include "table/table_model.hpp"

using namespace lacp;

namespace {

constexpr std::size_t rows = 300;
constexpr std::size_t checksum_bytes = 64;

/// How many bytes at the end of its file are the calibration, and the checksum.
std::size_t calibration_bytes(const LocalPredictor& model) {
  const FittedScore& score = model.score();
  const std::size_t n = model.calibration_size(), kept = score.kept_rows();
  const std::size_t arrays = std::max<std::size_t>(score.levels().size(), 1);
  const std::size_t X = 16 + 8 * model.attributes() * n, y_f_arrival = 3 * (8 + 8 * n), ends = 16;
  const std::size_t no_places = 8, widths = 8 + (score.width_cuts().empty() ? 0 : 8 * n);
  return arrays * (8 + 8 * n) + (kept > 0 ? 16 + 8 * kept * n : 0) + X + y_f_arrival + no_places + widths +
         ends + checksum_bytes;
}

void check_same_but_calibration(const std::string& a, const std::string& b, std::size_t calibration) {
  REQUIRE(a.size() == b.size());
  const std::size_t fitted = a.size() - calibration;
  CHECK(a.substr(0, fitted) == b.substr(0, fitted));
  CHECK(a.substr(fitted) != b.substr(fitted));
}

void check(const PredictorSettings& settings) {
  INFO(settings.method, " ", name_of(settings.centre.kind), " ", settings.cross_fit);
  Stream stream(1);
  auto [X, y] = made_rows(rows, stream);
  const LocalPredictor model = LocalPredictor::fit(X, y, settings);
  for (const arma::uword i : split_of_fit(rows, settings).test) X.col(i) = 3.0 - 2.0 * X.col(i), y(i) *= 7.0;
  check_same_but_calibration(model.to_bytes(), LocalPredictor::fit(X, y, settings).to_bytes(),
                             calibration_bytes(model));
}

/// A csv of flats. Rows marked in `other` have other numbers, other cells missing and another district, which
/// no other row may have.
/// Where levels or columns were learnt from these rows, the model would have other attributes.
TableModel fit_flats(const PredictorSettings& settings, const std::vector<bool>& other) {
  Stream stream(2);
  std::string text = "area,floor,district,rent\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double area = stream.uniform(20, 90), rent = 10.0 * area * (1.0 + 0.2 * stream.normal());
    const bool known = stream.uniform() > 0.2, centre = stream.uniform() < 0.5;
    text += other[i] ? fmt::format("{},{},{},{}\n", known ? "" : "1e3", 40 + i % 7,
                                   centre ? "north" : "harbour", 3.0 * rent)
                     : fmt::format("{},{},{},{}\n", known ? fmt::format("{}", area) : "", i % 5,
                                   centre ? "centre" : "north", rent);
  }
  const Columns columns{.attributes = {{.name = "area", .if_missing = IfMissing::fill},
                                       {.name = "floor"},
                                       {.name = "district", .kind = ColumnKind::category}},
                        .target = {{.name = "rent"}}};
  return TableModel::fit(read_table(Table(text).source(), columns), {Level(0.1)}, settings);
}

}  // namespace

TEST_CASE("no method learns from calibration rows") {
  for (const std::string& method : method_names()) check(quick_settings(method));
}

TEST_CASE("no centre learns from calibration rows, on separate parts or out of folds") {
  for (const CentreKind kind : {CentreKind::knn, CentreKind::mlp, CentreKind::boosted, CentreKind::stack})
    for (const std::size_t folds : {0u, 3u}) check(quick_settings("adapt", kind, folds));
}

TEST_CASE("a model of a table learns nothing from calibration rows: columns, means that fill, all below") {
  for (const std::size_t folds : {0u, 3u}) {
    const PredictorSettings settings = quick_settings("exp", CentreKind::boosted, folds);
    std::vector<bool> other(rows, false);
    const TableModel model = fit_flats(settings, other);
    for (const arma::uword i : split_of_fit(rows, settings).test) other[i] = true;
    // Behind the predictor: no prediction of one's own, what it explains of the calibration rows, no groups,
    // and no columns that were the same in all rows.
    const std::size_t no_prediction = 8, explained = 3 * 8, no_groups = 8, no_constants = 2 * 8;
    check_same_but_calibration(model.to_bytes(), fit_flats(settings, other).to_bytes(),
                               calibration_bytes(model.predictor()) + no_prediction + explained + no_groups +
                                   no_constants + checksum_bytes);
  }
}

TEST_CASE("a column is dropped for a cell that a training row misses, not for one of a calibration row") {
  const Columns columns{
      .attributes = {{.name = "area"}, {.name = "floor", .if_missing = IfMissing::drop_column}},
      .target = {{.name = "rent"}}};
  const PredictorSettings settings = quick_settings("fixed");
  const Split split = split_of_fit(rows, settings);
  const auto fit = [&](arma::uword gap) {
    std::string text = "area,floor,rent\n";
    for (std::size_t i = 0; i < rows; ++i)
      text += fmt::format("{},{},{}\n", i % 83, i == gap ? "" : fmt::format("{}", i % 5), i);
    return TableModel::fit(read_table(Table(text).source(), columns), {Level(0.1)}, settings);
  };
  for (const auto& part : {split.proper, split.train}) CHECK(fit(part[0]).columns().attributes.size() == 1);
  const TableModel model = fit(split.test[0]);
  CHECK(model.columns().attributes.size() == 2);
  // A new row without that cell is refused, so this one does not calibrate.
  CHECK(model.predictor().calibration_size() == split.test.size() - 1);
}

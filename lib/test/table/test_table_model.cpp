// From raw tables to intervals: columns by name, missing cells, saved models.
#include <algorithm>

#include "lacp/data/scaling.hpp"
#include "made_rows.hpp"
#include "table/table_model.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

/// Rooms with a size, some of them unknown, a kind and a day; the noise grows with the size.
struct Room {
  double size, price;
  std::string kind, day;
  bool size_known;
};

std::vector<Room> rooms(std::size_t n, std::uint64_t seed) {
  Stream stream(seed);
  std::vector<Room> out;
  for (std::size_t i = 0; i < n; ++i) {
    Room room{stream.uniform(1, 10), 0, stream.uniform() < 0.3 ? "attic" : "flat", "",
              stream.uniform() > 0.1};
    room.day = fmt::format("2024-{:02}-15", 1 + i % 12);
    room.price =
        100.0 + 20.0 * room.size * (room.kind == "attic" ? 0.5 : 1.0) + 2.0 * room.size * stream.normal();
    out.push_back(room);
  }
  return out;
}

std::string to_csv(const std::vector<Room>& all) {
  std::string text = "size,kind,day,price\n";
  for (const Room& room : all)
    text += fmt::format("{},{},{},{}\n", room.size_known ? fmt::format("{}", room.size) : "NA", room.kind,
                        room.day, room.price);
  return text;
}

Columns columns() {
  return {.attributes = {{.name = "size", .if_missing = IfMissing::fill},
                         {.name = "kind", .kind = ColumnKind::category},
                         {.name = "day", .kind = ColumnKind::date, .parts = {DatePart::month}}},
          .target = {{.name = "price"}}};
}

std::vector<Level> levels() { return {Level(0.05), Level(0.1), Level(0.32)}; }

TableModel fit_rooms(std::size_t n = 1500, std::string method = "exp") {
  return TableModel::fit(read_table(Table(to_csv(rooms(n, 1))).source(), columns()), levels(),
                         quick_settings(std::move(method)));
}

bool same(const TableIntervals& a, const TableIntervals& b) {
  return arma::all(a.f == b.f) && arma::all(arma::vectorise(a.lower == b.lower)) &&
         arma::all(arma::vectorise(a.upper == b.upper));
}

}  // namespace

TEST_CASE("missing cells are filled with the means of the first part; no other shape is predicted") {
  const TableToFit table = read_table(Table(to_csv(rooms(600, 4))).source(), columns());
  const TableModel model = TableModel::fit(table, levels(), quick_settings("exp"));
  const Split split = split_of_fit(table.y.n_elem, quick_settings("exp"));
  const arma::vec means =
      known_means(table.X.cols(arma::uvec(split.proper)), table.columns.attribute_names());
  const Table missing("size,kind,day\n,flat,2024-03-15\n"),
      filled(fmt::format("size,kind,day\n{},flat,2024-03-15\n", means(0)));
  CHECK(same(model.predict(missing.source()), model.predict(filled.source())));
  CHECK(means(0) != known_means(table.X, table.columns.attribute_names())(0));
  for (const arma::uword rows : {table.X.n_rows - 1, table.X.n_rows + 1})
    for (const double last : {0.0, arma::datum::nan}) {
      arma::mat X(rows, 2, arma::fill::zeros);
      X(rows - 1, 0) = last;
      CHECK_REFUSED(model.predict(X), fmt::format("TableModel: {} attributes", rows).c_str());
    }
}

TEST_CASE("rows that cannot be predicted are refused with line and column, or listed with the reason") {
  const TableModel model = fit_rooms(600);
  const Table table(
      "size,kind,day\n"
      "5,flat,2024-03-15\n"
      "5,flat,never\n"
      "5,flat\n"
      "1e300,flat,2024-03-15\n"
      "5,flat,2024-03-15,7\n"
      "six,flat,2024-03-15\n"
      "6,attic,2024-03-15\n"),
      good("size,kind,day\n5,flat,2024-03-15\n6,attic,2024-03-15\n"),
      far("size,kind,day\n1e300,flat,2024-03-15\n");
  CHECK_REFUSED(model.predict(table.source()), "t.csv:3: column 3 'day': found 'never'");
  CHECK_REFUSED(model.predict(far.source()), "t.csv:2: the row lies too far");
  const TableIntervals found = model.predict(table.source(), {.skip_bad = true});
  CHECK(found.lines == std::vector<std::size_t>{2, 8});
  CHECK(same(found, model.predict(good.source())));
  const std::vector<std::string> reasons = {
      "t.csv:3: column 3 'day': found 'never'", "t.csv:4: the row has 2 of 3 cells",
      "t.csv:5: the row lies too far from those of the fit", "t.csv:6: the row has 4 cells; expected 3",
      "t.csv:7: column 1 'size': found 'six'"};
  REQUIRE(found.bad_rows.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(found.bad_rows[i].line == i + 3);
    CHECK(found.bad_rows[i].reason.starts_with(reasons[i]));
  }
  check_has(found.bad_rows[2].reason, "'size' is 1e+300");
  CHECK(model.predict(far.source(), {.skip_bad = true}).f.n_elem == 0);
}

TEST_CASE("a target of log(1 + y) comes back in its own units") {
  Columns logged = columns();
  logged.log_target = true;
  const Table table(to_csv(rooms(900, 5)));
  const TableToFit fitted = read_table(table.source(), logged);
  const TableModel model = TableModel::fit(fitted, levels(), quick_settings("exp"));
  const TableIntervals found = model.predict(table.source(), {.target = true});
  arma::mat X = fitted.X;
  fill_missing(X, known_means(X.cols(arma::uvec(split_of_fit(X.n_cols, quick_settings("exp")).proper)),
                              fitted.columns.attribute_names()));
  const Intervals in_logs = model.predictor().predict(X, Level(0.1));
  for (arma::uword n = 0; n < 20; ++n) {
    CHECK(found.f(n) == near(std::expm1(in_logs.f(n)), 1e-9));
    CHECK(found.lower(1, n) == near(std::expm1(in_logs.lower()(n)), 1e-9));
    CHECK(found.upper(1, n) == near(std::expm1(in_logs.upper()(n)), 1e-9));
    CHECK(found.y(n) == near(rooms(900, 5)[n].price, 1e-9));
  }
  const std::vector<Level> taus = {Level(0.9), Level(0.2)};
  CHECK(arma::approx_equal(model.quantiles(fitted.X, taus),
                           arma::mat(arma::expm1(model.predictor().quantiles(X, taus))), "reldiff", 1e-9));
  CHECK(TableModel::from_bytes(model.to_bytes(), "m").columns().log_target);
}

TEST_CASE("a table without a header must have as many columns as that of the fit") {
  std::string text;
  for (const Room& room : rooms(300, 7)) text += fmt::format("{},{}\n", room.size, room.price);
  const TableToFit table = read_table(Table(text, {.delimiter = ',', .header = false, .names = {}}).source(),
                                      {.attributes = {{.name = "c1"}}, .target = {{.name = "c2"}}});
  const std::string bytes = TableModel::fit(table, levels(), quick_settings("fixed")).to_bytes();
  const TableModel model = TableModel::from_bytes(bytes, "m");
  CHECK_REFUSED(Table("5\n", model.format()), "t.csv:1: has 1 column, but 2 names");
  CHECK(model.predict(Table("5,\n", model.format()).source()).f.n_elem == 1);
}

TEST_CASE("a file that is whole, but not that of a model of a table, is refused") {
  const TableModel model = fit_rooms(300, "fixed");
  const std::string bytes = model.to_bytes();
  CHECK(TableModel::from_bytes(bytes, "m").to_bytes() == bytes);
  CHECK_REFUSED(TableModel::from_bytes(model.predictor().to_bytes(), "m.lacp"),
                "m.lacp: is a model of numbers, without columns");
  CHECK_REFUSED(TableModel::load("no/such/file"), "no/such/file: cannot be read");
  // With a part of its content in place of another, and a checksum that fits.
  const auto refused = [](std::string content, const std::string& part, const std::string& other,
                          const Parts& parts) {
    content.resize(content.size() - 64);
    content.replace(content.find(part), part.size(), other);
    check_has(message_of([&] { TableModel::from_bytes(content + sha256(content), "m.lacp"); }), parts);
  };
  refused(bytes, "model\n\7", "model\n\10", {"m.lacp: is not a usable model", "format 8", "reads format 7"});
  refused(bytes, "model\n\7", "model\n\6",
          "m.lacp: is not a usable model: it was fitted by an older lacp; fit again");
  refused(bytes + "x", "model", "model", "more in it than a model");
  refused(bytes, "0.32", "0.10", "what no fit makes");
  refused(fit_rooms(300, "cqr").to_bytes(), "0.32", "0.33", "what no fit makes");
}

TEST_CASE("missing cells are a class called missing, beside one whose value is the mean") {
  // Levels a and b, numbers 1, 2 and 3 with the mean 2, and a category of one level; all have gaps.
  std::string text = "x,letter,number,one,y\n";
  Stream stream(8);
  for (std::size_t i = 0; i < 600; ++i) {
    const char* letter = i % 5 == 0 ? "" : i % 5 < 4 ? "a" : "b";
    const std::string number = i % 4 == 0 ? "" : fmt::format("{}", i % 4);
    text += fmt::format("{},{},{},{},{}\n", stream.normal(), letter, number, i % 2 == 0 ? "" : "k",
                        stream.normal());
  }
  const auto fill = [](const char* name, ColumnKind kind) {
    return Column{.name = name, .kind = kind, .if_missing = IfMissing::fill};
  };
  const Columns columns{.attributes = {{.name = "x"},
                                       fill("letter", ColumnKind::category),
                                       fill("number", ColumnKind::number),
                                       fill("one", ColumnKind::category)},
                        .target = {{.name = "y"}}};
  const Table whole(text);
  TableToFit table = read_table(whole.source(), columns);
  for (const auto& [by, names] : {std::pair{"letter", std::vector<std::string>{"a", "b", ""}},
                                  {"number", {"1", "2", "3", ""}},
                                  {"one", {"k", ""}}}) {
    CAPTURE(by);
    table.by = by;
    const TableModel model = TableModel::fit(table, levels(), quick_settings("fixed"));
    std::vector<std::string> found;
    std::size_t rows = 0;
    for (const TableModel::Class& own : model.classes()) {
      found.push_back(own.value);
      rows += own.rows;
      CHECK(own.missing == own.value.empty());
    }
    CHECK(found == names);
    CHECK(rows == model.predictor().calibration_size());
    CHECK(model.predict(whole.source()).new_classes == 0);
  }
}

TEST_CASE("a model keeps how well it explained the rows of its fit, whatever calibrates it later") {
  const TableModel model = fit_rooms(300);
  const Explained at_fit = model.explained_at_fit();
  CHECK(at_fit.r2 > 0.5);
  const EncodedTable other = encode(model.columns(), Table(to_csv(rooms(200, 7))).source(), {.target = true});
  const TableModel updated = TableModel::from_bytes(
      model.updated(other.X, 1000.0 - 3.0 * other.y, {.instead = true}).to_bytes(), "updated");
  CHECK(updated.explained_at_fit().r2 == at_fit.r2);
  CHECK(updated.explained_at_fit().moved == at_fit.moved);
  CHECK(updated.explained_at_fit().deviation == at_fit.deviation);
}

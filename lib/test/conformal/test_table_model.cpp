// From raw tables to intervals: columns by name, missing cells, saved models.
#include <doctest/doctest.h>

#include <cmath>

#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/table_model.hpp"
#include "lacp/data/scaling.hpp"
#include "near.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

const std::string name = "t.csv";

/// A table in memory that lives as long as its users.
struct Table {
  explicit Table(std::string text, CsvFormat how = {})
      : bytes(std::move(text)), format(std::move(how)), header(read_csv_header(bytes, name, format)) {}
  CsvSource source() const { return {bytes, name, format, header}; }
  std::string bytes;
  CsvFormat format;
  CsvHeader header;
};

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

std::string cell(const Room& room) { return room.size_known ? fmt::format("{}", room.size) : "NA"; }

std::string to_csv(const std::vector<Room>& all) {
  std::string text = "size,kind,day,price\n";
  for (const Room& room : all)
    text += fmt::format("{},{},{},{}\n", cell(room), room.kind, room.day, room.price);
  return text;
}

/// Other order, more columns, no target.
std::string to_other_csv(const std::vector<Room>& all) {
  std::string text = "remark,day,size,owner,kind\n";
  for (const Room& room : all)
    text += fmt::format("\"a, \"\"b\"\"\nc\",{},{},x,{}\n", room.day, cell(room), room.kind);
  return text;
}

Columns columns() {
  return {.attributes = {{.name = "size", .if_missing = IfMissing::fill},
                         {.name = "kind", .kind = ColumnKind::category},
                         {.name = "day", .kind = ColumnKind::date, .parts = {DatePart::month}}},
          .target = {{.name = "price"}}};
}

PredictorSettings small(std::string method = "exp") {
  PredictorSettings settings{.method = std::move(method)};
  settings.network.hidden = {16, 16};
  settings.training.epochs = 5;
  return settings;
}

std::vector<Level> levels() { return {Level(0.05), Level(0.1), Level(0.32)}; }

TableModel fit_rooms(std::size_t n = 1500, std::string method = "exp") {
  return TableModel::fit(read_table(Table(to_csv(rooms(n, 1))).source(), columns()), levels(),
                         small(std::move(method)));
}

std::string refusal_of(std::string bytes) {
  return message_of([&] { TableModel::from_bytes(bytes, "m.lacp"); });
}

std::string with_checksum(std::string content) { return content + sha256(content); }

bool same(const TableIntervals& a, const TableIntervals& b) {
  return arma::all(a.f == b.f) && arma::all(arma::vectorise(a.lower == b.lower)) &&
         arma::all(arma::vectorise(a.upper == b.upper));
}

}  // namespace

TEST_CASE("a saved model covers held-out rows as promised, at three levels") {
  const TemporaryFolder folder;
  fit_rooms().save(folder / "m.lacp");
  const TableModel model = TableModel::load(folder / "m.lacp");
  const Table held_out(to_csv(rooms(4000, 2)));
  const TableIntervals found = model.predict(held_out.source(), {.target = true});
  REQUIRE(found.f.n_elem == 4000);
  const auto calibration = static_cast<double>(model.predictor().calibration_size());
  for (std::size_t l = 0; l < model.levels().size(); ++l) {
    CAPTURE(model.levels()[l].text());
    std::size_t covered = 0;
    for (arma::uword n = 0; n < found.f.n_elem; ++n)
      covered += found.lower(l, n) <= found.y(n) && found.y(n) <= found.upper(l, n) ? 1 : 0;
    // Binomial over the held-out rows, around a coverage that is itself Beta over the calibration rows: three
    // standard deviations of both.
    const double alpha = model.levels()[l].value();
    const double band = 3.0 * std::sqrt(alpha * (1.0 - alpha) * (1.0 / 4000.0 + 1.0 / calibration));
    CHECK(static_cast<double>(covered) / 4000.0 == near(1.0 - alpha, band));
  }
}

TEST_CASE("columns are found by name, others ignored, quoted line ends counted") {
  const TableModel model = fit_rooms();
  const std::vector<Room> some = rooms(50, 3);
  const Table plain(to_csv(some)), other(to_other_csv(some));
  const TableIntervals a = model.predict(plain.source()), b = model.predict(other.source());
  CHECK(same(a, b));
  CHECK(a.lines[1] == 3);
  CHECK(b.lines[1] == 4);
  CHECK(a.filled > 0);
  CHECK(a.filled == b.filled);
  const Table without("size,price\n1,2\n");
  CHECK(message_of([&] {
          model.predict(without.source());
        }).starts_with("t.csv: has no column 'kind', 'day'; expected all columns that were fitted"));
}

TEST_CASE("missing cells are filled with the means of the first part of the fit") {
  const TableToFit table = read_table(Table(to_csv(rooms(600, 4))).source(), columns());
  const TableModel model = TableModel::fit(table, levels(), small());
  const Split split = split_of_fit(table.y.n_elem, small());
  const arma::vec means =
      known_means(table.X.cols(arma::uvec(split.proper)), table.columns.attribute_names());
  const Table missing("size,kind,day\n,flat,2024-03-15\n"),
      filled(fmt::format("size,kind,day\n{},flat,2024-03-15\n", means(0)));
  CHECK(same(model.predict(missing.source()), model.predict(filled.source())));
  CHECK(means(0) != known_means(table.X, table.columns.attribute_names())(0));
}

TEST_CASE("a matrix with a row too many or too few is refused, missing cells or not") {
  const TableToFit table = read_table(Table(to_csv(rooms(600, 4))).source(), columns());
  const TableModel model = TableModel::fit(table, levels(), small());
  for (const arma::uword rows : {table.X.n_rows - 1, table.X.n_rows + 1}) {
    arma::mat X(rows, 2, arma::fill::zeros);
    const std::string expected =
        fmt::format("TableModel: {} attributes; the model was fitted on {}", rows, table.X.n_rows);
    CHECK(message_of([&] { model.predict(X); }) == expected);
    X(rows - 1, 0) = arma::datum::nan;
    CHECK(message_of([&] { model.predict(X); }) == expected);
  }
}

TEST_CASE("a category that was never seen is refused, or counts as none") {
  const TableModel model = fit_rooms(600);
  const Table table("size,kind,day\n5,flat,2024-03-15\n5,cellar,2024-03-15\n");
  CHECK(
      message_of([&] { model.predict(table.source()); }) ==
      "t.csv:3: column 2 'kind': found 'cellar', a level that was never seen; expected one of 'attic', 'flat'; --unseen zeros takes such a cell for none of them");
  const TableIntervals found = model.predict(table.source(), {.unseen_zeros = true});
  CHECK(found.unseen == 1);
  CHECK(found.f.n_elem == 2);
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
      "6,attic,2024-03-15\n");
  CHECK(message_of([&] {
          model.predict(table.source());
        }).starts_with("t.csv:3: column 3 'day': found 'never'"));
  const TableIntervals found = model.predict(table.source(), {.skip_bad = true});
  CHECK(found.lines == std::vector<std::size_t>{2, 8});
  REQUIRE(found.bad_rows.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(found.bad_rows[i].line == i + 3);
  CHECK(found.bad_rows[1].reason.starts_with("t.csv:4: the row ends after cell 2; expected 3 cells"));
  CHECK(found.bad_rows[2].reason.starts_with("t.csv:5: the row lies too far from those of the fit"));
  CHECK(has(found.bad_rows[2].reason, "'size' is 1e+300"));
  CHECK(found.bad_rows[3].reason.starts_with("t.csv:6: the row has 4 cells; expected 3"));
  CHECK(found.bad_rows[4].reason.starts_with("t.csv:7: column 1 'size': found 'six'"));
  const Table good("size,kind,day\n5,flat,2024-03-15\n6,attic,2024-03-15\n");
  CHECK(same(found, model.predict(good.source())));
  const Table far("size,kind,day\n1e300,flat,2024-03-15\n");
  CHECK(message_of([&] { model.predict(far.source()); }).starts_with("t.csv:2: the row lies too far"));
  CHECK(model.predict(far.source(), {.skip_bad = true}).f.n_elem == 0);
}

TEST_CASE("a target of log(1 + y) comes back in its own units") {
  Columns logged = columns();
  logged.log_target = true;
  const Table table(to_csv(rooms(900, 5)));
  const TableToFit fitted = read_table(table.source(), logged);
  const TableModel model = TableModel::fit(fitted, levels(), small());
  const TableIntervals found = model.predict(table.source(), {.target = true});
  arma::mat X = fitted.X;
  fill_missing(X, known_means(X.cols(arma::uvec(split_of_fit(X.n_cols, small()).proper)),
                              fitted.columns.attribute_names()));
  const Intervals in_logs = model.predictor().predict(X, Level(0.1));
  for (arma::uword n = 0; n < 20; ++n) {
    CHECK(found.f(n) == near(std::expm1(in_logs.f(n)), 1e-9));
    CHECK(found.lower(1, n) == near(std::expm1(in_logs.lower()(n)), 1e-9));
    CHECK(found.upper(1, n) == near(std::expm1(in_logs.upper()(n)), 1e-9));
    CHECK(found.y(n) == near(rooms(900, 5)[n].price, 1e-9));
  }
  CHECK(TableModel::from_bytes(model.to_bytes(), "m").columns().log_target);
}

TEST_CASE("a level that the calibration part cannot reach has infinite intervals") {
  const TableModel model = TableModel::fit(read_table(Table(to_csv(rooms(300, 6))).source(), columns()),
                                           {Level(0.001)}, small("fixed"));
  const Table table("size,kind,day\n5,flat,2024-03-15\n");
  CHECK(model.predict(table.source()).lower(0, 0) == -arma::datum::inf);
  CHECK(model.predict(table.source()).upper(0, 0) == arma::datum::inf);
}

TEST_CASE("a table without a header must have as many columns as that of the fit") {
  std::string text;
  for (const Room& room : rooms(300, 7)) text += fmt::format("{},{}\n", room.size, room.price);
  const CsvFormat bare{.delimiter = ',', .header = false, .names = {}};
  const Columns two{.attributes = {{.name = "c1"}}, .target = {{.name = "c2"}}};
  const TableModel model = TableModel::from_bytes(
      TableModel::fit(read_table(Table(text, bare).source(), two), levels(), small("fixed")).to_bytes(), "m");
  const std::string one = "5\n", both = "5,\n";
  CHECK(message_of([&] { read_csv_header(one, name, model.format()); }) ==
        "t.csv:1: has 1 column, but 2 names are given for them");
  CHECK(model.predict(Table(both, model.format()).source()).f.n_elem == 1);
}

TEST_CASE("a saved model is the same bytes again, and predicts the same bits") {
  for (const char* method : {"erc", "mixture", "fixed", "cqr", "mondrian"}) {
    const TableModel model = fit_rooms(600, method);
    const TableModel again = TableModel::from_bytes(model.to_bytes(), "m.lacp");
    CHECK(again.to_bytes() == model.to_bytes());
    const Table table(to_other_csv(rooms(100, 8)));
    CHECK(same(again.predict(table.source()), model.predict(table.source())));
  }
}

TEST_CASE("a damaged, cut, newer or other file is no model") {
  const TableModel model = fit_rooms(300, "fixed");
  const std::string bytes = model.to_bytes(), content = bytes.substr(0, bytes.size() - 64);
  CHECK(refusal_of("") == "m.lacp: is not a usable model: it does not start as one");
  CHECK(refusal_of("size,kind\n" + std::string(100, 'x')) ==
        "m.lacp: is not a usable model: it does not start as one");
  CHECK(refusal_of(model.predictor().to_bytes())
            .starts_with("m.lacp: is a model of the library, without a description of columns"));
  const std::string damaged = "m.lacp: is not a usable model: it is damaged: its checksum does not match";
  for (const std::size_t length : {100ul, bytes.size() / 2, bytes.size() - 1})
    CHECK(refusal_of(bytes.substr(0, length)) == damaged);
  for (const std::size_t at : {20ul, bytes.size() / 2, bytes.size() - 1}) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    CHECK(refusal_of(flipped) == damaged);
  }
  std::string newer = content;
  newer[std::string("lacp table model\n").size()] = 3;
  CHECK(
      refusal_of(with_checksum(newer)) ==
      "m.lacp: is not a usable model: it has format 3, which a newer program wrote; this one reads format 2");
  std::string other = content;
  other.replace(other.find("\"category\""), 10, "\"carpetry\"");
  CHECK(refusal_of(with_checksum(other)).starts_with("m.lacp: columns:"));
  std::string fewer = content;
  fewer.replace(fewer.find("month"), 5, "day x");
  CHECK(refusal_of(with_checksum(fewer)).starts_with("m.lacp: columns:"));
  CHECK(refusal_of(with_checksum(content + "x")) ==
        "m.lacp: is not a usable model: it has more in it than a model");
  std::string level = content;
  level.replace(level.find("0.32"), 4, "0.10");
  CHECK(has(refusal_of(with_checksum(level)), "a level twice, or in another form"));
  std::string other_level = fit_rooms(300, "cqr").to_bytes();
  other_level.resize(other_level.size() - 64);
  other_level.replace(other_level.find("0.32"), 4, "0.33");
  CHECK(refusal_of(with_checksum(other_level)) ==
        "m.lacp: is not a usable model: it has a level that its method was not fitted for");
  CHECK(message_of([] { TableModel::load("no/such/file"); }).starts_with("no/such/file: cannot be read"));
}

// Columns of a raw table made into numbers: fitted to one, saved, and applied to another; dates.
#include "lacp/base/text.hpp"
#include "lacp/data/scaling.hpp"
#include "made_rows.hpp"
#include "table/columns.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

constexpr std::string_view raw =
    "when,size,colour,weight,price\n"
    "2024-02-29 23:05:09,small,red,1.5,10\n"
    "2023-01-01 00:00:00,large,blue,NA,20\n"
    "2023-01-02 12:30:00,medium,\"dark, red\",2.5,30\n";

Columns columns_of_raw() {
  return {
      .attributes = {{.name = "when", .kind = ColumnKind::date, .parts = {DatePart::hour, DatePart::weekday}},
                     {.name = "size", .kind = ColumnKind::ordered, .values = {"small", "medium", "large"}},
                     {.name = "colour", .kind = ColumnKind::category},
                     {.name = "weight", .if_missing = IfMissing::fill}},
      .target = {{.name = "price"}}};
}

EncodedTable fit(Columns& columns, std::string_view text) {
  return fit_columns(columns, Table(text).source());
}

Columns fitted() {
  Columns columns = columns_of_raw();
  fit(columns, raw);
  return reloaded(columns);  // as a model has them
}

EncodedTable encode_text(std::string_view text, const EncodeOptions& options = {}) {
  return encode(fitted(), Table(text).source(), options);
}

std::string encode_refusal(std::string_view text, const EncodeOptions& options = {}) {
  return message_of<UserError>([&] { encode_text(text, options); });
}

std::string fit_refusal(Columns columns, std::string_view text) {
  return message_of<UserError>([&] { fit(columns, text); });
}

void check_row(const EncodedTable& table, arma::uword n, const arma::vec& expected) {
  REQUIRE(table.X.n_rows == expected.n_elem);
  for (arma::uword i = 0; i < expected.n_elem; ++i) {
    CAPTURE(i);
    if (std::isnan(expected[i]))
      CHECK(std::isnan(table.X(i, n)));
    else
      CHECK(table.X(i, n) == expected[i]);
  }
}

}  // namespace

TEST_CASE("another table is read by the names of its columns, in any order and with others between them") {
  const EncodedTable out = encode_text(
      "weight,note,colour,size,when\n7,x,red,large,2024-12-31T01:02:03Z\n?,\"y\nz\",blue,small,20240101 0500\n");
  check_row(out, 0, {1, 1, 2, 0, 0, 1, 7});
  check_row(out, 1, {5, 0, 0, 1, 0, 0, arma::datum::nan});
  CHECK(out.y.empty());
  CHECK(out.lines == std::vector<std::size_t>{2, 3});
  const EncodedTable same = encode_text(raw, {.target = true});
  Columns columns = columns_of_raw();
  CHECK(arma::approx_equal(same.X.rows(0, 5), fit(columns, raw).X.rows(0, 5), "absdiff", 0));
  CHECK(same.y.n_elem == 3);
  check_has(encode_refusal("size,colour,price\nsmall,red,1\n"),
            {"t.csv: has no column 'when', 'weight', which", "its own: 'size', 'colour', 'price'"});
  // A row without the target that is asked for is left out.
  const std::string known = "2024-02-29 23:05,small,red,1,";
  const EncodedTable some = encode_text(
      "when,size,colour,weight,price\n" + known + "NA\n" + known + "7\n" + known + "\n", {.target = true});
  CHECK(some.dropped_rows == 2);
  CHECK(some.lines == std::vector<std::size_t>{3});
}

TEST_CASE("a value that was never seen is refused, or zeros that are counted") {
  const std::string text = "when,size,colour,weight\n2024-01-01 00:00,small,green,1\n";
  check_has(encode_refusal(text),
            {"t.csv:2: column 3 'colour': found 'green'", "expected one of 'blue', 'dark, red', 'red'"});
  const Fault fault = fault_of([&] { encode_text(text); });
  CHECK(fault.kind == FaultKind::unseen_category);
  CHECK(fault.values == std::vector<std::string>{"green"});
  CHECK(fault.line == 2);
  const EncodedTable out = encode_text(text, {.unseen_zeros = true});
  CHECK(out.unseen == 1);
  check_row(out, 0, {0, 0, 0, 0, 0, 0, 1});
  // An order has no place for another level.
  check_has(encode_refusal("when,size,colour,weight\n2024-01-01 00:00,smal,red,1\n", {.unseen_zeros = true}),
            {"t.csv:2: column 2 'size': found 'smal' (did you mean 'small'?)", "'small', 'medium', 'large'"});
}

TEST_CASE("cells that are lists make an attribute of each member, and an unseen mixture is no error") {
  Columns columns{.attributes = {{.name = "by",
                                  .kind = ColumnKind::list,
                                  .if_missing = IfMissing::fill,
                                  .separator = ';'}},
                  .target = {{.name = "y"}}};
  fit(columns, "by,y\nbus; car,1\nwalk,2\n\"car;bus;car\",3\n,4\n");
  CHECK(columns.attribute_names() == std::vector<std::string>{"by=bus", "by=car", "by=walk"});
  const Columns back = reloaded(columns);
  const EncodedTable read = encode(back, Table("by\nwalk ;bus\nbus\nNA\n;\n").source());
  check_row(read, 0, {1, 0, 1});
  check_row(read, 1, {1, 0, 0});
  check_row(read, 2, {arma::datum::nan, arma::datum::nan, arma::datum::nan});
  check_row(read, 3, {0, 0, 0});
  std::string many = "by,y\n";
  for (std::size_t i = 0; i <= most_members; ++i) many += fmt::format("a{};b,1\n", i);
  check_has(fit_refusal({.attributes = {{.name = "by", .kind = ColumnKind::list, .separator = ';'}},
                         .target = {{.name = "y"}}},
                        many),
            "lists may have 48 members");
}

TEST_CASE("missing cells are refused, or drop their row or column, or are filled") {
  const std::string table = "a,k,y\n1,u,1\nNA,v,2\n3,?,3\n4,u,4\n";
  const auto with = [](IfMissing a, IfMissing k) {
    return Columns{.attributes = {{.name = "a", .if_missing = a},
                                  {.name = "k", .kind = ColumnKind::category, .if_missing = k}},
                   .target = {{.name = "y"}}};
  };
  check_has(fit_refusal(with(IfMissing::refuse, IfMissing::refuse), table),
            "t.csv:3: column 1 'a': found 'NA'");
  check_has(fit_refusal(with(IfMissing::fill, IfMissing::refuse), table), "t.csv:4: column 2 'k': found '?'");
  Columns rows = with(IfMissing::drop_row, IfMissing::drop_row);
  const EncodedTable dropped = fit(rows, table);
  CHECK(dropped.dropped_rows == 2);
  CHECK(rows.attribute_names() == std::vector<std::string>{"a", "k=u"});  // v was in a dropped row only
  CHECK(arma::approx_equal(dropped.y, arma::vec{1, 4}, "absdiff", 0));
  check_row(dropped, 1, {4, 1});
  // What is missing in a dropped row counts for nothing, on whichever side of the cell that drops it.
  Columns both = with(IfMissing::fill, IfMissing::drop_row);
  const std::string gap_in_dropped = "a,k,y\nNA,,1\n2,u,2\n";
  CHECK(fit(both, gap_in_dropped).filled == std::vector<std::size_t>{0, 0});
  both = with(IfMissing::drop_column, IfMissing::drop_row);
  CHECK(fit(both, gap_in_dropped).dropped_columns.empty());
  Columns columns = with(IfMissing::drop_column, IfMissing::fill);
  const EncodedTable narrow = fit(columns, table);
  CHECK(narrow.dropped_columns == std::vector<std::string>{"a"});
  CHECK(columns.attribute_names() == std::vector<std::string>{"k=u", "k=v"});
  check_row(narrow, 2, {arma::datum::nan, arma::datum::nan});
  CHECK(narrow.filled == std::vector<std::size_t>{1});
  check_has(fit_refusal(with(IfMissing::drop_column, IfMissing::drop_column), table), "t.csv: every column");
  Columns total = with(IfMissing::fill, IfMissing::fill);
  total.target.push_back({.name = "z", .if_missing = IfMissing::drop_column});
  check_has(fit_refusal(total, "a,k,y,z\n1,u,1,1\n2,v,2,\n"), {"t.csv: column 'z'", "is part of the target"});
  check_has(fit_refusal(rows, "a,k,y\n,u,1\n2,NA,2\n"), "t.csv: every row has a missing cell");
  check_has(fit_refusal(with(IfMissing::fill, IfMissing::fill), "a,k,y\n1,,1\n2,,2\n"),
            "t.csv: column 'k' is missing in every row");
}

TEST_CASE("given marks mean missing, among numbers the usual ones too; one may be a number") {
  Columns columns{
      .attributes = {{.name = "a", .if_missing = IfMissing::fill, .written = Notation{.decimal = ','}},
                     {.name = "k", .kind = ColumnKind::category, .if_missing = IfMissing::fill}},
      .target = {{.name = "y"}},
      .marks = std::vector<std::string>{"-999", "gone"}};
  const EncodedTable out =
      fit(columns, "a,k,y\n-999,NA,1\n2,-999,2\n+3,,3\n-,NA,4\n\"-999,00\",NA,5\n-99,NA,6\ngone,NA,7\n");
  CHECK(columns.attribute_names() == std::vector<std::string>{"a", "k=NA"});
  CHECK(out.filled == std::vector<std::size_t>{4, 2});
  CHECK(out.X(0, 5) == -99);
  check_row(out, 0, {arma::datum::nan, 1});
  check_row(out, 2, {3, arma::datum::nan});
  check_has(fit_refusal(columns, "a,k,y\nn.a.,u,1\n"), "t.csv:2: column 1 'a': found 'n.a.'");
}

TEST_CASE("means come from the rows given and stand where a cell is missing") {
  const double gap = arma::datum::nan;
  arma::mat X{{1, gap, 3}, {gap, 1e308, 1e308}};  // a sum would overflow
  fill_missing(X, known_means(X, {"a", "b"}));
  CHECK(arma::approx_equal(X, arma::mat{{1, 2, 3}, {1e308, 1e308, 1e308}}, "absdiff", 0));
  CHECK_REFUSED(known_means(arma::mat{{gap, gap}}, {"c"}), "attribute 'c' is missing in all 2 rows");
}

TEST_CASE("targets are added up, and logarithms taken of the sum, if it allows that") {
  Columns columns{
      .attributes = {{.name = "a"}}, .target = {{.name = "u"}, {.name = "v"}}, .log_target = true};
  CHECK(fit(columns, "u,a,v\n0,1,0\n2,1,5\n").y[1] == std::log(8.0));
  columns.log_target = false;
  check_has(fit_refusal(columns, "u,a,v\n1e308,1,1e308\n"), "t.csv:2: the target is inf");
}

TEST_CASE("columns that no fit makes are refused in a model") {
  const auto check = [](const Columns& columns) {
    CHECK_REFUSED(reloaded(columns), "m.lacp: is not a usable model: it holds what no fit makes");
  };
  for (const Column& column : std::vector<Column>{
           {.name = "b", .kind = ColumnKind::category},
           {.name = "b", .kind = ColumnKind::category, .values = {"z", "y"}},
           {.name = "b", .kind = ColumnKind::ordered, .values = {"z", "z"}},
           {.name = "b", .values = {"z"}},
           {.name = "b", .kind = ColumnKind::date},
           {.name = "b", .kind = ColumnKind::date, .parts = {DatePart{7}}},
           {.name = "b", .kind = ColumnKind::mean, .values = {"z"}},
           {.name = "b", .kind = ColumnKind::mean, .values = {"z"}, .means = {1, 2, 3}},
           {.name = "b", .kind = ColumnKind::mean, .values = {"z"}, .means = {1, arma::datum::inf}},
           {.name = "b", .separator = ';'},
           {.name = "b", .kind = ColumnKind::list, .values = {"p"}},
           {.name = "b", .written = Notation{.decimal = ';'}},
           {.name = "b", .kind = ColumnKind{6}},
           {.name = "a"}})
    check({.attributes = {{.name = "a"}, column}, .target = {{.name = "y"}}});
  check({.attributes = {{.name = "a"}}, .target = {}});
  check({.attributes = {{.name = "a"}},
         .target = {{.name = "y", .kind = ColumnKind::ordered, .values = {"p", "q"}}}});
  check({.attributes = {{.name = "a"}}, .target = {{.name = "y"}}, .least = 1, .most = 1});
}

TEST_CASE("months and quarters are dates without a day, in any order") {
  const auto first_day = [](std::string_view text) {
    const auto date = parse_date(text);
    if (!date || date->has_day || date->has_time) return std::string("none");
    return fmt::format("{}-{}-{}", part_of_date(DatePart::year, date->seconds),
                       part_of_date(DatePart::month, date->seconds),
                       part_of_date(DatePart::day, date->seconds));
  };
  for (const std::string_view text : {"2022-04", "2022/04", "04/2022", "4/2022", "Apr 2022", "april-2022",
                                      "Apr. 2022", "Q2 2022", "2022-Q2", "2022Q2", "q2/2022"})
    CHECK_MESSAGE(first_day(text) == "2022-4-1", text);
  for (const std::string_view text :
       {"2022-13", "2022-00", "2022", "202204", "13/2022", "1/2", "0493-03", "2200-01", "2022-4", "2022-04-",
        "Q5 2022", "Q0 2022", "2022-Q", "Apr 22", "Apr2022", "Abc 2022", "2022-04 10:00", "4-2022"})
    CHECK_MESSAGE(first_day(text) == "none", text);
  CHECK(parse_date("2022-04-01")->has_day);
}

TEST_CASE("ISO dates are read, and nothing else") {
  const auto parts = [](std::string_view text) {
    const auto date = parse_date(text);
    REQUIRE(date.has_value());
    std::vector<double> values;
    for (std::size_t i = 0; i < date_part_names.size(); ++i)
      values.push_back(part_of_date(static_cast<DatePart>(i), date->seconds));
    return values;
  };
  CHECK(parts("2011-01-31 23:04:05") == std::vector<double>{2011, 1, 31, 0, 23, 4, 5});
  CHECK(parts("2011-01-31T23:04") == std::vector<double>{2011, 1, 31, 0, 23, 4, 0});
  CHECK(parts("20141013T000000") == std::vector<double>{2014, 10, 13, 0, 0, 0, 0});
  CHECK(parts("1969-12-31 23:59:59.999+05:30") == std::vector<double>{1969, 12, 31, 2, 23, 59, 59});
  CHECK(parts("0000-02-29") == std::vector<double>{0, 2, 29, 1, 0, 0, 0});
  CHECK(parts("9999-12-31 12:00:00Z") == std::vector<double>{9999, 12, 31, 4, 12, 0, 0});
  CHECK_FALSE(parse_date("2011-01-31")->has_time);
  CHECK(parse_date("2011-01-31 00:00")->has_time);
  for (
      const std::string& text : split_text(
          "|2011|2011-02-29|2011-13-01|2011-00-01|2011-01-32|31.01.2011|01/31/2011|2011-0131|201101-31|2011-01-31x|"
          "2011-01-31 |2011-01-31 24:00|2011-01-31 23:60|2011-01-31 23:00:60|2011-01-31 23|2011-01-31 23:00:|"
          "2011-01-31 23:00:01.|2011-01-31 2300:00|2011-01-31 23:00 PM|2011-01-31 23:00+1|2011-01-31 23:00+01:|"
          "2011-1-31|+011-01-31",
          '|'))
    CHECK_MESSAGE(!parse_date(text).has_value(), text);
}

// Columns that are not numbers, as a description has them: good and bad files of each kind.
#include "common/process.hpp"
#include "described_table.hpp"

using lacp::Dataset;
using Names = std::vector<std::string>;

namespace {

/// 120 rows: a category, an order, a date, a number with a gap in every tenth row, and two that make the
/// target.
WrittenTable mixed(const std::string& keys) {
  const auto row = [](int i) {
    return fmt::format("{},{},2024-{:02}-01,{},{},{}", i % 2 == 0 ? "b" : "a", i % 3 == 0 ? "low" : "high",
                       1 + i % 12, i % 10 == 5 ? "NA" : fmt::format("{}", i), i, 2 * i);
  };
  return WrittenTable(keys, table_of("kind,size,day,x,u,v", 120, row));
}

const std::string columns =
    "columns:\n  categories: [kind]\n  ordered: {size: [low, high]}\n  dates: {day: [month, weekday]}\n";

std::string check_lines(const WrittenTable& table) { return lacp::check_dataset(table.describe()).text; }

}  // namespace

TEST_CASE("missing cells: rows or columns dropped, by default or for some columns") {
  const Dataset sum =
      mixed("target: {sum: [u, v]}\n" + columns + "missing: {do: fill}\nattributes: 6\n").load();
  CHECK(sum.y(7) == 21);
  CHECK(std::isnan(sum.X(5, 15)));
  CHECK(mixed("target: u\n" + columns + "missing: {do: drop_rows}\nrows: 108\n").load().X.is_finite());
  CHECK(mixed("target: u\n" + columns + "missing: {drop_rows: [x]}\n").load().y.n_elem == 108);
  const Dataset narrow = mixed("target: u\n" + columns + "missing: {do: drop_columns}\n").load();
  CHECK(narrow.attributes == Names{"kind=a", "kind=b", "size", "day.month", "day.weekday", "v"});
  CHECK(mixed("target: u\n" + columns + "missing: {do: drop_columns, fill: [x]}\n").load().filled == 12);
  check_has(mixed("target: u\n" + columns).refusal(),
            "set.csv:7: column 4 'x': found 'NA', which means missing");
  CHECK(mixed("target: u\n" + columns + "missing: {marks: ['?'], do: fill}\n").load().filled == 12);
  // A target cannot be filled.
  check_has(mixed("target: x\n" + columns + "missing: {do: fill}\n").refusal(), "missing.drop_rows");
  CHECK(mixed("target: x\n" + columns + "missing: {do: fill, drop_rows: [x]}\n").load().y.n_elem == 108);
}

TEST_CASE("a check shows what became of each column") {
  const std::string text = check_lines(
      mixed("target: {column: u, log: true}\n" + columns + "  drop: [v]\nmissing: {fill: [x]}\n"));
  check_has(text, {"  target          log(1 + u)\n", "  columns         6 attributes and the target\n",
                   "  numbers         x\n", "  category        kind: a, b\n",
                   "  ordered         size: low = 0, high = 1\n", "  date            day: month, weekday\n",
                   "  left out        v\n",
                   "  filled          x (12 missing cells), with the mean over training rows\n",
                   "  missing cells   0\n"});
  check_has(check_lines(mixed("target: u\n" + columns + "missing: {do: drop_rows}\n")),
            "  dropped rows    12, which have missing cells\n");
  check_has(check_lines(mixed("target: u\n" + columns + "missing: {do: drop_columns}\n")),
            "  dropped columns x, which have missing cells\n");
  CHECK(has(check_lines(mixed("target: u\n" + columns)), "  missing cells   12\n"));
}

TEST_CASE("cells that do not fit their kind are refused with file, line, column and cell") {
  check_has(
      WrittenTable("target: {column: y, log: true}\n", x_and_y(100, [](int i) { return i - 2; })).refusal(),
      "set.csv:2: the target is -2; expected more than -1");
  check_has(WrittenTable("target: y\ncolumns: {categories: [note]}\n").refusal(),
            "set.csv:66: column 3 'note': found 'row 64'");
  check_has(WrittenTable("target: y\ncolumns: {dates: {note: [year]}}\n").refusal(),
            "set.csv:2: column 3 'note': found 'row 0'; expected an ISO");
  check_has(mixed("target: u\ncolumns: {use: [day], dates: {day: [month, hour]}}\n").refusal(),
            "set.csv:2: column 3 'day': found '2024-01-01', which has no hour");
}

TEST_CASE("a description that contradicts itself or its file is refused with line and key") {
  using Cases = std::initializer_list<std::pair<const char*, const char*>>;
  for (const auto& [keys, part] :
       Cases{{"columns: {categories: [king]}",
              "set.yaml:7: key 'columns.categories': set.csv has no column 'king' (did you mean 'kind'?)"},
             {"columns: {categories: [u]}", "set.yaml:7: key 'columns.categories': 'u' is the target"},
             {"columns:\n  drop: [kind]\n  categories: [kind]",
              "set.yaml:9: key 'columns.categories': 'kind' is not an attribute"},
             {"columns:\n  use: [x]\n  dates: {day: [year]}",
              "set.yaml:9: key 'columns.dates.day': 'day' is not an attribute"},
             {"columns:\n  categories: [size]\n  ordered: {size: [low, high]}",
              "set.yaml:9: key 'columns.ordered.size': 'size' is described twice"},
             {"columns: {categories: [kind, kind]}",
              "set.yaml:7: key 'columns.categories': names 'kind' twice"},
             {"columns: {ordered: {size: [low]}}", "key 'columns.ordered.size': has 1 level; expected all"},
             {"columns: {ordered: {size: low}}", "found 'low'; expected a list"},
             {"columns: {ordered: [size]}", "expected a mapping"},
             {"columns: {dates: {day: [mouth]}}",
              "set.yaml:7: key 'columns.dates.day': found 'mouth' (did you mean 'month'?)"},
             {"columns: {dates: {day: []}}", "is empty; expected some of year"},
             {"missing: {do: drop}", "key 'missing.do': found 'drop'"},
             {"missing: {fill: [u]}", "set.yaml:7: key 'missing.fill': 'u' is the target"}})
    check_has(mixed(fmt::format("target: u\n{}\n", keys)).refusal(), part);
  for (const auto& [target, part] :
       Cases{{"{}", "key 'target': expected either `column`"},
             {"{column: u, sum: [u]}", "key 'target': expected either"},
             {"{sum: []}", "key 'target.sum': is empty"},
             {"{sum: [u, 5]}", "set.yaml:6: key 'target.sum': 'u' is named twice"}})
    check_has(mixed(fmt::format("target: {}\n", target)).refusal(), part);
}

TEST_CASE("a table compressed by gzip is unpacked by fetch and read") {
  const WrittenTable written("target: y\n", x_and_y(100, [](int i) { return i * i; }));
  REQUIRE(lacp::run_program({"gzip", (written.folder / "set.csv").string()}).status == 0);
  lacp::write_file(written.folder / "set.yaml", "title: T\ntarget: y\nsource: {file: set.csv.gz}\n");
  check_has(written.refusal(), {"cache/set.csv.gz.unpacked is missing", "`lacp datasets fetch set`"});
  check_has(lacp::fetch_dataset(written.describe(), {}), "made set.csv.gz.unpacked");
  CHECK(written.load().y(9) == 81);
}

// Descriptions: good and bad ones, and columns that are not numbers.
#include "described_table.hpp"

using lacp::Catalog;
using lacp::Dataset;
using lacp::read_description;
using lacp::UserError;

namespace {

const std::string sum(64, 'a');

/// The message about a wrong description, with the folder's name taken out.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  const fs::path yaml = folder / "set.yaml";
  lacp::write_file(yaml, text);
  return without_folder(message_of<UserError>([&] { read_description(yaml, folder / "cache"); }), folder);
}

std::string source_with(const std::string& line) {
  return heading + "target: y\nsource:\n  file: a.csv\n" + line + "\n";
}

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

TEST_CASE("missing and wrong values are refused") {
  const std::string synthetic = heading + "synthetic:\n  profile: ",
                    fetched =
                        "title: T\ntarget: y\nsource:\n  url: https://e.org/a.csv\n  sha256: " + sum + "\n";
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"target: y\n", "key 'title': is missing"},
           {heading, "key 'source': is missing"},
           {heading + "source:\n  file: a.csv\n", "key 'target': is missing"},
           {heading + "target: y\nsource:\n  url: https://e.org/a.csv\n", "key 'source.sha256': is missing"},
           {fetched, "set.yaml:1: key 'citation': is missing"},
           {fetched + "citation: C\n", "set.yaml:1: key 'licence': is missing"},
           {heading + "target: y\nsource: {file: set.tar.gz}\n", "'source.file': found 'set.tar.gz'"},
           {heading + "target: y\nsource: {file: a.gz, member: b}\n", "'source.member'"},
           {source_with("  sha256: abc"), "key 'source.sha256': found 'abc'"},
           {source_with("format:\n  delimiter: ab"), "key 'format.delimiter': found 'ab'"},
           {source_with("format:\n  delimiter: e"), "key 'format.delimiter': found 'e'"},
           {source_with("format:\n  sheet: 1"), "key 'format.sheet': is for .xlsx files"},
           {source_with("columns:\n  drop: [a]\n  use: [b]"), "'columns.drop': is given together with 'use'"},
           {source_with("rows: -4"), "set.yaml:7: key 'rows': found '-4'"},
           {synthetic + "kos\n", "found 'kos' (did you mean 'cos'?)"},
           {synthetic + "cos\n  rho: -1\n", "'synthetic.rho'"},
           {synthetic + "cos\n  high: -2\n", "'synthetic.high'"},
           {synthetic + "cos\n  samples: 0\n", "'synthetic.samples'"},
           {synthetic + "cos\ntarget: y\n", "set.yaml:6: unknown key 'target'"}})
    check_has(refusal(text), part);
}

TEST_CASE("no description reaches outside the cache, runs an option or another protocol") {
  const std::string tail = "\n  sha256: " + sum + "\ntarget: y\n";
  for (const std::string file :
       {"../a.csv", "/etc/a.csv", "a/b.csv", "..", ".hidden", ".a.csv", "-o", "-a.csv", "\"a\\nb\""})
    check_has(refusal(heading + "source:\n  url: https://e.org/x\n  file: " + file + tail),
              "set.yaml:6: key 'source.file': found ");
  CHECK(has(refusal(heading + "source:\n  url: https://e.org/" + tail), "key 'source.file'"));
}

TEST_CASE("a catalog finds what its folder holds") {
  const TemporaryFolder folder;
  lacp::write_file(folder / "energy.yaml", heading + "synthetic:\n  profile: cos\n");
  const Catalog catalog(folder.path());
  CHECK(catalog.names() == std::vector<std::string>{"energy"});
  CHECK(catalog.find("energy").synthetic->profile == "cos");
  CHECK_REFUSED(catalog.find("enrgy"), "(did you mean 'energy'?); known: energy");
  CHECK_REFUSED(catalog.find("../energy"), "there is no data set '../energy'");
  lacp::write_file(folder / "new set.yaml", heading + "synthetic:\n  profile: cos\n");
  CHECK_REFUSED(catalog.find("new set"), "letters, digits");
  CHECK_REFUSED(Catalog(folder / "none"), "is not a folder");
}

TEST_CASE("missing cells: rows or columns dropped, by default or for some columns") {
  const Dataset sum =
      mixed("target: {sum: [u, v]}\n" + columns + "missing: {do: fill}\nattributes: 6\n").load();
  CHECK(sum.y(7) == 21);
  CHECK(std::isnan(sum.X(5, 15)));
  CHECK(mixed("target: u\n" + columns + "missing: {do: drop_rows}\nrows: 108\n").load().X.is_finite());
  CHECK(mixed("target: u\n" + columns + "missing: {drop_rows: [x]}\n").load().y.n_elem == 108);
  CHECK(mixed("target: u\n" + columns + "missing: {do: drop_columns, fill: [x]}\n").load().filled == 12);
  CHECK(mixed("target: u\n" + columns + "missing: {marks: ['?'], do: fill}\n").load().filled == 12);
  // A target cannot be filled.
  check_has(mixed("target: x\n" + columns + "missing: {do: fill}\n").refusal(),
            "set.csv:7: column 4 'x': found 'NA', which means missing");
  CHECK(mixed("target: x\n" + columns + "missing: {do: fill, drop_rows: [x]}\n").load().y.n_elem == 108);
}

TEST_CASE("a check shows what became of each column") {
  const std::string text = check_lines(
      mixed("target: {column: u, log: true}\n" + columns + "  drop: [v]\nmissing: {fill: [x]}\n"));
  check_has(text, {"  target          log(1 + u)\n", "  columns         6 attributes and the target\n",
                   "  numbers         x\n", "  category        kind: a, b\n",
                   "  ordered         size: low = 0, high = 1\n", "  date            day: month, weekday\n",
                   "  left out        v\n",
                   "  filled          x (12 missing cells), with the mean over training rows\n"});
  check_has(check_lines(mixed("target: u\n" + columns + "missing: {do: drop_columns}\n")),
            "  dropped columns x, which have missing cells\n");
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
             {"columns: {ordered: {size: [low]}}", "key 'columns.ordered.size': has 1 level"},
             {"columns: {ordered: {size: low}}", "found 'low'; expected a list"},
             {"columns: {ordered: [size]}", "expected a mapping"},
             {"columns: {dates: {day: [mouth]}}",
              "set.yaml:7: key 'columns.dates.day': found 'mouth' (did you mean 'month'?)"},
             {"columns: {dates: {day: []}}", "is empty; expected some of year"},
             {"missing: {do: drop}", "key 'missing.do': found 'drop'"},
             {"missing: {fill: [u]}", "set.yaml:7: key 'missing.fill': 'u' is the target"}})
    check_has(mixed(fmt::format("target: u\n{}\n", keys)).refusal(), part);
  for (const auto& [target, part] :
       Cases{{"{}", "key 'target': expected `column` or `sum`"},
             {"{column: u, sum: [u]}", "key 'target': expected `column` or `sum`"},
             {"{sum: []}", "key 'target.sum': is empty"},
             {"{sum: [u, 5]}", "set.yaml:6: key 'target.sum': 'u' is named twice"}})
    check_has(mixed(fmt::format("target: {}\n", target)).refusal(), part);
}

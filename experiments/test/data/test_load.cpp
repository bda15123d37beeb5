#include <array>

#include "described_table.hpp"
#include "lacp/table/csv.hpp"

using lacp::Dataset;
using lacp::DatasetDescription;
using lacp::load_dataset;
using lacp::UserError;

namespace {

const fs::path committed = fs::path(LACP_SOURCE_DIR) / "datasets";

}  // namespace

TEST_CASE("target and columns are chosen by name or number") {
  const Dataset named = WrittenTable("target: y\ncolumns: {drop: [note]}\nrows: 120\nattributes: 2\n").load();
  CHECK(named.name == "set");
  CHECK(named.attributes == std::vector<std::string>{"n", "square"});
  CHECK(named.X.n_cols == 120);
  CHECK(named.X(1, 11) == 121);
  CHECK(named.y(8) == 1);
  CHECK(named.sigma.is_empty());
  const Dataset numbered = WrittenTable("target: -1\ncolumns: {drop: [3]}\n").load();
  CHECK(arma::approx_equal(numbered.X, named.X, "absdiff", 0));
  CHECK(arma::approx_equal(numbered.y, named.y, "absdiff", 0));
  const Dataset used = WrittenTable("target: 1\ncolumns: {use: [y, square]}\n").load();
  CHECK(used.attributes == std::vector<std::string>{"square", "y"});
  CHECK(used.y(5) == 5);
  CHECK(used.X(1, 8) == 1);
}

TEST_CASE("the fingerprint is the file's SHA-256, and a file that was altered is refused") {
  const WrittenTable written("target: y\ncolumns: {drop: [note]}\n");
  const std::string sum = lacp::sha256(lacp::read_file(written.folder / "set.csv"));
  CHECK(written.load().fingerprint == sum);
  const std::string other(64, '0');
  const WrittenTable altered("  sha256: " + other + "\ntarget: y\ncolumns: {drop: [note]}\n");
  check_has(altered.refusal(),
            {"set.csv: is not the file that set.yaml describes", sum, "expected " + other});
}

TEST_CASE("a description that does not fit its file is refused, as are a constant target and too few rows") {
  for (const auto& [keys, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"target: z\n", "set.yaml:6: key 'target': set.csv has no column 'z'; its columns: 'n', "},
           {"target: 5\n", "set.yaml:6: key 'target': found 5; set.csv has columns 1 to 4 (or -1 to -4"},
           {"target: 0\n", "found 0; set.csv has columns 1 to 4"},
           {"target: y\ncolumns: {drop: [nota]}\n",
            "set.yaml:7: key 'columns.drop': set.csv has no column 'nota'"},
           {"target: y\ncolumns: {drop: [y]}\n", "set.yaml:7: key 'columns.drop': 'y' is the target"},
           {"target: y\ncolumns: {drop: [1, 2, 3]}\n", "set.yaml: leaves no attribute"},
           {"target: y\ncolumns: {drop: [note]}\nrows: 121\n",
            "set.csv: has 120 rows; set.yaml (key 'rows') expects 121"},
           {"target: y\ncolumns: {drop: [note]}\nattributes: 3\n", "(key 'attributes') expects 3"}})
    check_has(WrittenTable(keys).refusal(), part);
  check_has(WrittenTable("target: y\n", x_and_y(100, [](int) { return 3; })).refusal(),
            "set.csv: target 'y' (set.yaml:6: key 'target') is 3 in every row");
  check_has(WrittenTable("target: y\n", "x,y\n1,2\n3,4\n").refusal(),
            "set.csv: has 2 rows; an experiment needs at least 100");
}

TEST_CASE("a missing file is refused with the command that gets or unpacks it") {
  const TemporaryFolder cache;
  const DatasetDescription description = lacp::Catalog(committed, cache.path()).find("CASP");
  CHECK_REFUSED(load_dataset(description), "CASP.csv is missing; run `lacp datasets fetch CASP`");
  const WrittenTable written("  member: set.csv\ntarget: y\n");
  CHECK(written.refusal() == "set: cache/set.csv.set.csv is missing; run `lacp datasets fetch set`");
  std::filesystem::remove(written.folder / "set.csv");
  check_has(written.refusal(), "set: set.csv is missing; put it there");
}

TEST_CASE("a column that is not found: the other case, the wrong delimiter and comments are hinted at") {
  const std::string blanks =
      "; if its columns are separated by blanks, say `format: {delimiter: \"blanks\"}`";
  for (const auto& [keys, table, hint] : std::vector<std::array<std::string, 3>>{
           {"target: y\n", "a,b,Y\n1,2,3\n", "(did you mean 'Y'?); its columns: 'a', 'b', 'Y'"},
           {"target: y\n", "a  b y\n1 2 3\n", blanks},
           {"target: 3\nformat: {header: false}\n", "1 2 3\n4 5 6\n", blanks},
           {"target: -1\n", "a b y\n1 2 3\n", blanks},
           {"target: y\n", "a;y\n1;2\n", "say `format: {delimiter: \";\"}`"},
           {"target: y\n", "a\ty\n1\t2\n", "say `format: {delimiter: \"tab\"}`"},
           {"target: y\n", "# by hand\na,y\n1,2\n", "take lines with # out of the file"},
           {"target: y\n", "a,b\n1,2\n", "its columns: 'a', 'b'"}}) {
    const std::string message = WrittenTable(keys, table).refusal();
    CHECK_MESSAGE(message.ends_with(hint), message);
  }
}

TEST_CASE("identifiers that are too long for doubles are no constant") {
  const std::string table = table_of("id,near,b,y", 150, [](int i) {
    return fmt::format("{},{},7,{}", 1234567890123456700 + i, 9007199254740000 + i, i);
  });
  const std::string text = lacp::check_dataset(WrittenTable("target: y\n", table).describe()).text;
  check_has(text, {"  constants       b\n", "  too long        id: 150 different numbers are 1 as doubles"});
  CHECK_FALSE(has(text, "too long        near"));  // below 2^53
}

TEST_CASE("a check counts constants, duplicates and missing cells") {
  const std::string table = table_of("a,b,y", 110, [](int i) { return fmt::format("{0},7,{0}", i % 100); });
  const WrittenTable written("target: y\n", table + "100,7,\n");
  const lacp::DatasetCheck check = lacp::check_dataset(written.describe());
  CHECK(check.rows == 111);
  CHECK(check.attributes == 2);
  check_has(check.text, {"set: T\n", "  target          y\n", "  rows            111\n", "2 attributes",
                         "numbers         a, b\n", "target range    0 to 99, mean ", "constants       b\n",
                         "duplicate rows  10\n", "missing cells   1\n"});
  CHECK(has(check.refusal, "set.csv:112: column 3 'y': the cell is empty"));
  CHECK(lacp::check_dataset(WrittenTable("target: y\n", table).describe()).refusal.empty());
  const WrittenTable few("target: y\n", x_and_y(99, [](int i) { return i; }));
  check_has(lacp::check_dataset(few.describe()).refusal, "has 99 rows");
  check_has(lacp::check_dataset(lacp::Catalog(committed).find("cos")).text,
            "  generated       noise profile cos, one draw\n");
}

// Numbers were taken from the files by other programs.
TEST_CASE("the project's data sets have the published sizes and numbers") {
  const auto mirror = mirror_folder();
  if (!mirror) {
    MESSAGE("skipped: LACP_MIRROR names no folder with the published files");
    return;
  }
  const TemporaryFolder cache;
  const auto load = [&](const std::string& name) { return from_mirror(name, cache.path(), *mirror); };
  // Rows and attributes are held to those of the description by the reader itself; sums are of whole numbers.
  for (const char* name : {"homes", "CASP", "facebook_1"}) CHECK(load(name).X.is_finite());
  for (const auto& [name, target_sum] : {std::pair{"bike", 2085476.0},
                                         {"star", 9688012.0},
                                         {"blog_data", 354451.0},
                                         {"abalone", 41493.0},
                                         {"california", 4269504061.0}}) {
    CAPTURE(name);
    const Dataset data = load(name);
    CHECK(data.X.is_finite());
    CHECK(arma::accu(data.y) == target_sum);
  }

  const auto table_of = [&](const std::string& name) {
    const std::string file = (*mirror / name).string();
    return lacp::read_csv(lacp::read_file(file), file).values;
  };
  const arma::mat sheet = table_of("ENB2012_data.csv");
  const Dataset energy = load("energy_with_y1");
  CHECK(arma::approx_equal(energy.X, sheet.rows(0, 8), "absdiff", 0));
  CHECK(arma::approx_equal(energy.y, sheet.row(9).t(), "absdiff", 0));
  CHECK(energy.attributes.back() == "Y1");
  CHECK(arma::approx_equal(load("energy").X, sheet.rows(0, 7), "absdiff", 0));
  const arma::mat published = table_of("Concrete_Data.csv");
  CHECK(arma::approx_equal(load("concrete").X, published.rows(0, 7), "absdiff", 0));
  const Dataset bike = load("bike");
  // 2011-01-01 00:00:00 (a Saturday), season 1, weather 1
  const arma::vec first{0, 5, 1, 2011, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9.84, 14.395, 81, 0};
  CHECK(bike.attributes[4] == "season=1");
  CHECK(arma::approx_equal(bike.X.col(0), first, "absdiff", 0));

  const Dataset community = load("community");
  CHECK(community.X.n_rows == 100);
  CHECK(community.filled == 1);
  const auto other = std::ranges::find(community.attributes, "OtherPerCap") - community.attributes.begin();
  CHECK(std::isnan(community.X(static_cast<arma::uword>(other), 130)));

  CHECK(load("star").y(0) == 4292);
  CHECK(load("kin8nm").X(1, 0) == 0.36074091);
}

#include "described_table.hpp"
#include "table/csv.hpp"

using lacp::Dataset;

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
           {"target: 5\n", "set.yaml:6: key 'target': found 5; set.csv has columns 1 to 4, or -1 to -4"},
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

TEST_CASE("a check counts constants and duplicates, and refuses what an experiment would") {
  const std::string table = table_of("a,b,y", 110, [](int i) { return fmt::format("{0},7,{0}", i % 100); });
  const lacp::DatasetCheck check = lacp::check_dataset(WrittenTable("target: y\n", table).describe());
  check_has(check.text, {"set: T\n", "  target          y\n", "  rows            110\n", "2 attributes",
                         "numbers         a, b\n", "target range    0 to 99, mean ", "constants       b\n",
                         "duplicate rows  10\n"});
  CHECK(check.refusal.empty());
  CHECK_REFUSED(lacp::check_dataset(WrittenTable("target: y\n", table + "100,7,\n").describe()),
                "set.csv:112: column 3 'y': the cell is empty");
  const WrittenTable few("target: y\n", x_and_y(99, [](int i) { return i; }));
  check_has(lacp::check_dataset(few.describe()).refusal, "has 99 rows");
}

// Numbers were taken from the files by other programs.
TEST_CASE("the project's data sets have the published sizes and numbers") {
  const auto mirror = mirror_folder();
  if (!mirror) {
    MESSAGE("skipped: LACP_MIRROR names no folder with the published files");
    return;
  }
  const TemporaryFolder cache;
  const auto load = [&](const std::string& name) {
    const lacp::DatasetDescription description = lacp::Catalog(committed, cache.path()).find(name);
    lacp::fetch_dataset(description, {.mirror = *mirror});
    return lacp::load_dataset(description);
  };
  // Rows and attributes are held to those of the description by the reader itself; sums are of whole numbers.
  for (const auto& [name, target_sum] : {std::pair{"homes", 0.0},
                                         {"CASP", 0.0},
                                         {"facebook_1", 0.0},
                                         {"bike", 2085476.0},
                                         {"star", 9688012.0},
                                         {"blog_data", 354451.0},
                                         {"abalone", 41493.0},
                                         {"california", 4269504061.0}}) {
    CAPTURE(name);
    const Dataset data = load(name);
    CHECK(data.X.is_finite());
    if (target_sum != 0.0) CHECK(arma::accu(data.y) == target_sum);
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

  const Dataset bike = load("bike");
  // 2011-01-01 00:00:00 (a Saturday), season 1, weather 1
  const arma::vec first{0, 5, 1, 2011, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9.84, 14.395, 81, 0};
  CHECK(bike.attributes[4] == "season=1");
  CHECK(arma::approx_equal(bike.X.col(0), first, "absdiff", 0));

  const Dataset community = load("community");
  CHECK(community.X.n_rows == 100);
  CHECK(community.filled == 1);
}

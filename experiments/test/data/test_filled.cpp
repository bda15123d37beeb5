// Missing cells are filled from the part that fits the predictor; what a description does to columns is part
// of the data's fingerprint, and told in the manifest and in captions.

#include <set>

#include "datasets/catalog.hpp"
#include "described_table.hpp"
#include "experiment/engine/run_task.hpp"
#include "experiment/store/manifest.hpp"
#include "experiment/store/store.hpp"
#include "lacp/base/random.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/data/split.hpp"
#include "lacp_program.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"
#include "sample_results.hpp"

namespace {

const fs::path source = LACP_SOURCE_DIR;

/// 300 rows of two attributes, of which the second is missing in every fifth.
lacp::Dataset with_gaps() {
  lacp::Stream stream(3);
  lacp::Dataset data;
  data.name = "gaps";
  data.X.set_size(2, 300);
  data.y.set_size(300);
  data.attributes = {"a", "b"};
  data.X.imbue([&] { return stream.normal(); });
  for (arma::uword n = 0; n < 300; ++n) {
    data.y[n] = 3.0 + data.X(0, n) + stream.normal();
    if (n % 5 == 0) data.X(1, n) = arma::datum::nan, ++data.filled;
  }
  return data;
}

std::string fingerprint(const std::string& keys) {
  const TemporaryFolder folder;
  const std::string sum(64, 'a');
  lacp::write_file(folder / "set.yaml", "title: T\nsource: {file: set.csv, sha256: " + sum + "}\n" + keys);
  return lacp::data_fingerprint(lacp::read_description(folder / "set.yaml", folder.path()));
}

}  // namespace

TEST_CASE("a missing cell is the mean of the first part of the split, and of no other row") {
  const lacp::Dataset gaps = with_gaps();
  const lacp::Experiment e = lacp::load_experiment(source / "experiments/full.yaml");
  lacp::Stream stream(lacp::StreamName{e.seed, "gaps", 0, "", "split"});
  const std::vector<arma::uword> proper = lacp::split_rows(300, e.split, stream).proper;
  double sum = 0.0, known = 0.0;
  for (const arma::uword n : proper)
    if (!std::isnan(gaps.X(1, n))) sum += gaps.X(1, n), known += 1.0;
  lacp::Dataset by_hand = gaps;
  by_hand.filled = 0;
  by_hand.X.replace(arma::datum::nan, sum / known);

  const lacp::Prepared ours = lacp::prepare(e, gaps, 0), expected = lacp::prepare(e, by_hand, 0);
  CHECK(ours.third.X.is_finite());
  CHECK(arma::approx_equal(ours.second.X, expected.second.X, "absdiff", 1e-12));
  CHECK(arma::approx_equal(ours.third.X, expected.third.X, "absdiff", 1e-12));
  CHECK(arma::approx_equal(ours.third.f, expected.third.f, "absdiff", 1e-9));
}

TEST_CASE("what is done to columns is part of the fingerprint, and each change another one") {
  std::set<std::string> seen;
  for (const std::string target : {"{column: y, log: true}", "{sum: [y, z]}", "\"y,z\"", "y"})
    CHECK_MESSAGE(seen.insert(fingerprint("target: " + target + "\n")).second, target);
  for (const std::string keys :
       {"columns: {categories: [a]}", "columns: {ordered: {a: [u, v]}}", "columns: {ordered: {a: [v, u]}}",
        "columns: {dates: {a: [hour]}}", "columns: {lists: {a: ';'}}", "columns: {lists: {a: ','}}",
        "columns: {dates: {a: [hour, day]}}", "missing: {marks: [NA]}", "missing: {do: fill}",
        "missing: {do: drop_rows}", "missing: {fill: [a]}", "missing: {drop_rows: [a]}",
        "columns: {numbers: {a: {}}}", "columns: {numbers: {a: {time: hours}}}",
        "columns: {numbers: {a: {time: minutes}}}", "columns: {numbers: {a: {limits: whole}}}"})
    CHECK_MESSAGE(seen.insert(fingerprint("target: y\n" + keys + "\n")).second, keys);
  CHECK(fingerprint("target: {column: y}\nmissing: {do: refuse}\n") == fingerprint("target: y\n"));
}

TEST_CASE("a comma or a line break in a name is no separator of names in a fingerprint") {
  lacp::DatasetDescription description;
  description.source.emplace();
  const auto fingerprint = [&](const std::vector<std::string>& use, const std::vector<std::string>& drop,
                               const std::vector<std::string>& names) {
    description.use.columns = use, description.drop.columns = drop, description.format.names = names;
    return lacp::data_fingerprint(description, "sum");
  };
  CHECK(fingerprint({"a,b"}, {}, {}) != fingerprint({"a", "b"}, {}, {}));
  CHECK(fingerprint({"a,", "b"}, {}, {}) != fingerprint({"a", ",b"}, {}, {}));
  CHECK(fingerprint({"a"}, {"b\n"}, {}) != fingerprint({"a\nb"}, {""}, {}));
  CHECK(fingerprint({"x"}, {}, {"a\nb"}) != fingerprint({"x"}, {}, {"a", "b"}));
  CHECK(fingerprint({}, {}, {}) != fingerprint({""}, {}, {}));
}

TEST_CASE("the fingerprints of the committed results are those of the descriptions") {
  const lacp::Catalog catalog(source / "datasets");
  std::size_t compared = 0;
  for (const char* name : {"results/paper", "results/full"})
    for (const auto& [dataset, sums] : lacp::load_manifest(source / name).data) {
      CAPTURE(dataset);
      CHECK(lacp::data_fingerprint(catalog.find(dataset)) == sums.fingerprint);
      ++compared;
    }
  CHECK(compared == 18);
}

TEST_CASE("every table says on which data sets the logarithm is predicted") {
  lacp::Results results = lacp::write_sample("sample_filled");
  CHECK_FALSE(has(lacp::table_markdown(results, lacp::table_entries(results)), "log(1 + y)"));
  std::string manifest = lacp::read_file("sample_filled/manifest.yaml");
  const std::string before = "concrete: {fingerprint: made up";
  manifest.insert(manifest.find(before) + before.size(), ", log_target: true");
  lacp::write_file("sample_filled/manifest.yaml", manifest);
  results = lacp::load_results("sample_filled");
  const auto entries = lacp::table_entries(results);
  const std::string note = "in its units, on: concrete.";
  CHECK(has(lacp::table_markdown(results, entries), note));
  CHECK(has(lacp::table_tex(results, entries), note));
}

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

namespace {

/// A folder of descriptions with one data set whose file is there, and one whose file is missing.
void write_descriptions(const fs::path& folder) {
  lacp::Stream stream(1);
  std::string csv = "a,b,price\n";
  for (int i = 0; i < 300; ++i) {
    const double a = stream.uniform(-1, 1), b = stream.uniform(-1, 1);
    csv += fmt::format("{},{},{}\n", a, b, 3 + a * b + (0.1 + 0.5 * a * a) * stream.normal());
  }
  lacp::write_file(folder / "mine.csv", csv);
  const std::string heading = "title: T\ncitation: C\nlicence: L\n";
  lacp::write_file(folder / "mine.yaml", heading + "source: {file: mine.csv}\ntarget: price\n");
  lacp::write_file(
      folder / "away.yaml",
      fmt::format("{}source:\n  url: https://example.org/away.csv\n  sha256: {:0>64}\ntarget: price\n",
                  heading, 0));
}

Ran run_in(const fs::path& root, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"run",
                                        smoke_yaml.string(),
                                        "--results",
                                        (root / "results").string(),
                                        "--datasets-folder",
                                        (root / "datasets").string(),
                                        "--methods",
                                        "linear,fixed",
                                        "--set",
                                        "training.epochs=1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return lacp_program(arguments);
}

}  // namespace

TEST_CASE("a new data set is one yaml; a changed description or file does it again") {
  const TemporaryFolder root;
  const fs::path descriptions = root / "datasets";
  write_descriptions(descriptions);
  const Ran ran = run_in(root.path(), {"--datasets", "mine"});
  CHECK_MESSAGE(ran.status == 0, ran.messages);
  CHECK(cells_in(root / "results/smoke").size() == 4);
  CHECK(has(lacp::read_file(root / "results/smoke/manifest.yaml"), "\n  datasets: [mine]\n"));
  CHECK(has(run_in(root.path(), {"--datasets", "mine"}).messages, "4 done before, 0 done now"));

  const std::string yaml = lacp::read_file(descriptions / "mine.yaml");
  lacp::write_file(descriptions / "mine.yaml", yaml + "columns: {drop: [b]}\n");
  CHECK(has(run_in(root.path(), {"--datasets", "mine"}).messages, "0 done before, 4 done now"));
  lacp::write_file(descriptions / "mine.csv", lacp::read_file(descriptions / "mine.csv") + "0,0,3\n");
  CHECK(has(run_in(root.path(), {"--datasets", "mine"}).messages, "0 done before, 4 done now"));
}

TEST_CASE("a data set whose file is missing is left out and named, with the command that gets it") {
  const TemporaryFolder root;
  write_descriptions(root / "datasets");
  const Ran ran = run_in(root.path(), {"--datasets", "away,mine"});
  CHECK(ran.status == 0);
  CHECK(has(ran.messages, "missing: away\nTo get them: lacp datasets fetch away"));
  CHECK(cells_in(root / "results/smoke").size() == 4);
  CHECK(run_in(root.path(), {"--datasets", "away,mine", "--strict"}).status == 1);
  fs::remove(root / "datasets/mine.csv");
  const Ran local = run_in(root.path(), {"--datasets", "away,mine", "--force"});
  CHECK(
      has(local.messages, "mine: " + (root / "datasets/mine.csv").string() + " is not there; put it there"));
  CHECK(has(local.messages, "To get them: lacp datasets fetch away"));
}

TEST_CASE("a file that an experiment refuses fails once, and again only when it has changed") {
  const TemporaryFolder root;
  write_descriptions(root / "datasets");
  const std::string good = lacp::read_file(root / "datasets/mine.csv");
  lacp::write_file(root / "datasets/mine.csv", good.substr(0, good.size() / 20));
  const Ran refused = run_in(root.path(), {"--datasets", "mine"});
  CHECK(refused.status == 1);
  CHECK(has(refused.messages, "4 of 4 tasks failed:\n  data set mine, run 0, method fixed: "));
  CHECK(has(refused.messages, " (and 3 more for the same reason)\nTo try them again: "));
  const Ran again = run_in(root.path(), {"--datasets", "mine"});
  CHECK(again.status == 1);
  CHECK_MESSAGE(!has(again.messages, "failed: data set mine"), again.messages);  // told of, not tried
  CHECK(has(again.messages, "--retry-failed"));
  lacp::write_file(root / "datasets/mine.csv", good);
  CHECK(run_in(root.path(), {"--datasets", "mine"}).status == 0);
}

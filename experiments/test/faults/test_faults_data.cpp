// A data file that changes after a run began: no cell may carry the fingerprint of other data.
#include "engine/data_source.hpp"
#include "engine/executor.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sha256.hpp"
#include "outputs.hpp"
#include "settings/experiment.hpp"
#include "store/store.hpp"

namespace {

std::string numbers(int factor) {
  std::string text = "x,y\n";
  for (int i = 0; i < 120; ++i) text += fmt::format("{},{}\n", i, (i * factor) % 17);
  return text;
}

/// A folder of data sets with one that is called "own", and a place for results.
struct Place {
  TemporaryFolder folder;
  fs::path datasets = folder / "datasets", results = folder / "results", own = datasets / "own.csv";

  /// `more` are keys of its source beside the file's name.
  explicit Place(const std::string& more = "") {
    lacp::write_file(datasets / "own.yaml",
                     "title: T\ncitation: C\nlicence: L\ntarget: y\nsource:\n  file: own.csv\n" + more);
    lacp::write_file(own, numbers(3));
  }
  std::vector<std::string> command() const {
    return joined({"run", smoke_yaml.string(), "--results", results.string(), "--datasets-folder",
                   datasets.string(), "--datasets", "own"},
                  {"--methods", "fixed"});
  }
  /// Looks at what is to do, lets `change` happen, and then does it.
  template <class Change>
  lacp::Outcome run_after(Change&& change) const {
    lacp::Experiment experiment = lacp::load_experiment(smoke_yaml);
    experiment.datasets = {"own"};
    experiment.methods = {"fixed"};
    const std::vector<lacp::Task> tasks = lacp::grid(experiment);
    lacp::Work work(experiment, lacp::survey(experiment, lacp::Catalog(datasets), results, tasks));
    change();
    work.log = std::make_shared<lacp::CellLog>(work.folder, "start");
    work.tasks = work.planned(tasks, {});
    return lacp::execute(work);
  }
};

std::string only_reason(const lacp::Outcome& outcome) {
  REQUIRE(outcome.failures.size() == 2);  // one per run
  CHECK(outcome.done == 0);
  return outcome.failures.begin()->second.reason;
}

}  // namespace

TEST_CASE("a file without a stated checksum that changes before it is read fails its tasks") {
  const Place place;
  const lacp::Outcome outcome = place.run_after([&] { lacp::write_file(place.own, numbers(5)); });
  CHECK(only_reason(outcome) == place.own.string() + ": was changed after the run began; run again");
  CHECK(cells_in(place.results / "smoke").empty());
}

TEST_CASE("a file with a stated checksum that changes before it is read fails its tasks") {
  const Place place("  sha256: " + lacp::sha256(numbers(3)) + "\n");
  const lacp::Outcome outcome = place.run_after([&] { lacp::write_file(place.own, numbers(5)); });
  CHECK(only_reason(outcome).starts_with(place.own.string() + ": is not the file that "));
  CHECK(cells_in(place.results / "smoke").empty());
}

TEST_CASE("a file that goes away before it is read fails its tasks") {
  const Place place;
  const lacp::Outcome outcome = place.run_after([&] { fs::remove(place.own); });
  CHECK(only_reason(outcome).starts_with("own: " + place.own.string() + " is missing"));
}

TEST_CASE("a task that runs out of memory is tried again, since the next time there may be more") {
  const TemporaryFolder results;
  const auto limited = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"sh", "-c", "ulimit -v 4000000; exec \"$0\" \"$@\"", lacp_executable});
    return program(arguments);
  };
  if (limited({"--version"}).status != 0) {
    MESSAGE("skipped: a sanitized program needs more address space than that");
    return;
  }
  auto huge = quick_run(results.path(), {"--datasets", "cos", "--methods", "exp,fixed", "--runs", "1"});
  huge.insert(huge.end(), {"--set", "network.hidden=[100000,100000]"});  // 40 GB
  check_ran(limited(huge), 1, "data set cos, run 0, method exp: not enough memory\n");
  huge.push_back("--dry-run");
  CHECK(has(lacp_program(huge).output, "2 tasks, 1 done, 1 to run"));
}

TEST_CASE("changed data are done again, and the old data give the old bytes") {
  const Place place;
  const fs::path cells = place.results / "smoke";
  must_run(place.command());
  const auto before = cells_in(cells);
  lacp::write_file(place.own, numbers(5));
  const Ran changed = lacp_program(place.command());
  CHECK(has(changed.messages, "2 tasks done with other settings or data: done again\n"));
  CHECK(cells_in(cells) != before);
  lacp::write_file(place.own, numbers(3));
  must_run(place.command());
  CHECK(cells_in(cells) == before);
}

TEST_CASE("a cached file that changes is refused until it is fetched again") {
  const TemporaryFolder server;
  lacp::write_file(server / "own.csv", numbers(3));
  const Place place(fmt::format("  url: file://{}/own.csv\n  sha256: {}\n", server.path().string(),
                                lacp::sha256(numbers(3))));
  const fs::path cached = place.datasets / "cache/own.csv", cells = place.results / "smoke";
  const auto fetch = [&] {
    return lacp_program({"datasets", "--datasets-folder", place.datasets.string(), "fetch", "own"});
  };
  REQUIRE(fetch().status == 0);
  must_run(place.command());
  const auto before = cells_in(cells);

  lacp::write_file(cached, numbers(5));
  CHECK(has(lacp_program(place.command()).messages,
            "2 done before, 0 done now"));  // by the checksum in the yaml
  fs::remove_all(cells / "cells");
  check_ran(lacp_program(place.command()), 1,
            {cached.string() + ": is not the file that ", "run `lacp datasets fetch own`"});
  CHECK(cells_in(cells).empty());
  CHECK(fetch().status == 0);
  must_run(place.command());
  CHECK(cells_in(cells) == before);
}

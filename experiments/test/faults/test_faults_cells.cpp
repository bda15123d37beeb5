// Files of a folder of results, and of data, that were cut off, changed or exchanged behind the program's
// back.
#include <chrono>

#include "described_table.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/store/store.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp_program.hpp"

namespace {

const lacp::Task the_task{"concrete", 1, "mixture"};

/// The rows of a cell, made once.
const std::string& the_rows() {
  static const std::string rows = lacp::to_rows(*found_in(undisturbed_results() / "smoke", the_task).cell);
  return rows;
}

bool is_refused(const std::string& rows) { return !lacp::parse_rows(the_task, rows); }

}  // namespace

TEST_CASE("a cell is refused when it is cut off at any byte, longer, or with any bit flipped") {
  const std::size_t step = all_cases ? 1 : 13;
  REQUIRE_FALSE(is_refused(the_rows()));
  for (std::size_t size = 0; size < the_rows().size(); size += step)
    REQUIRE(is_refused(the_rows().substr(0, size)));
  CHECK(is_refused(the_rows() + "\n"));
  CHECK(is_refused(the_rows() + the_rows()));

  std::string rows = the_rows();
  const std::string text = lacp::to_text(lacp::parse_rows(the_task, rows).value());
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < rows.size(); at += step)
    for (int bit = 0; bit < 8; ++bit) {
      char& byte = rows[at];
      const char good = byte;
      byte = static_cast<char>(byte ^ (1 << bit));
      if (!is_refused(rows)) {  // how it came to be: the commit or the seconds
        ++accepted;
        REQUIRE(lacp::to_text(lacp::parse_rows(the_task, rows).value()) == text);
      }
      byte = good;
    }
  const lacp::Cell cell = lacp::parse_rows(the_task, rows).value();
  CHECK(accepted <= 8 * (cell.commit + fmt::format("{:.3f}", cell.seconds.value())).size());
  CHECK_FALSE(is_refused(rows));
}

TEST_CASE("a damaged cell is named, counted as not done, and done again") {
  const DoneRun place;
  std::string flipped = the_rows();
  char& digit = flipped[flipped.find_last_of("0123456789")];
  digit = digit == '1' ? '2' : '1';  // another digit, still a number
  const std::string last = the_rows().substr(0, the_rows().rfind('\n', the_rows().size() - 2) + 1);
  for (const std::string& rows : {flipped, last}) {
    put_rows(place.folder, the_task, rows);
    const fs::path file = place.folder / "cells/concrete.csv";
    const std::string text = lacp::read_file(file);
    const std::string named = fmt::format("{}:{}: is damaged: ", file.string(),
                                          count(text.substr(0, text.find("\n1,mixture,")), "\n") + 2);
    check_ran(lacp_program({"table", place.folder.string()}), 2, named);
    check_has(lacp_program(as("status", place.command)).output, "28 tasks, 27 done, 1 to run, 0 failed");
    must_run({"pack", place.folder.string()});
    CHECK(lacp::read_file(file) == text);  // a merge leaves it for the run that does it again
    check_ran(lacp_program(place.command), 0, {named, "27 done before, 1 done now"});
    check_continuation(place.command, place.results.path());
  }
}

TEST_CASE("a cell beside intervals of other settings stays, and does not count") {
  const DoneRun place;
  const fs::path intervals = place.folder / "intervals/cos.csv";
  fs::remove(intervals);
  fs::create_directory(intervals);  // nothing can be written there
  check_ran(lacp_program(place.command, {"--set", "training.epochs=3", "--force"}), 1,
            "data set cos, run 0, method erc: " + intervals.string() + ": is a folder");
  CHECK(cells_in(place.folder).at("cos/0/erc") == undisturbed().cells.at("cos/0/erc"));  // not replaced
  CHECK(leftovers(place.folder).empty());
  fs::remove(intervals);
  must_run(joined(place.command, {"--force"}));
  must_run({"pack", place.folder.string()});  // without the cells of other settings
  check_continuation(place.command, place.results.path());
}

TEST_CASE("temporary files of a killed run are no results; old ones are cleared away") {
  using namespace std::chrono_literals;
  const DoneRun place;
  const fs::path fresh = place.folder / "cells/.concrete.csv.lacp-host.1.0.tmp";
  const fs::path old = place.folder / "cells/.concrete.csv.lacp-host.1.1.tmp";
  for (const fs::path& file : {fresh, old}) lacp::write_file(file, the_rows().substr(0, 100));
  fs::last_write_time(old, fs::file_time_type::clock::now() - 2h);
  put_rows(place.folder, the_task, "");
  check_continuation(place.command, place.results.path());
  CHECK(leftovers(place.folder) == std::vector{fresh});  // it may be one that is being written
}

// A data file that changes after a run began: no cell may carry the fingerprint of other data.

namespace {

std::string numbers(int factor) {
  return x_and_y(120, [&](int i) { return i * factor % 17; });
}

/// A folder of data sets with one that is called "own", and a place for results.
struct OwnData {
  TemporaryFolder folder;
  fs::path datasets = folder / "datasets", results = folder / "results", own = datasets / "own.csv";

  /// `more` are keys of its source beside the file's name.
  explicit OwnData(const std::string& more = "") {
    write_dataset(datasets, "own", numbers(3), more + "target: y\n");
  }
  /// Looks at what is to do, lets `change` happen, and then does it.
  template <class Change>
  lacp::Outcome run_after(Change&& change) const {
    lacp::Experiment experiment = lacp::load_experiment(smoke_yaml);
    experiment.datasets = {"own"};
    experiment.methods = {"fixed"};
    const std::vector<lacp::Task> tasks = lacp::grid(experiment);
    const lacp::Survey found = lacp::survey(experiment, lacp::Catalog(datasets), results, tasks);
    lacp::Work work{.experiment = experiment, .folder = found.folder, .datasets = found.datasets};
    change();
    work.tasks = work.planned(tasks);
    return lacp::execute(work);
  }
};

}  // namespace

TEST_CASE("a file that changes or goes away before it is read fails its tasks") {
  const auto reason = [](const std::string& more, const char* now) {
    const OwnData place(more);
    const lacp::Outcome outcome = place.run_after([&] {
      fs::remove(place.own);
      if (now != nullptr) lacp::write_file(place.own, now);
    });
    REQUIRE(outcome.failures.size() == 2);  // one per run
    CHECK(outcome.done == 0);
    CHECK(cells_in(place.results / "smoke").empty());
    return without_folder(outcome.failures.begin()->second, place.folder);
  };
  const std::string stated = "  sha256: " + lacp::sha256(numbers(3)) + "\n", other = numbers(5);
  CHECK(reason("", other.c_str()) == "datasets/own.csv: was changed after the run began; run again");
  CHECK(reason(stated, other.c_str()).starts_with("datasets/own.csv: is not the file that "));
  CHECK(reason("", nullptr).starts_with("own: datasets/own.csv is missing"));
}

TEST_CASE("a task that runs out of memory is tried again, since the next time there may be more") {
  const TemporaryFolder results;
  const auto limited = [](const std::vector<std::string>& arguments) {
    return shell("ulimit -v 4000000; exec \"$0\" \"$@\"", arguments);
  };
  if (limited({"--version"}).status != 0) {
    MESSAGE("skipped: a sanitized program needs more address space than that");
    return;
  }
  const auto huge = quick_run(results.path(), {"--datasets", "cos", "--methods", "exp,fixed", "--runs", "1",
                                               "--set", "network.hidden=[100000,100000]"});  // 40 GB
  check_ran(limited(huge), 1, "data set cos, run 0, method exp: not enough memory\n");
  check_ran(lacp_program(huge, {"--dry-run"}), 0, {}, "2 tasks, 1 done, 1 to run");
}

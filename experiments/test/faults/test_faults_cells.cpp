// Files of a folder of results, and of data, that were cut off, changed or exchanged behind the program's
// back.
#include <sys/stat.h>

#include <chrono>

#include "described_table.hpp"
#include "experiment/engine/executor.hpp"
#include "experiment/store/cells.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp_program.hpp"

namespace {

const lacp::Task the_task{"concrete", 1, "mixture"};

/// The rows of a cell, made once.
const std::string& the_rows() {
  static const std::string rows = found_in(undisturbed_results() / "smoke", the_task).rows;
  return rows;
}

bool is_refused(const std::string& rows) {
  const std::string message =
      message_of<lacp::UserError>([&] { lacp::parse_rows(the_task, rows, "the/cells.csv:7"); });
  return message.starts_with("the/cells.csv:7: is ");
}

}  // namespace

TEST_CASE("a cell is refused when it is cut off at any byte, longer, or with any bit flipped") {
  REQUIRE_FALSE(is_refused(the_rows()));
  for (std::size_t size = 0; size < the_rows().size(); ++size)
    REQUIRE(is_refused(the_rows().substr(0, size)));
  CHECK(is_refused(the_rows() + "\n"));
  CHECK(is_refused(the_rows() + the_rows()));

  std::string rows = the_rows();
  const std::string text = lacp::to_text(lacp::parse_rows(the_task, rows, ""));
  std::size_t accepted = 0;
  for (char& byte : rows)
    for (int bit = 0; bit < 8; ++bit) {
      const char good = byte;
      byte = static_cast<char>(byte ^ (1 << bit));
      if (!is_refused(rows)) {  // how it came to be: the commit or the seconds
        ++accepted;
        REQUIRE(lacp::to_text(lacp::parse_rows(the_task, rows, "")) == text);
      }
      byte = good;
    }
  const lacp::Cell cell = lacp::parse_rows(the_task, rows, "");
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
    check_ran(place.table(), 2, named);
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
  // Killed between the two files: the cell that is there is not done with the intervals that are.
  std::string text = lacp::read_file(intervals);
  text.insert(text.find("\nerc,") + 5, "1");
  lacp::write_file(intervals, text);
  check_ran(lacp_program(place.command), 0,
            {intervals.string() + ": is damaged: what it has of erc", "27 done before, 1 done now"});
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
    work.tasks = work.planned(tasks, {});
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
    return without_folder(outcome.failures.begin()->second.reason, place.folder);
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

TEST_CASE("a cached file that changes is refused until it is fetched again") {
  const TemporaryFolder server;
  lacp::write_file(server / "own.csv", numbers(3));
  const OwnData place(fmt::format("  url: file://{}/own.csv\n  sha256: {}\n", server.path().string(),
                                  lacp::sha256(numbers(3))));
  const fs::path cached = place.datasets / "cache/own.csv", cells = place.results / "smoke";
  const auto run = [&] { return run_own(place.folder.path(), {"--datasets", "own"}); };
  const auto fetch = [&] {
    return lacp_program({"datasets", "--datasets-folder", place.datasets.string(), "fetch", "own"});
  };
  REQUIRE(fetch().status == 0);
  check_ran(run(), 0);
  const auto before = cells_in(cells);

  lacp::write_file(cached, numbers(5));
  CHECK(has(run().messages, "4 done before, 0 done now"));  // by the checksum in the yaml
  fs::remove_all(cells / "cells");
  check_ran(run(), 1, {cached.string() + ": is not the file that ", "run `lacp datasets fetch own`"});
  CHECK(cells_in(cells).empty());
  CHECK(fetch().status == 0);
  check_ran(run(), 0);
  CHECK(cells_in(cells) == before);
}

// What is no csv of cells, or cannot be one, is refused at once.

TEST_CASE("a device, a pipe or a line without an end in the place of cells is refused") {
  const DoneRun place;
  const fs::path file = place.folder / "cells/concrete.csv";
  const auto refused = [&](const std::string& message) {
    for (const char* command : {"table", "report", "pack"})
      check_ran(lacp_program({command, place.folder.string()}), 2, file.string() + message);
    fs::remove(file);
  };
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  refused(": is not a file");
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  refused(": is not a file");
  lacp::write_file(file, lacp::cell_header);
  fs::resize_file(file, std::uintmax_t{3} << 30);  // a hole; nothing is stored
  refused(": has 3221225472 bytes; at most ");
}

TEST_CASE("rows too short for cells are refused before they take much more memory than the file") {
  const DoneRun place;
  const fs::path file = place.folder / "cells/concrete.csv";
  std::string rows;
  for (std::size_t i = 0; i < 2000000; ++i) rows += i % 2 == 0 ? "0,e,x\n" : "1,e,\n";  // 11 MB
  lacp::write_file(file, std::string(lacp::cell_header) + rows);
  check_ran(lacp_program({"table", place.folder.string()}), 2, "each has at least 64");
  double peak = 0.0;
  CHECK(end_of(start_program({"table", place.folder.string()}), &peak) == 2);
  if (!sanitized) CHECK_MESSAGE(peak < 100e6, peak);  // 300 MB if every row is kept for a cell
}

TEST_CASE("a named pipe in the place of what gnuplot reads is refused, not waited for") {
  const DoneRun place;
  fs::create_directory(place.folder / "figures");
  REQUIRE(::mkfifo((place.folder / "figures/style.gp").c_str(), 0600) == 0);
  check_ran(lacp_program({"figures", place.folder.string()}), 2, "style.gp: is no regular file; remove it");
}

TEST_CASE("seconds that no task takes make a cell damaged, since sums are made of them") {
  const std::string whole = the_rows();
  const lacp::Cell cell = lacp::parse_rows(the_task, whole, "");
  const std::string commit = "," + cell.commit + ",", seconds = fmt::format("{:.3f}", cell.seconds.value());
  REQUIRE(has(whole, commit + seconds + ","));
  const auto with = [&](const std::string& text) {
    std::string rows = whole;
    return rows.replace(rows.find(commit) + commit.size(), seconds.size(), text);
  };
  for (const char* text : {"1.7e308", "inf", "nan", "-1", "soon"})
    CHECK_MESSAGE(is_refused(with(text)), text);
  for (const char* text : {"", "0.000", "86400.000"}) CHECK_MESSAGE(!is_refused(with(text)), text);
}

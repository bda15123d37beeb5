// Files of a folder of results that were cut off, changed or exchanged behind the program's back.
#include <chrono>

#include "lacp/base/error.hpp"
#include "outputs.hpp"
#include "store/cells.hpp"

namespace {

const lacp::Task the_task{"concrete", 1, "mixture"};

/// A folder of results in which all is done, to be disturbed.
struct Place {
  TemporaryFolder results;
  std::vector<std::string> command = quick_run(results.path());
  fs::path smoke = results / "smoke";
  fs::path file = smoke / "cells/concrete.csv";

  Place() { REQUIRE(lacp_program(command).status == 0); }
  Ran table() const { return lacp_program({"table", smoke.string()}); }
  Ran status() const {
    auto arguments = command;
    arguments[0] = "status";
    return lacp_program(arguments);
  }
  void overwrite(const fs::path& path, const std::string& text) const { lacp::write_file(path, text); }
};

/// The rows of a cell, made once.
const std::string& the_rows() {
  static const std::string rows = found_in(Place().smoke, the_task).rows;
  return rows;
}

bool is_refused(const std::string& rows) {
  const std::string message =
      message_of<lacp::UserError>([&] { lacp::parse_rows(the_task, rows, "the/cells.csv:7"); });
  return message.starts_with("the/cells.csv:7: is ");
}

}  // namespace

TEST_CASE("a cell is refused when it is cut off at any byte, or longer than it was") {
  REQUIRE_FALSE(is_refused(the_rows()));
  for (std::size_t size = 0; size < the_rows().size(); ++size)
    REQUIRE(is_refused(the_rows().substr(0, size)));
  CHECK(is_refused(the_rows() + "\n"));
  CHECK(is_refused(the_rows() + the_rows()));
}

TEST_CASE("a cell is refused when any one of its bits is flipped, but for how it came to be") {
  std::string rows = the_rows();
  const std::string text = lacp::to_text(lacp::parse_rows(the_task, rows, ""));
  std::size_t accepted = 0;
  for (char& byte : rows)
    for (int bit = 0; bit < 8; ++bit) {
      const char good = byte;
      byte = static_cast<char>(byte ^ (1 << bit));
      if (!is_refused(rows)) {  // the commit or the seconds
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
  const Place place;
  std::string flipped = the_rows();
  char& digit = flipped[flipped.find_last_of("0123456789")];
  digit = digit == '1' ? '2' : '1';  // another digit, still a number
  const std::string last = the_rows().substr(0, the_rows().rfind('\n', the_rows().size() - 2) + 1);
  for (const std::string& rows : {flipped, last}) {
    put_rows(place.smoke, the_task, rows);
    check_ran(place.table(), 2, {place.file.string() + ":", ": is damaged: "});
    CHECK(has(place.status().output, "smoke: 28 tasks, 27 done, 1 to run, 0 failed\n"));
    const Ran again = lacp_program(place.command);
    check_has(again.messages, {": is damaged: ", "27 done before, 1 done now"});
    check_continuation(place.command, place.results.path());
  }
}

TEST_CASE("a cell of other settings is not used, and done again") {
  const Place place;
  const TemporaryFolder other;
  must_run(quick_run(other.path(), {"--set", "training.epochs=3"}));
  put_rows(place.smoke, the_task, found_in(other / "smoke", the_task).rows);
  check_ran(place.table(), 0, "1 cell is stale, made with other settings or data");
  const Ran again = lacp_program(place.command);
  check_has(again.messages,
            {"1 task done with other settings or data: done again\n", "27 done before, 1 done now"});
  check_continuation(place.command, place.results.path());
}

TEST_CASE("a cell beside intervals of other settings stays, and does not count") {
  const Place place;
  const fs::path intervals = place.smoke / "intervals/cos.csv";
  fs::remove(intervals);
  fs::create_directory(intervals);  // nothing can be written there
  check_ran(lacp_program(place.command, {"--set", "training.epochs=3", "--force"}), 1,
            "data set cos, run 0, method erc: " + intervals.string() +
                ": is a folder; expected the name of a file");
  CHECK(cells_in(place.smoke).at("cos/0/erc") == undisturbed().cells.at("cos/0/erc"));  // not replaced
  CHECK(leftovers(place.smoke).empty());
  fs::remove(intervals);
  must_run(joined(place.command, {"--force"}));
  check_continuation(place.command, place.results.path());
  // Killed between the two files: the cell that is there is not done with the intervals that are.
  std::string text = lacp::read_file(intervals);
  text.insert(text.find("\nerc,") + 5, "1");
  lacp::write_file(intervals, text);
  const Ran again = lacp_program(place.command);
  check_has(again.messages,
            {intervals.string() + ": is damaged: what it has of erc does not match the checksum in its cell",
             "27 done before, 1 done now"});
  check_continuation(place.command, place.results.path());
}

TEST_CASE("temporary files of a killed run are no results; old ones are cleared away") {
  using namespace std::chrono_literals;
  const Place place;
  const fs::path fresh = place.file.parent_path() / ".concrete.csv.host.1.0.tmp";
  const fs::path old = place.smoke / "intervals/.cos.csv.host.1.1.tmp";
  for (const fs::path& file : {fresh, old}) place.overwrite(file, the_rows().substr(0, 100));
  fs::last_write_time(old, fs::file_time_type::clock::now() - 2h);
  put_rows(place.smoke, the_task, "");
  check_continuation(place.command, place.results.path());
  CHECK(leftovers(place.smoke) == std::vector{fresh});  // it may be one that is being written
}

TEST_CASE("a damaged manifest costs no result") {
  const Place place;
  const std::string manifest = lacp::read_file(place.smoke / "manifest.yaml");
  const std::string garbage("a,b\n\0\xff,1,c,d\n\"", 15);
  for (const std::string& text : {manifest.substr(0, manifest.size() / 2), garbage, std::string()}) {
    place.overwrite(place.smoke / "manifest.yaml", text);
    CHECK(place.table().status == 2);
    CHECK(has(place.status().output, "smoke: 28 tasks, 28 done, 0 to run, 0 failed\n"));
    CHECK(has(lacp_program(place.command).messages, "28 done before, 0 done now"));
    check_continuation(place.command, place.results.path());
  }
}

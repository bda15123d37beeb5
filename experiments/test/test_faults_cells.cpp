// Files of a folder of results that were cut off, changed or exchanged behind the program's back.
#include <chrono>

#include "lacp/base/error.hpp"
#include "outputs.hpp"
#include "store/cell.hpp"

namespace {

const std::string& a_cell() { return undisturbed().cells.at("concrete/1/mixture.csv"); }

bool is_refused(const std::string& text) {
  const std::string message = message_of<lacp::UserError>([&] { lacp::parse_cell(text, "the/cell.csv"); });
  return message.starts_with("the/cell.csv: is ");
}

/// A folder of results in which all is done, to be disturbed.
struct Place {
  TemporaryFolder results;
  std::vector<std::string> command = quick_run(results.path());
  fs::path smoke = results / "smoke";
  fs::path cell = smoke / "cells/concrete/1/mixture.csv";

  Place() { REQUIRE(lacp_program(command).status == 0); }
  Ran table() const { return lacp_program({"table", smoke.string()}); }
  Ran status() const {
    auto arguments = command;
    arguments[0] = "status";
    return lacp_program(arguments);
  }
  void overwrite(const fs::path& file, const std::string& text) const { lacp::write_file(file, text); }
};

}  // namespace

TEST_CASE("a cell is refused when it is cut off at any byte, or longer than it was") {
  REQUIRE_FALSE(is_refused(a_cell()));
  for (std::size_t size = 0; size < a_cell().size(); ++size) REQUIRE(is_refused(a_cell().substr(0, size)));
  CHECK(is_refused(a_cell() + "\n"));
  CHECK(is_refused(a_cell() + a_cell()));
}

TEST_CASE("a cell is refused when any one of its bits is flipped") {
  std::string text = a_cell();
  for (char& byte : text)
    for (int bit = 0; bit < 8; ++bit) {
      const char good = byte;
      byte = static_cast<char>(byte ^ (1 << bit));
      REQUIRE(is_refused(text));
      byte = good;
    }
  CHECK_FALSE(is_refused(text));
}

TEST_CASE("a damaged cell is named, counted as not done, and done again") {
  const Place place;
  std::string flipped = a_cell();
  flipped[flipped.find_last_of("0123456789", flipped.find("# sha256"))] ^=
      1;  // another digit, still a number
  for (const std::string& text : {flipped, a_cell().substr(0, a_cell().size() - 1), std::string()}) {
    place.overwrite(place.cell, text);
    const Ran table = place.table();
    CHECK(table.status == 2);
    CHECK(has(table.messages, place.cell.string() + ": is "));
    CHECK(has(place.status().output, "smoke: 28 tasks, 27 done, 1 to run, 0 failed\n"));
    const Ran again = lacp_program(place.command);
    CHECK(has(again.messages, place.cell.string() + ": is "));
    CHECK(has(again.messages, "27 done before, 1 done now"));
    check_continuation(place.command, place.results.path());
  }
}

TEST_CASE("a cell of other settings is not used, and done again") {
  const Place place;
  const TemporaryFolder other;
  REQUIRE(lacp_program(quick_run(other.path(), {"--set", "training.epochs=3"})).status == 0);
  fs::copy_file(other / "smoke/cells/concrete/1/mixture.csv", place.cell,
                fs::copy_options::overwrite_existing);
  const Ran table = place.table();
  CHECK(table.status == 0);
  CHECK(has(table.messages, "1 cell is stale, made with other settings or data"));
  const Ran again = lacp_program(place.command);
  CHECK(has(again.messages, "1 task done with other settings or data: done again\n"));
  CHECK(has(again.messages, "27 done before, 1 done now"));
  check_continuation(place.command, place.results.path());
}

TEST_CASE("a cell beside intervals of other settings stays, and does not count") {
  const Place place;
  const fs::path cell = place.smoke / "cells/cos/0/erc.csv",
                 intervals = place.smoke / "intervals/cos/erc.csv";
  fs::remove(intervals);
  fs::create_directory(intervals);  // nothing can be written there
  auto other = place.command;
  other.insert(other.end(), {"--set", "training.epochs=3", "--force"});
  const Ran failed = lacp_program(other);
  CHECK(failed.status == 1);
  CHECK(has(failed.messages, "data set cos, run 0, method erc: " + intervals.string() + ": renaming failed: Is a directory"));
  CHECK(lacp::read_file(cell) == undisturbed().cells.at("cos/0/erc.csv"));  // its replacement was not written
  CHECK(leftovers(place.smoke).empty());
  fs::remove(intervals);
  auto back = place.command;
  back.push_back("--force");
  REQUIRE(lacp_program(back).status == 0);
  check_continuation(place.command, place.results.path());
  // Killed between the two files: the cell that is there is not done with the intervals that are.
  lacp::write_file(intervals, lacp::read_file(place.smoke / "intervals/cos/exp.csv"));
  const Ran again = lacp_program(place.command);
  CHECK(has(again.messages,
            intervals.string() + ": is damaged: its contents do not match the checksum in its cell"));
  CHECK(has(again.messages, "27 done before, 1 done now"));
  check_continuation(place.command, place.results.path());
}

TEST_CASE("temporary files of a killed run are no results; old ones are cleared away") {
  using namespace std::chrono_literals;
  const Place place;
  const fs::path fresh = place.cell.parent_path() / ".mixture.csv.host.1.0.tmp";
  const fs::path old = place.smoke / "intervals/cos/.erc.csv.host.1.1.tmp";
  for (const fs::path& file : {fresh, old}) place.overwrite(file, a_cell().substr(0, 100));
  fs::last_write_time(old, fs::file_time_type::clock::now() - 2h);
  fs::remove(place.cell);
  check_continuation(place.command, place.results.path());
  CHECK(leftovers(place.smoke) == std::vector{fresh});  // it may be one that is being written
}

TEST_CASE("a damaged manifest, times.csv or failures.csv costs no result") {
  const Place place;
  const std::string manifest = lacp::read_file(place.smoke / "manifest.yaml");
  const std::string garbage("a,b\n\0\xff,1,c,d\n\"", 15);
  for (const std::string& text : {manifest.substr(0, manifest.size() / 2), garbage, std::string()}) {
    for (const char* name : {"manifest.yaml", "times.csv", "failures.csv"})
      place.overwrite(place.smoke / name, text);
    CHECK(place.table().status == 2);
    CHECK(has(place.status().output, "smoke: 28 tasks, 28 done, 0 to run, 0 failed\n"));
    CHECK(has(lacp_program(place.command).messages, "28 done before, 0 done now"));
    check_continuation(place.command, place.results.path());
  }
}

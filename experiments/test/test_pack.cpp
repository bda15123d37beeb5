// Packed cells: the same results from fewer files, whatever happens while they are packed.
#include <chrono>
#include <thread>

#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "outputs.hpp"
#include "store/cells.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// The cells of the undisturbed run, written loose.
void write_cells(const fs::path& folder) {
  for (const auto& [name, text] : undisturbed().cells) lacp::write_file(folder / "cells" / name, text);
}

lacp::Task task_of(const std::string& name) {  // "concrete/1/mixture.csv"
  const fs::path path(name);
  return {path.parent_path().parent_path().string(), std::stoul(path.parent_path().filename().string()),
          path.stem().string()};
}

/// Reads every cell back, loose or packed, as text; "" for one that is missing or damaged.
std::map<std::string, std::string> read_back(const fs::path& folder) {
  const lacp::Cells cells(folder);
  std::map<std::string, std::string> texts;
  for (const auto& [name, text] : undisturbed().cells) {
    try {
      const auto cell = cells.read(task_of(name));
      texts[name] = cell ? lacp::to_text(*cell) : "";
    } catch (const lacp::UserError&) {
      texts[name] = "";
    }
  }
  return texts;
}

std::size_t differing(const std::map<std::string, std::string>& texts) {
  std::size_t number = 0;
  for (const auto& [name, text] : undisturbed().cells) number += texts.at(name) == text ? 0 : 1;
  return number;
}

/// A folder of results in which all is done.
struct Place {
  TemporaryFolder results;
  std::vector<std::string> command = quick_run(results.path());
  fs::path smoke = results / "smoke";
  Place() { REQUIRE(lacp_program(command).status == 0); }
  Ran pack() const { return lacp_program({"pack", smoke.string()}); }
};

}  // namespace

TEST_CASE("packed cells are the same cells: tables, report and the next run cannot tell") {
  const Place place;
  REQUIRE(lacp_program({"report", place.results.path().string()}).status == 0);
  auto before = csv_files(place.results.path());
  const std::string report = lacp::read_file(place.results / "README.md");
  const Ran packed = place.pack();
  CHECK_MESSAGE(packed.status == 0, packed.messages);
  CHECK(packed.output == place.smoke.string() + ": 28 cells packed, in 2 files\n");
  const auto packs = csv_files(place.smoke / "cells");
  REQUIRE(packs.size() == 2);
  CHECK(packs.at("concrete.csv")
            .starts_with("run,method,metric,alpha,bin,value,settings,data,intervals,checksum\n0,erc,"));
  CHECK(read_back(place.smoke) == undisturbed().cells);
  for (const auto& [name, text] : packs) CHECK(count(text, "nan") == 0);

  CHECK(lacp_program({"table", place.smoke.string()}).messages.empty());
  REQUIRE(lacp_program({"report", place.results.path().string()}).status == 0);
  CHECK(lacp::read_file(place.results / "README.md") == report);
  auto after = csv_files(place.results.path());
  std::erase_if(before, [](const auto& file) { return file.first.starts_with("smoke/cells/"); });
  std::erase_if(after, [](const auto& file) { return file.first.starts_with("smoke/cells/"); });
  CHECK(before == after);
  CHECK(has(lacp_program(place.command).messages, "28 tasks, 28 done before, 0 done now"));
  CHECK(place.pack().output == place.smoke.string() + ": 0 cells packed, in 0 files\n");
  CHECK(csv_files(place.smoke / "cells") == packs);
}

TEST_CASE("a loose cell counts before a packed one, and takes its place when it is packed") {
  const TemporaryFolder folder;
  write_cells(folder / "e");
  CHECK(lacp::pack_cells(folder / "e").cells == 28);
  const lacp::Task task{"concrete", 1, "mixture"};
  lacp::Cell other = lacp::Cells(folder / "e").read(task).value();
  other.values[0].value += 1.0;
  lacp::write_file(lacp::cell_path(folder / "e", task), lacp::to_text(other));
  CHECK(lacp::to_text(*lacp::Cells(folder / "e").read(task)) == lacp::to_text(other));
  CHECK(lacp::pack_cells(folder / "e").cells == 1);
  CHECK_FALSE(fs::exists(lacp::cell_path(folder / "e", task)));
  auto texts = read_back(folder / "e");
  CHECK(texts.at("concrete/1/mixture.csv") == lacp::to_text(other));
  CHECK(differing(texts) == 1);
}

TEST_CASE("a damaged loose cell is named and left where it is, also while a packed one is whole") {
  const Place place;
  const fs::path cell = place.smoke / "cells/concrete/1/mixture.csv";
  const std::string half = lacp::read_file(cell).substr(0, 500);
  lacp::write_file(cell, half);
  const Ran packed = place.pack();
  CHECK(packed.status == 1);
  CHECK(packed.messages ==
        cell.string() + ": is damaged: its contents do not match its checksum; it was not packed");
  CHECK(has(packed.output, "27 cells packed"));
  CHECK(lacp::read_file(cell) == half);
  const Ran again = lacp_program(place.command);
  CHECK(has(again.messages, "27 done before, 1 done now"));
  CHECK(place.pack().status == 0);
  CHECK(read_back(place.smoke) == undisturbed().cells);
}

TEST_CASE("a byte that was changed in a pack spoils one cell, which is named with its line and done again") {
  const TemporaryFolder folder;
  write_cells(folder / "e");
  lacp::pack_cells(folder / "e");
  const fs::path file = lacp::pack_path(folder / "e", "cos");
  const std::string good = lacp::read_file(file);
  const std::size_t head = good.find('\n');
  lacp::Stream places(3);
  std::size_t lost = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    const auto at =
        head + 1 + static_cast<std::size_t>(places.uniform(0.0, static_cast<double>(good.size() - head - 1)));
    bad[at] = static_cast<char>(bad[at] ^ (1 << (i % 8)));
    lacp::write_file(file, bad);
    const auto texts = read_back(folder / "e");
    // A line break belongs to the rows on both sides.
    REQUIRE_MESSAGE(differing(texts) <= (good[at] == '\n' ? 2u : 1u), "byte ", at);
    for (const auto& [name, text] : texts)
      REQUIRE_MESSAGE((text.empty() || text == undisturbed().cells.at(name)), "byte ", at);
    lost += differing(texts);
  }
  CHECK(lost > 250);  // few bytes, as of a run's number between whole rows, say nothing
  for (const double share : {0.0, 0.3, 0.999}) {  // cut off: what comes before is whole
    const auto size = static_cast<std::size_t>(share * static_cast<double>(good.size()));
    lacp::write_file(file, good.substr(0, size));
    CHECK(static_cast<double>(differing(read_back(folder / "e"))) <= 14.0 * (1.0 - share) + 1.0);
  }

  const Place place;
  REQUIRE(place.pack().status == 0);
  const fs::path pack = place.smoke / "cells/concrete.csv";
  std::string text = lacp::read_file(pack);
  const std::size_t at = text.find("\n1,mixture,size_mean,0.1,,");
  REQUIRE(at != std::string::npos);
  text[at + 27] = text[at + 27] == '1' ? '2' : '1';
  lacp::write_file(pack, text);
  const std::size_t line = count(text.substr(0, text.find("\n1,mixture,")), "\n") + 2;
  const std::string named =
      fmt::format("{}:{}: is damaged: its contents do not match its checksum", pack.string(), line);
  const Ran table = lacp_program({"table", place.smoke.string()});
  CHECK(table.status == 2);
  CHECK_MESSAGE(has(table.messages, named), table.messages);
  const Ran again = lacp_program(place.command);
  CHECK_MESSAGE(has(again.messages, named + "; done again\n"), again.messages);
  CHECK(has(again.messages, "27 done before, 1 done now"));
  CHECK(place.pack().status == 0);
  CHECK(read_back(place.smoke) == undisturbed().cells);
}

TEST_CASE("killed at forty random moments, packing loses nothing, and the next call goes on") {
  const Place place;
  const auto start = Clock::now();
  REQUIRE(place.pack().status == 0);
  const std::chrono::duration<double> whole = Clock::now() - start;
  lacp::Stream moments(21);
  int killed = 0, half_way = 0;
  for (int attempt = 0; killed < 40; ++attempt) {
    REQUIRE(attempt < 400);
    fs::remove_all(place.smoke / "cells");
    write_cells(place.smoke);
    const pid_t child = start_program({"pack", place.smoke.string()});
    std::this_thread::sleep_for(moments.uniform(0.0, 1.0) * whole);
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    const auto files = csv_files(place.smoke / "cells");
    half_way += files.contains("cos.csv") || files.contains("concrete.csv") ? WIFSIGNALED(status) : 0;
    REQUIRE(read_back(place.smoke) == undisturbed().cells);
    if (attempt % 8 == 0) {
      REQUIRE(place.pack().status == 0);
      REQUIRE(csv_files(place.smoke / "cells").size() == 2);
      REQUIRE(read_back(place.smoke) == undisturbed().cells);
    }
  }
  MESSAGE(fmt::format("{} of {} kills came after a pack was written", half_way, killed));
}

TEST_CASE("packing while a run does everything again loses nothing") {
  const Place place;
  auto forced = place.command;
  forced.push_back("--force");
  const pid_t child = start_program(forced);
  siginfo_t ended{};
  for (; ended.si_pid == 0;) {
    REQUIRE(place.pack().status == 0);
    REQUIRE(read_back(place.smoke) == undisturbed().cells);
    REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(has(lacp_program(place.command).messages, "28 tasks, 28 done before, 0 done now"));
}

TEST_CASE("pack refuses what is no folder of results, and a file that is no pack") {
  const TemporaryFolder empty;
  CHECK(lacp_program({"pack", empty.path().string()}).status == 2);
  const Place place;
  lacp::write_file(place.smoke / "cells/cos.csv", "my,own,file\n");
  const Ran ran = place.pack();
  CHECK(ran.status == 2);
  CHECK(has(ran.messages, "cos.csv: does not begin with the line 'run,method,"));
  CHECK(lacp::read_file(place.smoke / "cells/cos.csv") == "my,own,file\n");
  CHECK(read_back(place.smoke) == undisturbed().cells);
}

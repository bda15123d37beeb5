// Merging cells: the same results from fewer files, whatever happens meanwhile.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <chrono>
#include <cstddef>
#include <thread>

#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

namespace {

using Clock = std::chrono::steady_clock;

std::size_t differing(const std::map<std::string, std::string>& texts) {
  std::size_t number = 0;
  for (const auto& [name, text] : undisturbed().cells)
    number += texts.contains(name) && texts.at(name) == text ? 0 : 1;
  return number;
}

/// A folder of results in which all is done, and what three shards left is not merged; made once, and copied.
struct PackedPlace {
  TemporaryFolder results;
  std::vector<std::string> command = quick_run(results.path());
  fs::path smoke = results / "smoke";
  PackedPlace() {
    static const TemporaryFolder made;
    if (!fs::exists(made / "smoke"))
      for (const char* shard : {"1/3", "2/3", "3/3"}) must_run(quick_run(made.path(), {"--shard", shard}));
    fs::copy(made / "smoke", smoke, fs::copy_options::recursive);
  }
  Ran pack() const { return lacp_program({"pack", smoke.string()}); }
};

}  // namespace

TEST_CASE("merged cells are the same cells: tables, report and the next run cannot tell") {
  const PackedPlace place;
  CHECK(csv_files(place.smoke / "cells").size() == 28);
  CHECK(cells_in(place.smoke) == undisturbed().cells);
  must_run({"table", place.smoke.string()});
  must_run({"report", place.results.path().string()});
  auto before = csv_files(place.results.path());
  const std::string report = lacp::read_file(place.results / "README.md");
  CHECK(place.pack().output == place.smoke.string() + ": 2 files written\n");
  const auto files = csv_files(place.smoke / "cells");
  REQUIRE(files.size() == 2);
  CHECK(files.at("concrete.csv").starts_with(std::string(lacp::cell_header) + "0,erc,"));
  CHECK(cells_in(place.smoke) == undisturbed().cells);
  must_run({"report", place.results.path().string()});
  CHECK(lacp::read_file(place.results / "README.md") == report);
  auto after = csv_files(place.results.path());
  std::erase_if(before, [](const auto& file) { return file.first.starts_with("smoke/cells/"); });
  std::erase_if(after, [](const auto& file) { return file.first.starts_with("smoke/cells/"); });
  CHECK(before == after);
  CHECK(place.pack().output == place.smoke.string() + ": 0 files written\n");
  CHECK(csv_files(place.smoke / "cells") == files);
  CHECK(lacp_program({"pack", place.smoke.string(), "--quiet"}).output == "");
}

TEST_CASE("a run brings together what killed runs and shards left") {
  const PackedPlace place;
  check_continuation(place.command, place.results.path(), 28);
  CHECK(csv_files(place.smoke / "cells").size() == 2);
}

TEST_CASE("a byte that was changed spoils one cell, and what is cut off no other") {
  const PackedPlace place;
  REQUIRE(place.pack().status == 0);
  const fs::path file = lacp::cells_path(place.smoke, "cos");
  const std::string good = lacp::read_file(file);
  const std::size_t head = good.find('\n');
  std::size_t lost = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    std::string bad = good;
    const std::size_t at = head + 1 + i * 7919 % (good.size() - head - 1);
    bad[at] = static_cast<char>(bad[at] ^ (1 << (i % 8)));
    lacp::write_file(file, bad);
    const auto texts = cells_in(place.smoke);
    // A line break belongs to the rows on both sides.
    REQUIRE_MESSAGE(differing(texts) <= (good[at] == '\n' ? 2u : 1u), "byte ", at);
    for (const auto& [name, text] : undisturbed().cells)
      REQUIRE_MESSAGE((!texts.contains(name) || texts.at(name) == text), "byte ", at);
    lost += differing(texts);
  }
  CHECK(lost > 250);  // few bytes, as of a run's number between whole rows or of a commit, say nothing
  lacp::write_file(file, good.substr(0, good.size() / 2));  // cut off: what comes before is whole
  CHECK(differing(cells_in(place.smoke)) <= 14 / 2 + 1);
}

TEST_CASE("killed at forty random moments, a merge loses nothing, and the next call goes on") {
  const PackedPlace place;
  const TemporaryFolder kept;
  fs::copy(place.smoke / "cells", kept / "cells", fs::copy_options::recursive);
  const auto start = Clock::now();
  REQUIRE(place.pack().status == 0);
  std::chrono::duration<double> whole = Clock::now() - start;
  lacp::Stream moments(21);
  int killed = 0, half_way = 0;
  for (int attempt = 0; killed < 40; ++attempt) {
    REQUIRE(attempt < 400);
    fs::remove_all(place.smoke / "cells");
    fs::copy(kept / "cells", place.smoke / "cells", fs::copy_options::recursive);
    const pid_t child = start_program({"pack", place.smoke.string()});
    std::this_thread::sleep_for(moments.uniform(0.0, 1.0) * whole);
    ::kill(child, SIGKILL);
    const bool by_signal = end_of(child) < 0;
    killed += by_signal ? 1 : 0;
    if (!by_signal) whole *= 0.9;  // measured when the machine was busier: sooner the next time
    half_way += fs::exists(place.smoke / "cells/concrete.csv") && by_signal ? 1 : 0;
    REQUIRE(cells_in(place.smoke) == undisturbed().cells);
    if (attempt % 8 != 0) continue;
    REQUIRE(place.pack().status == 0);
    REQUIRE(csv_files(place.smoke / "cells").size() == 2);
    REQUIRE(cells_in(place.smoke) == undisturbed().cells);
  }
  MESSAGE(fmt::format("{} of {} kills came after a file was written", half_way, killed));
}

TEST_CASE("pack refuses what is no folder of results, and a file that is not of cells") {
  const TemporaryFolder empty;
  CHECK(lacp_program({"pack", empty.path().string()}).status == 2);
  const PackedPlace place;
  lacp::write_file(place.smoke / "cells/cos.csv", "my,own,file\n");
  check_ran(place.pack(), 2, "cos.csv: does not begin with the line 'run,method,");
  CHECK(lacp::read_file(place.smoke / "cells/cos.csv") == "my,own,file\n");
}

namespace {

/// How a program ends on a file system without locks, as some of clusters are, and what it says.
Ran without_flock(const std::vector<std::string>& arguments, const fs::path& said) {
  const pid_t child = ::fork();
  if (child == 0) {
    sock_filter refuse[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_flock, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{std::size(refuse), refuse};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
      ::_exit(77);
    const int file = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO), ::dup2(file, STDERR_FILENO);
    std::vector<std::string> command = joined({lacp_executable}, arguments);
    std::vector<char*> argv;
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  const int status = end_of(child);
  return {.status = status, .messages = "", .output = fs::exists(said) ? lacp::read_file(said) : ""};
}

}  // namespace

TEST_CASE("where the file system has no locks nothing is merged, and all counts where it is") {
  if (sanitized) return;  // at its end a sanitizer asks for more than a filter lets through
  const PackedPlace place;
  const Ran packed = without_flock({"pack", place.smoke.string()}, place.results / "said");
  if (packed.status == 77) {
    MESSAGE("skipped: no filter of system calls can be set here");
    return;
  }
  CHECK(packed.status == 0);
  check_has(packed.output, {"0 files written", "no locks"});
  CHECK(cells_in(place.smoke) == undisturbed().cells);
  const Ran gathered =
      without_flock(joined(as("gather", place.command), {"--shards", "3"}), place.results / "said");
  CHECK(gathered.status == 0);
  check_has(gathered.output, {"no locks", "28 tasks, 28 done, 0 missing"});
}

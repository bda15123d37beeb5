// A disk that is full and a folder that cannot be written.
#include "lacp_program.hpp"

namespace {

const std::string no_space = "No space left on device", too_large = "File too large";

/// Runs the program with a limit on the size of files: it fails as a full disk does, in the middle of a
/// write, and needs no privileges. The thread sanitizer, too, writes a file, where TMPDIR says, and can do
/// without it.
Ran run_limited(const std::vector<std::string>& arguments, std::size_t most_bytes) {
  return lacp::run_program(joined({"env", "TMPDIR=/nonexistent", lacp_executable}, arguments),
                           {.most_bytes = most_bytes});
}

Ran run_as_anyone(const std::vector<std::string>& arguments) {
  return program(as_anyone(joined({lacp_executable}, arguments)));
}

/// A folder that refuses new files while this lives.
struct ReadOnly {
  explicit ReadOnly(fs::path folder) : folder_(std::move(folder)) {
    fs::permissions(folder_, fs::perms::owner_write, fs::perm_options::remove);
    REQUIRE(program(as_anyone({"touch", (folder_ / "file").string()})).status != 0);
  }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  ~ReadOnly() { fs::permissions(folder_, fs::perms::owner_write, fs::perm_options::add); }

 private:
  fs::path folder_;
};

}  // namespace

TEST_CASE("no room for the first file: one line, code 1, nothing begun, and the same command goes on later") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  check_ran(run_limited(command, 100), 1,
            "lacp: " + (results / "smoke/manifest.yaml").string() + ": writing failed: " + too_large +
                "; the file was left as it was");
  CHECK(csv_files(results.path()).empty());
  CHECK(leftovers(results.path()).empty());
  check_continuation(command, results.path());
}

TEST_CASE("no room for some results: these tasks fail by name, the others are kept") {
  const TemporaryFolder place;
  const fs::path results = place / "it's here";  // the command that is printed has to quote it
  const auto command = quick_run(results, {"--jobs", "1"});
  must_run(command);
  // The manifest fits, and of each data set some of the cells.
  const std::size_t room = lacp::read_file(results / "smoke/cells/concrete.csv").size() / 2;
  REQUIRE(room > lacp::read_file(results / "smoke/manifest.yaml").size() + 200);
  REQUIRE(room > undisturbed().intervals.at("cos.csv").size() / 7);  // those of one method
  fs::remove_all(results / "smoke");
  const Ran ran =
      check_ran(run_limited(command, room), 1,
                {" of 28 tasks failed:\n  data set co", "/concrete.csv: writing failed: " + too_large});
  const auto kept = cells_in(results / "smoke");
  CHECK(within(kept, undisturbed().cells));
  CHECK(kept.size() >= 8);
  CHECK(kept.size() <= 20);
  CHECK(leftovers(results).empty());
  const std::string advice = "To try them again: lacp run ";
  const std::size_t at = ran.messages.find(advice);
  REQUIRE(at != std::string::npos);
  const std::string rest = ran.messages.substr(at + advice.size());
  check_ran(shell("exec \"$0\" run " + rest.substr(0, rest.find('\n'))), 0,
            fmt::format(" {} done before, {} done now", kept.size(), 28 - kept.size()));
  check_continuation(command, results, 28);
}

TEST_CASE("a disk that fills up in the middle of a run") {
  const TemporaryFolder place;
  if (program({"unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", place.path().string()}).status != 0) {
    MESSAGE("skipped: this system lets nobody mount a small disk (unshare -rm mount -t tmpfs)");
    return;
  }
  const TemporaryFolder kept;
  // 20 pages are left: enough for the records and some of the cells.
  const long page = ::sysconf(_SC_PAGESIZE);
  const std::string script = fmt::format(
      "disk=$0; kept=$1; shift; mount -t tmpfs -o size={} tmpfs $disk || exit 90\n"
      "head -c {} /dev/zero >$disk/ballast\n"
      "\"$@\" 2>$kept/messages; echo $? >$kept/status; cp -r $disk/smoke $kept/full\n"
      "rm $disk/ballast; \"$@\" && cp -r $disk/smoke $kept",
      256 * page, 236 * page);
  check_ran(program(joined({"unshare", "-rm", "sh", "-c", script, place.path().string(), kept.path().string(),
                            lacp_executable},
                           quick_run(place.path()))),
            0);
  CHECK(lacp::read_file(kept / "status") == "1\n");
  const std::string messages = lacp::read_file(kept / "messages");
  check_has(messages, {"writing failed: " + no_space, " of 28 tasks failed:\n"});
  const auto before = cells_in(kept / "full");
  CHECK(before.size() > 0);
  CHECK(before.size() < undisturbed().cells.size());
  CHECK(within(before, undisturbed().cells));
  CHECK(leftovers(kept / "full").empty());
  check_continuation(quick_run(kept.path()), kept.path());  // where nothing is left to do
}

TEST_CASE("messages that cannot be written are no failure, and hide none") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  CHECK(shell("exec \"$0\" \"$@\" 2>/dev/full", command).status == 0);
  check_continuation(command, results.path());
  const auto absurd =
      joined(command, joined({"--methods", "exp", "--datasets", "concrete", "--force"}, diverging));
  CHECK(shell("exec \"$0\" \"$@\" 2>/dev/full", absurd).status == 1);
  CHECK(count(failures_in(results / "smoke"), "\n") == 2);
}

TEST_CASE("a folder of results that cannot be written is told at once, with code 1") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  {
    const ReadOnly locked(results.path());
    check_ran(run_as_anyone(command), 1,
              "lacp: " + (results / "smoke").string() + ": the folder cannot be made: Permission denied");
  }
  must_run(command);
  {
    const ReadOnly locked(results / "smoke");
    // There is nothing to do, and nothing to write.
    check_ran(run_as_anyone(command), 0, "28 done before, 0 done now");
    check_ran(
        run_as_anyone({"table", (results / "smoke").string()}), 1,
        (results / "smoke/table.csv").string() + ": creating a temporary file failed: Permission denied");
  }
  put_rows(results / "smoke", {"concrete", 0, "erc"}, "");
  {
    const ReadOnly locked(results / "smoke/cells");
    check_ran(run_as_anyone(command), 1, ": the folder cannot be made: Permission denied");
  }
  check_continuation(command, results.path());
}

TEST_CASE("a path of results that is a file is told at once") {
  const TemporaryFolder place;
  lacp::write_file(place / "file", "precious");
  check_ran(lacp_program(quick_run(place / "file")), 1,
            (place / "file/smoke").string() + ": the folder cannot be made: Not a directory");
  CHECK(lacp::read_file(place / "file") == "precious");
}

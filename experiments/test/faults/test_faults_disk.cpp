// A disk that is full and a folder that cannot be written.
#include <fmt/format.h>

#include "outputs.hpp"

namespace {

const std::string no_space = "No space left on device", too_large = "File too large";

/// Runs a shell script with $0, $1, ... as given.
Ran shell(const std::string& script, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"sh", "-c", script});
  return lacp::run_program(arguments);
}

/// The command without the powers of root, who may write where others may not.
std::vector<std::string> as_anyone(std::vector<std::string> command) {
  if (::geteuid() == 0)
    command.insert(command.begin(), {"setpriv", "--bounding-set", "-dac_override,-dac_read_search"});
  return command;
}

std::vector<std::string> with_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), lacp_executable);
  return arguments;
}

/// Runs the program with a limit on the size of files: it fails as a full disk does, in the middle of a
/// write, and needs no privileges. The thread sanitizer, too, writes a file, where TMPDIR says, and can do
/// without it.
lacp::ProgramResult run_limited(const std::vector<std::string>& arguments, std::size_t most_bytes) {
  auto command = with_program(arguments);
  command.insert(command.begin(), {"env", "TMPDIR=/nonexistent"});
  return lacp::run_program(command, {.most_bytes = most_bytes});
}

/// A folder that refuses new files while this lives.
struct ReadOnly {
  explicit ReadOnly(fs::path folder) : folder_(std::move(folder)) {
    fs::permissions(folder_, fs::perms::owner_write, fs::perm_options::remove);
    REQUIRE(lacp::run_program(as_anyone({"touch", (folder_ / "file").string()})).status != 0);
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
  const lacp::ProgramResult ran = run_limited(command, 100);
  check_ran(ran, 1,
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
  const lacp::ProgramResult ran = run_limited(command, room);
  check_ran(ran, 1, {" of 28 tasks failed:\n  data set co", "/concrete.csv: writing failed: " + too_large});
  const auto kept = cells_in(results / "smoke");
  CHECK(within(kept, undisturbed().cells));
  CHECK(kept.size() >= 8);
  CHECK(kept.size() <= 20);
  CHECK(leftovers(results).empty());
  const std::string advice = "To try them again: lacp run ";
  const std::size_t at = ran.messages.find(advice);
  REQUIRE(at != std::string::npos);
  const std::string rest = ran.messages.substr(at + advice.size());
  check_ran(shell("exec \"$0\" run " + rest.substr(0, rest.find('\n')), {lacp_executable}), 0,
            fmt::format(" {} done before, {} done now", kept.size(), 28 - kept.size()));
  check_continuation(command, results, 28);
}

TEST_CASE("a disk that fills up in the middle of a run") {
  const TemporaryFolder place;
  if (lacp::run_program({"unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", place.path().string()}).status !=
      0) {
    MESSAGE("skipped: this system lets nobody mount a small disk (unshare -rm mount -t tmpfs)");
    return;
  }
  const TemporaryFolder kept;
  auto arguments = with_program(quick_run(place.path()));
  // 20 pages are left: enough for the records and some of the cells.
  const long page = ::sysconf(_SC_PAGESIZE);
  const std::string script = fmt::format(
      "disk=$0; kept=$1; shift; mount -t tmpfs -o size={} tmpfs $disk || exit 90\n"
      "head -c {} /dev/zero >$disk/ballast\n"
      "\"$@\" 2>$kept/messages; echo $? >$kept/status; cp -r $disk/smoke $kept/full\n"
      "rm $disk/ballast; \"$@\" && cp -r $disk/smoke $kept",
      256 * page, 236 * page);
  arguments.insert(arguments.begin(),
                   {"unshare", "-rm", "sh", "-c", script, place.path().string(), kept.path().string()});
  const lacp::ProgramResult ran = lacp::run_program(arguments);
  check_ran(ran, 0);
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

TEST_CASE("output that cannot be written is a failure; messages that cannot are not") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  CHECK(shell("exec \"$0\" \"$@\" 2>/dev/full", with_program(command)).status == 0);
  check_continuation(command, results.path());
  auto status = command;
  status[0] = "status";
  const Ran full = shell("exec \"$0\" \"$@\" >/dev/full", with_program(status));
  CHECK(full.status == 1);
  CHECK(full.messages == "lacp: standard output cannot be written: " + no_space);

  auto absurd = quick_run(results.path(), {"--methods", "exp", "--datasets", "concrete"});
  absurd.insert(absurd.end(), {"--set", "training.learning_rate=1e30", "--force"});
  CHECK(shell("exec \"$0\" \"$@\" 2>/dev/full", with_program(absurd)).status == 1);
  CHECK(count(failures_in(results / "smoke"), "\n") == 2);
}

TEST_CASE("a folder of results that cannot be written is told at once, with code 1") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const lacp::ProgramResult ran = lacp::run_program(as_anyone(with_program(arguments)));
    check_ran(ran, 1, message);
  };
  {
    const ReadOnly locked(results.path());
    refused(command,
            "lacp: " + (results / "smoke").string() + ": the folder cannot be made: Permission denied");
  }
  must_run(command);
  {
    const ReadOnly locked(results / "smoke");
    const auto done = lacp::run_program(as_anyone(with_program(command)));
    CHECK(done.status == 0);  // there is nothing to do, and nothing to write
    CHECK(has(done.messages, "28 done before, 0 done now"));
    refused({"table", (results / "smoke").string()},
            (results / "smoke/table.csv").string() + ": creating a temporary file failed: Permission denied");
  }
  put_rows(results / "smoke", {"concrete", 0, "erc"}, "");
  {
    const ReadOnly locked(results / "smoke/cells");
    refused(command, ": the folder cannot be made: Permission denied");
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

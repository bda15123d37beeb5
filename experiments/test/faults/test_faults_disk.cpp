// A disk that is full, a folder that cannot be written, a file system that has no files without names.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>

#include "lacp_program.hpp"

namespace {

const std::string too_large = "writing failed: File too large";

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

/// From now on these rules hold for the system calls of this process.
template <std::size_t rules>
void filter_calls(sock_filter (&filter)[rules]) {
  const sock_fprog program{rules, filter};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    ::_exit(77);
}

/// Every file has a name, as on a network file system.
void refuse_unnamed_files() {
  constexpr auto flags = static_cast<unsigned>(offsetof(seccomp_data, args[2]));
  sock_filter refuse[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
                          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
                          BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  filter_calls(refuse);
}

/// Files cannot be locked, as on the file system of some clusters.
void refuse_locks() {
  sock_filter refuse[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_flock, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  filter_calls(refuse);
}

}  // namespace

TEST_CASE("no room for the first file: one line, code 1, nothing begun, and the same command goes on later") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  check_ran(run_limited(command, 100), 1, (results / "smoke/manifest.yaml").string() + ": " + too_large);
  CHECK(csv_files(results.path()).empty());
  CHECK(leftovers(results.path()).empty());
  check_continuation(command, results.path());
}

TEST_CASE("no room for some results: these tasks fail by name, the others are kept") {
  const TemporaryFolder place;
  const fs::path results = place / "it's here";
  const auto command = quick_run(results, {"--jobs", "1"});
  must_run(command);
  // The manifest fits, and the intervals of some methods.
  const std::size_t room = undisturbed().intervals.at("cos.csv").size() / 2;
  REQUIRE(room > lacp::read_file(results / "smoke/manifest.yaml").size() + 200);
  fs::remove_all(results / "smoke");
  check_ran(run_limited(command, room), 1,
            {" of 28 tasks failed:\n  data set cos", "/cos.csv: " + too_large});
  const auto kept = cells_in(results / "smoke");
  CHECK(within(kept, undisturbed().cells));
  CHECK(kept.size() >= 22);
  CHECK(kept.size() <= 26);
  CHECK(leftovers(results).empty());
  check_continuation(command, results, kept.size());
}

TEST_CASE("messages that cannot be written are no failure, and hide none") {
  const TemporaryFolder results;
  const auto command = quick_run(results.path());
  CHECK(shell("exec \"$0\" \"$@\" 2>/dev/full", command).status == 0);
  check_continuation(command, results.path());
  const auto absurd = joined(command, joined({"--methods", "exp", "--datasets", "concrete"}, diverging));
  CHECK(shell("exec \"$0\" \"$@\" 2>/dev/full", joined(absurd, {"--force"})).status == 1);
  check_has(lacp_program(as("status", absurd)).output, ", 2 failed\n");
}

TEST_CASE("a folder of results that cannot be written, or is a file, is told at once, with code 1") {
  const TemporaryFolder empty;
  lacp::write_file(empty / "precious", "kept");
  check_ran(lacp_program(quick_run(empty / "precious")), 1,
            (empty / "precious/smoke").string() + ": the folder cannot");
  CHECK(lacp::read_file(empty / "precious") == "kept");
  {
    const ReadOnly locked(empty.path());
    check_ran(run_as_anyone(quick_run(empty.path())), 1, (empty / "smoke").string() + ": the folder cannot");
  }
  const DoneRun done;
  {
    const ReadOnly locked(done.folder);
    // There is nothing to do, and nothing to write.
    check_ran(run_as_anyone(done.command), 0, "28 done before, 0 done now");
  }
  put_rows(done.folder, {"concrete", 0, "erc"}, "");
  {
    const ReadOnly locked(done.folder / "cells");
    check_ran(run_as_anyone(done.command), 1,
              "concrete.csv: creating a temporary file failed: Permission denied");
  }
  check_continuation(done.command, done.results.path());
}

TEST_CASE("on file systems with names or locks for no file, a run leaves the same bytes and nothing else") {
  if (sanitized) return;  // at its end a sanitizer asks for more than a filter lets through
  for (const auto refuse : {refuse_unnamed_files, refuse_locks}) {
    const TemporaryFolder results;
    const auto command = quick_run(results.path());
    const fs::path said = results / "said";
    const auto refused = [&](const Words& words) {
      return end_of(start(joined({lacp_executable}, words), said, refuse));
    };
    const int status = refused(command);
    if (status == 77) {
      MESSAGE("skipped: no filter of system calls can be set here");
      return;
    }
    CHECK(status == 0);
    CHECK(leftovers(results.path()).empty());
    if (refuse == refuse_locks) {  // nothing is merged, and all counts where it is
      CHECK(csv_files(results / "smoke/cells").size() == 28);
      CHECK(refused(joined(as("gather", command), {"--shards", "3"})) == 0);
      check_has(lacp::read_file(said), {"without locks", "28 tasks, 28 done, 0 missing"});
    }
    check_continuation(command, results.path(), 28);
    CHECK(csv_files(results / "smoke/cells").size() == 2);
  }
}

// The manifest of a folder of results says what counts, and nothing else in it is lost.
#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "experiment/store/manifest.hpp"
#include "lacp_program.hpp"

namespace {

using Command = std::vector<std::string>;

/// Two tasks of the smoke experiment, `fixed` and `exp`, on data sets of this test.
struct Place {
  TemporaryFolder root;
  fs::path yaml = root / "e.yaml", results = root / "results", datasets = root / "datasets";
  fs::path folder = results / "e";

  Place() {
    fs::copy_file(smoke_yaml, yaml);
    fs::copy(smoke_yaml.parent_path() / "reference", root / "reference");  // for commands without --set
    for (const char* name : {"cos", "concrete", "mine"}) describe(name, "cos");
  }
  void describe(const std::string& name, const std::string& profile) const {
    lacp::write_file(
        datasets / (name + ".yaml"),
        "{title: t, citation: c, licence: l, synthetic: {profile: " + profile + ", samples: 300}}");
  }
  Command command(const char* name) const {
    return joined(
        {name, yaml.string(), "--results", results.string(), "--datasets-folder", datasets.string()},
        {"--set", "training.epochs=1", "reference.file=", "--methods", "exp,fixed"});
  }
  Ran call(const char* name, const Command& more = {}) const { return lacp_program(command(name), more); }
  Ran run(const Command& more = {}) const { return call("run", more); }
  std::string table() const {
    return must_run({"table", folder.string()}).messages + lacp::read_file(folder / "table.csv");
  }
};

}  // namespace

TEST_CASE("cells of other settings stay, and count again with their settings, until pack") {
  const Place place;
  REQUIRE(place.run().status == 0);
  const std::string table = place.table();
  check_ran(place.run({"--set", "seed=2", "--datasets", "cos"}), 0, "0 done before, 4 done now");
  check_has(place.table(), "4 cells are stale, made with other settings or data");
  check_ran(lacp_program({"verify", place.folder.string(), "--datasets-folder", place.datasets.string()}), 2,
            "not compared: 4 cells", "4 of 4 cells agree");
  // But whole intervals, of run 0 of cos, are kept of the last settings alone.
  check_lacks(check_ran(place.run(), 0, "6 done before, 2 done now").messages, "damaged");
  check_ran(place.run(), 0, "8 done before, 0 done now");
  CHECK(place.table() == table);
  CHECK(lacp::Cells(place.folder).find({"cos", 0, "exp"}).size() == 2);
  must_run({"pack", place.folder.string()});
  CHECK(lacp::Cells(place.folder).find({"cos", 0, "exp"}).size() == 1);
  CHECK(place.table() == table);
  CHECK(place.run({"--name", "../other"}).status == 2);
}

TEST_CASE("a data set that the yaml does not list is one of the folder's once it is run") {
  const Place place;
  REQUIRE(place.run({"--datasets", "cos"}).status == 0);
  REQUIRE(place.run({"--datasets", "mine"}).status == 0);
  check_has(place.table(), {"\ncos,exp,0.1,2,", "\nmine,fixed,0.1,2,"});
  check_has(lacp::read_file(place.folder / "manifest.yaml"),
            {"\n  cos: {fingerprint: \"", "\n  mine: {fingerprint: \""});
}

TEST_CASE("two runs of different settings at once in one folder both leave all that they did") {
  const Place place;
  std::vector<pid_t> children;
  for (const char* seed : {"seed=1", "seed=2"})
    children.push_back(start_program(joined(place.command("run"), {"--set", seed})));
  for (const pid_t child : children) CHECK(end_of(child) == 0);
  for (const lacp::Task& task : tasks_in(place.folder))
    CHECK(lacp::Cells(place.folder).find(task).size() == 2);
  for (const char* seed : {"seed=1", "seed=2"}) {
    check_ran(place.run({"--set", seed}), 0, "e: 8 tasks, ");
    CHECK(lacp_program({"table", place.folder.string()}).messages.empty());
  }
}

TEST_CASE("a manifest can be read while other runs replace it") {
  const Place place;
  Command command = place.command("run");
  REQUIRE(std::exchange(command.back(), "fixed") == "exp,fixed");
  REQUIRE(lacp_program(command).status == 0);
  const fs::path file = place.folder / "manifest.yaml";
  const std::string one = lacp::read_file(file);
  REQUIRE(place.run().status == 0);
  const std::string two = lacp::read_file(file);
  REQUIRE(one != two);
  std::atomic<bool> done = false;
  std::thread other([&] {
    for (std::size_t i = 0; !done; ++i) {
      const fs::path next = place.root / "next";
      std::ofstream(next) << (i % 2 == 0 ? one : two);
      fs::rename(next, file);
    }
  });
  std::set<std::size_t> methods;
  for (int i = 0; i < 1000; ++i)
    CHECK_NOTHROW(methods.insert(lacp::load_manifest(place.folder).experiment.methods.size()));
  done = true;
  other.join();
  CHECK(methods == std::set<std::size_t>{1, 2});
}

TEST_CASE("cells of data that changed do not count, in status, table and report alike") {
  const Place place;
  REQUIRE(place.run({"--datasets", "concrete"}).status == 0);
  REQUIRE(has(place.table(), "\nconcrete,fixed,0.1,2,"));
  place.describe("concrete", "linear");
  check_ran(place.run({"--datasets", "concrete", "--shard", "1/2"}), 0, "0 done before, 2 done now");
  check_has(
      place.call("status", {"--datasets", "concrete"}).output,
      {"e: 4 tasks, 2 done, 2 to run, 0 failed\n", "2 cells are stale", "to run them again: lacp run "});
  CHECK(has(place.table(), "2 cells are stale"));
  must_run({"report", place.folder.string()});
  check_has(lacp::read_file(place.folder / "README.md"), {"; 2 of 4 tasks done.", "2 cells of e are stale"});

  // The command that the table names does them again.
  const std::string said = lacp_program({"table", place.folder.string()}).messages;
  const std::size_t at = said.find("lacp run ");
  const std::string again = said.substr(at + 5, said.find('\n', at) - at - 5);
  check_ran(shell("exec \"$0\" " + again + " --datasets-folder \"$1\"", {place.datasets.string()}), 0,
            "4 tasks, 2 done before, 2 done now");
  CHECK(has(place.table(), "\nconcrete,fixed,0.1,2,"));
}

TEST_CASE("a task that failed is not stale as well, though its old cell is there") {
  const Place place;
  CHECK(place.run({"--datasets", "cos", "--runs", "1"}).status == 0);
  // The same yaml, in which every training now fails: done again in place, since --force says so.
  const Command absurd = joined({"--datasets", "cos", "--runs", "1"}, diverging);
  CHECK(place.run(joined(absurd, {"--force"})).status == 1);
  const std::string said = place.call("status", absurd).output + place.table();
  check_has(said, {"2 tasks, 1 done, 0 to run, 1 failed", "1 task failed, `lacp status` says why"});
  check_lacks(said, "stale");
}

TEST_CASE("where the manifest is lost or cannot be read, the cells count still") {
  const Place place;
  CHECK(place.run().status == 0);
  const fs::path file = place.folder / "manifest.yaml";
  const std::string manifest = lacp::read_file(file), newer = manifest + "  of_a_newer_version: 1\n";
  const std::string garbage("a,b\n\0\xff,1,c,d\n\"", 15);
  for (const std::string& damaged :
       {manifest.substr(0, manifest.size() - 20), garbage, std::string(), newer}) {
    lacp::write_file(file, damaged);
    CHECK(lacp_program({"table", place.folder.string()}).status == 2);
    CHECK(has(place.call("status").output, "e: 8 tasks, 8 done, 0 to run, 0 failed\n"));
    CHECK(place.run({"--dry-run"}).status == 0);
    CHECK(lacp::read_file(file) == damaged);
  }
  // What could not be read is kept beside the new one.
  check_ran(place.run(), 0,
            {"of_a_newer_version", "; kept as manifest.yaml.unread", "8 done before, 0 done now"});
  CHECK(lacp::read_file(place.folder / "manifest.yaml.unread") == newer);
  CHECK(has(place.table(), "concrete,exp"));
  // After a lost one, a run of one data set makes one that knows the data of all.
  fs::remove(file);
  CHECK(place.run({"--datasets", "cos"}).status == 0);
  CHECK_FALSE(has(place.table(), "stale"));
}

TEST_CASE("the commit in the program is written again when it changes, and only then") {
  const TemporaryFolder root;
  const auto shell = [&](const std::string& script) {
    check_ran(program({"sh", "-c", "cd '" + root.path().string() + "' && " + script}), 0);
  };
  const auto refresh = [&] {
    shell(fmt::format("cmake -DSOURCE=. -DOUTPUT=out/commit.hpp -P '{}/experiments/commit.cmake'",
                      LACP_SOURCE_DIR));
    return lacp::read_file(root / "out/commit.hpp");
  };
  CHECK(has(refresh(), "\"unknown\""));  // no repository
  const std::string commit = " && git add a && git -c user.name=n -c user.email=e commit -qm m";
  shell("echo out >.gitignore && git init -q && echo 1 >a" + commit);
  const std::string first = refresh();
  CHECK_FALSE(has(first, "dirty"));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(root / "out/commit.hpp", long_ago);
  CHECK(refresh() == first);
  CHECK(fs::last_write_time(root / "out/commit.hpp") == long_ago);  // ninja has nothing to do
  shell("mkdir results && echo 1 >results/a && git add results && echo 2 >results/a");
  CHECK(refresh() == first);  // results are what a run writes
  shell("echo 2 >a");
  CHECK(has(refresh(), "-dirty\""));
  shell("true" + commit);
  CHECK(refresh() != first);
  CHECK_FALSE(has(refresh(), "dirty"));
}

TEST_CASE("tables of other settings go with them; one of more runs of the same settings stays") {
  const Place place;
  REQUIRE(place.run({"--runs", "2"}).status == 0);
  const auto run_one = [&](const char* method, const Command& more) {
    Command command = place.command("run");
    command.back() = method;
    return lacp_program(command, more);
  };
  const auto table = [&] { return lacp::read_file(place.folder / "table.csv"); };
  const std::string of_two_runs = table();
  fs::remove_all(place.folder / "cells");
  REQUIRE(run_one("fixed", {"--runs", "1"}).status == 0);  // of the same settings
  CHECK(table() == of_two_runs);
  // With others the cells of the other method are stale, and two runs are more than one.
  REQUIRE(run_one("fixed", {"--force", "--runs", "1", "--set", "seed=2"}).status == 0);
  CHECK(table() != of_two_runs);
  // If nothing can be done, there is no new table, and none of the old.
  CHECK(run_one("exp", {"--force", "--set", "seed=3", "--set", "training.learning_rate=1e30"}).status == 1);
  for (const char* name : {"table.csv", "table.tex"}) CHECK_FALSE(fs::exists(place.folder / name));
}

TEST_CASE("intervals and panels of data sets that are kept no longer are removed") {
  const Place place;
  for (const std::string kept : {"cos, concrete", "cos", ""}) {
    REQUIRE(place.run({"--set", "keep_intervals.datasets=[" + kept + "]"}).status == 0);
    must_run({"figures", place.folder.string()});
    for (const std::string name : {"cos", "concrete"}) {
      CHECK(fs::exists(place.folder / ("intervals/" + name + ".csv")) == has(kept, name));
      CHECK(fs::exists(place.folder / ("figures/figure1_" + name + ".csv")) == has(kept, name));
    }
  }
}

TEST_CASE("a table that cannot be written is shown") {
  const Place place;
  REQUIRE(place.run().status == 0);
  const Ran shown = must_run({"table", place.folder.string(), "--format", "csv"});
  fs::remove(place.folder / "table.csv");
  fs::permissions(place.folder, fs::perms::owner_write, fs::perm_options::remove);
  check_ran(program(as_anyone({lacp_executable, "table", place.folder.string(), "--format", "csv"})), 1,
            "Permission denied", shown.output);
  fs::permissions(place.folder, fs::perms::owner_write, fs::perm_options::add);
}

// What a command writes: never over an input, through what is no regular file, and nothing is left behind.
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "fitted_houses.hpp"

namespace {

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

/// A place where `predict` reads a table that does not end before a signal comes, however late that is.
struct Endless : Fitted {
  std::string table = at("pipe");
  int made = ::mkfifo(table.c_str(), 0600);
  lacp::Descriptor rows{::open(table.c_str(), O_RDWR)};

  /// Starts it, and waits until it has this many files without a name.
  pid_t begun(std::size_t files, const Words& more = {}) const {
    const pid_t child =
        start_program(joined({"predict", at("m.lacp"), table, "--output", at("out.csv")}, more));
    REQUIRE(lacp::write_all(rows.get(), houses(100, 3)));
    while (unnamed_files(child) < files) {
      REQUIRE(at_work(child));
      nap();
    }
    return child;
  }

  /// How many files of this folder a process has open that no name leads to.
  std::size_t unnamed_files(pid_t process) const {
    std::size_t files = 0;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", process))) {
      const std::string file = fs::read_symlink(entry.path(), gone).string();
      files += file.starts_with(folder.path().string()) && file.ends_with(" (deleted)") ? 1 : 0;
    }
    return files;
  }
};

}  // namespace

TEST_CASE("no command writes over its table, its description or its model, by whatever name") {
  const Fitted place;
  const std::string table = houses(20, 2), csv = place.write("t.csv", table), model = place.at("m.lacp"),
                    yaml = place.write("t.yaml", "title: T\nsource: {file: t.csv}\ntarget: price\n"),
                    bad = place.write("new.bad.csv", table);
  fs::create_symlink(csv, place.at("link.lacp"));
  fs::create_hard_link(csv, place.at("hard.lacp"));
  fs::copy_file(model, place.folder / "q.bad.csv");
  const auto before = files_below(place.folder.path());
  for (const Words& words : std::vector<Words>{
           {"fit", csv, "--model", csv},
           {"fit", csv, "--model", place.at("link.lacp")},
           {"fit", csv, "--model", place.at("hard.lacp")},
           {"fit", yaml, "--model", csv},
           {"fit", yaml, "--model", yaml},
           {"predict", model, csv, "--output", csv},
           {"update", model, csv, "--output", csv},
           // The second output, with the rows that are left out.
           {"predict", model, bad, "--output", place.at("new.csv"), "--skip-bad"},
           {"predict", place.at("q.bad.csv"), bad, "--output", place.at("q.csv"), "--skip-bad"}})
    check_refused(lacp_program(words), 2, "is the same file as");
  // What standard input comes from is an input, too.
  for (const std::string words : {"predict m.lacp - --output t.csv", "fit - --model t.csv"})
    check_refused(shell("cd \"$1\" && \"$0\" " + words + " < t.csv", {place.at("")}), 2,
                  "is the same file as standard input");
  CHECK((files_below(place.folder.path()) == before));
  fs::create_symlink("b.csv", place.folder / "a.csv");
  fs::create_symlink("a.csv", place.folder / "b.csv");
  check_refused(lacp_program({"predict", model, csv, "--output", place.at("a.csv")}), 2, "loop of links");
  CHECK(fs::is_symlink(place.folder / "a.csv"));
}

TEST_CASE("export, run and compare never write over the data set, the yaml or the table that they read") {
  const Place place;
  for (const char* name : {"concrete.yaml", "concrete.csv", "cos.yaml"})
    fs::copy_file(fs::path(source_datasets) / name, place.folder / name);
  check_refused(lacp_program({"export", smoke_yaml, "--datasets", "cos,concrete", "--datasets-folder",
                              place.at(""), "--output", place.at("")}),
                2, "concrete.csv: is the same file as");
  CHECK_FALSE(fs::exists(place.folder / "cos.csv"));

  const std::string yaml =
      fmt::format("based_on: {}\ndatasets: [cos]\nmethods: [fixed]\n", smoke_yaml.string()) +
      "keep_intervals: {datasets: []}\nreference: {file: own/comparison.csv}\n";
  const std::string published = lacp::read_file(source_folder / "experiments/reference/table1.csv");
  place.write("manifest/own/comparison.csv", published);
  place.write("manifest/manifest.yaml", yaml);  // the manifest of these results would be this very file
  check_refused(lacp_program({"run", place.at("manifest/manifest.yaml"), "--results", place.at("")}), 2,
                "manifest.yaml: is the same file as");
  CHECK(place.read("manifest/manifest.yaml") == yaml);

  place.write("own/comparison.csv", published);
  const std::string own = place.write("own.yaml", yaml);
  must_run({"run", own, "--results", place.at("")});
  check_refused(lacp_program({"compare", place.at("own"), "--quiet"}), 2,
                "comparison.csv: is the same file as");
  CHECK((place.read("own/comparison.csv") == published));
}

TEST_CASE("outputs go through links, and a file's mode stays") {
  const Fitted place;
  const std::string table = place.write("new.csv", houses(20, 2));
  const auto predict = [&](const std::string& output) {
    must_run({"predict", place.at("m.lacp"), table, "--output", output, "--quiet"});
  };
  predict(place.at("plain.csv"));
  const std::string expected = place.read("plain.csv");
  place.write("there.csv", "old");
  for (const std::string target : {"there.csv", "not_yet.csv"}) {
    const std::string link = place.at("to_" + target);
    fs::create_symlink(target, link);
    predict(link);
    CHECK(fs::is_symlink(link));
    CHECK(place.read(target) == expected);
  }
  for (const auto mode : {fs::perms(0600), fs::perms(0664)}) {
    fs::permissions(place.folder / "plain.csv", mode);
    predict(place.at("plain.csv"));
    CHECK(fs::status(place.folder / "plain.csv").permissions() == mode);
  }
  fs::create_symlink("/dev/null", place.folder / "device");
  predict(place.at("device"));
  CHECK(fs::is_symlink(place.folder / "device"));
  CHECK(leftovers(place.folder.path()).empty());
}

TEST_CASE("a named pipe stays one, /dev/stdout is standard output, and both get what a file would") {
  const Fitted place;
  place.write("new.csv", houses(20, 2));
  const std::string expected = lacp_program({"predict", place.at("m.lacp"), place.at("new.csv")}).output;
  REQUIRE(::mkfifo(place.at("pipe").c_str(), 0600) == 0);
  check_ran(
      shell(
          "cd \"$1\"; p() { timeout 600 \"$0\" predict m.lacp new.csv --quiet --output \"$1\"; }\n"
          "timeout 600 cat pipe > read & p pipe && wait && p /dev/stdout | cat > piped && p /dev/stdout > written &&"
          "  echo before > appended && p /dev/stdout >> appended &&"
          "  (timeout 600 cat pipe > piped.lacp &"
          "   timeout 600 \"$0\" fit houses.csv --method fixed --quiet --model pipe; code=$?; wait; exit $code)",
          {place.at("")}),
      0);
  CHECK(fs::is_fifo(place.folder / "pipe"));
  CHECK(fs::is_symlink("/dev/stdout"));
  for (const char* name : {"read", "piped", "written"}) CHECK(place.read(name) == expected);
  CHECK(place.read("appended") == "before\n" + expected);
  must_run({"predict", place.at("piped.lacp"), place.at("new.csv")});
  check_refused(lacp_program({"predict", place.at("m.lacp"), place.at("new.csv"), "--output",
                              place.at("pipe"), "--skip-bad"}),
                2, "pipe is no regular file");
}

TEST_CASE("what cannot be written is told before the work begins") {
  const Fitted place;
  const std::string csv = place.at("houses.csv");
  fs::create_directory(place.folder / "folder");
  fs::create_directory(place.folder / "locked");
  fs::permissions(place.folder / "locked", fs::perms::owner_write, fs::perm_options::remove);
  const auto refused = [&](const Words& arguments, int status, const std::string& part) {
    // One line: nothing was said of a training.
    check_refused(program(as_anyone(joined({lacp_executable}, arguments))), status, part);
  };
  const Words fit = {"fit", csv, "--model"}, predict = {"predict", place.at("m.lacp"), csv, "--output"};
  for (const auto& command : {fit, predict}) {
    refused(joined(command, {place.at("locked/m")}), 1, "Permission denied");
    refused(joined(command, {place.at("folder")}), 2, "folder: is a folder");
  }
  fs::create_directory(place.folder / "o.bad.csv");
  refused(joined(predict, {place.at("o.csv"), "--skip-bad"}), 2, "o.bad.csv: is a folder");
  fs::permissions(place.folder / "locked", fs::perms::owner_write, fs::perm_options::add);
}

TEST_CASE("a signal leaves no temporary file, whichever it is") {
  const Endless place;
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    ::signal(signal, SIG_DFL);  // a shell that starts tests in the background has some of them ignored
    const pid_t child = place.begun(2, {"--skip-bad", "--jobs", "2"});
    ::kill(child, signal);
    CHECK(end_of(child) == -signal);
    CHECK(leftovers(place.folder.path()).empty());
    CHECK_FALSE(fs::exists(place.folder / "out.csv"));
  }
}

TEST_CASE("an option without its value takes no other word for it, and an empty word is no name") {
  const Fitted place;
  const std::string before = houses(20, 2), victim = place.write("victim.csv", before);
  for (const std::string words :
       {"--output= victim.csv", "victim.csv --output=", "victim.csv --output --quiet",
        "victim.csv --output= --quiet", "victim.csv --keep= --quiet"})
    check_refused(shell("cd \"$1\" && \"$0\" predict m.lacp " + words, {place.at("")}), 2,
                  ": has no value; expected ");
  CHECK_FALSE(fs::exists(place.folder / "--quiet"));
  for (const auto& [words, part] : Refusals{{{"fit", victim, "--model="}, "--model: has no value"},
                                            {{"fit", victim, "--seed", ""}, "--seed: a word is empty"},
                                            {{"predict", "", victim}, "a word is empty"}})
    check_refused(lacp_program(words), 2, part);
  CHECK((place.read("victim.csv") == before));
}

TEST_CASE("fit reads a pipe: one of the shell's, and a named one") {
  const Place place;
  const std::string csv = place.write("t.csv", houses(300, 2));
  check_ran(place.fit_fixed(csv), 0);
  const std::string expected = place.read("m.lacp");
  for (const auto& [before, pipe] : {std::pair("", "<(cat \"$1\")"),
                                     {"mkfifo \"$1.pipe\"; (cat \"$1\" > \"$1.pipe\" &); ", "\"$1.pipe\""}}) {
    const std::string fit =
        fmt::format("timeout 600 \"$0\" fit {} --method fixed --model \"$2\" --quiet", pipe);
    check_ran(shell(before + fit, {csv, place.at("piped.lacp")}), 0);
    CHECK((place.read("piped.lacp") == expected));
  }
  check_refused(shell("\"$0\" fit <(cat \"$1\") --method fixed", {csv}), 2, "--model: is missing");
}

TEST_CASE("a model keeps hashes of rows, unless it is told not to") {
  const Place place;
  const std::string csv = place.write("t.csv", houses(300, 2));
  check_ran(place.fit_fixed(csv), 0);
  const std::size_t with = fs::file_size(place.folder / "m.lacp");
  check_has(place.evaluate(csv).messages, "300 of 300 rows compared equal one of the fit");
  check_ran(place.predict(csv), 0);
  const std::string out = place.read("out.csv");
  check_ran(place.fit_fixed(csv, {"--no-row-hashes"}), 0);
  CHECK(fs::file_size(place.folder / "m.lacp") == with - 300 * 8);
  check_lacks(place.evaluate(csv).messages, "rows of the fit");
  check_ran(place.predict(csv), 0);
  CHECK(place.read("out.csv") == out);
}

TEST_CASE("output that is lost is a failure, of every command") {
  for (const std::string arguments :
       {"datasets", "--help", "--version", "methods", "help info", "status results/paper"}) {
    CAPTURE(arguments);
    const Ran ran =
        check_ran(shell("cd \"$1\" && \"$0\" " + arguments + " > /dev/full", {LACP_SOURCE_DIR}), 1);
    // A list of data sets is lost before the end, where nobody knows why any more.
    CHECK(ran.messages == std::string("lacp: standard output cannot be written") +
                              (arguments == "datasets" ? "" : ": No space left on device"));
  }
}

TEST_CASE("a small xlsx costs little, whatever is in it, and a broken one is told in one line") {
  const Place place;
  place.write("t.csv", table_of("x,y", 200, [](int i) { return fmt::format("{},{}", i * 37 % 101, i % 7); }));
  for (const std::string kind : {"plain", "nested", "large"})
    write_xlsx(place.at("t.csv"), place.at(kind + ".xlsx"), kind);
  for (const char* name : {"plain.xlsx", "nested.xlsx"}) check_ran(place.fit_fixed(place.at(name)), 0);
  REQUIRE(fs::file_size(place.folder / "large.xlsx") < (1 << 20));
  place.write("broken.xlsx", "no zip");
  place.write("old.xlsx", "\xD0\xCF\x11\xE0 and so on");
  for (const auto& [name, part] :
       {std::pair{"large.xlsx", "its member 'xl/sharedStrings.xml' has more than "},
        {"broken.xlsx", "it is no zip archive"},
        {"old.xlsx", "it is an old xls file, or protected by a password"}})
    check_refused(place.fit_fixed(place.at(name)), 2, fmt::format("{}: cannot be unpacked: {}", name, part));
  if (sanitized) return;
  double peak = 0.0;
  CHECK(end_of(start_program({"fit", place.at("large.xlsx"), "--model", place.at("m.lacp")}), &peak) == 2);
  CHECK(peak < 256e6);
}

TEST_CASE("a program ends with the one that started it, even if that is killed") {
  const Place place;
  place.write("tools/curl", "#!/bin/sh\necho $$ > \"${0%/*}/pid\"\nexec sleep 1000\n");
  fs::permissions(place.folder / "tools/curl", fs::perms::owner_all);
  place.write("d/set.yaml", heading + "source:\n  url: https://localhost/t.csv\n  sha256: " +
                                lacp::sha256("") + "\ntarget: y\n");
  // A zombie, which nobody may wait for here, has ended, too.
  check_ran(shell("cd \"$1\"; PATH=$PWD/tools:$PATH \"$0\" datasets --datasets-folder d fetch set & lacp=$!\n"
                  "until [ -s tools/pid ]; do sleep 0.01; done; curl=$(cat tools/pid); kill -9 $lacp\n"
                  "for i in $(seq 10000); do\n"
                  "  grep -q '^State:.[^Z]' /proc/$curl/status || exit 0; sleep 0.01\n"
                  "done; kill -9 $curl; exit 1",
                  {place.at("")}),
            0);
}

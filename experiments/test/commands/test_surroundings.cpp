// Where the program looks for data sets, what it says of wrong input, and what it leaves where.
#include "fitted_houses.hpp"
#include "lacp/base/sha256.hpp"

namespace {

/// A shell script in a folder, without the variables that name folders.
Ran shell_in(const fs::path& folder, const std::string& script,
             const std::vector<std::string>& arguments = {}) {
  return shell("cd \"$1\" && shift; unset LACP_DATASETS LACP_MIRROR; " + script,
               joined({folder.string()}, arguments));
}

/// The program, installed below a place, where it has this data set.
std::string install(const Place& place, const std::string& shipped) {
  place.write("installed/share/lacp/datasets/shipped.yaml", shipped);
  fs::create_directories(place.folder / "empty");
  fs::create_directories(place.folder / "installed/bin");
  fs::copy_file(lacp_executable, place.folder / "installed/bin/lacp");
  return place.at("installed/bin/lacp");
}

std::string description(const std::string& title, const std::string& source_lines) {
  return "title: " + title + "\ncitation: c\nlicence: l\ntarget: y\nsource:\n" + source_lines;
}

}  // namespace

TEST_CASE(
    "data sets are looked for in ./datasets, then in LACP_DATASETS, then where the program is installed") {
  const Place place;
  const std::string synthetic = "citation: c\nlicence: l\nsynthetic: {profile: cos, samples: 100}\n";
  place.write("here/datasets/mine.yaml", "title: own\n" + synthetic);
  place.write("named/theirs.yaml", "title: other\n" + synthetic);
  const std::string installed = install(place, "title: shipped\n" + synthetic),
                    named = "LACP_DATASETS=" + place.at("named") + " ";

  const Ran here = check_ran(shell_in(place.folder / "here", named + "\"$0\" datasets"), 0, {}, "mine");
  CHECK_FALSE(has(here.output, "theirs"));
  const Ran there =
      check_ran(shell_in(place.folder / "empty", named + installed + " datasets"), 0, {}, "theirs");
  CHECK_FALSE(has(there.output, "shipped"));
  check_ran(shell_in(place.folder / "empty", installed + " datasets"), 0, {}, "shipped");

  // The program that was built here knows nothing of the folder that it was built in.
  for (const std::string& command :
       {std::string("datasets"), std::string("fit concrete --model m"), "run " + smoke_yaml.string()}) {
    CAPTURE(command);
    check_refused(shell_in(place.folder / "empty", "\"$0\" " + command), 2,
                  "there are no data sets here: ./datasets is no folder");
  }
  CHECK_FALSE(has(lacp::read_file(lacp_executable), source_datasets));
}

TEST_CASE("an experiment is found by its name: in ./experiments, then where the program is installed") {
  const Place place;
  const std::string installed =
      install(place, "title: t\ncitation: c\nlicence: l\nsynthetic: {profile: cos, samples: 100}\n");
  const auto experiment = [&](const std::string& file, int runs) {
    place.write(file, fmt::format("{}\nruns: {}\ndatasets: [shipped]\nmethods: [fixed]\n",
                                  "based_on: " + smoke_yaml.string(), runs));
  };
  experiment("installed/share/lacp/experiments/theirs.yaml", 2);
  const auto status = [&](const std::string& folder, const std::string& name) {
    return shell_in(place.folder / folder, installed + " status " + name);
  };
  for (const char* name : {"theirs", "theirs.yaml"})
    check_ran(status("empty", name), 0, {}, "theirs: 2 tasks, 0 done");
  experiment("here/experiments/theirs.yaml", 3);
  check_ran(status("here", "theirs"), 0, {}, "theirs: 3 tasks, 0 done");
  check_ran(status("here", "experiments/theirs.yaml"), 0, {}, "theirs: 3 tasks, 0 done");
  check_refused(status("empty", "none"), 2, "none: is not a file; expected the yaml of an experiment");
}

TEST_CASE("an installed program writes into the working folder alone") {
  const Place place;
  const std::string table = "x,y\n1,2\n";
  place.write("there/data.csv", table);
  const std::string installed =
      install(place, description("t", fmt::format("  url: file://{}\n  sha256: {}\n",
                                                  place.at("there/data.csv"), lacp::sha256(table))));
  const auto here = [&](const std::string& command) {
    return check_ran(
        shell_in(place.folder / "empty", "export HOME=\"$1\"; " + installed + command, {place.at("home")}),
        0);
  };
  here(" datasets fetch");
  CHECK(place.read("empty/datasets/cache/data.csv") == table);
  // Those of one's own stand beside the shipped ones, and before one of the same name.
  place.write("there/mine.csv", houses(200, 1));
  here(" datasets add ../there/mine.csv --target price");
  CHECK(fs::exists(place.folder / "empty/datasets/mine.yaml"));
  check_has(here(" datasets").output, {"mine", "shipped", "fetched"});
  place.write("empty/datasets/shipped.yaml",
              "title: my own\ncitation: c\nlicence: l\nsynthetic: {profile: cos, samples: 100}\n");
  const Ran own = here(" datasets");
  check_has(own.output, "my own");
  CHECK_FALSE(has(own.output, "fetched"));
  CHECK_FALSE(fs::exists(place.folder / "home"));
  CHECK(std::distance(fs::directory_iterator(place.folder / "installed/share/lacp/datasets"), {}) == 1);
}

TEST_CASE(
    "a table is unpacked for a fit without leaving anything anywhere, within limits that are tighter than a tool's") {
  const Place place;
  place.write("elsewhere/t.csv", houses(200, 1));
  REQUIRE(program({"gzip", place.at("elsewhere/t.csv")}).status == 0);
  const std::string fit = "\"$0\" fit t.csv.gz --target price --method fixed --model \"$1\" --quiet";
  fs::create_directories(place.folder / "tmp");
  check_ran(
      shell_in(place.folder / "elsewhere", "export TMPDIR=\"$2\"; ulimit -t 100; ulimit -f 100000; " + fit,
               {place.at("m.lacp"), place.at("tmp")}),
      0);
  for (const auto& entry : fs::directory_iterator(place.folder / "elsewhere"))
    CHECK(entry.path().filename() == "t.csv.gz");
  CHECK(fs::is_empty(place.folder / "tmp"));
  // Rows that are wrong are named by the user's own file.
  place.write("elsewhere/w.csv", houses(200, 1) + "1,flat,2000-01-01\n");
  REQUIRE(program({"gzip", place.at("elsewhere/w.csv")}).status == 0);
  check_refused(shell_in(place.folder / "elsewhere", "\"$0\" fit w.csv.gz --model m"), 2,
                "w.csv.gz:202: the row ends");
}

TEST_CASE("two data sets may not call different files by one name") {
  const Place place;
  for (const std::string name : {"a", "b"}) {
    const std::string table = "x,y\n1," + name + "\n";
    place.write(name + "/data.csv", table);
    place.write("sets/t_" + name + ".yaml",
                description("t", fmt::format("  url: file://{}\n  sha256: {}\n", place.at(name + "/data.csv"),
                                             lacp::sha256(table))));
  }
  const std::vector<std::string> fetch = {"datasets", "--datasets-folder", place.at("sets"), "fetch"};
  for (const auto& command : {fetch, joined(fetch, {"t_a"})}) {
    const Ran ran = lacp_program(command);
    check_refused(ran, 2, "both call their file data.csv, and it is not the same one; add `file: ");
    check_has(ran.messages, {"t_a.yaml", "t_b.yaml"});
    CHECK_FALSE(fs::exists(place.folder / "sets/cache"));
  }
  // With that advice both are fetched, and a file that two of them share is no mistake.
  const std::string second = place.read("sets/t_b.yaml");
  place.write("sets/t_b.yaml", second + "  file: t_b_data.csv\n");
  place.write("sets/t_c.yaml", second + "  file: t_b_data.csv\n");
  must_run(fetch);
  CHECK(place.read("sets/cache/data.csv") == "x,y\n1,a\n");
  CHECK(place.read("sets/cache/t_b_data.csv") == "x,y\n1,b\n");
}

TEST_CASE("a folder of results is one under any name: a link, a dot") {
  const TemporaryFolder results;
  must_run(quick_run(results / "real", {"--datasets", "cos", "--methods", "fixed,exp"}));
  const fs::path folder = results / "real/smoke";
  fs::create_directory_symlink(folder, results / "link");
  for (const fs::path& name : {folder, results / "link"})
    check_ran(lacp_program({"status", name.string()}), 0, {}, "4 tasks, 4 done");
  put_rows(folder, {"cos", 0, "exp"}, "");
  const std::string advice = "--results " + (results / "real").string();
  for (const std::string name : {".", "./", ".//."}) {
    CAPTURE(name);
    check_has(shell_in(folder, "\"$0\" table " + name).messages, advice + " ");
  }
  CHECK(has(shell_in(folder, "\"$0\" table ../smoke").messages, "--results .. "));
}

TEST_CASE("names of files that are too long, empty or odd are one clear line, or no trouble") {
  const Place place;
  const std::string csv = place.write("t.csv", houses(200, 1));
  std::string many = "datasets=[cos";
  for (int i = 0; i < 60; ++i) many += ", linear, concrete";  // refused, since given twice
  many += "]";
  check_refused(lacp_program({"run", smoke_yaml.string(), "--set", "runs=1", many}), 2, "is given twice");
  const std::string long_name(300, 'a');
  for (const std::string command : {"status", "run", "table", "pack", "verify", "compare", "figures"}) {
    CAPTURE(command);
    check_refused(lacp_program({command, long_name}), 2, "aaa");
  }
  check_refused(lacp_program({"datasets", "--datasets-folder", long_name}), 2, "is not a folder");
  check_refused(lacp_program({"predict", "", csv}), 2, "lacp: a word is empty");
  for (const std::string& name :
       {std::string(".h.csv"), std::string("-d.csv"), std::string(130, 'n') + ".csv"}) {
    fs::copy_file(csv, place.folder / name);
    must_run({"fit", place.at(name), "--target", "price", "--method", "fixed", "--model", place.at("m.lacp"),
              "--quiet"});
  }
}

TEST_CASE("what is wrong with a table is said of the table, not of a yaml that is not there") {
  const Place place;
  std::string table = "a,y\n";
  for (int i = 0; i < 200; ++i) table += fmt::format("{},3\n", i % 17);
  const std::string csv = place.write("const.csv", table);
  const Ran ran = lacp_program({"fit", csv, "--target", "y", "--model", place.at("m.lacp")});
  check_refused(ran, 2, csv + ": target 'y' (--target) is 3 in every row");
  CHECK_FALSE(has(ran.messages, ".yaml"));
}

TEST_CASE("--quiet prints errors only, in compare too") {
  const TemporaryFolder results;
  must_run(quick_run(results.path(), {"--datasets", "cos", "--methods", "fixed", "--quiet"}));
  fs::copy(results / "smoke", results / "other", fs::copy_options::recursive);
  CHECK(must_run({"compare", (results / "smoke").string(), (results / "other").string(), "--quiet"}).output ==
        "");
}

TEST_CASE("numbers beyond all bounds take no line of their own") {
  const Fitted place;
  const std::string table = "area,kind,built,price\n50,flat,2000-01-01,1e-300\n60,flat,2000-01-01,1e-300\n";
  const Ran ran = must_run({"evaluate", place.at("m.lacp"), place.write("s.csv", table)});
  std::size_t longest = 0;
  for (std::size_t at = 0, end = 0; (end = ran.output.find('\n', at)) != std::string::npos; at = end + 1)
    longest = std::max(longest, end - at);
  CHECK_MESSAGE(longest < 120, ran.output);
}

TEST_CASE("too little memory is one line that says so") {
  if (sanitized) return;  // which takes more address space than any limit leaves
  const Fitted place;
  const Ran ran = check_ran(
      shell_in(
          place.folder.path(),
          "ulimit -v 400000; \"$0\" fit houses.csv --target price --method exp --model n.lacp --set 'network.hidden=[100000, 100000]'"),
      1, "not enough memory");
  CHECK_FALSE(has(ran.messages, "bad_alloc"));
}

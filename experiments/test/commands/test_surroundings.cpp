// Where the program looks for data sets, what it says of wrong input, and what it leaves where.
#include <tuple>

#include "fitted_houses.hpp"

namespace {

/// A shell script in a folder, without the variables that name folders.
Ran shell_in(const fs::path& folder, const std::string& script, const Words& arguments = {}) {
  return shell("cd \"$1\" && shift; unset LACP_DATASETS LACP_MIRROR; " + script, joined({folder}, arguments));
}

/// The program, installed below a place, where it has this data set.
std::string install(const Place& place, const std::string& shipped) {
  place.write("installed/share/lacp/datasets/shipped.yaml", shipped);
  fs::create_directories(place.folder / "empty");
  fs::create_directories(place.folder / "installed/bin");
  fs::copy_file(lacp_executable, place.folder / "installed/bin/lacp");
  return place.at("installed/bin/lacp");
}

/// A description of this file, which is to be fetched.
std::string description(const std::string& file) {
  return fmt::format(
      "title: t\ncitation: c\nlicence: l\ntarget: y\nsource:\n  url: file://{}\n  sha256: {}\n", file,
      lacp::sha256(lacp::read_file(file)));
}

const std::string synthetic = "citation: c\nlicence: l\nsynthetic: {profile: cos, samples: 100}\n";

}  // namespace

TEST_CASE("data sets are looked for in ./datasets, LACP_DATASETS, and where the program is installed") {
  const Place place;
  place.write("here/datasets/mine.yaml", "title: own\n" + synthetic);
  place.write("named/theirs.yaml", "title: other\n" + synthetic);
  const std::string installed = install(place, "title: shipped\n" + synthetic),
                    named = "LACP_DATASETS=" + place.at("named") + " ";

  for (const auto& [folder, program, found, other] : {std::tuple{"here", named + "\"$0\"", "mine", "theirs"},
                                                      {"empty", named + installed, "theirs", "shipped"},
                                                      {"empty", installed, "shipped", "mine"}})
    check_lacks(check_ran(shell_in(place.folder / folder, program + " datasets"), 0, {}, found).output,
                other);

  // The program that was built here knows nothing of the folder that it was built in.
  for (const std::string& command :
       {std::string("datasets"), std::string("fit concrete --model m"), "run " + smoke_yaml.string()}) {
    CAPTURE(command);
    check_refused(shell_in(place.folder / "empty", "\"$0\" " + command), 2, "./datasets is no folder");
  }
  CHECK_FALSE(has(lacp::read_file(lacp_executable), source_datasets));
}

TEST_CASE("an experiment is found by its name: in ./experiments, then where the program is installed") {
  const Place place;
  const std::string installed = install(place, "title: t\n" + synthetic);
  const auto experiment = [&](const std::string& file, int runs) {
    place.write(file, fmt::format("based_on: {}\nruns: {}\ndatasets: [shipped]\nmethods: [fixed]\n",
                                  smoke_yaml.string(), runs));
  };
  experiment("installed/share/lacp/experiments/theirs.yaml", 2);
  const auto status = [&](const std::string& folder, const std::string& name) {
    return shell_in(place.folder / folder, installed + " status " + name);
  };
  experiment("here/experiments/theirs.yaml", 3);
  for (const char* name : {"theirs", "theirs.yaml"})
    check_ran(status("empty", name), 0, {}, "theirs: 2 tasks, 0 done");
  for (const char* name : {"theirs", "experiments/theirs.yaml"})
    check_ran(status("here", name), 0, {}, "theirs: 3 tasks, 0 done");
  check_refused(status("empty", "none"), 2, "none: is not a file");
}

TEST_CASE("an installed program writes into the working folder alone") {
  const Place place;
  const std::string table = "x,y\n1,2\n";
  const std::string installed = install(place, description(place.write("there/data.csv", table)));
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
  place.write("empty/datasets/shipped.yaml", "title: my own\n" + synthetic);
  const Ran own = here(" datasets");
  check_has(own.output, "my own");
  check_lacks(own.output, "fetched");
  CHECK_FALSE(fs::exists(place.folder / "home"));
  CHECK(files_below(place.folder / "installed/share").size() == 1);
}

TEST_CASE("a table is unpacked for a fit within the limits of the process, and leaves nothing anywhere") {
  const Place place;
  for (const auto& [name, more] : {std::pair("t", ""), {"w", "1,flat,2000-01-01\n"}})
    check_ran(program({"gzip", place.write(fmt::format("there/{}.csv", name), houses(200, 1) + more)}), 0);
  fs::create_directories(place.folder / "tmp");
  const auto fit = [&](const std::string& table) {
    return shell_in(place.folder / "there",
                    "export TMPDIR=../tmp; ulimit -t 100; ulimit -f 100000; \"$0\" fit " + table +
                        " --target price --method fixed --model ../m.lacp --quiet");
  };
  check_ran(fit("t.csv.gz"), 0);
  check_refused(fit("w.csv.gz"), 2, "w.csv.gz:202: the row ends");  // named by the user's own file
  CHECK(files_below(place.folder / "there").size() == 2);
  CHECK(fs::is_empty(place.folder / "tmp"));
}

TEST_CASE("two data sets may not call different files by one name") {
  const Place place;
  for (const std::string name : {"a", "b"})
    place.write("sets/t_" + name + ".yaml",
                description(place.write(name + "/data.csv", "x,y\n1," + name + "\n")));
  const Words fetch = {"datasets", "--datasets-folder", place.at("sets"), "fetch"};
  for (const auto& command : {fetch, joined(fetch, {"t_a"})}) {
    const Ran ran = lacp_program(command);
    check_refused(ran, 2, "data.csv");
    check_has(ran.messages, {"t_a.yaml", "t_b.yaml", "add `file: "});
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
  const DoneRun done;
  const TemporaryFolder elsewhere;
  fs::create_directory_symlink(done.folder, elsewhere / "link");
  check_ran(lacp_program({"status", elsewhere / "link"}), 0, {}, "28 tasks, 28 done");
  put_rows(done.folder, {"cos", 0, "exp"}, "");
  for (const auto& [name, results] : {std::pair{".//.", done.results.path().string()}, {"../smoke", ".."}})
    check_has(shell_in(done.folder, std::string("\"$0\" table ") + name).messages,
              "--results " + results + " ");
}

TEST_CASE("names of files that are too long, empty or odd are one clear line, or no trouble") {
  const Place place;
  const std::string long_name(300, 'a'), many = "datasets=[" + long_name + "]";
  check_refused(lacp_program({"run", smoke_yaml, "--set", "runs=1", many}), 2, "aaa");
  for (const std::string command : {"status", "run", "table", "pack", "verify", "compare", "figures"}) {
    CAPTURE(command);
    check_refused(lacp_program({command, long_name}), 2, "aaa");
  }
  check_refused(lacp_program({"datasets", "--datasets-folder", long_name}), 2, "is not a folder");
  for (const std::string name : {".h.csv", "-d.csv"})
    check_ran(place.fit_fixed(place.write(name, houses(200, 1))), 0);
}

TEST_CASE("too little memory is one line that says so") {
  if (sanitized) return;  // which takes more address space than any limit leaves
  const Fitted place;
  check_ran(
      shell(
          "ulimit -v 400000; \"$0\" fit \"$1/houses.csv\" --target price --method exp --model \"$1/n.lacp\" "
          "--set 'network.hidden=[100000, 100000]'",
          {place.folder.path()}),
      1, "not enough memory");
}

// What `lacp predict`, `evaluate` and `demo` draw with --figure.
#include <csignal>

#include "fitted_houses.hpp"

namespace {

struct Pictured : Fitted {
  std::string table = write("new.csv", houses(60, 3));

  Ran draw(const Words& more, const std::string& name = "p.svg") const {
    return predict(table, joined({"--figure", at(name)}, more));
  }
  bool is_drawn() const { return fs::exists(folder / "p.svg"); }

  Ran without_gnuplot(const Words& command) const {
    fs::create_directory(folder / "bin");
    if (!fs::exists(folder / "bin/env")) fs::create_symlink("/usr/bin/env", folder / "bin/env");
    return program(joined({"env", "PATH=" + at("bin"), lacp_executable}, command));
  }
};

// Three shades of the method's colour, the lightest for the widest intervals.
const std::string light = "247, 223, 204", middle = "238, 191, 153", dark = "230, 158, 102";

/// Bars of a shade, of which the key has one more.
std::size_t bars(const std::string& svg, const std::string& shade) {
  return count(svg, "<polygon fill = 'rgb(" + shade + ")'");
}

}  // namespace

TEST_CASE("predict draws its intervals as nested bands, and writes what it writes without a picture") {
  const Pictured place;
  check_ran(place.predict(place.table), 0);
  const std::string output = place.read("out.csv");
  check_ran(place.draw({}), 0, "p.svg: shows 60 rows");
  CHECK(place.read("out.csv") == output);
  const std::string svg = place.read("p.svg");
  check_has(svg, {"</svg>", "(60 rows)", "<text>price</text>", "prediction f", "95 % interval",
                  "90 % interval", "68 % interval"});
  for (const std::string& shade : {light, middle, dark}) CHECK(bars(svg, shade) == 61);
  check_ran(place.draw({"--jobs", "3", "--coverage", "0.5", "--upper", "0.9"}), 0);
  check_has(place.read("p.svg"), "50 % interval");
  check_lacks(place.read("p.svg"), "95 % interval");
  check_ran(place.draw({}, "p.pdf"), 0);
  CHECK(place.read("p.pdf").starts_with("%PDF"));
}

TEST_CASE("over a column, whose cells without a number are left out, and from standard input") {
  const Pictured place;
  check_ran(place.draw({"--figure-over", "area"}), 0, "without a number or date in 'area'");
  const std::string svg = place.read("p.svg");
  check_has(svg, {"<text>area (", "<text>price</text>"});
  CHECK(bars(svg, dark) < 61);
  check_lacks(place.read("out.csv"), "area");
  check_ran(shell("\"$0\" predict \"$1\" - --figure \"$3\" --figure-over area --keep area,kind < \"$2\"",
                  {place.at("m.lacp"), place.table, place.at("q.svg")}),
            0, {}, "line,area,kind,prediction,");
  CHECK(place.read("q.svg") == svg);
  fs::remove(place.folder / "p.svg");
  for (const auto& [column, part] :
       {std::pair{"kind", "found 'house' on line 2"}, {"none", "column 'none': "}})
    check_refused(place.draw({"--figure-over", column}), 2, part);
  CHECK_FALSE(place.is_drawn());
}

TEST_CASE("dates are drawn over, with marks where months or years begin, and the truth where it is known") {
  const Pictured place;
  check_ran(place.draw({"--figure-over", "built"}), 0, "p.svg: shows 60 rows");
  check_has(place.read("p.svg"),
            {"<text>built (60 rows)</text>", "<text>1990</text>", "<text>2015</text>", "<text>truth</text>"});
  const std::string truths = "<use xlink:href='#gpPt5' transform=";
  CHECK(count(place.read("p.svg"), truths) == 61);  // and one in the key
  const std::string unknown =
      place.write("unknown.csv", table_of("when,area,kind,built", 30, [](int i) {
                    return fmt::format("2024-{:02}-11 09:30,{},flat,2000-06-01", 1 + i % 6, 20 + i);
                  }));
  check_ran(place.predict(unknown, {"--figure", place.at("p.svg"), "--figure-over", "when"}), 0);
  check_has(place.read("p.svg"), {"<text>2024-02</text>", "<text>2024-06</text>"});
  CHECK(count(place.read("p.svg"), truths) == 0);
  check_lacks(place.read("p.svg"), "truth");
  check_refused(
      place.predict(
          place.write("mixed.csv",
                      "when,area,kind,built\n2024-01-01,50,flat,2000-06-01\n7,50,flat,2000-06-01\n"),
          {"--figure", place.at("p.svg"), "--figure-over", "when", "--quiet"}),
      2, "found '7' on line 3; expected a column of numbers, or one of dates");
}

TEST_CASE("a long table is thinned, its ends are cut at the edge, and its names are no commands") {
  const Pictured place;
  const std::string table = place.write("long.csv", houses(1000, 5));
  check_ran(place.predict(table, {"--coverage", "0.999,0.9", "--figure", place.at("p.svg")}), 0,
            {"p.svg: shows 200 of 1000 rows", "intervals of 200 reach beyond its edge"});
  const std::string svg = place.read("p.svg");
  check_has(svg, {"(200 of 1000 rows, drawn at random)", "99.9 % interval"});
  check_lacks(svg, {"inf", "nan"});
  CHECK(bars(svg, light) == 201);

  const std::string name = "it's `touch x` & <b> \\";
  const std::string named = place.write(
      "named.csv", table_of("x," + name, 60, [](int i) { return fmt::format("{},{}", i * 37 % 61, i % 7); }));
  check_ran(place.fit_fixed(named, {"--target", name}), 0);
  check_ran(place.predict(named, {"--figure", place.at("p.svg"), "--figure-over", name}), 0);
  check_has(place.read("p.svg"), "<text>it's `touch x` &amp; &lt;b> \\</text>");
}

TEST_CASE("what cannot be a picture is refused before the work, and no input is written over") {
  const Pictured place;
  check_refused(place.draw({}, "p.png"), 2, ".svg or .pdf");
  check_refused(place.draw({"--quantiles", "0.5"}), 2, "--figure: draws intervals");
  check_refused(lacp_program({"predict", place.at("m.lacp"), place.table, "--figure", place.at("p.svg"),
                              "--output", place.at("p.svg")}),
                2, "which is the output, too");
  check_refused(place.predict(place.table, {"--figure-over", "area"}), 2, "--figure");
  const std::string table = place.write("table.svg", houses(20, 3));
  for (const char* command : {"predict", "evaluate"})
    check_refused(lacp_program({command, place.at("m.lacp"), table, "--figure", table}), 2,
                  "is the same file as");
  CHECK(place.read("table.svg") == houses(20, 3));
  check_refused(place.draw({}, "new.csv/p.svg"), 1, "new.csv: the folder cannot be made");
  CHECK_FALSE(fs::exists(place.folder / "out.csv"));
  check_refused(place.predict(place.write("none.csv", "area,kind,built\nNA,flat,2000-01-01\n"),
                              {"--figure", place.at("p.svg"), "--figure-over", "area", "--quiet"}),
                2, "p.svg: is not drawn");
  CHECK(fs::exists(place.folder / "out.csv"));
  CHECK_FALSE(place.is_drawn());
}

TEST_CASE("evaluate draws the PIT, with what chance explains, and prints what it prints without a picture") {
  const Pictured place;
  const auto draw = [&](const std::string& name) {
    return place.evaluate(place.table, {"--figure", place.at(name)});
  };
  CHECK(check_ran(draw("p.svg"), 0, "p.svg: drawn").output == place.evaluate(place.table).output);
  const std::string svg = place.read("p.svg");
  check_has(svg, {"</svg>", "(PIT)", "share of 60 rows", "95 % of the bars by chance"});
  CHECK(bars(svg, dark) >= 5);
  check_refused(draw("p"), 2, ".svg or .pdf");
  fs::remove(place.folder / "p.svg");
  check_ran(
      place.fit(place.write("few.csv", houses(100, 1)), {"--method", "cqr", "--calibration-folds", "0"}), 0);
  check_refused(draw("p.svg"), 2, "there is none: method cqr");
  CHECK_FALSE(place.is_drawn());
}

TEST_CASE("without gnuplot one line says so, and all but the picture is there") {
  const Pictured place;
  const std::string missing = "p.svg: is not drawn: gnuplot is not installed";
  const Words figure = {"--quiet", "--figure", place.at("p.svg")};
  for (const char* name : {"predict", "evaluate"}) {
    const Words command = {name, place.at("m.lacp"), place.table};
    const Ran ran = place.without_gnuplot(joined(command, figure));
    check_refused(ran, 1, missing);
    CHECK(ran.output == lacp_program(command).output);
  }
  CHECK_FALSE(place.is_drawn());
}

TEST_CASE("demo does and draws what it says in any folder, and leaves nothing behind, also if it is ended") {
  const Pictured place;
  fs::create_directory(place.folder / "tmp");
  const Words demo = {"demo"}, elsewhere = {"env",           "-u",
                                            "LACP_DATASETS", "-C",
                                            place.at("tmp"), "TMPDIR=" + place.at("tmp"),
                                            lacp_executable, "demo"};
  check_ran(program(joined(elsewhere, {"--figure", place.at("p.svg")})), 0, {},
            {"$ lacp fit known.csv", "$ lacp predict", "lower_bound_95", "--figure intervals.svg", "p.svg\n",
             "$ lacp evaluate", "held_out.csv: 103 rows", "$ lacp update", "newer.lacp: calibrated by"});
  CHECK(fs::is_empty(place.folder / "tmp"));
  check_has(place.read("p.svg"), {"compressive_strength", "90 % interval", "50 % interval"});
  check_ran(place.without_gnuplot(demo), 0, {}, "gnuplot is not installed");
  check_refused(place.without_gnuplot(joined(demo, {"--figure", place.at("q.svg")})), 1,
                "q.svg: is not drawn");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = start(elsewhere);
    while (at_work(child) && fs::is_empty(place.folder / "tmp")) ::usleep(1000);
    ::usleep(200'000);  // a command is at work in its folder
    ::kill(child, signal);
    CHECK(end_of(child) == -signal);
    CHECK(fs::is_empty(place.folder / "tmp"));
  }
}

// What `lacp predict`, `evaluate` and `demo` draw with --figure.
#include "fitted_houses.hpp"

namespace {

struct Pictured : Fitted {
  std::string table = write("new.csv", houses(60, 3));

  Ran draw(const std::vector<std::string>& more, const std::string& name = "p.svg") const {
    return predict(table, joined({"--figure", at(name)}, more));
  }
  Ran draw_pit(const std::vector<std::string>& more = {}) const {
    return evaluate(table, joined({"--figure", at("p.svg")}, more));
  }
  bool is_drawn() const { return fs::exists(folder / "p.svg"); }

  /// The command where there is no gnuplot.
  Ran without_gnuplot(const std::vector<std::string>& command) const {
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
  REQUIRE(place.predict(place.table).status == 0);
  const std::string output = place.read("out.csv");
  check_ran(place.draw({}), 0, "p.svg: shows 60 rows");
  CHECK(place.read("out.csv") == output);
  const std::string svg = place.read("p.svg");
  check_has(svg, {"</svg>", "rows, ordered by prediction (60 rows)", "<text>price</text>", "prediction f",
                  "95 % interval", "90 % interval", "68 % interval"});
  for (const std::string& shade : {light, middle, dark}) CHECK(bars(svg, shade) == 61);
  check_ran(place.draw({"--jobs", "3"}), 0);
  CHECK(place.read("p.svg") == svg);
  check_ran(place.draw({"--coverage", "0.5", "--upper", "0.9"}), 0);
  check_has(place.read("p.svg"), "50 % interval");
  check_lacks(place.read("p.svg"), {"95 % interval"});
  check_ran(place.draw({}, "p.pdf"), 0);
  CHECK(place.read("p.pdf").starts_with("%PDF"));
}

TEST_CASE("over a column, whose cells without a number are left out, and from standard input") {
  const Pictured place;
  check_ran(place.draw({"--figure-over", "area"}), 0, "without a number in 'area' left out");
  const std::string svg = place.read("p.svg");
  check_has(svg, {"<text>area (", "<text>price</text>"});
  CHECK(bars(svg, dark) < 61);
  check_lacks(place.read("out.csv"), "area");
  check_ran(place.draw({"--figure-over", "area", "--keep", "area,kind"}), 0);
  CHECK(place.read("out.csv").starts_with("line,area,kind,prediction,"));
  CHECK(place.read("p.svg") == svg);
  check_ran(shell("\"$0\" predict \"$1\" - --figure \"$3\" --figure-over area < \"$2\"",
                  {place.at("m.lacp"), place.table, place.at("q.svg")}),
            0);
  CHECK(place.read("q.svg") == svg);
  for (const auto& [column, part] :
       {std::pair{"kind", "found 'house' on line 2; expected a column of numbers"},
        {"built", "found '1990-06-01' on line 2"}}) {
    fs::remove(place.folder / "p.svg");
    check_refused(place.draw({"--figure-over", column}), 2, part);
    CHECK_FALSE(place.is_drawn());
  }
  check_refused(place.draw({"--figure-over", "none"}), 2, "column 'none': ");
}

TEST_CASE("a long table is thinned, its ends are cut at the edge, and its names are no commands") {
  const Pictured place;
  const std::string table = place.write("long.csv", houses(5000, 5));
  check_ran(place.predict(table, {"--coverage", "0.999,0.9", "--figure", place.at("p.svg")}), 0,
            "p.svg: shows 200 of 5000 rows, drawn at random; intervals of 200 reach beyond its edge");
  const std::string svg = place.read("p.svg");
  check_has(svg, {"(200 of 5000 rows, drawn at random)", "99.9 % interval"});
  check_lacks(svg, {"inf", "nan"});
  CHECK(bars(svg, light) == 201);

  const std::string name = "it's `touch x` & <b> \\";
  std::string text = "x," + name + "\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{}\n", i * 37 % 61, i % 7);
  const std::string named = place.write("named.csv", text);
  check_ran(place.fit(named, {"--target", name, "--method", "fixed"}), 0);
  check_ran(place.predict(named, {"--figure", place.at("p.svg"), "--figure-over", name}), 0);
  check_has(place.read("p.svg"), "<text>it's `touch x` &amp; &lt;b> \\</text>");
}

TEST_CASE("what cannot be a picture is refused before the work, and no input is written over") {
  const Pictured place;
  check_refused(place.draw({}, "p.png"), 2, "expected a name that ends in .svg or .pdf");
  check_refused(place.draw({"--quantiles", "0.5"}), 2, "--figure: draws intervals, and none are asked for");
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
                2, "p.svg: is not drawn: no row has a number in 'area'");
  CHECK(fs::exists(place.folder / "out.csv"));
  CHECK_FALSE(place.is_drawn());
}

TEST_CASE("evaluate draws the PIT, with what chance explains, and prints what it prints without a picture") {
  const Pictured place;
  const Ran plain = place.evaluate(place.table), drawn = check_ran(place.draw_pit(), 0, "p.svg: drawn");
  CHECK(drawn.output == plain.output);
  const std::string svg = place.read("p.svg");
  check_has(svg, {"</svg>", "share of the quantiles below y (PIT)", "share of 60 rows", "if it is right",
                  "95 % of the bars by chance"});
  CHECK(bars(svg, dark) >= 5);
  check_ran(place.draw_pit({"--json"}), 0);
  CHECK(place.read("p.svg") == svg);
  check_refused(place.evaluate(place.table, {"--figure", place.at("p")}), 2, "ends in .svg or .pdf");
  fs::remove(place.folder / "p.svg");
  check_ran(place.fit(place.at("houses.csv"), {"--target", "price", "--method", "cqr"}), 0);
  check_refused(place.draw_pit(), 2, "--figure: draws the PIT, and there is none: method cqr");
  CHECK_FALSE(place.is_drawn());
}

TEST_CASE("without gnuplot one line says so, and all but the picture is there") {
  const Pictured place;
  const std::string missing = "p.svg: is not drawn: gnuplot is not installed (Debian: gnuplot-nox)";
  const std::vector<std::string> figure = {"--quiet", "--figure", place.at("p.svg")};
  REQUIRE(place.predict(place.table).status == 0);
  const std::string output = place.read("out.csv");
  fs::remove(place.folder / "out.csv");
  check_refused(place.without_gnuplot(joined(
                    {"predict", place.at("m.lacp"), place.table, "--output", place.at("out.csv")}, figure)),
                1, missing);
  CHECK(place.read("out.csv") == output);
  const Ran printed = place.without_gnuplot(joined({"predict", place.at("m.lacp"), place.table}, figure));
  check_refused(printed, 1, missing);
  CHECK(printed.output == output);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--json"}}) {
    const Ran judged =
        place.without_gnuplot(joined(joined({"evaluate", place.at("m.lacp"), place.table}, figure), more));
    check_refused(judged, 1, missing);
    CHECK(judged.output == place.evaluate(place.table, more).output);
  }
  CHECK_FALSE(place.is_drawn());
}

TEST_CASE("demo draws its intervals, and keeps the picture if it is asked to") {
  const Pictured place;
  const std::vector<std::string> demo = {"demo", "--datasets-folder", source_datasets};
  check_ran(lacp_program(demo, {"--figure", place.at("p.svg")}), 0, {},
            {"--figure intervals.svg", "p.svg\n"});
  check_has(place.read("p.svg"), {"compressive_strength", "90 % interval", "50 % interval"});
  check_ran(place.without_gnuplot(demo), 0, {}, "No picture of them: gnuplot is not installed");
  check_refused(place.without_gnuplot(joined(demo, {"--figure", place.at("q.svg")})), 1,
                "q.svg: is not drawn: gnuplot");
}

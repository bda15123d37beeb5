// `lacp update`: what it takes, what it refuses, and what it says.
#include "fitted_houses.hpp"

namespace {

Ran update_in(const Place& place, const std::string& table, const Words& more = {}) {
  return lacp_program(joined({"update", place.at("m.lacp"), table, "--output", place.at("m2.lacp")}, more));
}

/// Whole numbers from 0 to 9 that follow x; `part` is added to some of them.
std::string ratings(int n, std::uint64_t seed, double part = 0.0) {
  const auto row = [part](int i, lacp::Stream& stream) {
    const double x = stream.uniform(), y = std::clamp(std::round(9.0 * x + stream.normal()), 0.0, 9.0);
    return fmt::format("{},{}", x, y + (i % 2 == 1 ? part : 0.0));
  };
  return drawn("x,y", n, row, seed);
}

/// Visits of patients, five each, who differ by more than their visits do.
std::string visits(int patients, std::uint64_t seed, const std::string& name) {
  lacp::Stream stream(seed);
  std::string text = "patient,x,y\n";
  for (int p = 0; p < patients; ++p) {
    const double own = 3.0 * stream.normal();
    for (int visit = 0; visit < 5; ++visit)
      text += fmt::format("{}{},{},{}\n", name, p, stream.normal(), own + stream.normal());
  }
  return text;
}

double coverage_of(const Place& place, const std::string& table) {
  fs::copy(place.folder / "m2.lacp", place.folder / "m.lacp", fs::copy_options::overwrite_existing);
  return place.scores(table).number(1, "coverage");
}

}  // namespace

TEST_CASE("update calibrates by new rows, refuses those that the model knows, and says what they showed") {
  const Fitted place;
  const auto update = [&](const std::string& table, const Words& more = {}) {
    return update_in(place, table, more);
  };
  const std::string later = place.write("later.csv", houses(300, 9));
  check_ran(update(later), 0, {}, {"calibrated by 500 rows", "coverage 0.95", "if they drift, none"});
  check_ran(update(later, {"--instead"}), 0);
  check_ran(update(later, {"--window", "100"}), 0);
  check_has(lacp_program({"info", place.at("m2.lacp")}).output, "calibrated on 100 rows");
  check_refused(update(place.at("houses.csv")), 2, "1000 of 1000 rows are known to the model");
  check_ran(update(later), 0);
  fs::copy(place.folder / "m2.lacp", place.folder / "m.lacp", fs::copy_options::overwrite_existing);
  check_refused(update(later), 2, "300 of 300 rows are known to the model");
  check_refused(update(later, {"--known", "drop"}), 2, "no new row is left");
  check_ran(update(later, {"--known", "keep"}), 0);
  check_ran(
      update(place.write("some.csv", houses(300, 9) + "77,flat,2000-06-01,281.5\n"), {"--known", "drop"}), 0,
      "300 of the rows");
  check_has(lacp_program({"info", place.at("m2.lacp")}).output, "calibrated on 501 rows");
  check_refused(update(place.write("no.csv", "area,kind,built\n1,flat,2000-01-01\n")), 2, "'price'");
}

TEST_CASE("update refuses targets that the fit would refuse, with file and line, or leaves them out") {
  const Place place;
  check_ran(
      place.fit_fixed(place.write("t.csv", ratings(300, 1)), {"--clip", "0,9", "--calibration-folds", "0"}),
      0);
  const std::string halves = place.write("halves.csv", ratings(100, 2, 0.5));
  check_refused(update_in(place, halves), 2, "halves.csv:3: the target is");
  check_refused(update_in(place, halves), 2, "expected a whole number");
  check_ran(update_in(place, halves, {"--skip-bad"}), 0, "50 of 100 rows left out, the first in line 3",
            "calibrated by 110 rows");
  const std::string large = place.write("large.csv", ratings(100, 2) + "0.5,121\n");
  check_refused(update_in(place, large), 2, "large.csv:102: the target is 121; expected 0 to 9");
  check_ran(update_in(place, large, {"--skip-bad"}), 0, "1 of 101 rows left out", "calibrated by 160 rows");
  // Rows too far out.
  check_ran(place.fit(place.write("h.csv", houses(300, 1)),
                      {"--target", "price", "--calibration-folds", "0", "--method", "exp"}),
            0);
  const std::string far = place.write("far.csv", houses(50, 2) + "1e300,flat,2000-06-01,281.5\n");
  check_refused(update_in(place, far), 2, "far.csv:52: the row lies too far");
  check_ran(update_in(place, far, {"--skip-bad"}), 0, "1 of 51 rows left out, the first in line 52");
}

TEST_CASE("update knows every row of a fit again, of a few thousand rows and with another prediction") {
  const Place place;
  const auto row = [](int, lacp::Stream& stream) {
    return fmt::format("{},{}", stream.normal(), stream.normal());
  };
  const std::string old = drawn("x,y", 6000, row), later = drawn("x,y", 50, row, 2);
  check_ran(place.fit_fixed(place.write("t.csv", old), {"--set", "predictor.kind=knn"}), 0);
  const std::string both = place.write("both.csv", old + later.substr(later.find('\n') + 1));
  check_ran(update_in(place, both, {"--known", "drop"}), 0, "6000 of the rows are known",
            "calibrated by 1250 rows");
  check_ran(place.fit_fixed(place.at("t.csv"), {"--set", "predictor.kind=knn", "--no-row-hashes"}), 0);
  check_ran(update_in(place, both), 0, "keeps no hashes of its rows");
  const auto guessed = [](double more) {
    return [more](int, lacp::Stream& stream) {
      const double y = stream.normal();
      return fmt::format("{},{}", y + stream.normal() + more, y);
    };
  };
  check_ran(
      place.fit_fixed(place.write("g.csv", drawn("guess,y", 300, guessed(0.0))), {"--prediction", "guess"}),
      0);
  check_refused(update_in(place, place.write("h.csv", drawn("guess,y", 300, guessed(0.1)))), 2,
                "300 of 300 rows are known");
}

TEST_CASE(
    "update of a model with groups takes one row of each new group, and covers new groups as promised") {
  const Place place;
  check_ran(place.fit_fixed(place.write("t.csv", visits(200, 1, "p")),
                            {"--target", "y", "--group", "patient", "--calibration-folds", "0"}),
            0);
  check_has(must_run({"info", place.at("m.lacp")}).output, "patient; one row of each group calibrates");
  const std::string same = place.write("same.csv", visits(30, 2, "p")),
                    later = place.write("later.csv", visits(100, 3, "q"));
  check_refused(update_in(place, same), 2, "150 of 150 rows are of groups that the model knows");
  check_refused(update_in(place, same, {"--known", "drop"}), 2, "no new row is left");
  check_refused(update_in(place, place.write("none.csv", "x,y\n1,2\n")), 2, "'patient'");
  check_ran(update_in(place, later, {"--instead"}), 0, {},
            {"calibrated by 100 rows", "one row of each new one calibrates"});
  // Each patient counts once: with all rows of them the interval would be as sure, and too narrow.
  CHECK(coverage_of(place, place.write("new.csv", visits(2000, 4, "n"))) > 0.9 - 3.0 * std::sqrt(0.09 / 100));
  check_refused(update_in(place, later), 2, "500 of 500 rows are known to the model");
}

TEST_CASE(
    "update promises nothing where coverage stays too small, is quiet if asked, and looks at a sample of many rows") {
  const Fitted place;
  // Ten times the price: calibrated with the old rows, the new ones are still missed.
  const auto expensive = [](int, lacp::Stream& stream) {
    return fmt::format("{},flat,2000-06-01,{}", stream.uniform(20, 200), 6000.0 + stream.normal());
  };
  const std::string other = place.write("other.csv", drawn("area,kind,built,price", 60, expensive));
  const Ran ran = check_ran(update_in(place, other, {"--quiet"}), 0,
                            "BEWARE after the update the new rows still have coverage");
  CHECK(ran.output == "");
  check_lacks(update_in(place, other).output, "promise");
  const Ran usual = check_ran(update_in(place, place.write("later.csv", houses(1200, 9)), {"--quiet"}), 0);
  CHECK((usual.output == "" && usual.messages == ""));
  check_ran(update_in(place, place.at("later.csv")), 0, {}, "of 1000 of the new rows before");
  check_ran(update_in(place, place.write("twice.csv", houses(20, 9) + houses(20, 9).substr(24))), 0,
            "20 of 40 rows equal an earlier one");
}

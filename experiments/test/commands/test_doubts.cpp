// What speaks against a promise, and whether `lacp fit` and `lacp evaluate` say so: rows in order of time,
// groups, predictions of rows that were known, a prediction that explains nothing.
#include <cmath>

#include "fitted_houses.hpp"
#include "io/yaml.hpp"
#include "lacp/base/text.hpp"

namespace {

/// Readings of a sensor, one an hour, whose level moves by `drift` in all.
std::vector<std::string> readings(std::size_t n, double drift, std::uint64_t seed = 1) {
  lacp::Stream stream(seed);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const double load = stream.uniform(0, 10), share = static_cast<double>(i) / static_cast<double>(n);
    rows.push_back(fmt::format("2024-{:02}-{:02} {:02}:00,{},{}\n", 1 + i / 672, 1 + i / 24 % 28, i % 24,
                               load, 2 * load + drift * share + stream.normal()));
  }
  return rows;
}

std::string table_of(const std::vector<std::string>& rows, std::size_t begin = 0,
                     std::size_t end = std::string::npos) {
  std::string text = "time,load,y\n";
  for (std::size_t i = begin; i < std::min(end, rows.size()); ++i) text += rows[i];
  return text;
}

/// Visits of patients, who differ from each other by far more than the visits of one do.
std::string visits(std::size_t patients, std::uint64_t seed, const char* name, const char* format) {
  lacp::Stream stream(seed);
  std::string text = fmt::format("{},dose,y\n", name);
  for (std::size_t p = 0; p < patients; ++p) {
    const double own = 20 * stream.normal();
    for (int visit = 0; visit < 5; ++visit) {
      const double dose = stream.uniform(0, 10);
      text +=
          fmt::format("{},{},{}\n", fmt::format(fmt::runtime(format), p), dose, own + dose + stream.normal());
    }
  }
  return text;
}

/// The text on one line, whatever it was broken for.
std::string unbroken(const std::string& text) {
  std::string joined;
  for (const std::string& line : lacp::split_text(text, '\n'))
    for (const std::string& word : lacp::split_text(line, ' '))
      if (!word.empty()) joined.append(joined.empty() ? "" : " ").append(word);
  return joined;
}

/// Misses lie above the interval alone, and are as many as promised.
std::string misses_above(std::size_t n, std::uint64_t seed) {
  lacp::Stream stream(seed);
  std::string text = "x,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double x = stream.uniform(0, 10), noise = stream.normal();
    text += fmt::format("{},{}\n", x, 2 * x + std::max(noise, -1.0));
  }
  return text;
}

std::string symmetric(std::size_t n, std::uint64_t seed) {
  lacp::Stream stream(seed);
  std::string text = "x,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double x = stream.uniform(0, 10);
    text += fmt::format("{},{}\n", x, 2 * x + stream.normal());
  }
  return text;
}

}  // namespace

TEST_CASE("evaluate says when coverage lies below what calibration and the number of rows explain") {
  const Place place;
  const std::vector<std::string> drifting = readings(1000, 20);
  REQUIRE(place.fit_fixed(place.write("t.csv", table_of(drifting, 0, 700))).status == 0);
  const std::string later = place.write("later.csv", table_of(drifting, 700));
  const Ran ran = check_ran(place.evaluate(later), 0);  // what it ends with does not change
  const lacp::Frame frame = lacp::parse_frame(place.evaluate(later, {"--csv"}).output, "csv");
  check_has(
      ran.messages,
      {fmt::format("coverage {:.3f} where 0.", frame.number(0, "coverage")),
       " was to be expected (level 0.05)",
       ": these rows differ from those of the fit (later in time? new groups? predictions made on their own rows?)"});
  CHECK(frame.number(0, "below") + frame.number(0, "above") > 0.2);
  check_lacks(ran.messages, "lopsided");  // the misses lie on one side, but sides are not the reason

  // Rows of the same source: nothing is said, whatever the draw. Chance of one: 1.5 % at most.
  for (std::uint64_t seed = 2; seed < 8; ++seed)
    check_lacks(place.evaluate(place.write("same.csv", table_of(readings(1000, 20, seed), 0, 700))).messages,
                "to be expected");
}

TEST_CASE("no advice about sides is given to a model that has them") {
  const Place place;
  const std::string table = place.write("t.csv", symmetric(800, 1)),
                    lopsided = place.write("l.csv", misses_above(2000, 2));
  REQUIRE(place.fit_fixed(table, {"--coverage", "0.9"}).status == 0);
  check_has(place.evaluate(lopsided).messages, "misses are lopsided");
  REQUIRE(place.fit_fixed(table, {"--coverage", "0.9", "--sides", "each"}).status == 0);
  CHECK(place.evaluate(lopsided).messages == "");
}

TEST_CASE("fit says what its promise rests on, and what a prediction that explains nothing is") {
  const Place place;
  lacp::Stream stream(3);
  std::string noise = "x,y\n";
  for (int i = 0; i < 600; ++i) noise += fmt::format("{},{}\n", stream.uniform(), stream.normal());
  const Ran ran = check_ran(place.fit_fixed(place.write("noise.csv", noise)), 0);
  check_has(ran.output,
            "\n  promise         holds as long as new rows come from the same source as the known ones\n");
  check_has(ran.output, "  BEWARE          R² is ");
  check_has(place.evaluate(place.at("noise.csv")).output, "R²");
  const Ran good = check_ran(place.fit_fixed(place.write("t.csv", symmetric(600, 1))), 0);
  check_lacks(good.output, "BEWARE");
  check_lacks(place.evaluate(place.at("t.csv")).output, "R² is ");
}

TEST_CASE("where a date rises, fit tries itself on the last tenth") {
  const Place place;
  const auto fit = [&](const std::string& text) {
    return unbroken(check_ran(place.fit_fixed(place.write("t.csv", text), {"--target", "y"}), 0).output);
  };
  std::vector<std::string> drifting = readings(600, 20);
  const std::string said = fit(table_of(drifting));
  // The coverage that it reports is the one of such a fit.
  REQUIRE(place.fit_fixed(place.write("first.csv", table_of(drifting, 0, 540))).status == 0);
  const lacp::Frame frame = lacp::parse_frame(
      place.evaluate(place.write("last.csv", table_of(drifting, 540)), {"--csv"}).output, "csv");
  check_has(
      said,
      fmt::format("BEWARE rows stand in order of 'time', and a fit on the first nine tenths has, on the last "
                  "tenth, coverage {:.3f} where ",
                  frame.number(0, "coverage")));
  CHECK(frame.number(0, "coverage") < 0.5);
  // The newest first.
  std::ranges::reverse(drifting);
  check_has(fit(table_of(drifting)), "BEWARE rows stand in order of 'time'");
  // Nothing moves, or rows come in any order.
  check_lacks(fit(table_of(readings(600, 0))), "BEWARE");
  std::swap(drifting[3], drifting[500]);
  check_lacks(fit(table_of(drifting)), "BEWARE");
  const Ran json = place.fit_fixed(place.write("t.csv", table_of(readings(600, 20))), {"--json", "--quiet"});
  const auto warnings = lacp::YamlMap::parse(json.output, "json").get<std::vector<std::string>>("warnings");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with("rows stand in order of 'time'"));
}

TEST_CASE("a column whose values name groups is seen, and --group is named") {
  const Place place;
  const auto fit = [&](const std::string& table, const std::vector<std::string>& more = {}) {
    return unbroken(check_ran(place.fit_fixed(table, joined({"--target", "y"}, more)), 0).output);
  };
  for (const auto& [name, format] : {std::pair{"patient", "P{:03}"}, {"patient_id", "{}"}, {"who", "w{}"}}) {
    const std::string table = place.write("t.csv", visits(120, 1, name, format));
    check_has(fit(table),
              fmt::format("BEWARE '{0}' names 120 groups of 5.0 rows on average; if new rows are of new "
                          "ones, say --group {0}, or coverage will be lower than promised",
                          name));
    check_lacks(fit(table, {"--group", name}), "--group");
  }
  // Numbers that measure something, and few names.
  check_lacks(fit(place.write("t.csv", visits(120, 1, "size", "{}"))), "--group");
  check_lacks(
      check_ran(place.fit_fixed(place.write("t.csv", houses(300, 1)), {"--target", "price"}), 0).output,
      "--group");
}

TEST_CASE("predictions of one's own that know their rows are named, and others are not") {
  const Place place;
  // Of the noise of each row they know this share.
  const auto fit = [&](double known) {
    lacp::Stream stream(5);
    std::string text = "x,z,guess,y\n";
    for (int i = 0; i < 600; ++i) {
      const double x = stream.uniform(0, 10), noise = stream.normal();
      text += fmt::format("{},{},{},{}\n", x, stream.uniform(), 3 * x + known * noise, 3 * x + noise);
    }
    const Ran ran = check_ran(place.fit_fixed(place.write("t.csv", text), {"--prediction", "guess"}), 0);
    check_lacks(ran.output, "which it has not seen");
    check_has(unbroken(ran.output),
              "calibration rows; whether it was made without them, the table does not say");
    return unbroken(ran.output);
  };
  check_has(fit(0.6), {"BEWARE 'guess' has an RMSE of 0.", "were these predictions made without their row?"});
  check_lacks(fit(0.0), "BEWARE");  // the truth, which boosted trees come near
}

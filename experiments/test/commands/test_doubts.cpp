// What speaks against a promise, and whether `lacp fit` and `lacp evaluate` say so.
#include <regex>

#include "common/yaml.hpp"
#include "fitted_houses.hpp"

namespace {

/// Readings of a sensor, one an hour, whose level moves by `drift` in all.
Words readings(std::size_t n, double drift, std::uint64_t seed = 1) {
  lacp::Stream stream(seed);
  Words rows;
  for (std::size_t i = 0; i < n; ++i) {
    const double load = stream.uniform(0, 10), share = static_cast<double>(i) / static_cast<double>(n);
    rows.push_back(fmt::format("2024-{:02}-{:02} {:02}:00,{},{}\n", 1 + i / 672, 1 + i / 24 % 28, i % 24,
                               load, 2 * load + drift * share + stream.normal()));
  }
  return rows;
}

std::string in_time(const Words& rows, std::size_t begin = 0, std::size_t count = 9999) {
  return "time,load,y\n" +
         lacp::join(std::span(rows).subspan(begin, std::min(count, rows.size() - begin)), "");
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
std::string unbroken(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

/// y of about 2x, with noise of at least this.
std::string doubled(int n, std::uint64_t seed, double least = -100.0) {
  const auto row = [&](int, lacp::Stream& stream) {
    const double x = stream.uniform(0, 10);
    return fmt::format("{},{}", x, 2 * x + std::max(stream.normal(), least));
  };
  return drawn("x,y", n, row, seed);
}

}  // namespace

TEST_CASE("evaluate says when coverage lies below what calibration and the number of rows explain") {
  const Place place;
  const Words drifting = readings(1000, 20);
  check_ran(place.fit_fixed(place.write("t.csv", in_time(drifting, 0, 700))), 0);
  const std::string later = place.write("later.csv", in_time(drifting, 700));
  const Ran ran = check_ran(place.evaluate(later), 0);  // what it ends with does not change
  const lacp::Frame frame = place.scores(later);
  check_has(ran.messages, {fmt::format("coverage {:.3f} where 0.", frame.number(0, "coverage")),
                           "to be expected (level 0.05)", "later in time"});
  check_lacks(ran.messages, "lopsided");  // the misses lie on one side, but sides are not the reason

  // Rows of the same source: nothing is said, whatever the draw. Chance of one: 1.5 % at most.
  for (std::uint64_t seed = 2; seed < 8; ++seed)
    check_lacks(place.evaluate(place.write("same.csv", in_time(readings(1000, 20, seed), 0, 700))).messages,
                "to be expected");
}

TEST_CASE("no advice about sides is given to a model that has them") {
  const Place place;
  // The misses of the others lie above the interval alone.
  const std::string table = place.write("t.csv", doubled(800, 1)),
                    lopsided = place.write("l.csv", doubled(2000, 2, -1.0));
  check_ran(place.fit_fixed(table, {"--coverage", "0.9"}), 0);
  check_has(place.evaluate(lopsided).messages, {"lopsided at level 0.1", "--sides each"});
  check_ran(place.fit_fixed(table, {"--coverage", "0.9", "--sides", "each"}), 0);
  CHECK(place.evaluate(lopsided).messages == "");
}

TEST_CASE("fit says what its promise rests on, and what a prediction that explains nothing is") {
  const Place place;
  const std::string noise = place.write("noise.csv", drawn("x,y", 600, [](int, auto& stream) {
                                          return fmt::format("{},{}", stream.uniform(), stream.normal());
                                        }));
  check_ran(place.fit_fixed(noise), 0, {}, {"  promise ", "same source", "  BEWARE          R² is "});
  check_lacks(check_ran(place.fit_fixed(place.write("t.csv", doubled(600, 1))), 0).output, "BEWARE");
}

TEST_CASE("--quiet hides no doubt about the promise") {
  const Place place;
  const std::string table = place.write("t.csv", visits(120, 1, "patient", "P{:03}"));
  const Ran ran = check_ran(place.fit_fixed(table, {"--quiet"}), 0,
                            {"BEWARE 'patient' names 120 groups", "--group patient"});
  CHECK(ran.output.empty());
  check_lacks(check_ran(place.fit_fixed(table, {"--quiet", "--group", "patient"}), 0).messages, "--group");
}

TEST_CASE("a few extreme targets are counted, and not taken for columns that say nothing") {
  const Place place;
  const auto fit = [&](int every) {
    const auto row = [&](int i, lacp::Stream& stream) {
      const double x = stream.uniform(1, 10), y = 3 * x + stream.normal() + 5;
      return fmt::format("{},{}", x, (i + 1) % every == 0 ? 1000 * y : y);
    };
    const Ran ran = check_ran(place.fit_fixed(place.write("t.csv", drawn("x,y", 1000, row))), 0);
    return unbroken(ran.output);
  };
  const std::string said = fit(100);
  check_has(said,
            {"BEWARE 10 of 1000 targets are more than ", "times as large as all others: check their unit"});
  check_lacks(said, {"next to nothing", "no attribute tells more"});
  check_lacks(fit(100000), "BEWARE");
}

TEST_CASE("an id that follows the target is said to leak it; any other is not") {
  const Place place;
  const auto fit = [&](bool leaks, const Words& more = {}) {
    const auto row = [&](int i, lacp::Stream& stream) {
      const int place_of_row = i * 37 % 300;  // the rows come in no order
      const double x = 0.01 * place_of_row;
      return fmt::format("P{:04},{},{}", leaks ? 17 + 3 * place_of_row : 1000 + i * 101 % 300,
                         stream.uniform(), x + 0.1 * stream.normal());
    };
    const std::string table = place.write("t.csv", drawn("id,x,y", 300, row));
    return unbroken(check_ran(place.fit_fixed(table, more), 0).output);
  };
  const std::string leak = "it follows the target (rank correlation 0.9";
  check_has(fit(true), {"id: an id, different in every row", leak});
  check_has(fit(true, {"--json"}), leak);
  check_lacks(fit(false), "follows the target");
}

TEST_CASE("where intervals leave what all targets keep to, --clip is named") {
  const Place place;
  const auto fit = [&](double low, double high, const Words& more = {}) {
    const auto row = [&](int, lacp::Stream& stream) {
      const double x = stream.uniform();
      return fmt::format("{},{}", x, std::clamp(x + 0.2 * stream.normal(), low, high));
    };
    return unbroken(check_ran(place.fit_fixed(place.write("t.csv", drawn("x,y", 300, row)), more), 0).output);
  };
  check_has(fit(0, 1), {"range all targets are within 0 and 1, but intervals of ", "--clip 0,1 "});
  check_has(fit(0, 9), {"range no target is below 0, but intervals of ", "--clip 0, "});
  check_lacks(fit(0, 1, {"--clip", "0,1"}), "--clip");
  check_lacks(fit(-9, 9), "--clip");
  check_lacks(fit(0.5, 0.6), "--clip");  // no interval comes near
}

TEST_CASE("where a date rises, fit tries itself on the last tenth") {
  const Place place;
  const auto fit = [&](const std::string& text) {
    return unbroken(check_ran(place.fit_fixed(place.write("t.csv", text), {"--target", "y"}), 0).output);
  };
  Words drifting = readings(600, 20);
  const std::string said = fit(in_time(drifting));
  // The coverage that it reports is the one of such a fit.
  check_ran(place.fit_fixed(place.write("first.csv", in_time(drifting, 0, 540))), 0);
  const double coverage = place.scores(place.write("last.csv", in_time(drifting, 540))).number(0, "coverage");
  const std::string beware = "BEWARE rows stand in order of 'time'";
  check_has(said, {beware, fmt::format("coverage {:.3f} where ", coverage)});
  CHECK(coverage < 0.5);
  // Whatever stands around the table, in whatever letters.
  std::string latin = in_time(drifting);
  latin.replace(latin.find("load"), 4, "l\xe4nge");
  for (const std::string& text :
       {"A report,,\nby us,,\n" + in_time(drifting) + "\n* provisional figures\n", latin})
    check_has(fit(text), beware);
  std::ranges::reverse(drifting);
  check_has(fit(in_time(drifting)), beware);
  // Nothing moves, or rows come in any order.
  check_lacks(fit(in_time(readings(600, 0))), "BEWARE");
  std::swap(drifting[3], drifting[500]);
  check_lacks(fit(in_time(drifting)), "BEWARE");
  const Ran json = place.fit_fixed(place.write("t.csv", in_time(readings(600, 20))), {"--json", "--quiet"});
  const auto warnings = lacp::YamlMap::parse(json.output, "json").get<Words>("warnings");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with("rows stand in order of 'time'"));
}

TEST_CASE("a column whose values name groups is seen, and --group is named") {
  const Place place;
  const auto fit = [&](const std::string& table, const Words& more = {}) {
    return unbroken(check_ran(place.fit_fixed(table, joined({"--target", "y"}, more)), 0).output);
  };
  for (const auto& [name, format] : {std::pair{"patient", "P{:03}"}, {"patient_id", "{}"}, {"who", "w{}"}}) {
    const std::string table = place.write("t.csv", visits(120, 1, name, format));
    check_has(fit(table), {fmt::format("BEWARE '{}' names 120 groups of 5.0 rows", name),
                           fmt::format("--group {}", name)});
    check_lacks(fit(table, {"--group", name}), "--group");
  }
  // Numbers that measure something, and few names.
  check_lacks(fit(place.write("t.csv", visits(120, 1, "size", "{}"))), "--group");
  check_lacks(check_ran(place.fit_fixed(place.write("t.csv", houses(300, 1))), 0).output, "--group");
}

TEST_CASE("predictions of one's own that know their rows are named, and others are not") {
  const Place place;
  // Of the noise of each row they know this share.
  const auto fit = [&](double known) {
    const auto row = [&](int, lacp::Stream& stream) {
      const double x = stream.uniform(0, 10), noise = stream.normal();
      return fmt::format("{},{},{},{}", x, stream.uniform(), 3 * x + known * noise, 3 * x + noise);
    };
    const std::string table = place.write("t.csv", drawn("x,z,guess,y", 600, row, 5));
    const Ran ran = check_ran(place.fit_fixed(table, {"--prediction", "guess"}), 0);
    check_lacks(ran.output, "which it has not seen");
    return unbroken(ran.output);
  };
  check_has(fit(0.6), {"BEWARE 'guess' has an RMSE of 0.", "made without their row?"});
  check_lacks(fit(0.0), "BEWARE");  // the truth, which boosted trees come near
}

// Classes that are calibrated by their own rows (PredictorSettings::by), and those that have too few.
#include "made_rows.hpp"

using namespace lacp;

namespace {

PredictorSettings settings_by(const std::string& method,
                              std::vector<Level> levels = {Level(0.05), Level(0.1), Level(0.32)}) {
  PredictorSettings settings = quick_settings(method, CentreKind::boosted, 3);
  settings.levels = std::move(levels);
  settings.proper = settings.train = 0.3;
  settings.calibration = 0.4;
  settings.by = {1};
  return settings;
}

/// Three classes, the values of the second attribute: errors of the second are four times those of the first,
/// and the third has few rows.
Rows rows_in_classes(std::size_t n, Stream& stream) {
  Rows rows{gaussian(2, n, stream), arma::vec(n)};
  for (arma::uword i = 0; i < n; ++i) {
    rows.X(1, i) = i % 25 == 0 ? 2.0 : i % 3 == 0 ? 1.0 : 0.0;
    rows.y(i) = 10.0 + rows.X(0, i) + (rows.X(1, i) == 1.0 ? 4.0 : 1.0) * stream.normal();
  }
  return rows;
}

/// Half of the rows are of one easy class, the others of forty hard ones, each with too few rows.
Rows rows_in_small_classes(std::size_t n, Stream& stream) {
  Rows rows{gaussian(2, n, stream), arma::vec(n)};
  for (arma::uword i = 0; i < n; ++i) {
    const bool easy = stream.uniform() < 0.5;
    rows.X(1, i) = easy ? 0.0 : 1.0 + static_cast<double>(stream.below(40));
    rows.y(i) = 10.0 + (easy ? 1.0 : 5.0) * stream.normal();
  }
  return rows;
}

/// The share of the rows with these values of the second attribute that lie in their interval.
double share_between(const Intervals& at, const Rows& rows, double least, double most) {
  const arma::vec low = at.lower(), high = at.upper();
  double inside = 0.0, all = 0.0;
  for (arma::uword n = 0; n < rows.y.n_elem; ++n) {
    if (rows.X(1, n) < least || rows.X(1, n) > most) continue;
    all += 1.0;
    inside += low(n) <= rows.y(n) && rows.y(n) <= high(n) ? 1.0 : 0.0;
  }
  return inside / all;
}

}  // namespace

TEST_CASE("small classes are covered as promised together, the large one by itself, and so all rows") {
  constexpr std::size_t n = 500;
  const std::size_t fits = seeds(60);
  for (const char* method : {"fixed", "forest"}) {
    const PredictorSettings settings = settings_by(method);
    arma::vec all(3, arma::fill::zeros), small = all, large = all;
    Stream stream(23);
    for (std::size_t k = 0; k < fits; ++k) {
      const Rows known = rows_in_small_classes(n, stream), fresh = rows_in_small_classes(n, stream);
      const LevelIntervals found =
          LocalPredictor::fit(known.X, known.y, settings).predict(fresh.X, settings.levels);
      for (std::size_t l = 0; l < 3; ++l) {
        all(l) += share_between(found.at(l), fresh, 0, 40) / static_cast<double>(fits);
        large(l) += share_between(found.at(l), fresh, 0, 0) / static_cast<double>(fits);
        small(l) += share_between(found.at(l), fresh, 1, 40) / static_cast<double>(fits);
      }
    }
    for (std::size_t l = 0; l < 3; ++l) {
      const double promised = 1.0 - settings.levels[l].value(),
                   chance = 4.0 * coverage_error(promised, 100 * fits, n / 2 * fits);
      for (const double found : {all(l), large(l), small(l)}) {
        INFO(method, " ", promised, ": ", found);
        CHECK(found >= promised - chance);
        CHECK(found <= promised + chance + 0.02);
      }
    }
  }
}

// If classes are told apart by the rows that calibrate alone, new rows of one that is just too small join the
// others more often than rows that calibrate do: of 200 rows with such a class of large errors .672 were
// covered for .68.
TEST_CASE(
    "a new row counts with its class: 29 rows calibrate their class by themselves, 28 with the small ones") {
  Stream stream(24);
  const Rows known = rows_in_classes(400, stream);
  const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings_by("fixed"));
  const auto width = [&](std::size_t rows, const Level& level) {
    Rows fresh{gaussian(2, rows + 20, stream), arma::vec(rows + 20)};
    for (arma::uword i = 0; i < fresh.y.n_elem; ++i) {
      const bool small = i < 20;
      fresh.X(1, i) = small ? 2.0 : 0.0;
      fresh.y(i) = model.predict(fresh.X.col(i), level).f(0) + (small ? 1000.0 : 1.0) * stream.normal();
    }
    const LocalPredictor updated =
        model.updated(fresh.X, fresh.y, {.instead = true, .sides = Sides::both, .levels = {level}});
    return updated.predict(arma::vec{0.0, 0.0}, level).half_width()(0);
  };
  CHECK(width(29, Level(0.1)) < 10.0);
  CHECK(width(28, Level(0.1)) > 100.0);
  CHECK(width(99, Level(0.01)) < 10.0);  // which needs 99 rows
  CHECK(width(98, Level(0.01)) > 100.0);
}

TEST_CASE(
    "a class with too few rows for a level joins the small ones there, and all of them may be infinite") {
  Stream stream(22);
  auto [X, y] = rows_in_classes(400, stream);
  const Level tenth(0.1), small(0.008);  // which needs 124 rows
  for (const std::string method : {"forest", "mondrian", "adapt"}) {
    CAPTURE(method);
    const PredictorSettings settings = settings_by(method, {Level(0.05), tenth, Level(0.32), small});
    const LocalPredictor model = LocalPredictor::fit(X, y, settings);
    std::vector<std::size_t> rows;
    for (const LocalPredictor::Class& each : model.classes()) rows.push_back(each.rows);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0] + rows[1] + rows[2] == model.calibration_size());
    CHECK(model.rows_needed_in_class(tenth) == 29);
    CHECK(model.rows_needed_in_class(small) == 124);
    CHECK((rows[0] >= 29 && rows[0] < 124 && rows[1] >= 29 && rows[2] < 9));
    arma::mat queries = X.head_cols(5);
    queries.row(1) = arma::rowvec{0.0, 1.0, 2.0, 3.0, -1.0};
    const LevelIntervals found = model.predict(queries, settings.levels);
    CHECK(found.new_classes == 2);
    // The third class has too few rows at any level, and a new one shares what it has.
    const arma::uvec finite = {1, 1, 0, 0, 0};
    for (arma::uword n = 0; n < finite.n_elem; ++n)
      CHECK(std::isfinite(found.at(1).upper()(n)) == (finite(n) == 1));
    CHECK(same(reloaded(model).predict(queries, tenth), found.at(1)));
    if (method == "mondrian") continue;  // its own classes are too small for this level
    // Together all three have enough for the smallest level; an interval that holds an infinite one is one.
    for (arma::uword n = 0; n < finite.n_elem; ++n)
      CHECK(std::isfinite(found.at(3).upper()(n)) == (finite(n) == 1));
    // One end, and new rows, by classes, too.
    const arma::mat upper = model.ask(queries, {.upper = {tenth}}).single.upper;
    CHECK((std::isfinite(upper(0)) && std::isinf(upper(2))));
    const LocalPredictor updated = model.updated(X, y, {});
    CHECK(updated.classes()[0].rows > rows[0]);
    CHECK(std::isfinite(updated.predict(queries, tenth).upper()(2)));
  }
  PredictorSettings settings = settings_by("forest");
  settings.by = {2};
  CHECK_REFUSED(LocalPredictor::fit(X, y, settings), "settings.by: found 2");
}

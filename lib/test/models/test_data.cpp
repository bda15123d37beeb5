// Splitting and scaling; rows that occur more than once, and rows that belong together.
#include <algorithm>
#include <set>

#include "lacp/data/scaling.hpp"
#include "lacp/data/split.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"

using namespace lacp;

TEST_CASE("a split is a partition with the shares asked for") {
  Stream stream(1);
  for (const auto& [n, proper, train, test] : std::vector<std::array<std::size_t, 4>>{
           {768, 307, 307, 154}, {1030, 412, 412, 206}, {45730, 18292, 18292, 9146}, {10, 4, 4, 2}}) {
    const Split split = split_rows(n, {}, stream);
    CHECK(split.proper.size() == proper);
    CHECK(split.train.size() == train);
    CHECK(split.test.size() == test);
    std::set<arma::uword> all(split.proper.begin(), split.proper.end());
    all.insert(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    CHECK(all.size() == n);
    CHECK(*all.rbegin() == n - 1);
  }
  CHECK_THROWS_AS(split_rows(2, {}, stream), UserError);
  CHECK_THROWS_AS(split_rows(0, {}, stream), UserError);
  std::vector<arma::uword> rows(35);
  keep_whole_batches(rows, 16);
  CHECK(rows.size() == 32);
}

TEST_CASE("scaling standardises attributes, divides targets by their mean size, and leaves constants alone") {
  const arma::mat X = {{1, 2, 3, 4}, {5, 5, 5, 5}, {0.1, 0.1, 0.1, 0.1}, {1e200, 3e200, 1e200, 3e200}};
  const arma::vec y = {-2, 4, -6, 8};
  const Scaling scaling = Scaling::fit(X, y);
  const arma::mat scaled = scaling.attributes(X);
  CHECK(arma::mean(scaled.row(0)) == near(0.0, 1e-15));
  CHECK(arma::stddev(scaled.row(0), 1) == near(1.0, 1e-15));
  CHECK(arma::abs(scaled.rows(1, 2)).max() == 0.0);
  CHECK(scaled(3, 1) == near(1.0, 1e-15));
  CHECK(scaling.target == 5.0);
  CHECK(scaling.targets(y)(3) == near(1.6, 1e-15));
  CHECK(Scaling::fit(X, arma::vec{1e300, -1e300, 1e300, 1e300}).target == near_share(1e300, 1e-15));
  CHECK(Scaling::fit(X, arma::zeros(4)).target == 1.0);
}

namespace {

Rows repeated(const Rows& rows, std::size_t times) {
  return {arma::repmat(rows.X, 1, times), arma::repmat(rows.y, times, 1)};
}

PredictorSettings boosted() {
  PredictorSettings settings{.method = "fixed", .cross_fit = 5};
  settings.centre = {.kind = CentreKind::boosted, .boosted = {.rounds = 100}};
  return settings;
}

std::vector<arma::uword> sorted(std::vector<arma::uword> rows) {
  std::ranges::sort(rows);
  return rows;
}

}  // namespace

TEST_CASE("copies are found, and how often each different row occurs") {
  const Rows rows = made_rows(120, 1), twice = repeated(rows, 2);
  CHECK(find_repeats(rows.X, rows.y).copies.empty());
  const Repeats found = find_repeats(twice.X, twice.y);
  CHECK(found.times == 2);
  REQUIRE(found.copies.size() == 120);
  for (arma::uword i = 0; i < 120; ++i) CHECK(found.copies[i] == 120 + i);
  CHECK(find_repeats(repeated(rows, 5).X, repeated(rows, 5).y).times == 5);

  Rows measured_again = twice;  // the same attributes, other targets
  measured_again.y.tail(120) += 0.5;
  CHECK(find_repeats(measured_again.X, measured_again.y).copies.empty());
  const Repeats less = find_repeats(twice.X.head_cols(239), twice.y.head(239));
  CHECK(less.copies.size() == 119);
  CHECK(less.times == 0);

  CHECK(dropped_copies(found, Copies::by_itself) == found.copies);
  CHECK(dropped_copies(found, Copies::keep).empty());
  CHECK(dropped_copies(less, Copies::by_itself).empty());
  CHECK(dropped_copies(less, Copies::drop) == less.copies);
}

TEST_CASE("every different row is in one part, and without copies the split is that of the rows") {
  Stream stream(2);
  const Rows rows = made_rows(150, stream), twice = repeated(rows, 2);
  for (const std::size_t folds : {0u, 5u}) {
    PredictorSettings settings = boosted();
    settings.cross_fit = folds;
    const Split plain = split_of_fit(150, settings);
    const Split found = split_of_fit(twice.X, twice.y, settings).split;
    CHECK(found.proper == plain.proper);
    CHECK(found.train == plain.train);
    CHECK(found.test == plain.test);
    for (const Copies copies : {Copies::by_itself, Copies::keep}) {
      settings.copies = copies;
      const std::size_t times = copies == Copies::keep ? 2 : 1;
      const LocalPredictor model = LocalPredictor::fit(twice.X, twice.y, settings);
      CHECK(model.calibration_size() == times * plain.test.size());
      CHECK(model.report().repeated_rows == 150);
      CHECK(model.report().dropped_rows == 300 - times * 150);
    }
  }
}

namespace {

/// Of several fits: the mean prediction of new rows, and how many of them are inside at 0.1 and 0.32.
struct MeasuredCopies {
  double prediction = 0.0, truth = 0.0, at_10 = 0.0, at_32 = 0.0;
};

constexpr std::size_t fits = 10;

/// `table` makes rows to fit, `source` rows that are new, each of a stream.
template <class Table, class Source>
MeasuredCopies measure(const Table& table, const Source& source, Copies copies = Copies::by_itself) {
  MeasuredCopies mean;
  for (std::size_t fit = 0; fit < fits; ++fit) {
    Stream stream(100 + fit);
    PredictorSettings settings = boosted();
    settings.seed = fit, settings.copies = copies;
    const Rows known = table(stream), rows = source(stream);
    const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings);
    mean.prediction += arma::mean(model.predict(rows.X, Level(0.1)).f) / fits;
    mean.truth += arma::mean(rows.y) / fits;
    mean.at_10 += share_inside(model.predict(rows.X, Level(0.1)), rows.y) / fits;
    mean.at_32 += share_inside(model.predict(rows.X, Level(0.32)), rows.y) / fits;
  }
  return mean;
}

/// At least three deviations below what was promised.
void check_coverage(const MeasuredCopies& found, std::size_t calibrating, std::size_t rows) {
  CHECK(found.at_10 >= 0.9 - 3.0 * coverage_error(0.9, calibrating * fits, rows * fits));
  CHECK(found.at_32 >= 0.68 - 3.0 * coverage_error(0.68, calibrating * fits, rows * fits));
}

}  // namespace

TEST_CASE("rows that repeat as new rows do are kept, which keeps predictions and coverage") {
  // Insurance: four factors of few values, and a claim now and then.
  const auto claims = [](Stream& stream) {
    Rows rows{arma::mat(4, 1500), arma::vec(1500)};
    for (arma::uword n = 0; n < 1500; ++n) {
      for (double& x : rows.X.col(n)) x = static_cast<double>(stream.below(5));
      rows.y(n) = stream.uniform(0, 1) < 0.01 * (1.0 + rows.X(0, n)) ? 1.0 : 0.0;
    }
    return rows;
  };
  Stream one(1);
  const Rows some = claims(one);
  CHECK(find_repeats(some.X, some.y).copies.size() > 500);
  const MeasuredCopies insured = measure(claims, claims);
  check_coverage(insured, 300, 1500);
  // The mean of ten fits of 1200 rows, and that of ten times 1500 new ones.
  CHECK(insured.prediction == near(insured.truth, 3.0 * std::sqrt(0.03 / 12'000 + 0.03 / 15'000)));

  CHECK(measure(claims, claims, Copies::drop).prediction > 2.0 * insured.truth);
}

TEST_CASE("a table that holds every row several times covers new rows as one that holds it once") {
  const auto source = [](Stream& stream) { return made_rows(500, stream); };
  for (const auto& [different, times] :
       std::vector<std::array<std::size_t, 2>>{{200, 1}, {200, 2}, {99, 3}, {60, 5}}) {
    CAPTURE(times);
    const auto table = [&](Stream& stream) { return repeated(made_rows(different, stream), times); };
    check_coverage(measure(table, source), different / 5, 500);
    // Kept, calibration rows are rows of the training.
    if (times > 2) CHECK(measure(table, source, Copies::keep).at_32 < 0.5);
  }
}

TEST_CASE("rows of a group are in one part, and one of them calibrates") {
  constexpr std::size_t n = 600;
  const Rows rows = made_rows(n, 3);
  PredictorSettings settings = boosted(), alone = boosted();
  for (std::size_t i = 0; i < n; ++i) settings.groups.push_back(7 * (i % 60)), alone.groups.push_back(i);
  const Split split = split_of_fit(n, settings);
  CHECK(std::set(split.proper.begin(), split.proper.end()).size() == 480);  // 48 of 60 groups
  std::set<std::size_t> calibrating, training;
  for (const arma::uword i : split.test) calibrating.insert(settings.groups[i]);
  for (const arma::uword i : split.proper) training.insert(settings.groups[i]);
  CHECK(calibrating.size() == 12);
  CHECK(training.size() == 48);
  for (const std::size_t group : calibrating) CHECK(training.count(group) == 0);
  CHECK(LocalPredictor::fit(rows.X, rows.y, settings).calibration_size() == 12);

  // A group for each row is as none.
  CHECK(sorted(split_of_fit(n, alone).test) == sorted(split_of_fit(n, boosted()).test));
  alone.groups.pop_back();
  CHECK_REFUSED(split_of_fit(n, alone), "groups: has 599 numbers for 600 rows");
  settings.groups.assign(n, 1);
  CHECK_REFUSED(split_of_fit(n, settings), "settings.groups: 1 group cannot be split");
}

TEST_CASE("out of folds, no row is predicted from one of its group") {
  // Two rows a group, equal but for a little: the nearest neighbour is the other one, unless it is in the
  // fold.
  Stream stream(3);
  arma::mat X(1, 200);
  arma::vec y(200);
  std::vector<std::size_t> groups;
  for (arma::uword i = 0; i < 200; ++i) {
    X(0, i) = i % 2 == 0 ? stream.normal() : X(0, i - 1) + 1e-6;
    y(i) = i % 2 == 0 ? stream.normal() : y(i - 1);
    groups.push_back(i / 2);
  }
  const CentreOptions nearest{.knn = {.grid = {1}}};
  Stream folds(4), same(4);
  CHECK(arma::mean(arma::abs(out_of_fold(X, y, 8, nearest, folds) - y)) > 0.5);
  const arma::vec grouped = out_of_fold(X, y, 7, nearest, same, groups);
  CHECK(arma::abs(grouped - y).min() > 0.0);
  CHECK_REFUSED(out_of_fold(X, y, 150, nearest, same, groups), "100 groups cannot be divided into 150 folds");
}

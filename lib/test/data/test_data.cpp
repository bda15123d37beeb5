// Splitting and scaling; rows that occur more than once, and rows that belong together.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "lacp/base/error.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/data/split.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"
#include "near.hpp"

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
  CHECK_THROWS_AS(Scaling::fit(X, arma::zeros(4)), UserError);
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

TEST_CASE("copies are told from rows of few values, which are equal by chance") {
  Stream stream(1);
  const Rows rows = made_rows(120, stream);
  CHECK(find_repeats(rows.X, rows.y).copies.empty());
  const Rows twice = repeated(rows, 2);
  const Repeats found = find_repeats(twice.X, twice.y);
  CHECK_FALSE(found.by_chance);
  REQUIRE(found.copies.size() == 120);
  for (arma::uword i = 0; i < 120; ++i) CHECK(found.copies[i] == 120 + i);

  Rows measured_again = twice;  // the same attributes, other targets
  measured_again.y.tail(120) += 0.5;
  CHECK(find_repeats(measured_again.X, measured_again.y).copies.empty());

  Rows whole = made_rows(2000, stream);  // whole numbers, in more than a hundred different rows
  whole.X = arma::round(whole.X), whole.y = arma::round(whole.y);
  CHECK(find_repeats(whole.X, whole.y).copies.size() > 500);
  CHECK(find_repeats(whole.X, whole.y).by_chance);
  const Rows few = repeated(made_rows(99, stream), 5);
  CHECK(find_repeats(few.X, few.y).by_chance);
}

TEST_CASE("every different row is in one part, and without copies the split is that of the rows") {
  Stream stream(2);
  const Rows rows = made_rows(150, stream), twice = repeated(rows, 2);
  for (const std::size_t folds : {0u, 5u}) {
    PredictorSettings settings = boosted();
    settings.cross_fit = folds;
    const Split plain = split_of_fit(150, settings), found = split_of_fit(twice.X, twice.y, settings);
    CHECK(found.proper == plain.proper);
    CHECK(found.train == plain.train);
    CHECK(found.test == plain.test);
    CHECK(LocalPredictor::fit(twice.X, twice.y, settings).calibration_size() == plain.test.size());
  }
}

TEST_CASE("rows of a group are in one part, and one of them calibrates") {
  constexpr std::size_t n = 600;
  Stream stream(3);
  const Rows rows = made_rows(n, stream);
  PredictorSettings settings = boosted();
  for (std::size_t i = 0; i < n; ++i) settings.groups.push_back(7 * (i % 60));
  const Split split = split_of_fit(n, settings);
  CHECK(split.proper.size() == 480);  // 48 of 60 groups
  CHECK(split.test.size() == 12);
  std::set<std::size_t> calibrating, training;
  for (const arma::uword i : split.test) calibrating.insert(settings.groups[i]);
  for (const arma::uword i : split.proper) training.insert(settings.groups[i]);
  CHECK(calibrating.size() == 12);
  CHECK(training.size() == 48);
  for (const std::size_t group : calibrating) CHECK(training.count(group) == 0);
  CHECK(std::set(split.proper.begin(), split.proper.end()).size() == 480);
  CHECK(LocalPredictor::fit(rows.X, rows.y, settings).calibration_size() == 12);

  // A group for each row is as none.
  PredictorSettings alone = boosted(), none = boosted();
  for (std::size_t i = 0; i < n; ++i) alone.groups.push_back(i);
  CHECK(sorted(split_of_fit(n, alone).test) == sorted(split_of_fit(n, none).test));

  settings.groups.pop_back();
  CHECK_THROWS_WITH_AS(split_of_fit(n, settings),
                       "settings.groups: has 599 numbers for 600 rows; expected one for each, or none",
                       UserError);
  settings.groups.assign(n, 1);
  CHECK_THROWS_WITH_AS(split_of_fit(n, settings), "settings.groups: 1 group cannot be split into three parts",
                       UserError);
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
  CHECK_THROWS_WITH_AS(out_of_fold(X, y, 150, nearest, same, groups),
                       "100 groups cannot be divided into 150 folds; lower cross_fit", UserError);
}

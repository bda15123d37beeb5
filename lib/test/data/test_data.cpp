// Splitting and scaling; rows that occur more than once, and rows that belong together.
#include <set>

#include "lacp/data/scaling.hpp"
#include "lacp/data/split.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"

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
    const FitSplits found = splits_of_fit(twice.X, twice.y, settings);
    REQUIRE(found.splits.size() == 1);
    CHECK(found.splits[0].proper == plain.proper);
    CHECK(found.splits[0].train == plain.train);
    CHECK(found.splits[0].test == plain.test);
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
  const Split of_rows = split_of_fit(n, boosted()), of_groups = split_of_fit(n, alone);
  CHECK(std::set(of_rows.test.begin(), of_rows.test.end()) ==
        std::set(of_groups.test.begin(), of_groups.test.end()));
  alone.groups.pop_back();
  CHECK_REFUSED(split_of_fit(n, alone), "settings.groups: has 599 numbers for 600 rows");
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

// Splitting and scaling.
#include <doctest/doctest.h>

#include <set>

#include "lacp/base/error.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/data/split.hpp"
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

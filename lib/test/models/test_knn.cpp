#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <thread>

#include "lacp/knn/knn.hpp"
#include "made_rows.hpp"
#include "models/stack/near_rows.hpp"

using namespace lacp;

namespace {

/// The definition: sort by (distance, index), average the first K.
arma::vec brute_force(const arma::mat& points, const arma::vec& y, const arma::mat& queries, std::size_t k) {
  arma::vec f(queries.n_cols);
  for (arma::uword i = 0; i < queries.n_cols; ++i) {
    std::vector<std::pair<double, arma::uword>> all;
    for (arma::uword j = 0; j < points.n_cols; ++j)
      all.push_back({arma::norm(queries.col(i) - points.col(j), 2), j});
    std::sort(all.begin(), all.end());
    double sum = 0.0;
    for (std::size_t n = 0; n < k; ++n) sum += y(all[n].second);
    f(i) = sum / static_cast<double>(k);
  }
  return f;
}

}  // namespace

TEST_CASE("predictions are the mean of the K nearest, for every K of a grid; ties are broken by index") {
  Stream stream(1);
  const std::vector<std::size_t> grid = {1, 2, 7, 32};
  for (const bool ties : {false, true}) {
    CAPTURE(ties);
    arma::mat points = gaussian(4, 400, stream), queries = gaussian(4, 60, stream);
    if (ties) points = arma::sign(points), queries = arma::sign(queries);  // 16 places, 25 points on each
    const arma::vec y = gaussian(400, 1, stream);
    const arma::mat means = KnnRegressor(points, y, 1).means(queries, grid);
    CHECK(arma::approx_equal(means, NearRows(points, y, 1).means(queries, grid), "absdiff", 0.0));
    for (std::size_t g = 0; g < grid.size(); ++g)
      CHECK(arma::approx_equal(arma::vec(means.row(g).t()), brute_force(points, y, queries, grid[g]),
                               "absdiff", 1e-12));
  }
}

TEST_CASE("points that are left out might as well not be there, ties included") {
  Stream stream(2);
  const std::vector<std::size_t> grid = {1, 4, 16};
  for (const bool ties : {false, true}) {
    CAPTURE(ties);
    arma::mat points = gaussian(5, 300, stream);  // an odd number of coordinates
    if (ties) points = arma::sign(points);
    const arma::vec y = gaussian(300, 1, stream);
    const NearRows all(points, y, 1);
    for (const LeftOut fold : {LeftOut{0, 60}, LeftOut{90, 91}, LeftOut{284, 300}, LeftOut{16, 300}}) {
      CAPTURE(fold.begin);
      arma::mat others = points;
      arma::vec of_others = y;
      others.shed_cols(fold.begin, fold.end - 1);
      of_others.shed_rows(fold.begin, fold.end - 1);
      const arma::mat held = points.cols(fold.begin, fold.end - 1);
      const arma::mat means = all.means(held, grid, fold);
      CHECK(arma::approx_equal(means, KnnRegressor(others, of_others, 1).means(held, grid), "absdiff", 0.0));
      CHECK(arma::approx_equal(arma::vec(means.row(1).t()), brute_force(others, of_others, held, 4),
                               "absdiff", 1e-12));
    }
  }
}

TEST_CASE("points whose distances agree but for rounding stand in the order of our own sum") {
  // Permuted coordinates: the exact distances from the origin are all equal, the rounded sums are not.
  arma::mat points(3, 6);
  std::array<double, 3> c = {0.1, 0.7, 1.3};
  for (arma::uword n = 0; n < 6; ++n, std::next_permutation(c.begin(), c.end()))
    for (arma::uword i = 0; i < 3; ++i) points(i, n) = c[i];
  std::vector<std::pair<double, arma::uword>> order;
  for (arma::uword n = 0; n < 6; ++n) {
    double sum = 0.0;
    for (arma::uword i = 0; i < 3; ++i) sum += points(i, n) * points(i, n);
    order.emplace_back(std::sqrt(sum), n);
  }
  std::sort(order.begin(), order.end());
  const arma::vec y = arma::regspace(0, 5);
  for (const std::size_t k : {1u, 2u, 3u, 4u, 5u}) {
    double sum = 0.0;
    for (std::size_t j = 0; j < k; ++j) sum += y(order[j].second);
    const arma::mat origin(3, 1, arma::fill::zeros);
    CHECK(KnnRegressor(points, y, 1).means(origin, {k})(0, 0) == sum / static_cast<double>(k));
    CHECK(NearRows(points, y, 1).means(origin, {k})(0, 0) == sum / static_cast<double>(k));
  }
}

TEST_CASE("points that only the last bit tells apart") {
  // No number lies between the two, so that no middle divides them.
  arma::mat points(1, 60);
  for (arma::uword n = 0; n < 60; ++n) points(n) = n % 2 == 0 ? 1.0 : std::nextafter(1.0, 2.0);
  const arma::vec y = arma::regspace(0, 59);
  const KnnRegressor model(points, y, 30);
  CHECK(model.predict(points.cols(0, 1))(0) == 29);  // the mean of 0, 2, …, 58
  CHECK(model.predict(points.cols(0, 1))(1) == 30);
}

TEST_CASE("points of which each halving takes one make no tree that is as deep as they are many") {
  constexpr arma::uword count = 22'000, attributes = 20;
  arma::mat points(attributes, count, arma::fill::zeros);
  for (arma::uword n = 0; n < count; ++n)
    points(n % attributes, n) = std::ldexp(1.0, 490 - static_cast<int>(n / attributes));
  const arma::vec y = arma::regspace(0, count - 1.0);
  const arma::mat queries = points.head_cols(200);
  CHECK(arma::all(KnnRegressor(points, y, 1).predict(queries) == y.head(200)));
  CHECK(arma::all(NearRows(points, y, 1).predict(queries) == y.head(200)));
}

TEST_CASE("copies share one tree, and threads may predict at the same time") {
  Stream stream(10);
  const arma::mat queries = gaussian(3, 200, stream);
  const arma::vec y = gaussian(500, 1, stream);
  std::optional<KnnRegressor> first(KnnRegressor(gaussian(3, 500, stream), y, 5));
  const arma::vec expected = first->predict(queries);
  const KnnRegressor copy = *first;
  CHECK(&copy.points() == &first->points());
  first.reset();
  std::vector<arma::vec> found(4);
  std::vector<std::thread> threads;
  for (arma::vec& f : found) threads.emplace_back([&] { f = copy.predict(queries); });
  for (std::thread& thread : threads) thread.join();
  for (const arma::vec& f : found) CHECK(arma::all(f == expected));
}

TEST_CASE(
    "errors of a K are those of the folds, or of the last fifth of a random sample as in the released code") {
  Stream stream(5);
  const arma::mat X = gaussian(3, 200, stream);
  const arma::vec y = gaussian(200, 1, stream);
  const auto squared = [&](const arma::uvec& fitted, const arma::uvec& held, std::size_t k) {
    return arma::accu(arma::square(brute_force(X.cols(fitted), y(fitted), X.cols(held), k) - y(held)));
  };
  Stream a(6), b(6), c(6);
  const arma::uvec order(c.permutation<arma::uword>(200));
  double sum = 0.0;
  for (arma::uword fold = 0; fold < 5; ++fold) {
    arma::uvec held = order.subvec(fold * 40, fold * 40 + 39), fitted = order;
    fitted.shed_rows(fold * 40, fold * 40 + 39);
    sum += squared(fitted, held, 3);
  }
  CHECK(KnnRegressor::fit(X, y, {.grid = {3}, .folds = 5}, a).trials()[0].error == near(sum / 200, 1e-12));

  const KnnRegressor model =
      KnnRegressor::fit(X, y, {.grid = {4}, .selection = KnnSelection::hold_out, .points = 100}, b);
  CHECK(model.points().n_cols == 100);
  CHECK(model.trials()[0].error == near(squared(order.head(80), order.subvec(80, 99), 4) / 20, 1e-12));
}

TEST_CASE("what cannot be done is refused, what can is done") {
  Stream stream(9);
  const arma::mat X = gaussian(2, 10, stream);
  const arma::vec y = gaussian(10, 1, stream);
  // Folds fit on 8 points: K = 16 and 32 are left out.
  CHECK(KnnRegressor::fit(X, y, {}, stream).trials().size() == 3);
  CHECK_REFUSED(KnnRegressor::fit(X, y, {.grid = {16}}, stream), "no K of the grid fits");
  CHECK_THROWS_AS(KnnRegressor::fit(X.cols(0, 2), y.head(3), {}, stream), UserError);
  CHECK_THROWS_AS(KnnRegressor(X, y, 11), UserError);
  CHECK_THROWS_AS(KnnRegressor(X, y, 1).means(X, {2, 11}), std::invalid_argument);
  CHECK_THROWS_AS(NearRows(X, y, 1).means(X, {8}, {0, 3}), std::invalid_argument);
  CHECK_THROWS_AS(KnnRegressor(X, y.head(9), 3), std::invalid_argument);
  arma::mat constant = X;
  constant.row(0).zeros();
  CHECK(KnnRegressor(constant, y, 3).predict(X).is_finite());
  CHECK(KnnRegressor(X, y, 3).predict(arma::mat(2, 0)).is_empty());
  CHECK_THROWS_AS(KnnRegressor(X, y, 3).predict(arma::mat(5, 2)), std::invalid_argument);
  CHECK_THROWS_AS(KnnRegressor(X, y, 3).predict(arma::mat(2, 1, arma::fill::value(arma::datum::nan))),
                  std::invalid_argument);
  // Coordinates whose distances overflow.
  const arma::mat far{{1e200, -1e200, 0.0}};
  CHECK_THROWS_AS(KnnRegressor(far, arma::vec{1, 2, 3}, 2), lacp::RunError);
  CHECK_THROWS_AS(KnnRegressor(far * 1e-100, arma::vec{1, 2, 3}, 2).predict(far), lacp::RunError);
  CHECK(KnnRegressor(far * 1e-51, arma::vec{1, 2, 3}, 2).predict(arma::mat{0.0})(0) == 2);
}

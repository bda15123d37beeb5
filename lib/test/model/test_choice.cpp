// What is chosen by losses on rows that no candidate has seen; and a forest's view of such rows, out of bag.
#include "lacp/model/choice.hpp"
#include "lacp/model/trees/forest.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

constexpr std::size_t rows = 400;
const std::vector<double> taus = {0.05, 0.25, 0.5, 0.75, 0.95};

/// By trees that see two attributes by chance; `values` are what the forest distributes.
arma::mat out_of_bag(const arma::vec& values, const Groups& groups, std::size_t jobs = 1) {
  Stream stream(3);
  const arma::mat X = gaussian(2, rows, stream);
  const ForestOptions options{.trees = 30, .least_rows = 1};
  return grow_forest(make_bins(X, 255), values, values, options, 5, groups, jobs).out_of_bag(X, taus, jobs);
}

}  // namespace

TEST_CASE("the default stays, unless another candidate is better by more than its standard error") {
  Stream stream(1);
  const arma::vec losses = arma::vectorise(gaussian(rows, 1, stream)),
                  noise = arma::vectorise(gaussian(rows, 1, stream));
  const double error = 1.0 / std::sqrt(static_cast<double>(rows));  // of the mean of the noise
  const arma::vec by_chance = noise - arma::mean(noise);
  const auto better_by = [&](double errors) { return arma::vec(losses + by_chance - errors * error); };
  CHECK(choose({losses}) == 0);
  CHECK(choose({losses, losses}) == 0);
  CHECK(choose({losses, better_by(0.8)}) == 0);
  CHECK(choose({losses, better_by(-3.0)}) == 0);
  CHECK(choose({losses, better_by(1.3)}) == 1);
  CHECK(choose({losses, better_by(1.3), better_by(2.0), better_by(1.6)}) == 2);
  // A small gain that is sure, against a larger one that is not.
  CHECK(choose({losses, losses + 10.0 * by_chance - 5.0 * error, losses - 0.1 * error}) == 2);
  CHECK(choose({{1.0}, {0.0}}) == 0);
  CHECK(choose({arma::vec(), arma::vec()}) == 0);
}

TEST_CASE("out of bag a row sees all values but its own, and those of its group") {
  arma::vec values(rows);
  Groups groups;
  for (arma::uword n = 0; n < rows; ++n) values(n) = static_cast<double>(n * 37 % rows);
  const arma::mat found = out_of_bag(values, {});
  CHECK(found.is_finite());
  for (arma::uword n = 0; n < rows; ++n) CHECK(arma::all(found.col(n) != values(n)));
  CHECK(arma::approx_equal(found, out_of_bag(values, {}, 3), "absdiff", 0.0));

  for (arma::uword n = 0; n < rows; ++n) {
    groups.push_back(n / 8);
    values(n) = static_cast<double>(groups.back() * 7 % 50);  // a value names the group
  }
  const arma::mat of_groups = out_of_bag(values, groups);
  CHECK(of_groups.is_finite());
  for (arma::uword n = 0; n < rows; ++n) CHECK(arma::all(of_groups.col(n) != values(n)));
  CHECK(arma::accu(out_of_bag(values, {}).row(2).t() == values) > 10);  // or nothing was tried here

  const arma::mat one_group = out_of_bag(values, Groups(rows, 1));
  CHECK(one_group.n_elem == arma::uvec(arma::find_nan(one_group)).n_elem);
}

TEST_CASE("losses are those of rows, or sums over groups that follow each other") {
  CHECK(arma::approx_equal(by_group({1, 2, 4, 8}, {}), arma::vec{1, 2, 4, 8}, "absdiff", 0.0));
  CHECK(arma::approx_equal(by_group({1, 2, 4, 8}, {3, 3, 0, 5}), arma::vec{3, 4, 8}, "absdiff", 0.0));
  CHECK(by_group({}, {}).empty());
}

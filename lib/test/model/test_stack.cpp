#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

CrossStacked stacked(const Rows& rows, std::size_t jobs = 1, const Groups& groups = {}) {
  Stream stream(3);
  CentreOptions options{.kind = CentreKind::stack};
  options.boosted.rounds = 60;
  return fit_stack(rows.X, rows.y, 5, options, stream, groups, jobs);
}

double error(const arma::vec& f, const arma::vec& y) {
  return std::sqrt(mean_of(arma::vec(arma::square(f - y))));
}

std::string bytes_of(const Stack& stack) {
  ModelWriter out("stack\n", 1);
  write(out, Centre(stack));
  return out.whole();
}

double smooth(double x0, double x1, double noise) { return std::sin(2.0 * x0) * x1 + 0.05 * noise; }
double steps(double x0, double x1, double noise) {
  return std::floor(2.0 * x0) + (x1 > 0.3 ? 5.0 : 0.0) + 0.1 * noise;
}

}  // namespace

TEST_CASE("weights go to the member that predicts best, and the stack is as good as each of them") {
  Stream stream(1);
  const Rows wave = made_rows(1500, stream, smooth), stairs = made_rows(1500, stream, steps),
             new_wave = made_rows(1000, stream, smooth), new_stairs = made_rows(1000, stream, steps);
  const CrossStacked of_wave = stacked(wave), of_stairs = stacked(stairs);
  CHECK(of_wave.stack.weights().network > 0.6);
  CHECK(of_stairs.stack.weights().boosted > 0.8);
  for (const auto& [fit, rows, fresh] :
       {std::tuple(&of_wave, &wave, &new_wave), std::tuple(&of_stairs, &stairs, &new_stairs)}) {
    const Stack& stack = fit->stack;
    const double own = error(stack.predict(fresh->X), fresh->y);
    CHECK(own < 1.1 * error(fit->out, rows->y));
    const auto mean_error = [&](const auto& models) {
      double sum = 0.0;
      for (const auto& model : models) sum += error(model.predict(fresh->X), fresh->y);
      return sum / static_cast<double>(models.size());
    };
    if (!stack.boosted().empty()) CHECK(own < mean_error(stack.boosted()));
    if (!stack.networks().empty()) CHECK(own < 1.02 * mean_error(stack.networks()));
  }
}

TEST_CASE("f is the mean and what weighted members add to it, the mean over folds") {
  const Rows rows = made_rows(400, 2);
  const Stack stack = stacked(rows).stack;
  arma::vec f(400, arma::fill::value(stack.mean()));
  REQUIRE(stack.boosted().size() == 5);
  for (const BoostedTrees& trees : stack.boosted())
    f += stack.weights().boosted / 5.0 * (trees.predict(rows.X) - stack.mean());
  for (const MlpRegressor& network : stack.networks())
    f += stack.weights().network / 5.0 * (network.predict(rows.X) - stack.mean());
  if (stack.neighbours())
    f += stack.weights().neighbours * (stack.neighbours()->predict(rows.X) - stack.mean());
  CHECK(arma::abs(f - stack.predict(rows.X)).max() < 1e-12);
  CHECK((stack.weights().network == 0.0) == stack.networks().empty());
}

TEST_CASE("no row has a part in what is predicted for it") {
  Rows rows = made_rows(500, 5);
  const arma::vec before = stacked(rows).out;
  // One target is changed: its own fold's members have not seen it. Weights and the number of rounds have, a
  // little; without them what is predicted for the row would not change at all.
  rows.y(7) += 40.0;
  CHECK(std::abs(stacked(rows).out(7) - before(7)) < 0.5);
}

TEST_CASE("a row far out is predicted as one at the edge of what was seen") {
  Stream stream(7);
  const Rows rows = made_rows(600, stream, smooth);
  const Stack stack = stacked(rows).stack;
  arma::mat far = rows.X.head_cols(50), edge = far;
  far.row(0).fill(1e9), edge.row(0).fill(rows.X.row(0).max());
  CHECK(arma::all(stack.predict(far) == stack.predict(edge)));
}

TEST_CASE("tables of every shape") {
  Stream stream(8);
  for (const auto& [d, n] : {std::pair(1u, 5u), std::pair(3u, 12u), std::pair(80u, 30u)}) {
    const Rows rows{gaussian(d, n, stream), gaussian(n, 1, stream).as_col()};
    const CrossStacked fit = stacked(rows);
    CHECK(fit.out.is_finite());
    CHECK(fit.out.n_elem == n);
    CHECK(fit.stack.predict(rows.X).is_finite());
    if (d > n) CHECK(fit.stack.networks().empty());  // it would learn its rows by heart
  }
  const Rows constant{gaussian(2, 40, stream), arma::vec(40, arma::fill::value(7.0))};
  CHECK(arma::all(stacked(constant).stack.predict(constant.X) == 7.0));
}

TEST_CASE("groups are on one side of each fold") {
  Groups groups;
  for (std::size_t n = 0; n < 60; ++n) groups.push_back(n / 7);
  for (const HeldOut& fold : stack_folds(60, 5, groups))
    for (const std::uint32_t held : fold.held)
      for (const std::uint32_t fitted : fold.fitted) CHECK(groups[held] != groups[fitted]);
  // Of very many rows a part is held out once.
  const std::vector<HeldOut> many = stack_folds(250'000, 5);
  REQUIRE(many.size() == 1);
  CHECK(many.front().held.size() == 100'000);
  CHECK(many.front().held.front() == 150'000);
}

TEST_CASE("the same bytes on every machine and number of threads, also through a file") {
  const Rows rows = made_rows(300, 9);
  const std::string bytes = bytes_of(stacked(rows).stack);
  CHECK(bytes_of(stacked(rows, 3).stack) == bytes);
  CHECK(sha256(bytes) == "04e72b1780a12e3f5d63663a69227daf2d64a21b87bdda0f15090ed504149ac8");
  ModelReader in(bytes, "stack", "stack\n", 1, 1);
  CHECK(bytes_of(std::get<Stack>(read_centre(in, CentreKind::stack, 2))) == bytes);
}

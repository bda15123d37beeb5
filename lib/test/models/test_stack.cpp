#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/sums.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"
#include "models/stack/choice.hpp"

using namespace lacp;

namespace {

CrossStacked stacked(const Rows& rows, std::size_t jobs = 1, const Groups& groups = {},
                     std::size_t repeats = 1) {
  Stream stream(3);
  CentreOptions options{.kind = CentreKind::stack};
  options.boosted.rounds = 60;
  return fit_stack(rows.X, rows.y, {.repeats = repeats}, options, stream, groups, jobs);
}

std::vector<HeldOut> folds_of(std::size_t rows, const Groups& groups = {}, std::size_t repeats = 1) {
  Stream stream(4);
  return stack_folds(rows, {.repeats = repeats}, groups, stream);
}

double error(const arma::vec& f, const arma::vec& y) {
  return std::sqrt(mean_of(arma::vec(arma::square(f - y))));
}

/// What networks of a stack see.
arma::mat inputs(const Stack& stack, const arma::mat& X) { return stack.map ? stack.map->map(X) : X; }

std::string bytes_of(const Stack& stack) {
  ModelWriter out("stack\n", 1);
  write(out, Centre(stack));
  return out.whole();
}

Stack read(const std::string& bytes) {
  ModelReader in(bytes, "stack", "stack\n", 1);
  return std::get<Stack>(read_centre(in, CentreKind::stack, 2));
}

double smooth(double x0, double x1, double noise) { return std::sin(2.0 * x0) * x1 + 0.05 * noise; }
/// The same by attributes that lie far out.
Rows with_long_tails(Rows rows) {
  rows.X = arma::exp(3.0 * rows.X);
  for (arma::uword i = 0; i < rows.X.n_rows; ++i) rows.X.row(i) /= rows.X.row(i).max() / 30.0;
  return rows;
}

double steps(double x0, double x1, double noise) {
  return std::floor(2.0 * x0) + (x1 > 0.3 ? 5.0 : 0.0) + 0.1 * noise;
}

}  // namespace

TEST_CASE("weights go to the member that predicts best, and the stack is as good as each of them") {
  Stream stream(1);
  const Rows wave = made_rows(1500, stream, smooth), stairs = made_rows(1500, stream, steps),
             new_wave = made_rows(1000, stream, smooth), new_stairs = made_rows(1000, stream, steps);
  const CrossStacked of_wave = stacked(wave), of_stairs = stacked(stairs);
  CHECK(of_wave.stack.weights.network > 0.6);
  CHECK(of_stairs.stack.weights.boosted > 0.8);
  for (const auto& [fit, rows, fresh] :
       {std::tuple(&of_wave, &wave, &new_wave), std::tuple(&of_stairs, &stairs, &new_stairs)}) {
    const Stack& stack = fit->stack;
    const double own = error(stack.predict(fresh->X), fresh->y);
    CHECK(own < 1.1 * error(fit->out, rows->y));
    const auto mean_error = [&](const auto& models, const arma::mat& X) {
      double sum = 0.0;
      for (const auto& model : models) sum += error(model.predict(X), fresh->y);
      return sum / static_cast<double>(models.size());
    };
    if (!stack.boosted.empty()) CHECK(own < mean_error(stack.boosted, fresh->X));
    if (!stack.networks.empty()) CHECK(own < 1.02 * mean_error(stack.networks, inputs(stack, fresh->X)));
  }
}

TEST_CASE("f is the mean and what weighted members add to it, the mean over folds") {
  const Rows rows = made_rows(400, 2);
  const Stack stack = stacked(rows).stack;
  arma::vec f(400, arma::fill::value(stack.mean));
  REQUIRE(stack.boosted.size() == 5);
  for (const BoostedTrees& trees : stack.boosted)
    f += stack.weights.boosted / 5.0 * (trees.predict(rows.X) - stack.mean);
  for (const MlpRegressor& network : stack.networks)
    f += stack.weights.network / 5.0 * (network.predict(inputs(stack, rows.X)) - stack.mean);
  if (stack.neighbours) f += stack.weights.neighbours * (stack.neighbours->predict(rows.X) - stack.mean);
  REQUIRE(stack.line);
  f += stack.line_first ? stack.line->predict(rows.X)
                        : stack.weights.line * (stack.line->predict(rows.X) - stack.mean);
  CHECK(arma::abs(f - stack.predict(rows.X)).max() < 1e-12);
  CHECK((stack.weights.network == 0.0) == stack.networks.empty());
}

TEST_CASE("the first fold chooses what networks see, and the file has it") {
  Stream stream(10);
  const Rows wave = made_rows(1200, stream, smooth);
  const Stack raw = stacked(wave).stack;
  Stack mapped = stacked(with_long_tails(wave)).stack;
  REQUIRE(!raw.networks.empty());
  REQUIRE(!mapped.networks.empty());
  CHECK(!raw.map);
  REQUIRE(mapped.map);
  CHECK(mapped.map->knots.size() == 2);
  CHECK(mapped.weights.network > 0.5);
  CHECK(bytes_of(read(bytes_of(mapped))) == bytes_of(mapped));
  std::swap(mapped.map->knots.back().front(), mapped.map->knots.back().back());
  CHECK_THROWS_AS(read(bytes_of(mapped)), UserError);
  // What one sees raw is too large for its numbers: the other one is left.
  Rows huge = with_long_tails(wave);
  huge.X *= 1e37;
  CHECK(stacked(huge).stack.map);
}

TEST_CASE("the first fold chooses how long networks are trained") {
  Stream stream(11);
  const Rows wave = made_rows(1000, stream, smooth);
  const Rows noise = made_rows(
      1000, stream, [](double x0, double x1, double each) { return smooth(x0, x1, 0.0) + x0 + 0.7 * each; });
  const CrossStacked long_one = stacked(wave), short_one = stacked(noise);
  REQUIRE(!long_one.stack.networks.empty());
  REQUIRE(!short_one.stack.networks.empty());
  CHECK(long_one.stack.networks.front().epochs == 85);
  CHECK(short_one.stack.networks.front().epochs < 85);
  for (const MlpRegressor& each : short_one.stack.networks)
    CHECK(each.epochs == short_one.stack.networks.front().epochs);
}

TEST_CASE("where the first fold gives networks no weight, the others have none") {
  Stream stream(12);
  const auto made = [&](std::size_t n) {
    Rows rows = made_rows(n, stream, smooth);
    const arma::vec f =
        boost_folds(rows.X, rows.y, make_bins(rows.X, 255), folds_of(n), {.rounds = 60}, 1, 1).out;
    rows.y.head(n / 5) = f.head(n / 5);  // so trees are right there, and networks only in the other folds
    return rows;
  };
  CHECK(stacked(made(1500)).stack.networks.empty());
  CHECK(stacked(made(600)).stack.weights.network > 0.3);  // the fold's rows are too few to tell
}

TEST_CASE("a line comes first where it is better, has a weight, or is left out") {
  Stream stream(14);
  const auto linear = [](double x0, double x1, double noise) { return 3.0 * x0 - x1 + 0.1 * noise; };
  const Rows straight = made_rows(300, stream, linear), fresh = made_rows(300, stream, linear);
  const Stack of_straight = stacked(straight).stack;
  REQUIRE(of_straight.line);
  CHECK(of_straight.line->slopes(0) == near(3.0, 0.05));
  CHECK(error(of_straight.predict(fresh.X), fresh.y) < 0.12);
  // Steps on a slope: trees find them where the line has been taken away.
  const Rows slope = made_rows(600, stream, [](double x0, double x1, double noise) {
    return 20.0 * x0 - 10.0 * x1 + std::floor(2.0 * x1) + 0.1 * noise;
  });
  const Stack first = stacked(slope).stack;
  CHECK(first.line_first);
  CHECK(first.weights.boosted > 0.3);
  CHECK(bytes_of(read(bytes_of(first))) == bytes_of(first));
  const Stack none = stacked(made_rows(1000, stream, steps)).stack;
  CHECK_FALSE(none.line_first);
  CHECK(none.weights.line < 0.2);
}

TEST_CASE("with repeats each row is held out as often, and predicted by the mean") {
  const std::vector<HeldOut> folds = folds_of(53, {}, 3);
  REQUIRE(folds.size() == 15);
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    std::vector<std::uint32_t> held;
    for (std::size_t k = 0; k < 5; ++k) {
      const HeldOut& fold = folds[5 * repeat + k];
      held.insert(held.end(), fold.held.begin(), fold.held.end());
      CHECK(fold.held.size() + fold.fitted.size() == 53);
    }
    std::ranges::sort(held);
    for (std::uint32_t row = 0; row < 53; ++row) CHECK(held[row] == row);
  }
  CHECK(folds[0].held != folds[5].held);
  const Rows rows = made_rows(400, 2);
  const CrossStacked once = stacked(rows), twice = stacked(rows, 1, {}, 2);
  CHECK(twice.out.n_elem == 400);
  CHECK(twice.stack.boosted.size() == 10);
  CHECK(error(twice.out, rows.y) < error(once.out, rows.y));
}

TEST_CASE("no row has a part in what is predicted for it") {
  Rows rows = made_rows(500, 5);
  const arma::vec before = stacked(rows).out;
  // One target is changed: its own fold's members have not seen it. Weights and the number of rounds have, a
  // little; without them what is predicted for the row would not change at all.
  rows.y(7) += 40.0;
  CHECK(std::abs(stacked(rows).out(7) - before(7)) < 0.5);
}

TEST_CASE("targets in other units, and moved, are predicted in these units") {
  Rows rows = made_rows(300, 6);
  const arma::vec f = stacked(rows).out;
  rows.y = 4.0 * rows.y + 4096.0;  // exact in doubles, but for the last bits
  CHECK(arma::abs(stacked(rows).out - (4.0 * f + 4096.0)).max() < 0.05);
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
    if (d > n) CHECK(fit.stack.networks.empty());  // it would learn its rows by heart
  }
  Rows huge = made_rows(300, stream, smooth);
  huge.y *= 1e60;
  const CrossStacked of_huge = stacked(huge);
  CHECK(error(of_huge.out, huge.y) < 0.5e60);
  const Rows constant{gaussian(2, 40, stream), arma::vec(40, arma::fill::value(7.0))};
  CHECK(arma::all(stacked(constant).stack.predict(constant.X) == 7.0));
}

TEST_CASE("groups are on one side of each fold") {
  Groups groups;
  for (std::size_t n = 0; n < 60; ++n) groups.push_back(n / 7);
  for (const HeldOut& fold : folds_of(60, groups, 2))
    for (const std::uint32_t held : fold.held)
      for (const std::uint32_t fitted : fold.fitted) CHECK(groups[held] != groups[fitted]);
  // Of very many rows a part is held out once.
  const std::vector<HeldOut> many = folds_of(250'000);
  REQUIRE(many.size() == 1);
  CHECK(many.front().held.size() == 100'000);
  CHECK(many.front().held.front() == 150'000);
}

TEST_CASE("the same bytes on every machine and number of threads, also through a file") {
  const Rows rows = made_rows(300, 9);
  const std::string bytes = bytes_of(stacked(rows).stack);
  CHECK(bytes_of(stacked(rows, 3).stack) == bytes);
  CHECK(sha256(bytes) == "c32227b4e809ac61ed12ba3fbb10223d3313329c84210e9981f22f1f48de9c7c");
  CHECK(bytes_of(read(bytes)) == bytes);
}

// What is chosen by losses on rows that no candidate has seen.
TEST_CASE("the default stays, unless another candidate is better by more than its standard error") {
  Stream stream(1);
  const arma::vec losses = arma::vectorise(gaussian(400, 1, stream)),
                  noise = arma::vectorise(gaussian(400, 1, stream));
  const double error = 1.0 / std::sqrt(400.0);  // of the mean of the noise
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

TEST_CASE("losses are those of rows, or sums over groups that follow each other") {
  CHECK(arma::approx_equal(by_group({1, 2, 4, 8}, {}), arma::vec{1, 2, 4, 8}, "absdiff", 0.0));
  CHECK(arma::approx_equal(by_group({1, 2, 4, 8}, {3, 3, 0, 5}), arma::vec{3, 4, 8}, "absdiff", 0.0));
  CHECK(by_group({}, {}).empty());
}

// Attributes mapped by their ranks to the shape of a bell.
namespace {

/// One attribute.
arma::mat bell_of(const arma::mat& x) { return BellMap::fit(x).map(x); }

}  // namespace

TEST_CASE("a map keeps the order, and makes a bell of any distribution") {
  Stream stream(1);
  for (const std::size_t n : {100u, 3000u, 50'000u}) {
    const arma::mat x = gaussian(1, n, stream), heavy = arma::exp(3.0 * x);
    const BellMap map = BellMap::fit(heavy);
    CHECK(map.sound());
    CHECK(map.knots.front().size() <= BellMap::most_knots);
    CHECK(map.knots.front().size() >= std::min<std::size_t>(n, 250));
    const arma::mat bell = map.map(heavy);
    CHECK(mean_of(bell) == near(0.0, 0.05));
    CHECK(deviation_of(bell) == near(1.0, 0.1));
    CHECK(arma::abs(bell).max() < 6.0);
    // The farthest are still told apart.
    const std::vector<BellMap::Knot>& knots = map.knots.front();
    CHECK(knots.back().to > knots[knots.size() - 2].to);
    const arma::mat in_order = map.map(arma::sort(heavy, "ascend", 1));
    CHECK(arma::all(arma::vectorise(arma::diff(in_order, 1, 1)) >= 0.0));
    // Ranks know nothing of the shape before; between knots lines do, a little.
    CHECK(arma::abs(bell - bell_of(x)).max() < (n > BellMap::most_knots ? 0.5 : 1e-5));
  }
}

TEST_CASE("equal values have their middle rank, and one value alone is mapped to 0") {
  const arma::mat x = {{2.0, 1.0, 1.0, 5.0, 1.0, 1.0, 2.0, 1.0}};
  const arma::mat z = bell_of(x);
  const auto logit = [](double rank) { return 0.55 * std::log(rank / (1.0 - rank)); };
  CHECK(z(1) == near(logit(2.5 / 8.0), 1e-6));
  CHECK(z(0) == near(logit(6.0 / 8.0), 1e-6));
  CHECK(z(3) == near(logit(7.5 / 8.0), 1e-6));
  CHECK(z(4) == z(1));
  CHECK(arma::all(arma::vectorise(bell_of(arma::mat(1, 9, arma::fill::value(3.0)))) == 0.0));
}

// The network, and the point prediction: by a network, and what is common to all kinds.
#include "lacp/base/sums.hpp"
#include "lacp/network/adam.hpp"
#include "losses.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"

using namespace lacp;

namespace {

/// Of half the sum of squared outputs, whose derivative by the outputs is the outputs.
void check_gradient(const MlpShape& shape) {
  Stream stream(1);
  Mlp ours(shape, 7);
  ours.initialise(stream);
  const arma::mat X = gaussian(shape.inputs, 5, stream);  // fewer columns than the buffers hold
  const arma::fmat outputs = ours.forward(arma::conv_to<arma::fmat>::from(X));
  ours.backward(outputs);
  arma::vec parameters = arma::conv_to<arma::vec>::from(ours.parameters());
  const auto exact = [&] { return forward_in_double(shape, parameters, X); };
  const auto loss = [&] { return 0.5 * arma::accu(arma::square(exact())); };
  CHECK(arma::abs(exact() - arma::conv_to<arma::mat>::from(outputs)).max() < 1e-6);
  for (arma::uword i = 0; i < parameters.n_elem; ++i)
    CHECK(double{ours.gradient()(i)} == near(slope_of(parameters(i), loss), 2e-6));
}

}  // namespace

TEST_CASE("backward is the derivative of forward") {
  check_gradient({.inputs = 3, .hidden = {6, 5}, .outputs = 1});
  check_gradient({.inputs = 2, .hidden = {4, 4, 4}, .outputs = 4});
  check_gradient({.inputs = 3, .hidden = {6, 6}, .outputs = 1, .linear_first = true});
  check_gradient({.inputs = 3, .hidden = {}, .outputs = 2});
}

TEST_CASE("initialisation is PyTorch's: uniform on ±1/sqrt(inputs), weights and biases") {
  Stream stream(2);
  Mlp net({.inputs = 25, .hidden = {400}, .outputs = 1}, 1);
  net.initialise(stream);
  const arma::vec all = arma::conv_to<arma::vec>::from(net.parameters());
  const arma::vec first = all.head(26 * 400), last = all.tail(401);
  CHECK(arma::abs(first).max() <= 0.2f);
  CHECK(arma::abs(first).max() > 0.199);
  CHECK(arma::abs(last).max() <= 0.05f);
  CHECK(arma::var(first) == near_share(0.04 / 3, 0.03));  // of 10,400 uniform numbers: 3.4 standard errors
}

TEST_CASE("columns of another shape, and more than there is room for, are refused") {
  const MlpShape shape{.inputs = 3, .hidden = {5}, .outputs = 2};
  Mlp net(shape, 4);
  CHECK_THROWS_AS(net.forward(arma::fmat(3, 5)), std::invalid_argument);
  CHECK_THROWS_AS(net.forward(arma::fmat(2, 1)), std::invalid_argument);
  CHECK_THROWS_AS(evaluate(shape, net.parameters(), arma::fmat(2, 1)), std::invalid_argument);
}

TEST_CASE("Adam tells a gradient that it cannot take, and no other") {
  const float infinite = std::numeric_limits<float>::infinity();
  const auto unusable = [](std::initializer_list<float> gradient) {
    arma::fvec theta(gradient.size(), arma::fill::zeros);
    return Adam<float>({}, gradient.size()).step(theta, arma::fvec(gradient));
  };
  CHECK_FALSE(unusable({0.0f, -1.0f, 1e-40f, 1.8e19f}));
  CHECK_FALSE(unusable({5e20f, -5e20f}));  // 0.001 · 2.5e41 is still a float
  CHECK(unusable({1.0f, 7e20f}) == 7e20f);
  CHECK(unusable({1.0f, -infinite, 2.0f}) == -infinite);
  CHECK(std::isnan(unusable({1.0f, -std::numeric_limits<float>::quiet_NaN()}).value()));
}

namespace {

/// y = x₀ + |x₁| + 0.3 ξ.
Rows bent_rows(std::size_t n, std::uint64_t seed) {
  Stream stream(seed);
  return made_rows(n, stream,
                   [](double x0, double x1, double noise) { return x0 + std::abs(x1) + 0.3 * noise; });
}

double mean_error(const arma::vec& f, const arma::vec& y) { return mean_of(arma::vec(arma::abs(f - y))); }

CentreOptions options_of(CentreKind kind) {
  return {.kind = kind, .mlp = {.hidden = {20, 20}, .epochs = 30}, .boosted = {.rounds = 40}};
}

}  // namespace

TEST_CASE("every kind learns what can be known") {
  const Rows data = bent_rows(1000, 1), fresh = bent_rows(1000, 2);
  for (const CentreKind kind : {CentreKind::knn, CentreKind::mlp, CentreKind::boosted, CentreKind::stack}) {
    CAPTURE(name_of(kind));
    Stream stream(3);
    const Centre centre = fit_centre(data.X, data.y, options_of(kind), stream);
    CHECK(kind_of(centre) == kind);
    // The noise alone: 0.24; the mean of y: 0.93.
    CHECK(mean_error(predict(centre, fresh.X), fresh.y) < 0.31);
  }
}

TEST_CASE("out of fold: each point is predicted by what was fitted on the other folds, in its place") {
  Rows data = bent_rows(203, 4);
  const CentreOptions options = options_of(CentreKind::boosted);
  Stream stream(5), again(5);
  const arma::vec f = out_of_fold(data.X, data.y, 3, options, stream);
  // By hand: rows 0 to 66, 67 to 134, 135 to 202.
  for (const auto& [begin, end] : {std::pair{0u, 67u}, {67u, 135u}, {135u, 203u}}) {
    Rows others = data;
    others.X.shed_cols(begin, end - 1);
    others.y.shed_rows(begin, end - 1);
    const arma::vec expected =
        predict(fit_centre(others.X, others.y, options, again), data.X.cols(begin, end - 1));
    CHECK(arma::all(f.subvec(begin, end - 1) == expected));
  }
}

TEST_CASE("a network has the same bytes on every machine") {
  const Rows data = bent_rows(400, 9);
  Stream stream(10);
  const MlpRegressor model = MlpRegressor::fit(data.X, data.y, {.hidden = {12, 8}, .epochs = 12}, stream);
  CHECK(model.epochs > 2);
  CHECK(checksum(model.predict(data.X)) ==
        "c695fe65580a33df30389d51961a3b3c13143d36b7a580c00f21ba54b44b4f24");
}

TEST_CASE("what a network cannot do is refused") {
  const Rows data = bent_rows(50, 14);
  Stream stream(15);
  const MlpRegressorOptions wild{.hidden = {5}, .adam = {.learning_rate = 1e38}};
  CHECK_THROWS_WITH_AS(MlpRegressor::fit(data.X, data.y, wild, stream), doctest::Contains("diverged"),
                       RunError);
  const MlpRegressor model = MlpRegressor::fit(data.X, data.y, {.hidden = {5}, .epochs = 2}, stream);
  CHECK_FALSE(model.predict(1e39 * data.X).is_finite());
  CHECK(model.predict(arma::mat(2, 0)).is_empty());
}

TEST_CASE("points that are too few for a centre are refused") {
  const auto fit = [](CentreKind kind, arma::uword points, std::size_t folds = 0) {
    const arma::mat X(2, points, arma::fill::ones);
    const arma::vec y = arma::regspace(1.0, static_cast<double>(points));
    Stream stream(1);
    if (folds == 0)
      fit_centre(X, y, options_of(kind), stream);
    else
      out_of_fold(X, y, folds, options_of(kind), stream);
  };
  CHECK_NOTHROW(fit(CentreKind::boosted, 1));
  CHECK_NOTHROW(fit(CentreKind::mlp, 5));
  CHECK_NOTHROW(fit(CentreKind::boosted, 7, 7));
  CHECK_REFUSED(fit(CentreKind::mlp, 4), "4 points cannot be");
  CHECK_REFUSED(fit(CentreKind::mlp, 6, 3), "4 points cannot be");  // a fold is fitted on the four others
  CHECK_REFUSED(fit(CentreKind::boosted, 6, 7), "into 7 folds; lower cross_fit");
  CHECK_REFUSED(fit(CentreKind::knn, 2), "take fewer folds");
}

TEST_CASE("no group is on both sides where K, rounds or epochs are chosen") {
  // Each of 60 groups has a place and a target by chance: within a group rows tell each other's target, a new
  // group's is as well predicted by the mean of all.
  constexpr std::size_t each = 10, n = 60 * each;
  Stream stream(5);
  arma::mat X(2, n);
  arma::vec y(n);
  Groups groups;
  for (std::size_t i = 0; i < n; ++i) {
    groups.push_back(7 + i / each);
    const bool first = i % each == 0;
    for (arma::uword k = 0; k < 2; ++k) X(k, i) = (first ? stream.normal() : X(k, i - 1));
    y(i) = first ? stream.normal() : y(i - 1);
  }
  const auto fit = [&](CentreKind kind, const Groups& of) {
    CentreOptions options{.kind = kind};
    options.knn.grid = {1, 5, 100};
    options.boosted.rounds = 50;
    options.mlp.hidden = {16}, options.mlp.epochs = 60;
    Stream drawn(6);
    return fit_centre(X, y, options, drawn, of);
  };
  const Groups none;
  const auto k = [&](const Groups& of) { return std::get<KnnRegressor>(fit(CentreKind::knn, of)).k(); };
  CHECK(k(none) < 100);
  CHECK(k(groups) == 100);
  const auto trees = [&](const Groups& of) {
    return std::get<BoostedTrees>(fit(CentreKind::boosted, of)).trees().size();
  };
  CHECK(trees(none) == 50);
  CHECK(trees(groups) < 10);
  const auto epochs = [&](const Groups& of) {
    return std::get<MlpRegressor>(fit(CentreKind::mlp, of)).epochs;
  };
  CHECK(epochs(groups) < epochs(none) / 2);
}

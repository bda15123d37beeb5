#include <doctest/doctest.h>

#include "lacp/model/adam.hpp"
#include "lacp/model/mlp.hpp"
#include "made_rows.hpp"
#include "near.hpp"
#include "reference_network.hpp"

using namespace lacp;

namespace {

/// Of half the sum of squared outputs, whose derivative by the outputs is the outputs. test_fixtures.cpp
/// holds the reference against PyTorch.
void check_gradient(const MlpShape& shape) {
  Stream stream(1);
  Mlp ours(shape, 7);
  ours.initialise(stream);
  const arma::mat X = gaussian(shape.inputs, 5, stream);  // fewer columns than the buffers hold
  const arma::fmat Xf = arma::conv_to<arma::fmat>::from(X);
  const arma::fmat outputs = ours.forward(Xf);
  ours.backward(outputs);

  ReferenceNetwork net(shape);
  net.parameters() = arma::conv_to<arma::vec>::from(ours.parameters());
  const arma::mat Y = net.forward(X);
  net.backward(Y);
  CHECK(arma::abs(Y - arma::conv_to<arma::mat>::from(outputs)).max() < 1e-6);
  CHECK(arma::abs(net.gradient() - arma::conv_to<arma::vec>::from(ours.gradient())).max() < 2e-6);
}

}  // namespace

TEST_CASE("backward is the derivative of forward") {
  check_gradient({.inputs = 3, .hidden = {6, 5}, .outputs = 1});
  check_gradient({.inputs = 2, .hidden = {4, 4, 4}, .outputs = 4});
  check_gradient({.inputs = 3, .hidden = {6, 6}, .outputs = 1, .linear_first = true});
  check_gradient({.inputs = 3, .hidden = {}, .outputs = 2});
}

TEST_CASE("the shape says how many layers there are and which have a ReLU") {
  // Five hidden layers of 100 on 8 inputs: 9·100 + 4·101·100 + 101 parameters; one more of 101·100 with
  // linear_first.
  CHECK(Mlp({.inputs = 8}, 1).parameters().n_elem == 900 + 4 * 10100 + 101);
  CHECK(Mlp({.inputs = 8, .linear_first = true}, 1).parameters().n_elem == 900 + 5 * 10100 + 101);
  const MlpShape linear{.inputs = 1, .hidden = {1}, .outputs = 1, .linear_first = true};
  // x ↦ x ↦ relu(−x) ↦ itself: only a linear first layer passes x < 0
  CHECK(evaluate(linear, arma::fvec{1, 0, -1, 0, 1, 0}, arma::fmat(1, 1, arma::fill::value(-2.0f)))(0) ==
        2.0f);
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

TEST_CASE("evaluate has the bits of forward for any number of columns; both refuse a wrong shape") {
  Stream stream(3);
  const MlpShape shape{.inputs = 3, .hidden = {5, 9, 4}, .outputs = 2};
  Mlp net(shape, 4);
  net.initialise(stream);
  const arma::fmat X = arma::conv_to<arma::fmat>::from(gaussian(3, 600, stream));
  const arma::fmat all = evaluate(shape, net.parameters(), X);
  for (arma::uword i = 0; i < X.n_cols; i += 3) {
    const arma::fmat some = X.cols(i, i + 2);
    CHECK(arma::all(arma::vectorise(net.forward(some) == all.cols(i, i + 2))));
    CHECK(arma::all(arma::vectorise(evaluate(shape, net.parameters(), some) == all.cols(i, i + 2))));
  }
  CHECK(evaluate(shape, net.parameters(), arma::fmat(3, 0)).n_cols == 0);
  CHECK_THROWS_AS(net.forward(X), std::invalid_argument);
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

  // Squares add up: the same gradient again and again is refused before its parameter stops moving.
  Adam<float> adam({.learning_rate = 1.0}, 1);
  arma::fvec theta = {0.0f}, gradient = {3e20f};
  int steps = 0;
  for (float before = 1.0f; steps < 1000 && !adam.step(theta, gradient); ++steps) {
    REQUIRE(theta(0) < before);
    before = theta(0);
  }
  CHECK(steps > 1);
  CHECK(steps < 20);
}

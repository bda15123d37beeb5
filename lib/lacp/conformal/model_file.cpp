// The saved form of a LocalPredictor.
#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/conformal/model_bytes.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace {

constexpr std::string_view magic = "lacp model\n";
constexpr std::uint64_t format_version = 1;

const Method& method_of(const ModelReader& in, const std::string& name) {
  try {
    return find_method(name);
  } catch (const UserError& error) {
    in.refuse(fmt::format("needs a method that is not here: {}", error.what()));
  }
}

/// What a fitted model always fulfils, and predictions rely on.
bool numbers_have_meaning(const Scaling& scaling, const arma::mat& points, const arma::vec& targets,
                          const Localizer& localizer, const arma::vec& calibration) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  return scaling.mean.is_finite() && std::ranges::all_of(scaling.deviation, positive) &&
         positive(scaling.target) && points.is_finite() &&
         arma::abs(points).max() <= KnnRegressor::largest_coordinate && targets.is_finite() &&
         !find_problem(localizer.transformation) && !find_problem(localizer.network) &&
         localizer.parameters.is_finite() && localizer.shared.is_finite() && !calibration.has_nan();
}

/// Parameters of a network, as a double: a damaged shape must not overflow, nor be built to be counted.
double parameter_count(const MlpShape& shape) {
  double count = 0.0, inputs = static_cast<double>(shape.inputs);
  const auto add_layer = [&](std::size_t outputs) {
    count += (inputs + 1.0) * static_cast<double>(outputs);
    inputs = static_cast<double>(outputs);
  };
  if (shape.linear_first && !shape.hidden.empty()) add_layer(shape.hidden.front());
  for (const std::size_t width : shape.hidden) add_layer(width);
  add_layer(shape.outputs);
  return count;
}

}  // namespace

std::string LocalPredictor::to_bytes() const {
  ModelWriter out(magic, format_version);
  out.array(localizer_.method.name);
  out.array(scaling_.mean);
  out.array(scaling_.deviation);
  out.number(scaling_.target);
  out.matrix(knn_.points());
  out.array(knn_.targets());
  out.number(std::uint64_t{knn_.k()});
  out.number(localizer_.transformation.gamma);
  out.number(std::uint8_t{localizer_.transformation.minus_g});
  out.number(localizer_.transformation.log_offset);
  out.number(localizer_.transformation.logit_clamp);
  out.array(localizer_.network.hidden);
  out.number(std::uint8_t{localizer_.network.linear_first});
  out.number(std::uint8_t{localizer_.network.divide_by_origin});
  out.array(localizer_.parameters);
  out.array(localizer_.shared);
  out.array(calibration_);
  return out.whole();
}

LocalPredictor LocalPredictor::from_bytes(std::string_view bytes, const std::string& source) {
  ModelReader in(bytes, source, magic, format_version);
  Localizer localizer;
  localizer.method = method_of(in, in.array<std::string>());
  Scaling scaling;
  scaling.mean = in.array<arma::vec>();
  scaling.deviation = in.array<arma::vec>();
  scaling.target = in.number<double>();
  arma::mat points = in.matrix();
  arma::vec targets = in.array<arma::vec>();
  const auto k = in.number<std::uint64_t>();
  localizer.transformation = {.gamma = in.number<double>(),
                              .minus_g = in.flag(),
                              .log_offset = in.number<double>(),
                              .logit_clamp = in.number<double>()};
  localizer.network.hidden = in.array<std::vector<std::size_t>>();
  localizer.network.linear_first = in.flag();
  localizer.network.divide_by_origin = in.flag();
  localizer.parameters = in.array<arma::fvec>();
  localizer.shared = in.array<arma::vec>();
  const arma::vec calibration = in.array<arma::vec>();
  if (!in.at_end()) in.refuse("has more in it than a model");

  const std::size_t inputs = points.n_rows;
  if (scaling.mean.n_elem != inputs || scaling.deviation.n_elem != inputs ||
      points.n_cols != targets.n_elem || k == 0 || k > points.n_cols ||
      localizer.shared.n_elem != localizer.method.shared)
    in.refuse("has parts whose sizes do not fit together");
  if (!numbers_have_meaning(scaling, points, targets, localizer, calibration))
    in.refuse("holds numbers that no fitted model has");
  if (localizer.method.outputs > 0) {
    localizer.shape = {.inputs = inputs,
                       .hidden = localizer.network.hidden,
                       .outputs = localizer.method.outputs,
                       .linear_first = localizer.network.linear_first};
    if (static_cast<double>(localizer.parameters.n_elem) != parameter_count(localizer.shape))
      in.refuse("has parts whose sizes do not fit together");
  }
  return LocalPredictor(scaling, KnnRegressor(std::move(points), std::move(targets), k), localizer,
                        calibration);
}

void LocalPredictor::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

LocalPredictor LocalPredictor::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file, most_model_bytes), file.string());
}

}  // namespace lacp

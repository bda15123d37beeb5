// The saved form of a LocalPredictor. What the method learnt saves itself.
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

bool sizes_fit(const Calibration& calibration, const FittedScore& score) {
  const std::size_t n = calibration.scores.front().n_elem, rows = score.kept_rows();
  return std::ranges::all_of(calibration.scores,
                             [&](const arma::vec& scores) { return scores.n_elem == n; }) &&
         (rows == 0 || (calibration.local.n_rows == rows && calibration.local.n_cols == n));
}

/// What a fitted model always fulfils, and predictions rely on.
bool numbers_have_meaning(const Scaling& scaling, const arma::mat& points, const arma::vec& targets,
                          const Calibration& calibration) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  return scaling.mean.is_finite() && std::ranges::all_of(scaling.deviation, positive) &&
         positive(scaling.target) && points.is_finite() &&
         arma::abs(points).max() <= KnnRegressor::largest_coordinate && targets.is_finite() &&
         !calibration.has_nan() && calibration.local.is_finite();
}

}  // namespace

std::string LocalPredictor::to_bytes() const {
  ModelWriter out(magic, format_version);
  out.array(method_);
  out.array(scaling_.mean);
  out.array(scaling_.deviation);
  out.number(scaling_.target);
  out.matrix(knn_.points());
  out.array(knn_.targets());
  out.number(std::uint64_t{knn_.k()});
  score_->write(out);
  for (const arma::vec& scores : calibration_.scores) out.array(scores);
  if (score_->kept_rows() > 0) out.matrix(calibration_.local);
  return out.whole();
}

LocalPredictor LocalPredictor::from_bytes(std::string_view bytes, const std::string& source) {
  ModelReader in(bytes, source, magic, format_version);
  const Method& method = method_of(in, in.array<std::string>());
  Scaling scaling;
  scaling.mean = in.array<arma::vec>();
  scaling.deviation = in.array<arma::vec>();
  scaling.target = in.number<double>();
  arma::mat points = in.matrix();
  arma::vec targets = in.array<arma::vec>();
  const auto k = in.number<std::uint64_t>();
  const std::size_t inputs = points.n_rows;
  const std::shared_ptr<const FittedScore> score = method.read(method, in, inputs);
  Calibration calibration{std::vector<arma::vec>(std::max<std::size_t>(score->levels().size(), 1)), {}};
  for (arma::vec& scores : calibration.scores) scores = in.array<arma::vec>();
  if (score->kept_rows() > 0) calibration.local = in.matrix();
  if (!in.at_end()) in.refuse("has more in it than a model");

  if (scaling.mean.n_elem != inputs || scaling.deviation.n_elem != inputs ||
      points.n_cols != targets.n_elem || k == 0 || k > points.n_cols || !sizes_fit(calibration, *score))
    in.refuse("has parts whose sizes do not fit together");
  if (!numbers_have_meaning(scaling, points, targets, calibration))
    in.refuse("holds numbers that no fitted model has");
  return LocalPredictor(method.name, scaling, KnnRegressor(std::move(points), std::move(targets), k), score,
                        std::move(calibration));
}

void LocalPredictor::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

LocalPredictor LocalPredictor::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file, most_model_bytes), file.string());
}

}  // namespace lacp

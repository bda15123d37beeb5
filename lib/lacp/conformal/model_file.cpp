// The saved form of a LocalPredictor. What the method learnt saves itself.
#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/conformal/centre_file.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/two_sided.hpp"

namespace lacp {
namespace {

constexpr std::string_view magic = "lacp model\n";
/// Format 1 has no kind of centre and no sides: a model with the centre and the sides of the paper is written
/// so, for older programs to read.
constexpr std::uint64_t oldest_format = 1, newest_format = 2;

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
bool numbers_have_meaning(const Scaling& scaling, const Calibration& calibration) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  return scaling.mean.is_finite() && std::ranges::all_of(scaling.deviation, positive) &&
         positive(scaling.target) && !calibration.has_nan() && calibration.local.is_finite();
}

}  // namespace

std::string LocalPredictor::to_bytes() const {
  const CentreKind kind = kind_of(centre_);
  const bool plain = kind == CentreKind::knn && sides_ == Sides::both;
  ModelWriter out(magic, plain ? oldest_format : newest_format);
  out.array(method_);
  out.array(scaling_.mean);
  out.array(scaling_.deviation);
  out.number(scaling_.target);
  if (!plain) {
    out.number(static_cast<std::uint8_t>(kind));
    out.number(std::uint8_t{sides_ == Sides::each});
  }
  write(out, centre_);
  score_->write(out);
  for (const arma::vec& scores : calibration_.scores) out.array(scores);
  if (score_->kept_rows() > 0) out.matrix(calibration_.local);
  return out.whole();
}

LocalPredictor LocalPredictor::from_bytes(std::string_view bytes, const std::string& source) {
  ModelReader in(bytes, source, magic, newest_format, oldest_format);
  const auto name = in.array<std::string>();
  const Method& method = method_of(in, name);
  Scaling scaling;
  scaling.mean = in.array<arma::vec>();
  scaling.deviation = in.array<arma::vec>();
  scaling.target = in.number<double>();
  const std::size_t inputs = scaling.mean.n_elem;
  if (inputs == 0) in.refuse("has parts whose sizes do not fit together");
  CentreKind kind = CentreKind::knn;
  Sides sides = Sides::both;
  if (in.version() > oldest_format) {
    const auto number = in.number<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(CentreKind::boosted)) in.refuse("has an unknown kind of centre");
    kind = static_cast<CentreKind>(number);
    sides = in.flag() ? Sides::each : Sides::both;
    if (kind == CentreKind::knn && sides == Sides::both)
      in.refuse("has a format that is newer than its content");
    if (sides == Sides::each && !method.scale_family) in.refuse("has two sides, which its method has not");
  }
  Centre centre = read_centre(in, kind, inputs);
  const std::shared_ptr<const FittedScore> score = with_sides(method.read(method, in, inputs), method, sides);
  Calibration calibration{std::vector<arma::vec>(std::max<std::size_t>(score->levels().size(), 1)), {}};
  for (arma::vec& scores : calibration.scores) scores = in.array<arma::vec>();
  if (score->kept_rows() > 0) calibration.local = in.matrix();
  if (!in.at_end()) in.refuse("has more in it than a model");

  if (scaling.deviation.n_elem != inputs || !sizes_fit(calibration, *score))
    in.refuse("has parts whose sizes do not fit together");
  if (!numbers_have_meaning(scaling, calibration)) in.refuse("holds numbers that no fitted model has");
  return LocalPredictor(method.name, scaling, std::move(centre), sides, score, std::move(calibration));
}

void LocalPredictor::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

LocalPredictor LocalPredictor::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file, most_model_bytes), file.string());
}

}  // namespace lacp

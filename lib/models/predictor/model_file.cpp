// The file of a saved LocalPredictor.

#include "lacp/base/files.hpp"
#include "models/predictor/predictor_state.hpp"

namespace lacp {
namespace {

const Method& method_of(const ModelReader& in, const std::string& name) {
  try {
    return find_method(name);
  } catch (const UserError& error) {
    in.refuse(fmt::format("has another method: {}", error.what()));
  }
}

/// What predictions rely on.
void require_sound(const ModelReader& in, const Scaling& scaling, const Calibration& calibration,
                   const FittedScore& score) {
  const std::size_t n = calibration.scores.front().n_elem, rows = score.kept_rows();
  const auto same = [&](const arma::vec& scores) { return scores.n_elem == n; };
  in.require(scaling.deviation.n_elem == scaling.mean.n_elem &&
             std::ranges::all_of(calibration.scores, same) &&
             (rows == 0 || (calibration.local.n_rows == rows && calibration.local.n_cols == n)));
  const auto deviates = [](double value) { return value > 0 && std::isfinite(value); };
  in.require(scaling.mean.is_finite() && std::ranges::all_of(scaling.deviation, deviates) &&
             scaling.target > 0 && std::isfinite(scaling.target) && !calibration.has_nan() &&
             calibration.local.is_finite());
}

}  // namespace

void LocalPredictor::append_to(ModelWriter& out) const {
  const State& state = *state_;
  out.array(state.method);
  out.number(static_cast<std::uint8_t>(kind_of(state.centre)));
  out.number(std::uint8_t{state.sides == Sides::each});
  out.number(std::uint8_t{state.after_update});
  out.number(std::uint8_t{state.whole});
  out.array(state.by);
  out.number(std::uint8_t{state.grouped});
  out.array(state.scaling.mean);
  out.array(state.scaling.deviation);
  out.number(state.scaling.target);
  write(out, state.centre);
  const FittedScore& score = *state.fitted->score;
  const Calibration& calibration = state.fitted->calibration;
  score.write(out);
  for (const arma::vec& scores : calibration.scores) out.array(scores);
  if (score.kept_rows() > 0) out.matrix(calibration.local);
  out.matrix(state.rows.X);
  out.array(state.rows.y);
  out.array(state.rows.f);
  out.array(state.arrived);
  out.array(state.places);
  out.array(state.widths);
  out.number(state.least);
  out.number(state.largest);
}

LocalPredictor LocalPredictor::read_from(ModelReader& in) {
  const Method& method = method_of(in, in.array<std::string>());
  const auto kind = in.number<std::uint8_t>();
  in.require(kind <= static_cast<std::uint8_t>(CentreKind::stack));
  const Sides sides = in.flag() ? Sides::each : Sides::both;
  in.require(sides == Sides::both || has_distribution(method));
  const bool after_update = in.flag();
  in.require(!after_update || sides == Sides::each);
  const bool whole = in.flag();
  auto by = in.array<std::vector<arma::uword>>();
  const bool grouped = in.flag();
  const Scaling scaling{in.array<arma::vec>(), in.array<arma::vec>(), in.number<double>()};
  const std::size_t inputs = scaling.mean.n_elem;
  in.require(inputs > 0 && (by.empty() || std::ranges::max(by) < inputs));
  Centre centre = read_centre(in, static_cast<CentreKind>(kind), inputs);
  const std::shared_ptr<const FittedScore> score =
      with_sides(method.read(method, in, inputs), method, sides, after_update);
  Calibration calibration{std::vector<arma::vec>(score->score_count()), {}};
  for (arma::vec& scores : calibration.scores) scores = in.array<arma::vec>();
  if (score->kept_rows() > 0) calibration.local = in.matrix();
  require_sound(in, scaling, calibration, *score);
  State state{.method = method.name,
              .sides = sides,
              .after_update = after_update,
              .whole = whole,
              .scaling = scaling,
              .centre = std::move(centre),
              .by = std::move(by),
              .grouped = grouped};
  const std::size_t n = calibration.scores.front().n_elem;
  state.rows.X = in.matrix();
  state.rows.y = in.array<arma::vec>();
  state.rows.f = in.array<arma::vec>();
  in.require(n > 0 && state.rows.X.n_rows == inputs && state.rows.X.n_cols == n && state.rows.y.n_elem == n &&
             state.rows.f.n_elem == n);
  in.require(state.rows.X.is_finite() && state.rows.y.is_finite() && state.rows.f.is_finite());
  state.arrived = in.array<std::vector<std::uint64_t>>();
  state.places = in.array<std::vector<std::uint32_t>>();
  state.widths = in.array<arma::vec>();
  in.require(state.arrived.size() == n && state.places.size() <= n);
  in.require(state.places.empty() ||
             (method.every_row && std::ranges::max(state.places) < score->bagged_rows()));
  in.require(state.widths.n_elem == (score->width_cuts().empty() ? 0 : n) && state.widths.is_finite());
  state.least = in.number<double>();
  state.largest = in.number<double>();
  in.require(state.least <= state.largest);
  state.fitted = state.calibrated(score, std::move(calibration));
  return LocalPredictor(std::move(state));
}

std::string LocalPredictor::to_bytes() const {
  ModelWriter out(predictor_magic, file_format);
  append_to(out);
  return out.whole();
}

LocalPredictor LocalPredictor::from_bytes(std::string_view bytes, const std::string& source) {
  ModelReader in(bytes, source, predictor_magic, file_format);
  LocalPredictor predictor = read_from(in);
  in.require(in.at_end());
  return predictor;
}

void LocalPredictor::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

LocalPredictor LocalPredictor::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file), file.string());
}

}  // namespace lacp

// The file of a saved LocalPredictor.

#include "lacp/base/files.hpp"
#include "models/predictor/predictor_parts.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_folds = 1000;

const Method& method_of(const ModelReader& in, const std::string& name) {
  try {
    return find_method(name);
  } catch (const UserError& error) {
    in.refuse(fmt::format("has another method: {}", error.what()));
  }
}

/// What predictions rely on. An attribute whose deviation is infinite is not seen.
void require_sound(const ModelReader& in, const Scaling& scaling, const Calibration& calibration,
                   const FittedScore& score) {
  const std::size_t n = calibration.scores.front().n_elem, rows = score.kept_rows();
  const auto same = [&](const arma::vec& scores) { return scores.n_elem == n; };
  in.require(scaling.deviation.n_elem == scaling.mean.n_elem &&
             std::ranges::all_of(calibration.scores, same) &&
             (rows == 0 || (calibration.local.n_rows == rows && calibration.local.n_cols == n)));
  const auto deviates = [](double value) { return value > 0; };
  in.require(scaling.mean.is_finite() && std::ranges::all_of(scaling.deviation, deviates) &&
             scaling.target > 0 && std::isfinite(scaling.target) && !calibration.has_nan() &&
             calibration.local.is_finite());
}

}  // namespace

void LocalPredictor::append_to(ModelWriter& out) const {
  out.array(parts_->method);
  out.number(std::uint64_t{folds()});
  out.number(static_cast<std::uint8_t>(kind_of(centre())));
  out.number(std::uint8_t{parts_->sides == Sides::each});
  out.number(std::uint8_t{parts_->after_update});
  out.number(std::uint8_t{parts_->whole});
  out.array(parts_->folds.front().by);
  out.number(std::uint8_t{parts_->grouped});
  for (const Fold& fold : parts_->folds) {
    out.array(fold.scaling.mean);
    out.array(fold.scaling.deviation);
    out.number(fold.scaling.target);
    write(out, fold.centre);
    const auto& [score, calibration, classes, together] = *fold.fitted;
    score->write(out);
    for (const arma::vec& scores : calibration.scores) out.array(scores);
    if (score->kept_rows() > 0) out.matrix(calibration.local);
    out.matrix(fold.rows.X);
    out.array(fold.rows.y);
    out.array(fold.rows.f);
    out.array(fold.arrived);
  }
  out.number(parts_->least);
  out.number(parts_->largest);
}

LocalPredictor LocalPredictor::read_from(ModelReader& in) {
  const Method& method = method_of(in, in.array<std::string>());
  Parts parts{.method = method.name, .sides = Sides::both, .folds = {}};
  const auto folds = in.number<std::uint64_t>();
  const auto kind = in.number<std::uint8_t>();
  in.require(kind <= static_cast<std::uint8_t>(CentreKind::stack));
  parts.sides = in.flag() ? Sides::each : Sides::both;
  in.require(parts.sides == Sides::both || has_distribution(method));
  parts.after_update = in.flag();
  in.require(!parts.after_update || parts.sides == Sides::each);
  parts.whole = in.flag();
  const auto by = in.array<std::vector<arma::uword>>();
  parts.grouped = in.flag();
  const Sides of_fit = parts.after_update ? Sides::both : parts.sides;
  in.require(folds == 1 || (folds > 1 && folds <= most_folds && calibrates_by_folds(method, of_fit)));
  const auto read_fold = [&] {
    const Scaling scaling{in.array<arma::vec>(), in.array<arma::vec>(), in.number<double>()};
    const std::size_t inputs = scaling.mean.n_elem;
    in.require(inputs > 0);
    Centre centre = read_centre(in, static_cast<CentreKind>(kind), inputs);
    const std::shared_ptr<const FittedScore> score =
        with_sides(method.read(method, in, inputs), method, parts.sides, parts.after_update);
    Calibration calibration{std::vector<arma::vec>(score->score_count()), {}};
    for (arma::vec& scores : calibration.scores) scores = in.array<arma::vec>();
    if (score->kept_rows() > 0) calibration.local = in.matrix();
    require_sound(in, scaling, calibration, *score);
    in.require(by.empty() || (folds == 1 && std::ranges::max(by) < inputs));
    Fold fold{.scaling = scaling, .centre = std::move(centre), .by = by};
    const std::size_t n = calibration.scores.front().n_elem;
    fold.rows.X = in.matrix();
    fold.rows.y = in.array<arma::vec>();
    fold.rows.f = in.array<arma::vec>();
    in.require(fold.rows.X.n_rows == inputs && fold.rows.X.n_cols == n && fold.rows.y.n_elem == n &&
               fold.rows.f.n_elem == n);
    in.require(fold.rows.X.is_finite() && fold.rows.y.is_finite() && fold.rows.f.is_finite());
    fold.arrived = in.array<std::vector<std::uint64_t>>();
    in.require(fold.arrived.size() == n);
    fold.fitted = fold.view(score, std::move(calibration));
    return fold;
  };
  for (std::uint64_t k = 0; k < folds; ++k) parts.folds.push_back(read_fold());
  parts.least = in.number<double>();
  parts.largest = in.number<double>();
  in.require(parts.least <= parts.largest);
  LocalPredictor predictor(std::move(parts));
  in.require(predictor.calibration_size() > 0);
  for (const Fold& fold : predictor.parts_->folds) {
    const auto levels = fold.fitted->score->levels();
    in.require(fold.scaling.mean.n_elem == predictor.attributes() &&
               (levels.empty() || std::ranges::equal(levels, predictor.levels())));
  }
  return predictor;
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

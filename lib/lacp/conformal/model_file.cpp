// The files of saved models: LocalPredictor's, and TableModel's, which holds one.
#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/model_bytes.hpp"
#include "lacp/conformal/predictor_parts.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/table_model.hpp"

namespace lacp {
namespace {

constexpr std::string_view magic = "lacp model\n";
/// Format 1 has no kind of centre and no sides, format 2 these two in its only fold, format 3 several folds
/// of both sides, format 4 whole ends, format 5 all of it, the calibration rows and their classes. The last
/// one is written.
constexpr std::uint64_t oldest_format = 1, format_of_folds = 3, format_of_whole = 4, format_of_rows = 5;
constexpr std::size_t most_folds = 1000;

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

/// What a fitted model always fulfils, and predictions rely on. A fold does not see an attribute whose
/// deviation is infinite.
bool numbers_have_meaning(const Scaling& scaling, const Calibration& calibration, bool of_folds) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto deviates = [&](double value) { return value > 0 && (of_folds || std::isfinite(value)); };
  return scaling.mean.is_finite() && std::ranges::all_of(scaling.deviation, deviates) &&
         positive(scaling.target) && !calibration.has_nan() && calibration.local.is_finite();
}

}  // namespace

std::string LocalPredictor::to_bytes() const {
  if (parts_->ends != Ends::both || !parts_->fitted.empty())
    user_error("LocalPredictor: what at_levels made is not saved; save the model that it was made from");
  ModelWriter out(magic, format_of_rows);
  out.array(parts_->method);
  out.number(std::uint64_t{folds()});
  out.number(static_cast<std::uint8_t>(kind_of(centre())));
  out.number(std::uint8_t{parts_->sides == Sides::each});
  out.number(std::uint8_t{parts_->whole});
  out.number(std::uint8_t{keeps_rows()});
  out.array(parts_->folds.front().by);
  for (const Fold& fold : parts_->folds) {
    out.array(fold.scaling.mean);
    out.array(fold.scaling.deviation);
    out.number(fold.scaling.target);
    write(out, fold.centre);
    fold.score->write(out);
    for (const arma::vec& scores : fold.calibration.scores) out.array(scores);
    if (fold.score->kept_rows() > 0) out.matrix(fold.calibration.local);
    if (keeps_rows()) out.matrix(fold.rows.X), out.array(fold.rows.y), out.array(fold.rows.f);
  }
  return out.whole();
}

LocalPredictor LocalPredictor::from_bytes(std::string_view bytes, const std::string& source) {
  ModelReader in(bytes, source, magic, format_of_rows, oldest_format);
  const auto name = in.array<std::string>();
  if (name == "auto") in.refuse("was made by an older program, whose methods are gone; fit it again");
  const Method& method = method_of(in, name);
  Parts parts{.method = method.name, .sides = Sides::both, .folds = {}};
  const auto read_kind = [&] {
    const auto number = in.number<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(CentreKind::stack)) in.refuse("has an unknown kind of centre");
    return static_cast<CentreKind>(number);
  };
  CentreKind kind = CentreKind::knn;
  std::uint64_t folds = 1;
  bool rows = false;
  std::vector<arma::uword> by;
  parts.whole = in.version() == format_of_whole;
  const auto read_sides = [&] {
    parts.sides = in.flag() ? Sides::each : Sides::both;
    if (parts.sides == Sides::each && !method.scale_family)
      in.refuse("has two sides, which its method has not");
  };
  if (in.version() >= format_of_folds) {
    folds = in.number<std::uint64_t>(), kind = read_kind();
    if (in.version() >= format_of_whole) read_sides();
    if (in.version() == format_of_rows)
      parts.whole = in.flag(), rows = in.flag(), by = in.array<std::vector<arma::uword>>();
    const bool one = in.version() >= format_of_whole && folds == 1;
    if (!one && (folds < 2 || folds > most_folds || !calibrates_by_folds(method, parts.sides)))
      in.refuse("has a number of folds that it cannot have");
  }
  const auto read_fold = [&] {
    Scaling scaling;
    scaling.mean = in.array<arma::vec>();
    scaling.deviation = in.array<arma::vec>();
    scaling.target = in.number<double>();
    const std::size_t inputs = scaling.mean.n_elem;
    in.require_sizes(inputs > 0);
    if (in.version() == oldest_format + 1) {
      kind = read_kind();
      read_sides();
      if (kind == CentreKind::knn && parts.sides == Sides::both)
        in.refuse("has a format that is newer than its content");
    }
    Centre centre = read_centre(in, kind, inputs);
    const std::shared_ptr<const FittedScore> score =
        with_sides(method.read(method, in, inputs), method, parts.sides);
    Calibration calibration{std::vector<arma::vec>(std::max<std::size_t>(score->levels().size(), 1)), {}};
    for (arma::vec& scores : calibration.scores) scores = in.array<arma::vec>();
    if (score->kept_rows() > 0) calibration.local = in.matrix();
    in.require_sizes(scaling.deviation.n_elem == inputs && sizes_fit(calibration, *score));
    in.require_numbers(numbers_have_meaning(scaling, calibration, folds > 1));
    in.require_sizes(by.empty() || (rows && folds == 1 && std::ranges::max(by) < inputs));
    Fold fold{.scaling = std::move(scaling),
              .centre = std::move(centre),
              .score = score,
              .calibration = std::move(calibration),
              .by = by};
    if (!rows) return fold;
    fold.rows.X = in.matrix(), fold.rows.y = in.array<arma::vec>(), fold.rows.f = in.array<arma::vec>();
    const std::size_t n = fold.calibration.scores.front().n_elem;
    in.require_sizes(fold.rows.X.n_rows == inputs && fold.rows.X.n_cols == n && fold.rows.y.n_elem == n &&
                     fold.rows.f.n_elem == n);
    in.require_numbers(fold.rows.X.is_finite() && fold.rows.y.is_finite() && fold.rows.f.is_finite());
    return fold;
  };
  for (std::uint64_t k = 0; k < folds; ++k) parts.folds.push_back(read_fold());
  if (!in.at_end()) in.refuse("has more in it than a model");
  LocalPredictor predictor(std::move(parts));
  for (const Fold& fold : predictor.parts_->folds) {
    const auto levels = fold.score->levels();
    in.require_sizes(fold.scaling.mean.n_elem == predictor.attributes() &&
                     (levels.empty() || std::ranges::equal(levels, predictor.levels())));
  }
  return predictor;
}

void LocalPredictor::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

LocalPredictor LocalPredictor::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file), file.string());
}

namespace {

constexpr std::string_view magic_of_table = "lacp table model\n";
/// Format 1 has neither a prediction nor known rows. The newest is written.
constexpr std::uint64_t newest_table_format = 2;

Columns read_columns(ModelReader& in, const std::string& source) {
  const std::string text = in.array<std::string>();
  Columns columns = parse_columns(text, source + ": columns");
  if (to_text(columns) != text) in.refuse("describes its columns in another form");
  return columns;
}

CsvFormat read_format(ModelReader& in) {
  CsvFormat format;
  format.delimiter = in.number<char>();
  format.header = in.flag();
  for (auto left = in.number<std::uint64_t>(); left > 0; --left)
    format.names.push_back(in.array<std::string>());
  if (std::string_view("\"\r\n").find(format.delimiter) != std::string_view::npos)
    in.refuse("has a delimiter that cannot be one");
  return format;
}

}  // namespace

std::string TableModel::to_bytes() const {
  ModelWriter out(magic_of_table, newest_table_format);
  out.array(to_text(columns_));
  out.number(format_.delimiter);
  out.number(std::uint8_t{format_.header});
  out.number(std::uint64_t{format_.names.size()});
  for (const std::string& name : format_.names) out.array(name);
  out.array(means_);
  out.levels(levels_);
  out.array(predictor_.to_bytes());
  out.array(prediction_), out.array(known_);
  return out.whole();
}

TableModel TableModel::from_bytes(std::string_view bytes, const std::string& source) {
  if (bytes.starts_with(magic))
    user_error(
        "{}: is a model of the library, without a description of columns; expected one that `lacp fit` wrote, or TableModel::save",
        source);
  ModelReader in(bytes, source, magic_of_table, newest_table_format, oldest_format);
  Columns columns = read_columns(in, source);
  CsvFormat format = read_format(in);
  arma::vec means = in.array<arma::vec>();
  std::vector<Level> levels = in.levels();
  LocalPredictor predictor = LocalPredictor::from_bytes(in.array<std::string>(), source);
  std::string prediction;
  std::vector<std::uint64_t> known;
  if (in.version() > oldest_format)
    prediction = in.array<std::string>(), known = in.array<std::vector<std::uint64_t>>();
  if (!in.at_end()) in.refuse("has more in it than a model");

  for (const std::span<const Level> fitted = predictor.levels(); const Level& level : levels)
    if (!fitted.empty() && std::ranges::find(fitted, level) == fitted.end())
      in.refuse("has a level that its method was not fitted for");
  const bool fills = std::ranges::any_of(
      columns.attributes, [](const Column& column) { return column.if_missing == IfMissing::fill; });
  const std::vector<std::string> names = columns.attribute_names();
  const std::size_t attributes = names.size();
  in.require_sizes(attributes == predictor.attributes() && means.n_elem == (fills ? attributes : 0));
  in.require_numbers(means.is_finite() && std::ranges::is_sorted(known) && known.size() <= most_known);
  if (!prediction.empty() && (std::ranges::find(names, prediction) == names.end() || columns.log_target))
    in.refuse("has a prediction that is no attribute");
  return {std::move(columns),   std::move(format),     std::move(means), std::move(levels),
          std::move(predictor), std::move(prediction), std::move(known)};
}

void TableModel::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

TableModel TableModel::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file), file.string());
}

}  // namespace lacp

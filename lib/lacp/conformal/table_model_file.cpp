// The saved form of a TableModel. The predictor in it is whole, as it saves itself.
#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/conformal/model_bytes.hpp"
#include "lacp/conformal/table_model.hpp"

namespace lacp {
namespace {

constexpr std::string_view magic = "lacp table model\n", magic_of_predictor = "lacp model\n";
constexpr std::uint64_t format_version = 1;

void write_texts(ModelWriter& out, const std::vector<std::string>& texts) {
  out.number(std::uint64_t{texts.size()});
  for (const std::string& text : texts) out.array(text);
}

std::vector<std::string> read_texts(ModelReader& in) {
  std::vector<std::string> texts;
  for (auto left = in.number<std::uint64_t>(); left > 0; --left) texts.push_back(in.array<std::string>());
  return texts;
}

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
  format.names = read_texts(in);
  if (std::string_view("\"\r\n").find(format.delimiter) != std::string_view::npos)
    in.refuse("has a delimiter that cannot be one");
  return format;
}

std::vector<Level> read_levels(ModelReader& in) {
  std::vector<Level> levels;
  for (auto left = in.number<std::uint64_t>(); left > 0; --left) levels.push_back(in.level(levels));
  if (levels.empty()) in.refuse("has no levels");
  return levels;
}

}  // namespace

std::string TableModel::to_bytes() const {
  ModelWriter out(magic, format_version);
  out.array(to_text(columns_));
  out.number(format_.delimiter);
  out.number(std::uint8_t{format_.header});
  write_texts(out, format_.names);
  out.array(means_);
  std::vector<std::string> levels;
  for (const Level& level : levels_) levels.push_back(level.text());
  write_texts(out, levels);
  out.array(predictor_.to_bytes());
  return out.whole();
}

TableModel TableModel::from_bytes(std::string_view bytes, const std::string& source) {
  if (bytes.starts_with(magic_of_predictor))
    user_error(
        "{}: is a model of the library, without a description of columns; expected one that `lacp fit` wrote, or TableModel::save",
        source);
  ModelReader in(bytes, source, magic, format_version);
  Columns columns = read_columns(in, source);
  CsvFormat format = read_format(in);
  arma::vec means = in.array<arma::vec>();
  std::vector<Level> levels = read_levels(in);
  LocalPredictor predictor = LocalPredictor::from_bytes(in.array<std::string>(), source);
  if (!in.at_end()) in.refuse("has more in it than a model");

  for (const std::span<const Level> fitted = predictor.score().levels(); const Level& level : levels)
    if (!fitted.empty() && std::ranges::find(fitted, level) == fitted.end())
      in.refuse("has a level that its method was not fitted for");
  const bool fills = std::ranges::any_of(
      columns.attributes, [](const Column& column) { return column.if_missing == IfMissing::fill; });
  const std::size_t attributes = columns.attribute_names().size();
  if (attributes != predictor.attributes() || means.n_elem != (fills ? attributes : 0))
    in.refuse("has parts whose sizes do not fit together");
  if (!means.is_finite()) in.refuse("holds numbers that no fitted model has");
  return {std::move(columns), std::move(format), std::move(means), std::move(levels), std::move(predictor)};
}

void TableModel::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

TableModel TableModel::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file, most_model_bytes), file.string());
}

}  // namespace lacp

// The file of a saved TableModel, which holds that of its LocalPredictor.
#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/model_bytes.hpp"
#include "table/table_model.hpp"

namespace lacp {
namespace {

constexpr std::string_view magic_of_table = "lacp table model\n";

}  // namespace

std::string TableModel::to_bytes() const {
  ModelWriter out(magic_of_table, file_format);
  write_columns(out, columns_);
  out.number(format_.delimiter);
  out.number(std::uint8_t{format_.header});
  out.texts(format_.names);
  out.array(means_);
  out.levels(levels_);
  out.number(LocalPredictor::file_format);
  predictor_.append_to(out);
  out.array(prediction_);
  for (const double number : {at_fit_.r2, at_fit_.moved, at_fit_.deviation}) out.number(number);
  out.array(group_);
  std::vector<std::string> names, cells;
  for (const auto& [name, cell] : constant_) {
    names.push_back(name);
    cells.push_back(cell);
  }
  out.texts(names);
  out.texts(cells);
  return out.whole();
}

TableModel TableModel::from_bytes(std::string_view bytes, const std::string& source) {
  if (bytes.starts_with(predictor_magic))
    user_error("{}: is a model of numbers, without columns; expected a model of tables", source);
  ModelReader in(bytes, source, magic_of_table, file_format);
  Columns columns = read_columns(in);
  CsvFormat format{.delimiter = in.number<char>(), .header = in.flag(), .names = in.texts()};
  in.require(std::string_view("\"\r\n").find(format.delimiter) == std::string_view::npos);
  arma::vec means = in.array<arma::vec>();
  std::vector<Level> levels = in.levels();
  in.require_version(LocalPredictor::file_format);
  TableModel model(LocalPredictor::read_from(in));
  model.columns_ = std::move(columns);
  model.format_ = std::move(format);
  model.means_ = std::move(means);
  model.levels_ = std::move(levels);
  model.prediction_ = in.array<std::string>();
  for (double* number : {&model.at_fit_.r2, &model.at_fit_.moved, &model.at_fit_.deviation})
    *number = in.number<double>();
  model.group_ = in.array<std::string>();
  const std::vector<std::string> constant = in.texts(), cells = in.texts();
  in.require(constant.size() == cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) model.constant_.emplace_back(constant[i], cells[i]);
  if (!in.at_end()) in.refuse("has more in it than a model");

  for (const std::span<const Level> fitted = model.predictor_.levels(); const Level& level : model.levels_)
    in.require(fitted.empty() || std::ranges::find(fitted, level) != fitted.end());
  const std::vector<std::string> names = model.columns_.attribute_names();
  in.require(names.size() == model.predictor_.attributes() &&
             model.means_.n_elem == (model.columns_.fills_missing() ? names.size() : 0));
  in.require(model.means_.is_finite());
  const bool known = std::ranges::find(names, model.prediction_) != names.end();
  in.require(model.prediction_.empty() || (known && !model.columns_.log_target));
  return model;
}

void TableModel::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

TableModel TableModel::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file), file.string());
}

}  // namespace lacp

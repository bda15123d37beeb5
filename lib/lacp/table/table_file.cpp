// The file of a saved TableModel, which holds that of its LocalPredictor.
#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/model_bytes.hpp"
#include "lacp/table/gaps.hpp"
#include "lacp/table/table_model.hpp"

namespace lacp {
namespace {

constexpr std::string_view magic_of_table = "lacp table model\n";

/// Row numbers, and how many rows have each: most have one.
std::map<std::uint64_t, std::uint64_t> read_known(ModelReader& in) {
  const auto numbers = in.array<std::vector<std::uint64_t>>(),
             repeated = in.array<std::vector<std::uint64_t>>(),
             times = in.array<std::vector<std::uint64_t>>();
  in.require_sizes(repeated.size() == times.size());
  std::map<std::uint64_t, std::uint64_t> known;
  for (const std::uint64_t number : numbers) known.emplace(number, 1);
  for (std::size_t i = 0; i < repeated.size(); ++i) {
    const auto place = known.find(repeated[i]);
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    in.require_numbers(place != known.end() && times[i] > 1 && times[i] < most);
    place->second = times[i];
  }
  return known;
}

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
  std::vector<std::uint64_t> known, repeated, times;
  for (const auto& [number, rows] : known_) {
    known.push_back(number);
    if (rows == 1) continue;
    repeated.push_back(number);
    times.push_back(rows);
  }
  for (const auto& numbers : {known, repeated, times}) out.array(numbers);
  out.array(group_);
  out.array(known_groups_);
  return out.whole();
}

TableModel TableModel::from_bytes(std::string_view bytes, const std::string& source) {
  if (bytes.starts_with(predictor_magic))
    user_error(
        "{}: is a model of the library, without a description of columns; expected one that `lacp fit` wrote, or TableModel::save",
        source);
  ModelReader in(bytes, source, magic_of_table, file_format);
  Columns columns = read_columns(in);
  CsvFormat format{.delimiter = in.number<char>(), .header = in.flag(), .names = in.texts()};
  if (std::string_view("\"\r\n").find(format.delimiter) != std::string_view::npos)
    in.refuse("has a delimiter that cannot be one");
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
  model.known_ = read_known(in);
  model.group_ = in.array<std::string>();
  model.known_groups_ = in.array<std::vector<std::uint64_t>>();
  if (!in.at_end()) in.refuse("has more in it than a model");

  for (const std::span<const Level> fitted = model.predictor_.levels(); const Level& level : model.levels_)
    if (!fitted.empty() && std::ranges::find(fitted, level) == fitted.end())
      in.refuse("has a level that its method was not fitted for");
  const std::vector<std::string> names = model.columns_.attribute_names();
  const std::vector<arma::uword>& by = model.predictor_.by();
  const std::size_t beyond = model.by_gaps() ? gap_numbers(model.columns_) : 0;
  for (std::size_t i = 0; model.by_gaps() && i < by.size(); ++i)
    if (by.size() != beyond || by[i] != names.size() + i) in.refuse("has classes that no fit makes");
  in.require_sizes(names.size() + beyond == model.predictor_.attributes() &&
                   model.means_.n_elem == (model.columns_.fills_missing() ? names.size() : 0));
  in.require_numbers(model.means_.is_finite());
  in.require_numbers(model.known_.size() <= most_known && model.known_groups_.size() <= most_known &&
                     std::ranges::is_sorted(model.known_groups_));
  if (!model.prediction_.empty() &&
      (std::ranges::find(names, model.prediction_) == names.end() || model.columns_.log_target))
    in.refuse("has a prediction that is no attribute");
  return model;
}

void TableModel::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

TableModel TableModel::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file), file.string());
}

}  // namespace lacp

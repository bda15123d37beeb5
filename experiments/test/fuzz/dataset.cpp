// The description of a data set.
#include <cmath>

#include "datasets/description.hpp"
#include "target.hpp"
#include "yaml_input.hpp"

namespace lacp {
namespace {

/// No description may name a file outside the folders that are meant for it.
void check(const DatasetDescription& description, const std::filesystem::path& folder) {
  fuzz::require(description.source.has_value() != description.synthetic.has_value(), "one kind of data set");
  if (description.synthetic) {
    const SyntheticParameters& s = *description.synthetic;
    fuzz::require(s.samples > 0 && std::isfinite(s.high - s.low) && s.low < s.high && s.rho >= 0,
                  "a synthetic set can be drawn");
    return;
  }
  const DatasetSource& source = *description.source;
  const auto cache = folder / "cache";
  fuzz::require(source.original.parent_path() == (source.url.empty() ? folder : cache), "the file's folder");
  fuzz::require(source.table == source.original || source.table.parent_path() == cache, "the table's folder");
  fuzz::require(source.url.empty() || source.sha256.size() == 64, "what is fetched has a sum");
  fuzz::require(!description.target.columns.empty(), "a target");
  for (const auto& [column, how, where] : description.special) {
    fuzz::require(how.levels.empty() == (how.kind != ColumnKind::ordered), "an order has levels");
    fuzz::require(how.parts.empty() == (how.kind != ColumnKind::date), "a date has parts");
    fuzz::require(how.written.has_value() == (how.kind == ColumnKind::number), "numbers are written so");
  }
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  static YamlInput file("dataset.yaml");
  const auto& path = file.write(bytes);
  read_or_refuse(path.string(),
                 [&] { check(read_description(path, file.folder / "cache"), file.folder.path()); });
}

std::vector<std::string> fuzz::costly_inputs() { return costly_yaml(); }

}  // namespace lacp

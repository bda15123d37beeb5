#include "output/ablation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "output/sizes.hpp"

namespace lacp {
namespace fs = std::filesystem;
std::vector<AblationRow> ablation_rows(const std::string& group, const std::string& name,
                                       const Results& variant, const Results& base) {
  std::vector<AblationRow> rows;
  const Experiment& e = variant.experiment;
  const std::string changed = to_text(changes(base.experiment, e));
  const SizeBase partner = base_by_published_name(variant, base);
  for (const SizeRatio& r : size_ratios(variant, e.methods, e.levels, partner)) {
    const std::string other = partner.name(r.dataset);
    rows.push_back({group, name, e.name, changed, r.dataset, r.method, r.alpha, e.runs,
                    summarise(base, {other, r.method, size_metric, r.alpha}),
                    summarise(variant, {r.dataset, r.method, size_metric, r.alpha}), r.ratio});
    if (other != r.dataset)
      rows.back().changed += fmt::format("{}{} → {}", changed.empty() ? "" : "; ", other, r.dataset);
  }
  return rows;
}

std::vector<AblationRow> ablate(const fs::path& group) {
  if (!fs::is_directory(group))
    user_error("{}: is not a folder; expected one with <variant>/<protocol>, which make ablation fills",
               group.string());
  std::vector<fs::path> folders;
  for (const auto& variant : fs::directory_iterator(group))
    if (variant.is_directory())
      for (const auto& protocol : fs::directory_iterator(variant.path()))
        if (fs::exists(protocol.path() / "manifest.yaml")) folders.push_back(protocol.path());
  const auto is_variant = [](const fs::path& folder) {
    return folder.parent_path().filename() != folder.filename();
  };
  // By protocol; the protocol itself first, then its variants by name.
  std::ranges::sort(folders, {}, [&](const fs::path& folder) {
    return std::tuple(folder.filename(), is_variant(folder), folder);
  });
  std::vector<AblationRow> rows;
  std::map<std::string, Results> bases;
  for (const fs::path& folder : folders) {
    const std::string protocol = folder.filename().string();
    if (!bases.contains(protocol)) {
      const fs::path base = group / protocol / protocol;
      if (!fs::exists(base / "manifest.yaml"))
        user_error("{}: is missing, which {} is to be compared with; run {} without a change", base.string(),
                   folder.string(), protocol);
      bases.emplace(protocol, load_results(base));
    }
    std::ranges::copy(
        ablation_rows(group.filename().string(), folder.parent_path().filename().string(),
                      is_variant(folder) ? load_results(folder) : bases.at(protocol), bases.at(protocol)),
        std::back_inserter(rows));
  }
  return rows;
}

TextTable ablation_csv(const std::vector<AblationRow>& rows) {
  TextTable table{
      {"group", "variant", "protocol", "changed", "dataset", "method", "alpha", "runs_wanted", "base_runs",
       "base_mean", "base_std", "runs", "size_mean", "size_std", "pairs", "ratio", "lower", "upper", "p"},
      {},
      "ablation.csv"};
  for (const AblationRow& r : rows)
    table.add({r.group, r.variant, r.protocol, r.changed, r.dataset, r.method, r.alpha,
               std::to_string(r.runs_wanted), std::to_string(r.base.n), number_text(r.base.mean),
               number_text(r.base.deviation), std::to_string(r.size.n), number_text(r.size.mean),
               number_text(r.size.deviation), std::to_string(r.ratio.n), number_text(r.ratio.mean),
               number_text(r.ratio.lower), number_text(r.ratio.upper), number_text(r.ratio.p)});
  return table;
}

std::vector<AblationRow> read_ablation_csv(const fs::path& file) {
  const TextTable t = read_text_table(file);
  std::vector<AblationRow> rows;
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    const auto text = [&](std::string_view name) { return t.rows[i][t.column(name)]; };
    const auto number = [&](std::string_view name) { return t.number(i, name); };
    rows.push_back({text("group"), text("variant"), text("protocol"), text("changed"), text("dataset"),
                    text("method"), text("alpha"), t.count(i, "runs_wanted"),
                    Moments{number("base_mean"), number("base_std"), t.count(i, "base_runs")},
                    Moments{number("size_mean"), number("size_std"), t.count(i, "runs")},
                    PairedInterval{number("ratio"), number("lower"), number("upper"), number("p"),
                                   t.count(i, "pairs")}});
  }
  return rows;
}

void write_ablation(const std::vector<AblationRow>& rows, const fs::path& folder) {
  write_file(folder / "ablation.csv", to_text(ablation_csv(rows)));
  write_file(folder / "README.md", ablation_document(rows));
}

}  // namespace lacp

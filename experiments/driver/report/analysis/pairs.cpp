#include "report/analysis/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

const FrameHeader ablation_header = {
    {"group", "variant", "protocol", "changed", "dataset", "method", "alpha", "runs_wanted", "base_runs",
     "base_mean", "base_std", "runs", "size_mean", "size_std", "pairs", "ratio", "lower", "upper", "p"},
    "ablation.csv"};

/// `changed` is found by comparing the manifests ("training.epochs: 10 → 50").
Frame ablation_rows(const std::string& group, const std::string& name, const Results& variant,
                    const Results& base) {
  Frame rows(ablation_header.names, ablation_header.source);
  const Experiment& e = variant.experiment;
  const std::string settings = to_text(changes(base.experiment, e));
  const SizeBase partner = base_by_published_name(variant, base);
  for (const Row& r : size_ratios(variant, e.methods, e.levels, partner)) {
    const std::string other = partner.name(r["dataset"]);
    std::string changed = settings;
    if (other != r["dataset"])
      changed += fmt::format("{}{} → {}", settings.empty() ? "" : "; ", other, r["dataset"]);
    const Moments before = summarise(base, {other, r["method"], size_metric, r["alpha"]}),
                  after = summarise(variant, {r["dataset"], r["method"], size_metric, r["alpha"]});
    rows.add({group, name, e.name, changed, r["dataset"], r["method"], r["alpha"], e.runs, before.n,
              before.mean, before.deviation, after.n, after.mean, after.deviation, r.number("runs"),
              r.number("ratio"), r.number("lower"), r.number("upper"), r.number("p")});
  }
  return rows;
}

}  // namespace

std::vector<double> Pairs::differences() const {
  std::vector<double> values;
  std::ranges::transform(first, second, std::back_inserter(values), std::minus{});
  return values;
}

std::vector<double> Pairs::log_ratios() const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < first.size(); ++i) ratios.push_back(math::log(first[i] / second[i]));
  return ratios;
}

Pairs paired(const ByRun& first, const ByRun& second) {
  Pairs pairs;
  for (const auto& [run, value] : first)
    if (const auto other = second.find(run); other != second.end()) {
      pairs.first.push_back(value);
      pairs.second.push_back(other->second);
    }
  return pairs;
}

double overlap_of(const Results& a, const std::string& dataset_of_a, const Results& b,
                  const std::string& dataset_of_b) {
  return std::max(overlap_of(a, dataset_of_a), overlap_of(b, dataset_of_b));
}

SizeBase base_by_published_name(const Results& results, const Results& base) {
  const auto published = [](const Results& r, const std::string& dataset) {
    return renamed(r.experiment.reference.names, dataset);
  };
  SizeBase partner{base};
  for (const std::string& dataset : results.experiment.datasets)
    for (const std::string& other : base.experiment.datasets)
      if (published(base, other) == published(results, dataset)) partner.names.emplace(dataset, other);
  return partner;
}

Frame size_ratios(const Results& results, const std::vector<std::string>& methods,
                  const std::vector<Level>& levels, const SizeBase& base) {
  Frame sizes({"dataset", "method", "alpha", "ratio", "lower", "upper", "runs", "p"});
  for (const std::string& dataset : results.experiment.datasets) {
    const std::string other = base.name(dataset);
    if (!has_dataset(base.results, other)) continue;
    const double overlap = overlap_of(results, dataset, base.results, other);
    for (const std::string& method : methods)
      for (const Level& level : levels) {
        const std::string& base_method = base.method.empty() ? method : base.method;
        const PairedInterval i = paired_interval(
            paired(by_run(results, {dataset, method, size_metric, level.text()}, base.results),
                   by_run(base.results, {other, base_method, size_metric, level.text()}))
                .log_ratios(),
            overlap);
        sizes.add({dataset, method, level.text(), math::exp(i.mean), math::exp(i.lower), math::exp(i.upper),
                   i.n, i.p});
      }
  }
  return sizes;
}

Ablation ablate(const fs::path& group) {
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
  Ablation all{Frame(ablation_header.names, ablation_header.source)};
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
    const Results results = is_variant(folder) ? load_results(folder) : bases.at(protocol);
    for (const auto& [task, cell] : results.cells)
      if (!cell.commit.empty()) all.commits.insert(cell.commit);
    all.rows.append(ablation_rows(group.filename().string(), folder.parent_path().filename().string(),
                                  results, bases.at(protocol)));
  }
  return all;
}

Frame shared_sizes(const Results& base, const Results& changed) {
  if (const std::string problem = unit_problem(changed, base); !problem.empty()) user_error("{}", problem);
  Frame rows = ablation_rows("", changed.folder.string(), changed, base).where([](const Row& row) {
    return row.number("pairs") > 0;
  });
  if (rows.empty())
    user_error(
        "{} and {} have no task in common that is done in both: the first has the data sets {} and the methods {}, the second {} and {}",
        base.folder.string(), changed.folder.string(), join(base.experiment.datasets, ", "),
        join(base.experiment.methods, ", "), join(changed.experiment.datasets, ", "),
        join(changed.experiment.methods, ", "));
  const SizeBase partner = base_by_published_name(changed, base);
  for (Row& row : rows.rows) {
    const Pairs sizes =
        paired(by_run(base, {partner.name(row["dataset"]), row["method"], size_metric, row["alpha"]}),
               by_run(changed, {row["dataset"], row["method"], size_metric, row["alpha"]}, base));
    const Moments before = moments(sizes.first), after = moments(sizes.second);
    row.set("base_runs", before.n);
    row.set("base_mean", before.mean);
    row.set("base_std", before.deviation);
    row.set("runs", after.n);
    row.set("size_mean", after.mean);
    row.set("size_std", after.deviation);
  }
  correct_changes(rows);
  return rows;
}

void correct_changes(Frame& rows) {
  std::vector<double> p;
  for (const Row& row : rows) p.push_back(is_touched(row) ? row.number("p") : std::nan(""));
  rows.add_column("p_holm", holm(p));
}

bool is_base(const Row& row) { return row["variant"] == row["protocol"]; }

bool is_touched(const Row& row) { return row.number("lower") != 1.0 || row.number("upper") != 1.0; }

}  // namespace lacp

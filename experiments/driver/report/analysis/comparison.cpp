#include "report/analysis/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace {

namespace fs = std::filesystem;

/// Where a csv lies that a setting (`key`) names. UserError if it is not there.
fs::path reference_path(const Results& results, const std::string& named, const char* key) {
  // As named from here; or, where the results have moved, from the folder that holds results/.
  for (const auto& folder :
       {fs::path("."), results.folder, results.folder / ".." / "..", results.folder / ".." / ".." / ".."})
    if (fs::exists(folder / named)) {
      protect_input(folder / named);
      return folder / named;
    }
  user_error("{}: {}: no such file '{}'", (results.folder / "manifest.yaml").string(), key, named);
}

std::vector<Entry> read_published(const fs::path& file) {
  std::vector<Entry> entries;
  for (const Row& row : read_frame(file)) {
    const auto sample = [&](const std::string& quantity) {
      return published_sample(row.number(quantity + "_mean"), row.number(quantity + "_std"), published_runs);
    };
    entries.push_back({.dataset = row["dataset"],
                       .method = row["method"],
                       .level = Level::parse(row["alpha"]),
                       .size = sample("size"),
                       .validity = sample("validity"),
                       .runs = published_runs,
                       .wanted = published_runs});
  }
  return entries;
}

/// Of the sizes of a comparison, each with its difference from the other side.
template <class DifferenceOf>
Agreement agreement(const TableComparison& comparison, const DifferenceOf& difference_of) {
  Agreement found;
  for (const ComparedEntry& e : comparison.entries) {
    const Difference* d = difference_of(e);
    if (d == nullptr) continue;
    const bool means = d->agrees(), medians = d->agrees_by_medians(), sound = !e.ours.is_broken();
    ++found.sizes;
    found.means += means;
    found.medians += medians;
    found.sound_means += means && sound;
    found.sound_medians += medians && sound;
    found.different += d->ranks_p < error_rate;
  }
  return found;
}

bool is_enough(std::size_t agreeing, std::size_t sizes) {
  return sizes > 0 && static_cast<double>(agreeing) >= reproducing_share * static_cast<double>(sizes);
}

/// Holm's correction of Welch's p-values of all numbers, a size and a validity for each entry.
std::vector<double> corrected(const std::vector<ComparedEntry>& entries, const std::string& dataset = "") {
  std::vector<double> p;
  for (const ComparedEntry& e : entries) {
    const bool counts = dataset.empty() || e.ours.dataset == dataset;
    p.push_back(counts ? e.size.means.p : NAN);
    p.push_back(counts ? e.validity.means.p : NAN);
  }
  return holm(p);
}

}  // namespace

Difference difference(const Sample& a, const Sample& b) {
  Difference d;
  d.means = welch_test(a.moments, b.moments);
  const double distance = a.median - b.median;
  const double variance = a.median_error * a.median_error + b.median_error * b.median_error;
  d.z_medians = distance == 0.0 ? 0.0 : distance / std::sqrt(variance);
  d.ranks_p = mann_whitney_p(a.values, b.values);
  return d;
}

bool TableComparison::has_released() const {
  return std::ranges::any_of(entries, [](const ComparedEntry& e) { return e.released.has_value(); });
}

bool TableComparison::is_whole() const {
  return published > 0 && entries.size() == published &&
         std::ranges::none_of(entries, [](const ComparedEntry& e) { return std::isnan(e.size.means.z); });
}

Agreement with_published(const TableComparison& comparison) {
  return agreement(comparison, [](const ComparedEntry& e) { return &e.size; });
}

Agreement with_released(const TableComparison& comparison) {
  return agreement(comparison,
                   [](const ComparedEntry& e) { return e.released ? &e.size_released : nullptr; });
}

Reproduction reproduces_published(const Agreement& a) {
  if (is_enough(a.sound_means, a.sizes) && is_enough(a.sound_medians, a.sizes)) return Reproduction::yes;
  if (is_enough(a.means, a.sizes) && is_enough(a.medians, a.sizes)) return Reproduction::but_for_broken_runs;
  return Reproduction::no;
}

Reproduction reproduces_released(const Agreement& a) {
  return is_enough(a.means, a.sizes) && is_enough(a.medians, a.sizes) ? Reproduction::yes : Reproduction::no;
}

std::optional<References> load_references(const Results& results) {
  const Reference& named = results.experiment.reference;
  if (named.file.empty()) return std::nullopt;
  References references{read_published(reference_path(results, named.file, "reference.file")), {}};
  if (!named.runs.empty())
    references.released = read_runs(reference_path(results, named.runs, "reference.runs"));
  return references;
}

TableComparison compare(const std::vector<Entry>& ours, const References& references,
                        const std::map<std::string, std::string>& names) {
  TableComparison comparison{.entries = {}, .published = references.published.size()};
  for (const Entry& own : ours) {
    const std::string name = renamed(names, own.dataset);
    const Entry* published = find_entry(references.published, name, own.method, own.level);
    if (published == nullptr) continue;
    ComparedEntry& e =
        comparison.entries.emplace_back(ComparedEntry{own,
                                                      *published,
                                                      std::nullopt,
                                                      difference(own.size, published->size),
                                                      difference(own.validity, published->validity),
                                                      {},
                                                      {}});
    const Entry* released = find_entry(references.released, name, own.method, own.level);
    if (released == nullptr) continue;
    e.released = *released;
    e.size_released = difference(own.size, released->size);
    e.validity_released = difference(own.validity, released->validity);
  }
  return comparison;
}

TableComparison compare_released(const References& references) {
  return compare(references.released, {references.published, {}}, {});
}

std::string comparison_csv(const TableComparison& comparison) {
  Frame table({"dataset",
               "reference_dataset",
               "method",
               "alpha",
               "quantity",
               "ours_mean",
               "ours_std",
               "ours_runs",
               "paper_mean",
               "paper_std",
               "paper_runs",
               "difference",
               "z",
               "welch_freedom",
               "welch_p",
               "within_2_standard_errors",
               "holm_p_dataset",
               "holm_p_overall",
               "ours_median",
               "z_medians",
               "ours_diverged",
               "ours_collapsed",
               "ours_exploded",
               "released_mean",
               "released_std",
               "released_runs",
               "released_median",
               "released_diverged",
               "released_collapsed",
               "released_exploded",
               "released_z",
               "released_welch_p",
               "released_z_medians",
               "mann_whitney_p"});
  const std::vector<double> overall = corrected(comparison.entries);
  std::map<std::string, std::vector<double>> by_dataset;
  for (const ComparedEntry& e : comparison.entries)
    by_dataset.try_emplace(e.ours.dataset, corrected(comparison.entries, e.ours.dataset));
  std::size_t number = 0;
  for (const ComparedEntry& e : comparison.entries)
    for (const bool is_size : {true, false}) {
      const Difference& d = is_size ? e.size : e.validity;
      const Sample& ours = is_size ? e.ours.size : e.ours.validity;
      const Moments& paper = is_size ? e.published.size.moments : e.published.validity.moments;
      const char* within = d.agrees() ? "yes" : "no";
      std::vector<Field> row = {e.ours.dataset, e.published.dataset, e.ours.method, e.ours.level.text()};
      const auto add = [&](const std::vector<Field>& fields) {
        row.insert(row.end(), fields.begin(), fields.end());
      };
      add({is_size ? "size" : "validity", ours.moments.mean, ours.moments.deviation, ours.moments.n});
      add({paper.mean, paper.deviation, paper.n, d.means.difference, d.means.z, d.means.freedom, d.means.p});
      add({std::isnan(d.means.z) ? "" : within, by_dataset.at(e.ours.dataset)[number], overall[number]});
      add({ours.median, d.z_medians, e.ours.wanted - e.ours.runs, e.ours.collapsed, e.ours.exploded});
      if (e.released) {
        const Entry& other = *e.released;
        const Sample& released = is_size ? other.size : other.validity;
        const Difference& r = is_size ? e.size_released : e.validity_released;
        add({released.moments.mean, released.moments.deviation, released.moments.n, released.median});
        add({other.wanted - other.runs, other.collapsed, other.exploded});
        add({r.means.z, r.means.p, r.z_medians, r.ranks_p});
      }
      row.resize(table.header().size());
      table.add(std::move(row));
      ++number;
    }
  return to_text(table);
}

}  // namespace lacp

#include "report/analysis/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace {

/// Marks the smallest printed mean size of each data set and level. A mean over fewer runs than the others is
/// not comparable, and intervals that cover too little are easily small, so these cannot win.
Frame with_best(Frame entries) {
  std::map<std::pair<std::string, std::string>, double> smallest;
  const auto printed = [&](const Row& e) {
    const bool may_win = is_complete(e) && !misses_clearly(e);
    return may_win ? std::round(e.number("size_mean") * 1000.0) : std::nan("");
  };
  for (const Row& e : entries)
    if (const double size = printed(e); std::isfinite(size)) {
      double& least = smallest.try_emplace({e["dataset"], e["alpha"]}, size).first->second;
      least = std::min(least, size);
    }
  std::vector<double> best;
  for (const Row& e : entries)
    best.push_back(std::isfinite(printed(e)) && printed(e) == smallest.at({e["dataset"], e["alpha"]}));
  entries.add_column("best", best);
  return entries;
}

std::string verdict_text(std::size_t numbers, std::size_t comparable, std::size_t different) {
  if (comparable == 0) return numbers == 0 ? "nothing to compare" : "not yet comparable";
  return (different == 0 ? "no significant difference"
                         : fmt::format("{} of {} differ significantly", different, numbers)) +
         (comparable == numbers ? "" : fmt::format("; {} could not be compared", numbers - comparable));
}

/// Adds how a group compares: how many are within two combined standard errors, the share that would be if
/// both sides had the same mean (Student's t), and Holm's correction within the group.
void judge(Frame& verdicts, const char* kind, const std::string& group, const Frame& members) {
  const auto [comparable, within, expected] = agreement(members, agreement_errors);
  const double share_expected = comparable == 0 ? 0.0 : expected / static_cast<double>(comparable);
  std::size_t different = 0;
  double smallest_p = 1.0;
  for (const double p : holm(members.numbers("welch_p")))
    if (!std::isnan(p)) {
      smallest_p = std::min(smallest_p, p);
      different += p < error_rate;
    }
  const std::size_t numbers = members.size();
  verdicts.add({kind, group, numbers, comparable, within,
                numbers == 0 ? std::nan("") : static_cast<double>(within) / static_cast<double>(numbers),
                share_expected, different, smallest_p, verdict_text(numbers, comparable, different)});
}

}  // namespace

Frame table_entries(const Results& results) {
  Frame entries({"dataset", "method", "alpha", "runs", "size_mean", "size_std", "validity_mean",
                 "validity_std", "infinite", "empty", "runs_wanted"});
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods)
      for (const Level& level : e.levels) {
        const auto of = [&](std::string_view metric) {
          return summarise(results, {dataset, method, metric, level.text()});
        };
        const Moments size = of(size_metric), validity = of("validity");
        entries.add({dataset, method, level.text(), validity.n, size.mean, size.deviation, validity.mean,
                     validity.deviation, of("infinite").mean, of("empty").mean, e.runs});
      }
  return with_best(std::move(entries));
}

bool misses_clearly(const Row& entry) {
  return entry.number("validity_mean") < 1.0 - entry.number("alpha") - clear_miss;
}

Frame read_table_csv(const std::filesystem::path& file) { return with_best(read_frame(file)); }

std::string table_csv(const Frame& entries) { return to_text(entries.without("best")); }

std::size_t runs_in(const Frame& entries) {
  std::size_t runs = 0;
  for (const Row& entry : entries) runs += entry.count("runs");
  return runs;
}

Agreement agreement(const Frame& numbers, double errors) {
  Agreement found;
  for (const Row& n : numbers) {
    const double z = n.number("z"), freedom = n.number("welch_freedom");
    if (std::isnan(z)) continue;
    ++found.comparable;
    found.within += std::abs(z) <= errors ? 1 : 0;
    found.expected += std::isinf(freedom) ? 1.0 : 1.0 - student_two_sided_p(errors, freedom);
  }
  return found;
}

bool is_complete(const Row& entry) { return entry["runs"] == entry["runs_wanted"]; }

Comparison compare_with(const Frame& reference, const Experiment& e, const Frame& entries) {
  Comparison c{.published = 2 * reference.size(),
               .numbers = Frame({"dataset", "reference_dataset", "method", "alpha", "quantity", "ours_mean",
                                 "ours_std", "ours_runs", "paper_mean", "paper_std", "paper_runs",
                                 "difference", "z", "welch_freedom", "welch_p", "within_2_standard_errors"}),
               .verdicts = Frame({"kind", "group", "numbers", "comparable", "within_2_standard_errors",
                                  "share", "share_expected_by_chance", "significant_after_holm",
                                  "smallest_holm_p", "verdict"})};
  std::vector<double> p_dataset;
  for (const std::string& dataset : entries.distinct("dataset")) {
    const std::string name = renamed(e.reference.names, dataset);
    for (const Row& entry : entries.where({{"dataset", dataset}})) {
      const auto row = std::ranges::find_if(reference, [&](const Row& one) {  // "0.1" is "0.10"
        return one.has({{"dataset", name}, {"method", entry["method"]}}) &&
               one.number("alpha") == entry.number("alpha");
      });
      if (row == reference.end()) continue;
      for (const std::string quantity : {"size", "validity"}) {
        const auto moments_of = [&](const Row& side, std::size_t runs) {
          return Moments{side.number(quantity + "_mean"), side.number(quantity + "_std"), runs};
        };
        const Moments ours = moments_of(entry, entry.count("runs")), paper = moments_of(*row, reference_runs);
        const WelchTest test = welch_test(ours, paper);
        const char* within = std::abs(test.z) <= agreement_errors ? "yes" : "no";
        c.numbers.add({dataset, name, entry["method"], entry["alpha"], quantity, ours.mean, ours.deviation,
                       ours.n, paper.mean, paper.deviation, paper.n, test.difference, test.z, test.freedom,
                       test.p, std::isnan(test.z) ? "" : within});
      }
    }
    const Frame members = c.numbers.where({{"dataset", dataset}});
    for (const double p : holm(members.numbers("welch_p"))) p_dataset.push_back(p);
    if (!members.empty()) judge(c.verdicts, "dataset", dataset, members);
  }
  c.numbers.add_column("holm_p_dataset", p_dataset);
  c.numbers.add_column("holm_p_overall", holm(c.numbers.numbers("welch_p")));
  for (const std::string& method : e.methods)
    if (const Frame members = c.numbers.where({{"method", method}}); !members.empty())
      judge(c.verdicts, "method", method, members);
  for (const char* quantity : {"size", "validity"})
    judge(c.verdicts, "quantity", quantity, c.numbers.where({{"quantity", quantity}}));
  judge(c.verdicts, "overall", "all", c.numbers);
  return c;
}

std::optional<Comparison> compare(const Results& results, const Frame& entries) {
  const std::string& named = results.experiment.reference.file;
  if (named.empty()) return std::nullopt;
  return compare_with(read_frame(reference_path(results, named, "reference.file")), results.experiment,
                      entries);
}

std::filesystem::path reference_path(const Results& results, const std::string& named, const char* key) {
  // As named from here; or, where the results have moved, from the folder that holds results/.
  for (const auto& folder : {std::filesystem::path("."), results.folder, results.folder / ".." / ".."})
    if (std::filesystem::exists(folder / named)) {
      protect_input(folder / named);
      return folder / named;
    }
  user_error(
      "{}: {} '{}' is neither beside the results nor in experiments/; run lacp in the folder that holds experiments/",
      (results.folder / "manifest.yaml").string(), key, named);
}

}  // namespace lacp

#include "output/comparison.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "output/latex.hpp"

namespace lacp {
namespace {

/// Row of the published table, levels compared as numbers ("0.1" is "0.10").
std::optional<std::size_t> find_row(const TextTable& reference, const std::string& dataset,
                                    const std::string& method, const std::string& alpha) {
  const std::size_t d = reference.column("dataset"), m = reference.column("method");
  for (std::size_t i = 0; i < reference.rows.size(); ++i)
    if (reference.rows[i][d] == dataset && reference.rows[i][m] == method &&
        reference.number(i, "alpha") == parse_double(alpha))
      return i;
  return std::nullopt;
}

std::vector<double> p_values(const std::vector<ComparedNumber>& numbers) {
  std::vector<double> p;
  for (const ComparedNumber& n : numbers) p.push_back(n.test.p);
  return p;
}

Verdict judge(const std::string& group, const std::vector<ComparedNumber>& all,
              const std::function<bool(const ComparedNumber&)>& belongs) {
  Verdict v{.group = group};
  std::vector<ComparedNumber> members;
  for (const ComparedNumber& n : all)
    if (belongs(n)) members.push_back(n);
  v.numbers = members.size();
  for (const ComparedNumber& n : members) {
    if (!n.comparable()) continue;
    ++v.comparable;
    if (n.within()) ++v.within;
    v.expected +=
        std::isinf(n.test.freedom) ? 1.0 : 1.0 - student_two_sided_p(agreement_errors, n.test.freedom);
  }
  if (v.comparable > 0) v.expected /= static_cast<double>(v.comparable);
  for (const double p : holm(p_values(members))) {
    if (std::isnan(p)) continue;
    v.smallest_p = std::min(v.smallest_p, p);
    if (p < error_rate) ++v.different;
  }
  return v;
}

void correct(std::vector<ComparedNumber>& numbers, const std::vector<std::string>& datasets) {
  const std::vector<double> overall = holm(p_values(numbers));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].p_overall = overall[i];
  for (const std::string& dataset : datasets) {
    std::vector<double> p = p_values(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].dataset != dataset) p[i] = std::nan("");
    p = holm(p);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].dataset == dataset) numbers[i].p_dataset = p[i];
  }
}

}  // namespace

bool ComparedNumber::comparable() const { return !std::isnan(test.z); }
bool ComparedNumber::within() const { return comparable() && std::abs(test.z) <= agreement_errors; }

double Verdict::share() const {
  return numbers == 0 ? std::nan("") : static_cast<double>(within) / static_cast<double>(numbers);
}

std::string Verdict::text() const {
  if (numbers == 0) return "nothing to compare";
  if (comparable == 0) return "not yet comparable";
  const std::string tail =
      comparable == numbers ? "" : fmt::format("; {} could not be compared", numbers - comparable);
  if (different == 0) return "no significant difference" + tail;
  return fmt::format("{} of {} differ significantly{}", different, numbers, tail);
}

Comparison compare_with(const TextTable& reference, const Experiment& e,
                        const std::vector<TableEntry>& entries) {
  Comparison c;
  c.published = 2 * reference.rows.size();
  std::vector<std::string> compared_datasets;
  for (const TableEntry& entry : entries) {
    const auto renamed = e.reference.names.find(entry.dataset);
    const std::string name = renamed == e.reference.names.end() ? entry.dataset : renamed->second;
    const auto row = find_row(reference, name, entry.method, entry.alpha);
    if (!row) continue;
    const auto add = [&](const std::string& quantity, const Moments& ours) {
      const Moments paper{reference.number(*row, quantity + "_mean"),
                          reference.number(*row, quantity + "_std"), reference_runs};
      c.numbers.push_back({entry.dataset, name, entry.method, entry.alpha, quantity, ours, paper,
                           welch_test(ours, paper), 1.0, 1.0});
    };
    add("size", entry.size);
    add("validity", entry.validity);
    if (compared_datasets.empty() || compared_datasets.back() != entry.dataset)
      compared_datasets.push_back(entry.dataset);
  }
  correct(c.numbers, compared_datasets);
  for (const std::string& dataset : compared_datasets)
    c.datasets.push_back(judge(dataset, c.numbers, [&](const auto& n) { return n.dataset == dataset; }));
  for (const std::string& method : e.methods) {
    const Verdict v = judge(method, c.numbers, [&](const auto& n) { return n.method == method; });
    if (v.numbers > 0) c.methods.push_back(v);
  }
  for (const std::string quantity : {"size", "validity"})
    c.quantities.push_back(judge(quantity, c.numbers, [&](const auto& n) { return n.quantity == quantity; }));
  c.overall = judge("all", c.numbers, [](const auto&) { return true; });
  return c;
}

std::optional<Comparison> compare(const Results& results, const std::vector<TableEntry>& entries) {
  const std::string& named = results.experiment.reference.file;
  if (named.empty()) return std::nullopt;
  return compare_with(read_text_table(reference_path(results, named, "reference.file")), results.experiment,
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

TextTable comparison_csv(const Comparison& comparison) {
  TextTable table{{"dataset", "reference_dataset", "method", "alpha", "quantity", "ours_mean", "ours_std",
                   "ours_runs", "paper_mean", "paper_std", "paper_runs", "difference", "z", "welch_freedom",
                   "welch_p", "within_2_standard_errors", "holm_p_dataset", "holm_p_overall"},
                  {},
                  "comparison.csv"};
  for (const ComparedNumber& n : comparison.numbers)
    table.add({n.dataset, n.reference_dataset, n.method, n.alpha, n.quantity, number_text(n.ours.mean),
               number_text(n.ours.deviation), std::to_string(n.ours.n), number_text(n.paper.mean),
               number_text(n.paper.deviation), std::to_string(n.paper.n), number_text(n.test.difference),
               number_text(n.test.z), number_text(n.test.freedom), number_text(n.test.p),
               !n.comparable() ? ""
               : n.within()    ? "yes"
                               : "no",
               number_text(n.p_dataset), number_text(n.p_overall)});
  return table;
}

TextTable verdicts_csv(const Comparison& comparison) {
  TextTable table{{"kind", "group", "numbers", "comparable", "within_2_standard_errors", "share",
                   "share_expected_by_chance", "significant_after_holm", "smallest_holm_p", "verdict"},
                  {},
                  "verdicts.csv"};
  const auto add = [&](const std::string& kind, const Verdict& v) {
    table.add({kind, v.group, std::to_string(v.numbers), std::to_string(v.comparable),
               std::to_string(v.within), number_text(v.share()), number_text(v.expected),
               std::to_string(v.different), number_text(v.smallest_p), v.text()});
  };
  for (const Verdict& v : comparison.datasets) add("dataset", v);
  for (const Verdict& v : comparison.methods) add("method", v);
  for (const Verdict& v : comparison.quantities) add("quantity", v);
  add("overall", comparison.overall);
  return table;
}

void write_comparison(const Results& results, const Comparison& comparison) {
  write_file(results.folder / "comparison.csv", to_text(comparison_csv(comparison)));
  write_file(results.folder / "verdicts.csv", to_text(verdicts_csv(comparison)));
  write_file(results.folder / "comparison.tex", comparison_tex(results, comparison));
  write_file(results.folder / "comparison_standalone.tex", standalone_tex("comparison"));
}

}  // namespace lacp

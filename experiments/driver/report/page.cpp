#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/sha256.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

constexpr int shown_digits = 7;  // of numbers below 10,000 that are shown with three decimals

/// Names in the order in which they were first seen; and the place of one.
using Names = std::vector<std::string>;
std::size_t place_in(Names& names, const std::string& name) {
  const auto found = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  if (found == names.size()) names.push_back(name);
  return found;
}

/// A column of numbers.
std::string column(const std::vector<double>& values) {
  return json_list(values, [&](double value) { return json_number(value, shown_digits); });
}

/// The published number of each entry, or null, and how ours differs.
std::string published_columns(const ReportedExperiment& e, bool is_size) {
  const auto column_json = [&](const auto& number) {
    return json_list(e.entries, [&](const Entry& entry) {
      const auto found = std::ranges::find_if(e.comparison.entries, [&](const ComparedEntry& c) {
        return c.ours.dataset == entry.dataset && c.ours.method == entry.method &&
               c.ours.level == entry.level;
      });
      return found == e.comparison.entries.end() ? "null" : json_number(number(*found), shown_digits);
    });
  };
  const auto published = [&](const ComparedEntry& c) -> const Moments& {
    return is_size ? c.published.size.moments : c.published.validity.moments;
  };
  return json_object(
      {{"mean", column_json([&](const ComparedEntry& c) { return published(c).mean; })},
       {"std", column_json([&](const ComparedEntry& c) { return published(c).deviation; })},
       {"z", column_json([&](const ComparedEntry& c) { return (is_size ? c.size : c.validity).means.z; })}});
}

/// Size or validity: mean and spread over runs of each entry.
std::string size_or_validity(const ReportedExperiment& e, bool is_size) {
  std::vector<double> means, deviations;
  for (const Entry& entry : e.entries) {
    const Moments& moments = is_size ? entry.size.moments : entry.validity.moments;
    means.push_back(moments.mean);
    deviations.push_back(moments.deviation);
  }
  return json_object({{"name", json_text(is_size ? "size" : "validity")},
                      {"mean", column(means)},
                      {"std", column(deviations)},
                      {"published", e.comparison.entries.empty() ? "null" : published_columns(e, is_size)}});
}

/// Whether the page shows it beside the table. Of what has no level, only what tells how a method came to its
/// intervals.
bool is_shown(const std::string& metric, bool has_level) {
  if (!has_level) return metric == "adaptation" || metric == "best_epoch" || metric.ends_with("_rmse");
  return metric != "size_mean" && metric != "validity" && metric != "infinite" && metric != "empty";
}

/// The metrics of the cells with one value, apart from those of the table, and whether they have a level: a
/// row of the table shows the same number at each if not.
std::vector<std::pair<std::string, bool>> more_metrics(const Results& results) {
  std::vector<std::pair<std::string, bool>> found;
  if (results.in_part) return found;
  for (const auto& [task, cell] : results.cells)
    for (const auto& [metric, alpha, bin, value] : cell.values)
      if (const std::pair own(metric, !alpha.empty());
          bin == 0 && is_shown(metric, own.second) && std::ranges::find(found, own) == found.end())
        found.push_back(own);
  return found;
}

/// The table by columns.
std::string table_columns(const ReportedExperiment& e, Names& datasets, Names& methods, Names& levels) {
  const auto column_json = [&](const auto& number) {
    return json_list(e.entries, [&](const Entry& entry) { return fmt::format("{}", number(entry)); });
  };
  return json_object(
      {{"dataset", column_json([&](const Entry& t) { return place_in(datasets, t.dataset); })},
       {"method", column_json([&](const Entry& t) { return place_in(methods, t.method); })},
       {"level", column_json([&](const Entry& t) { return place_in(levels, t.level.text()); })},
       {"runs", column_json([](const Entry& t) { return t.runs; })},
       {"runs_wanted", column_json([](const Entry& t) { return t.wanted; })},
       {"collapsed", column_json([](const Entry& t) { return t.collapsed; })},
       {"exploded", column_json([](const Entry& t) { return t.exploded; })},
       {"best", column_json([](const Entry& t) { return t.best ? 1 : 0; })}});
}

/// What was measured: a column of means and one of deviations for every metric, by rows of the table.
std::string metric_columns(const ReportedExperiment& e) {
  std::vector<std::string> list{size_or_validity(e, true), size_or_validity(e, false)};
  for (const auto& [metric, has_level] : more_metrics(e.results)) {
    std::vector<double> means, deviations;
    for (const Entry& t : e.entries) {
      const std::string alpha = has_level ? t.level.text() : "";
      const Moments found = summarise(e.results, {t.dataset, t.method, metric, alpha});
      means.push_back(found.mean);
      deviations.push_back(found.deviation);
    }
    list.push_back(
        json_object({{"name", json_text(metric)}, {"mean", column(means)}, {"std", column(deviations)}}));
  }
  return json_list(list);
}

/// What this report writes, and what a run left.
std::string files(const ReportedExperiment& e) {
  std::vector<std::string> there;
  for (const char* name :
       {"README.md", "table.csv", "table.tex", "comparison.csv", "runs.csv", "manifest.yaml"})
    if (fs::exists(e.results.folder / name)) there.emplace_back(name);
  return json_texts(there);
}

std::string experiment_data(const ReportedExperiment& e, const fs::path& root, Names& all_methods) {
  Names datasets, levels;
  const std::string table = table_columns(e, datasets, all_methods, levels);
  return json_object({{"name", json_text(e.label())},
                      {"title", json_text(e.title())},
                      {"link", json_text(e.results.folder.lexically_relative(root).generic_string())},
                      {"files", files(e)},
                      {"runs", std::to_string(e.results.experiment.runs)},
                      {"done", std::to_string(e.done)},
                      {"wanted", std::to_string(e.wanted)},
                      {"notes", json_texts(table_notes(e.results))},
                      {"datasets", json_texts(datasets)},
                      {"levels", json_texts(levels)},
                      {"table", table},
                      {"metrics", metric_columns(e)}});
}

/// What a column of Table 1 comes to.
std::string card(const PaperColumn& column) {
  std::vector<std::string> lines;
  for (const auto& [what, value] : agreement_lines(column.comparison))
    if (!value.empty()) lines.push_back(fmt::format("{}: {}", what, value));
  return json_object({{"title", json_text(column.title)},
                      {"answer", json_text(published_answer(column))},
                      {"lines", json_texts(lines)}});
}

/// Table 1: its rows, and the texts of each column; [text, 1] if it is more than two standard errors away.
std::string paper_table(const std::vector<PaperColumn>& columns) {
  if (columns.empty()) return "null";
  std::vector<std::string> rows;
  for (const ComparedEntry& e : columns.back().comparison.entries) {
    std::vector<std::string> cells = {
        fmt::format("[{},0]", json_text(display(e.published.size.moments.mean)))};
    for (const PaperColumn& column : columns) {
      const ComparedEntry* own = entry_like(column, e.published);
      cells.push_back(fmt::format("[{},{}]", json_text(own == nullptr ? "–" : size_text(own->ours)),
                                  own != nullptr && !own->size.agrees() ? 1 : 0));
    }
    rows.push_back(
        json_list(std::vector{json_text(e.published.dataset), json_text(method_label(e.ours.method)),
                              json_text(e.ours.level.text()), json_list(cells)}));
  }
  return json_object(
      {{"cards", json_list(columns, card)}, {"legend", json_text(size_legend())}, {"rows", json_list(rows)}});
}

/// A checksum as browsers write it: base64 of its bytes.
std::string base64(std::string_view hexadecimal) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  // Six hexadecimal digits are three bytes are four letters.
  for (std::size_t at = 0; at < hexadecimal.size(); at += 6) {
    std::string some(hexadecimal.substr(at, 6));
    const std::size_t bytes = some.size() / 2;
    some.resize(6, '0');
    const unsigned long bits = std::stoul(some, nullptr, 16);
    for (std::size_t i = 0; i < 4; ++i) text += i <= bytes ? letters[(bits >> (18 - 6 * i)) & 63] : '=';
  }
  return text;
}

std::string_view page_file(std::string_view name) { return embedded(fmt::format("page/{}", name)); }

/// Replaces what stands between `before` and `after`, everywhere, by what `change` makes of it.
template <class Change>
std::string replaced(std::string_view text, std::string_view before, std::string_view after,
                     const Change& change) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find(before);
    if (begin == std::string_view::npos) return result.append(text);
    const std::size_t inner = begin + before.size(), end = text.find(after, inner);
    result.append(text.substr(0, begin)).append(change(text.substr(inner, end - inner)));
    text.remove_prefix(end + after.size());
  }
}

}  // namespace

std::string page_data(const Report& report, const fs::path& folder) {
  Names methods;
  const std::string experiments = json_list(
      report.experiments, [&](const ReportedExperiment& e) { return experiment_data(e, folder, methods); });
  const auto method = [](const std::string& name) {
    return json_texts(std::vector{name, method_label(name)});
  };
  return json_object({{"paper", paper_table(paper_columns(report))},
                      {"best", json_text(best_words())},
                      {"methods", json_list(methods, method)},
                      {"experiments", experiments}});
}

std::string page_html(const std::string& data) {
  std::string hashes;
  std::string page = replaced(page_file("page.html"), "<script src=\"", "\"></script>", [&](auto name) {
    const std::string_view script = page_file(name);
    hashes += fmt::format(" 'sha256-{}'", base64(sha256(script)));
    return fmt::format("<script>{}</script>", script);
  });
  page = replaced(page, "<link rel=\"stylesheet\" href=\"", "\">",
                  [](auto name) { return fmt::format("<style>\n{}</style>", page_file(name)); });
  page = replaced(page, "script-src 'self'", "", [&](auto) { return "script-src" + hashes; });
  constexpr std::string_view begin = "<script type=\"application/json\" id=\"data\">", end = "</script>";
  return replaced(page, begin, end, [&](auto) { return fmt::format("{}{}{}", begin, data, end); });
}

}  // namespace lacp

#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/message.hpp"
#include "lacp/base/files.hpp"
#include "report/tex_table.hpp"

namespace lacp {
namespace {

std::string title_tex(const Experiment& e) {
  return tex_escape(e.title.empty() ? "Experiment " + e.name : e.title);
}

std::string tex_pair(const Moments& m, bool bold) {
  const std::string mean = tex_number(m.mean);
  if (std::isinf(m.mean)) return mean;
  return fmt::format("{} \\pm {}", bold ? "\\mathbf{" + mean + "}" : mean, tex_number(m.deviation));
}

std::string entry_tex(const Entry& e) {
  if (e.runs == 0) return " & -- & --";
  return fmt::format(" & ${}{}$ & ${}$", tex_pair(e.size.moments, e.best),
                     e.is_complete() ? "" : fmt::format("^{{\\dagger {}}}", e.runs),
                     tex_pair(e.validity.moments, false));
}

std::string entry_text(const Entry& e) {
  if (e.runs == 0) return "missing";
  return short_mean_and_std(e.size.moments) + (e.best ? "*" : "") +
         (e.is_complete() ? "" : fmt::format("†{}", e.runs));
}

/// The methods of one data set, as many levels beside each other as fit.
std::string dataset_text(const Experiment& experiment, const std::string& dataset,
                         const std::vector<Entry>& entries, bool bold) {
  constexpr std::size_t method_column = 18;  // "  erc (error fit) "
  std::string text;
  std::vector<std::string> lines;
  std::size_t columns = 0;
  const auto end_block = [&] {
    for (const std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  for (const Level& level : experiment.levels) {
    std::vector<const Entry*> of_level;
    for (const std::string& method : experiment.methods)
      of_level.push_back(find_entry(entries, dataset, method, level));
    std::size_t width = 4;
    for (const Entry* e : of_level) width = std::max(width, text_width(entry_text(*e)));
    if (columns == 0 || columns + width + 6 > terminal_columns) {
      end_block();
      columns = method_column;
      lines = {padded("", columns), padded("  method", columns)};
      for (const Entry* e : of_level) lines.push_back(padded("  " + method_label(e->method), columns));
    }
    columns += width + 8;
    lines[0] += padded_left("α = " + level.text(), width + 6) + "  ";
    lines[1] += padded_left("size", width) + " valid  ";
    for (std::size_t i = 0; i < of_level.size(); ++i) {
      const Entry& e = *of_level[i];
      const std::string size = padded_left(entry_text(e), width);
      lines[i + 2].append(bold && e.best ? "\033[1m" + size + "\033[0m" : size).append(" ");
      lines[i + 2].append(padded_left(e.runs == 0 ? "" : display(e.validity.moments.mean), 5) + "  ");
    }
  }
  end_block();
  return text;
}

/// Where log(1 + y) is predicted, "" if it is on no data set.
std::string log_target_note(const Results& results) {
  if (results.log_targets.empty()) return "";
  return fmt::format("log(1 + y) is predicted, and sizes are in its units, on: {}.",
                     join(results.log_targets, ", "));
}

/// Names that mean something else elsewhere.
std::vector<std::string> name_notes(const Results& results) {
  std::vector<std::string> notes;
  if (has_dataset(results, "energy_with_y1"))
    notes.emplace_back(
        "energy_with_y1 is what Table 1 calls energy: it has the heating load Y1 among its inputs, and the data set energy does not.");
  if (has_dataset(results, "linear") && has_method(results, "linear"))
    notes.emplace_back("There is a data set linear, and a method linear.");
  return notes;
}

const ComparedEntry* find_compared(const TableComparison& comparison, const std::string& dataset,
                                   const std::string& method, const Level& level) {
  const auto found = std::ranges::find_if(comparison.entries, [&](const ComparedEntry& e) {
    return e.ours.dataset == dataset && e.ours.method == method && e.ours.level == level;
  });
  return found == comparison.entries.end() ? nullptr : &*found;
}

/// The mean, or the median of a size with broken runs.
std::string mean_tex(const Entry& e, bool is_size, bool bold) {
  const bool broken = is_size && e.is_broken();
  const Sample& sample = is_size ? e.size : e.validity;
  const std::string number = tex_number(broken ? sample.median : sample.moments.mean);
  std::string marks = broken ? "\\ddagger" : "";
  if (is_size && !e.is_complete()) marks += fmt::format("\\dagger {}", e.runs);
  return fmt::format(" & ${}{}$", bold ? "\\mathbf{" + number + "}" : number,
                     marks.empty() ? "" : "^{" + marks + "}");
}

std::string compared_tex(const ComparedEntry& c, bool is_size, bool released) {
  const Difference& d = is_size ? c.size : c.validity;
  std::string text = mean_tex(c.published, is_size, false);
  if (released) text += c.released ? mean_tex(*c.released, is_size, false) : " &";
  return text + mean_tex(c.ours, is_size, !d.agrees());
}

}  // namespace

std::string best_words() {
  return fmt::format(
      "the smallest mean size of its data set and level among methods that have all their runs and a mean validity of at least 1 − α − {}",
      clear_miss);
}

std::vector<std::string> table_notes(const Results& results) {
  const Experiment& e = results.experiment;
  std::map<std::string, std::size_t> few, constant;  // points, by data set
  for (const auto& [task, cell] : results.cells) {
    const std::size_t test = points_of(cell, "rows_test"), scored = points_of(cell, "scored_points");
    if (test == 0 || scored == 0) continue;
    if (test < e.evaluation.pool || scored < e.evaluation.scored) few[task.dataset] = scored;
    if (validity_is_constant(e, cell)) constant[task.dataset] = scored;
  }
  const auto list = [&](const std::map<std::string, std::size_t>& points) {  // "mine (40), other (60)"
    std::vector<std::string> there = e.datasets;
    std::erase_if(there, [&](const std::string& name) { return !points.contains(name); });
    return join_each(there, ", ",
                     [&](const auto& name) { return fmt::format("{} ({})", name, points.at(name)); });
  };
  std::vector<std::string> notes = name_notes(results);
  if (const std::string note = log_target_note(results); !note.empty()) notes.push_back(note);
  if (!few.empty()) notes.push_back(fmt::format("Fewer points than asked for: {}.", list(few)));
  if (!constant.empty())
    notes.push_back(
        fmt::format("Validity is a constant, and measures nothing, on {}: leave-one-out scores every point.",
                    list(constant)));
  return notes;
}

std::string table_tex(const Results& results, const std::vector<Entry>& entries) {
  const Experiment& e = results.experiment;
  TexTable table{"lacp table", "", e.name, e.levels, "cc", {"size", "val"}};
  table.caption =
      "Size, the mean half-width in units of the mean $|y|$ (left), and empirical validity (right) of the prediction intervals";
  table.caption += fmt::format(", mean $\\pm$ standard deviation over {}. Bold: {}. {}.",
                               counted(e.runs, "run"), tex_text(best_words()), title_tex(e));
  if (!std::ranges::all_of(entries, &Entry::is_complete))
    table.caption +=
        fmt::format(" $^{{\\dagger k}}$: mean of only $k$ of the {}; --: none.", counted(e.runs, "run"));
  if (std::ranges::any_of(entries, [](const Entry& entry) { return std::isinf(entry.size.moments.mean); }))
    table.caption += " $\\infty$: at least one interval was infinite.";
  for (const std::string& note : table_notes(results)) table.caption.append(" ").append(tex_text(note));
  for (const std::string& dataset : e.datasets) {
    TexBlock& block = table.blocks.emplace_back(TexBlock{dataset, ""});
    for (const std::string& method : e.methods) {
      std::string& row = block.rows.emplace_back(method_label_tex(method));
      for (const Level& level : e.levels) row += entry_tex(*find_entry(entries, dataset, method, level));
    }
  }
  return to_tex(table);
}

std::string table_markdown(const Results& results, const std::vector<Entry>& entries) {
  WideTable table{.header = {"data set", "method"}};
  for (const Entry& e : entries) {
    const std::string bold = e.best ? "**" : "";
    const std::string size =
        fmt::format("{0}{1}{0} ± {2}{3}", bold, display(e.size.moments.mean),
                    display(e.size.moments.deviation), e.is_complete() ? "" : fmt::format(" †{}", e.runs));
    const bool is_there = e.runs > 0;
    const std::vector<std::string> row = {e.dataset, method_label(e.method)};
    table.set(row, fmt::format("size, α = {}", e.level.text()), is_there ? size : "missing");
    table.set(row, fmt::format("validity, α = {}", e.level.text()),
              is_there ? mean_and_std(e.validity.moments) : "missing");
  }
  std::string text = table.markdown() + "\nBold: " + best_words() + ".\n";
  for (const std::string& note : table_notes(results)) text += "\n" + markdown_text(note) + "\n";
  return text;
}

std::string table_text(const Results& results, const std::vector<Entry>& entries, bool bold) {
  const Experiment& e = results.experiment;
  std::string text;
  for (const std::string& dataset : e.datasets)
    text += fmt::format("data set {}\n{}\n", dataset, dataset_text(e, dataset, entries, bold));
  std::vector<std::string> notes = {fmt::format(
      "size: mean half-width / mean |y|, ± deviation over {}; * {}. valid: share inside; should be 1 − α.",
      counted(e.runs, "run"), best_words())};
  if (!std::ranges::all_of(entries, &Entry::is_complete))
    notes.push_back(fmt::format("†k: only k of {}.", counted(e.runs, "run")));
  if (!results.failed.empty())
    notes.push_back(counted(results.failed.size(), "task") + " failed: see `lacp status`.");
  for (const std::string& note : table_notes(results)) notes.push_back(note);
  for (const std::string& line : notes) text += wrapped(line) + "\n";
  return text;
}

void write_table(const Results& results, const std::vector<Entry>& entries) {
  write_file(results.folder / "table.csv", table_csv(entries));
  if (!results.in_part) write_file(results.folder / "table.tex", table_tex(results, entries));
}

std::string comparison_tex(const Results& results, const TableComparison& comparison) {
  const Experiment& e = results.experiment;
  const bool released = comparison.has_released();
  TexTable table{"lacp compare", "", "comparison-" + e.name, e.levels, "rr", {"paper", "ours"}};
  if (released) {
    table.alignment = "rrr";
    table.columns = {"paper", "released", "ours"};
  }
  table.caption = fmt::format(
      "Mean sizes and validities of Table 1{}, and ours over {}. Bold: over {:.0f} standard errors",
      released ? ", of the released program" : "", counted(e.runs, "run"), agreement_errors);
  table.caption += fmt::format(" from Table 1. $\\ddagger$: median, as a run broke. {}.", title_tex(e));
  if (const std::string note = log_target_note(results); !note.empty())
    table.caption.append(" ").append(tex_text(note));
  for (const std::string& dataset : e.datasets)
    for (const bool is_size : {true, false}) {
      TexBlock block{dataset, is_size ? "size" : "validity"};
      for (const std::string& method : e.methods) {
        std::string row = method_label_tex(method);
        bool is_there = false;
        for (const Level& level : e.levels) {
          const ComparedEntry* c = find_compared(comparison, dataset, method, level);
          is_there = is_there || c != nullptr;
          if (c != nullptr)
            row += compared_tex(*c, is_size, released);
          else
            for (std::size_t i = 0; i < table.columns.size(); ++i) row += " &";
        }
        if (is_there) block.rows.push_back(std::move(row));
      }
      if (!block.rows.empty()) table.blocks.push_back(std::move(block));
    }
  return to_tex(table);
}

void write_comparison(const Results& results, const TableComparison& comparison) {
  write_file(results.folder / "comparison.csv", comparison_csv(comparison));
  write_file(results.folder / "comparison.tex", comparison_tex(results, comparison));
}

std::string size_text(const Entry& e) {
  if (e.runs == 0) return "–";
  std::string text = display(e.size.moments.mean);
  if (!e.is_complete()) text += fmt::format(" †{}", e.runs);
  if (e.is_broken()) text += fmt::format(" ({})‡", display(e.size.median));
  return text;
}

std::string size_legend() {
  return "Bold: over 2 standard errors from Table 1. †k: only k runs. ‡: a run collapsed or exploded (median).";
}

std::vector<std::pair<std::string, std::string>> agreement_lines(const TableComparison& comparison) {
  std::vector<std::pair<std::string, std::string>> lines;
  const Agreement published = with_published(comparison), released = with_released(comparison);
  const auto counts = [](std::size_t means, std::size_t medians, std::size_t all) {
    return fmt::format("{} / {} of {}", means, medians, all);
  };
  lines.emplace_back("sizes within 2 standard errors of Table 1, by means / medians",
                     counts(published.means, published.medians, published.sizes));
  lines.emplace_back("the same, broken runs being misses",
                     counts(published.sound_means, published.sound_medians, published.sizes));
  const bool beside = released.sizes > 0;
  lines.emplace_back("sizes within 2 standard errors of the released program's",
                     beside ? counts(released.means, released.medians, released.sizes) : "");
  lines.emplace_back("sizes that differ from it, Mann-Whitney p < 0.05",
                     beside ? fmt::format("{} of {}", released.different, released.sizes) : "");
  std::size_t wanted = 0, runs = 0, collapsed = 0, exploded = 0;  // whole trainings: at one level
  const Level& level = comparison.entries.front().ours.level;
  for (const ComparedEntry& e : comparison.entries) {
    if (e.ours.level != level) continue;
    wanted += e.ours.wanted;
    runs += e.ours.runs;
    collapsed += e.ours.collapsed;
    exploded += e.ours.exploded;
  }
  lines.emplace_back("diverged / collapsed / exploded runs, α = " + level.text(),
                     fmt::format("{} / {} / {} of {}", wanted - runs, collapsed, exploded, wanted));
  return lines;
}

}  // namespace lacp

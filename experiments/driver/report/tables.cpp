#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/message.hpp"
#include "lacp/base/files.hpp"
#include "report/report.hpp"

namespace lacp {
namespace {

/// One block of a long table in LaTeX: its heading, what stands above the names of its rows, and the rows.
struct TexBlock {
  std::string heading, corner;
  std::vector<std::string> rows = {};
};

/// A table in blocks, for \input; needs booktabs and longtable. Every level has the same columns.
struct TexTable {
  std::string command;  ///< that writes it
  std::string caption, label;
  std::vector<Level> levels;
  std::string alignment;             ///< of one level's columns, "cc"
  std::vector<std::string> columns;  ///< their names
  std::vector<TexBlock> blocks = {};
};

std::string block_tex(const TexTable& table, const TexBlock& block) {
  std::string names = "\\texttt{" + tex_escape(block.heading) + "}", rules, columns = block.corner;
  const std::size_t width = table.columns.size();
  for (std::size_t i = 0; i < table.levels.size(); ++i) {
    names += fmt::format(" & \\multicolumn{{{}}}{{c}}{{$\\alpha = {}$}}", width, table.levels[i].text());
    rules += fmt::format("\\cmidrule(lr){{{}-{}}}", width * i + 2, width * (i + 1) + 1);
    columns += " & " + join(table.columns, " & ");
  }
  return fmt::format("{} \\\\\n{}\n{} \\\\\n\\midrule\n{} \\\\\n", names, rules, columns,
                     join(block.rows, " \\\\\n"));
}

/// On the page of a plain article, which is narrower than three levels, a table gets smaller, and may leave
/// the lines by some points on both sides.
constexpr std::string_view for_narrow_pages =
    "\\ifdim\\linewidth<440pt\\scriptsize\\setlength{\\tabcolsep}{2pt}\\medmuskip=1mu"
    "\\setlength{\\LTleft}{0pt plus 1fil minus 1fil}\\setlength{\\LTright}{\\LTleft}\\fi\n";

/// Pages break between blocks only, unless one is longer than a page.
std::string to_tex(const TexTable& table) {
  // The stretch, which a page with a ragged bottom never uses, and the penalty make the end of a block the
  // best place for the end of a page. Starred line ends would not do: booktabs puts glue, where a page may
  // end, below every rule.
  std::string text = fmt::format(
      "% Written by `{}`; needs \\usepackage{{booktabs,longtable}}.\n"
      "\\begingroup\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}\\setlength{{\\LTcapwidth}}{{\\linewidth}}\n{}"
      "\\begin{{longtable}}{{l*{{{}}}{{{}}}}}\n\\caption{{{}}}\n\\label{{table:lacp-{}}}\\\\\n"
      "\\toprule\n\\endfirsthead\n\\toprule\n\\endhead\n",
      table.command, for_narrow_pages, table.levels.size(), table.alignment, table.caption, table.label);
  for (std::size_t i = 0; i < table.blocks.size(); ++i)
    text += (i == 0 ? "" : "\\midrule[\\heavyrulewidth]\n\\noalign{\\vskip 0pt plus 1000pt\\penalty-200}\n") +
            block_tex(table, table.blocks[i]);
  return text + "\\bottomrule\n\\end{longtable}\n\\endgroup\n";
}

/// table_standalone.tex and the like: a document that holds nothing but `file`.
std::string standalone_tex(const char* file) {
  return fmt::format(
      "\\documentclass[10pt]{{article}}\n\\usepackage[a4paper,margin=18mm]{{geometry}}\n"
      "\\usepackage{{booktabs,longtable}}\n\\begin{{document}}\n\\thispagestyle{{empty}}\n\\input{{{}}}\n"
      "\\end{{document}}\n",
      file);
}

std::string title_tex(const Experiment& e) {
  return tex_escape(e.title.empty() ? "Experiment " + e.name : e.title);
}

std::string tex_pair(const Row& entry, const std::string& quantity, bool bold) {
  const double value = entry.number(quantity + "_mean");
  const std::string mean = tex_number(value);
  if (std::isinf(value)) return mean;
  return fmt::format("{} \\pm {}", bold ? "\\mathbf{" + mean + "}" : mean,
                     tex_number(entry.number(quantity + "_std")));
}

bool is_best(const Row& entry) { return entry.number("best") == 1.0; }
bool is_missing(const Row& entry) { return entry.number("runs") == 0.0; }

std::string entry_tex(const Row& e) {
  if (is_missing(e)) return " & -- & --";
  return fmt::format(" & ${}{}$ & ${}$", tex_pair(e, "size", is_best(e)),
                     is_complete(e) ? "" : fmt::format("^{{\\dagger {}}}", e["runs"]),
                     tex_pair(e, "validity", false));
}

std::string entry_text(const Row& e) {
  if (is_missing(e)) return "missing";
  return short_mean_and_std(e, "size") + (is_best(e) ? "*" : "") +
         (is_complete(e) ? "" : fmt::format("†{}", e["runs"]));
}

/// The methods of one data set, as many levels beside each other as fit.
std::string dataset_text(const Frame& entries, bool bold) {
  constexpr std::size_t method_column = 18;  // "  erc (error fit) "
  std::string text;
  std::vector<std::string> lines;
  std::size_t columns = 0;
  const auto end_block = [&] {
    for (const std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  for (const Frame& level : entries.by("alpha")) {
    std::size_t width = 4;
    for (const Row& e : level) width = std::max(width, text_width(entry_text(e)));
    if (columns == 0 || columns + width + 6 > terminal_columns) {
      end_block();
      columns = method_column;
      lines = {padded("", columns), padded("  method", columns)};
      for (const Row& e : level) lines.push_back(padded("  " + method_label(e["method"]), columns));
    }
    columns += width + 8;
    lines[0] += padded_left("α = " + level.rows[0]["alpha"], width + 6) + "  ";
    lines[1] += padded_left("size", width) + " valid  ";
    for (std::size_t i = 0; i < level.size(); ++i) {
      const Row& e = level.rows[i];
      const std::string size = padded_left(entry_text(e), width);
      lines[i + 2].append(bold && is_best(e) ? "\033[1m" + size + "\033[0m" : size).append(" ");
      lines[i + 2].append(padded_left(is_missing(e) ? "" : display(e.number("validity_mean")), 5) + "  ");
    }
  }
  end_block();
  return text;
}

std::string failed_tasks_text(const Results& results) {
  constexpr std::size_t most = 5;
  std::vector<std::string> tasks;
  for (const auto& [task, failure] : results.failed)
    if (tasks.size() < most) tasks.push_back(to_text(task));
  if (results.failed.size() > most) tasks.push_back(fmt::format("{} more", results.failed.size() - most));
  return fmt::format("{} failed, and `lacp status` says why: {}.", counted(results.failed.size(), "task"),
                     join(tasks, "; "));
}

std::string z_text(const Row& n) {
  const std::string& within = n["within_2_standard_errors"];
  if (within.empty()) return "--";
  const double value = n.number("z");
  const std::string z = std::isinf(value) ? "\\infty" : fmt::format("{:.1f}", std::abs(value));
  const std::string sign = value < 0 && z != "0.0" ? "-" : "";
  const std::string star = n.number("holm_p_overall") < error_rate ? "^{*}" : "";
  return within == "yes" ? fmt::format("${}{}$", sign, z)
                         : fmt::format("$\\mathbf{{{}{}}}{}$", sign, z, star);
}

/// "log(1 + y) is predicted, and sizes are in its units, on: bike."; "" if it is on no data set.
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

/// Whether a method has the sizes of another on a data set, in every run and at every level.
bool are_the_same(const Results& results, const std::string& dataset, const char* one, const char* other) {
  return std::ranges::all_of(results.experiment.levels, [&](const Level& level) {
    const ByRun sizes = by_run(results, {dataset, one, size_metric, level.text()});
    return !sizes.empty() && sizes == by_run(results, {dataset, other, size_metric, level.text()});
  });
}

/// Why `mondrian` is `fixed` where calibration points are few; "" if it is nowhere.
std::string one_bin_note(const Results& results) {
  std::vector<std::string> datasets = results.experiment.datasets;
  std::erase_if(datasets, [&](const std::string& dataset) {
    return !are_the_same(results, dataset, "mondrian", "fixed");
  });
  if (datasets.empty()) return "";
  const Level& level = *std::ranges::min_element(results.experiment.levels, {}, &Level::value);
  return fmt::format(
      "mondrian is the same as fixed on {}: for two bins it takes {} calibration points at α = {}, and with fewer it has one.",
      join(datasets, ", "), 4 * level.fewest(), level.text());
}

}  // namespace

std::string best_words() {
  return fmt::format(
      "the smallest mean size of its data set and level among methods that have all their runs and a mean validity of at least 1 − α − {}",
      clear_miss);
}

std::vector<std::string> table_notes(const Results& results) {
  const Experiment& e = results.experiment;
  std::map<std::string, std::size_t> small_pool, few_scored, constant;  // points, by data set
  for (const auto& [task, cell] : results.cells) {
    const std::size_t test = points_of(cell, "rows_test"), scored = points_of(cell, "scored_points");
    if (test == 0 || scored == 0) continue;
    if (test < e.evaluation.pool) small_pool[task.dataset] = test;
    if (scored < e.evaluation.scored) few_scored[task.dataset] = scored;
    if (validity_is_constant(e, cell)) constant[task.dataset] = scored;
  }
  const auto list = [&](const std::map<std::string, std::size_t>& points) {  // "mine (40), other (60)"
    std::vector<std::string> there = e.datasets;
    std::erase_if(there, [&](const std::string& name) { return !points.contains(name); });
    return join_each(there, ", ",
                     [&](const auto& name) { return fmt::format("{} ({})", name, points.at(name)); });
  };
  std::vector<std::string> notes = name_notes(results);
  for (const std::string& note : {log_target_note(results), one_bin_note(results)})
    if (!note.empty()) notes.push_back(note);
  if (!small_pool.empty())
    notes.push_back(
        fmt::format("Fewer test points than the pool of {}: {}.", e.evaluation.pool, list(small_pool)));
  if (!few_scored.empty())
    notes.push_back(
        fmt::format("Fewer points scored than the {} asked for: {}.", e.evaluation.scored, list(few_scored)));
  if (!constant.empty())
    notes.push_back(fmt::format(
        "Every point of the pool is scored by leave-one-out on {}: validity is then a constant of the ranks, not a measurement; calibration and test halves (evaluation.mode: halves) measure it.",
        list(constant)));
  return notes;
}

std::string table_tex(const Results& results, const Frame& entries) {
  const Experiment& e = results.experiment;
  TexTable table{"lacp table", "", e.name, e.levels, "cc", {"size", "val"}};
  table.caption = fmt::format(
      "Size, the mean half-width in units of the mean $|y|$ (left), and empirical validity (right) of the prediction intervals, mean $\\pm$ standard deviation over {}. Bold: {}. {}.",
      counted(e.runs, "run"), tex_text(best_words()), title_tex(e));
  if (!std::ranges::all_of(entries, is_complete))
    table.caption += fmt::format(" $^{{\\dagger k}}$: mean of only $k$ of the {}; --: none.",
                                 counted(results.experiment.runs, "run"));
  if (std::ranges::any_of(entries.numbers("size_mean"), [](double size) { return std::isinf(size); }))
    table.caption += " $\\infty$: at least one interval was infinite.";
  for (const std::string& note : table_notes(results)) table.caption.append(" ").append(tex_text(note));
  for (const Frame& dataset : entries.by("dataset")) {
    TexBlock& block = table.blocks.emplace_back(TexBlock{dataset.rows[0]["dataset"], ""});
    for (const Frame& method : dataset.by("method")) {
      std::string& row = block.rows.emplace_back(method_label_tex(method.rows[0]["method"]));
      for (const Row& entry : method) row += entry_tex(entry);
    }
  }
  return to_tex(table);
}

std::string table_markdown(const Results& results, const Frame& entries) {
  std::vector<std::string> header{"data set", "method"};
  for (const Level& level : results.experiment.levels)
    header.insert(header.end(), {fmt::format("size, α = {}", level.text()), "validity"});
  Frame table(header);
  for (const Frame& dataset : entries.by("dataset"))
    for (const Frame& method : dataset.by("method")) {
      std::vector<Field> row{method.rows[0]["dataset"], method.rows[0]["method"]};
      for (const Row& e : method) {
        const std::string bold = is_best(e) ? "**" : "";
        row.push_back(is_missing(e) ? "missing"
                                    : fmt::format("{0}{1}{0} ± {2}{3}", bold, display(e.number("size_mean")),
                                                  display(e.number("size_std")),
                                                  is_complete(e) ? "" : fmt::format(" †{}", e["runs"])));
        row.push_back(is_missing(e) ? "missing" : mean_and_std(e, "validity"));
      }
      table.add(std::move(row));
    }
  std::string text = to_markdown(table) + "\nBold: " + best_words() + ".\n";
  for (const std::string& note : table_notes(results)) text += "\n" + markdown_text(note) + "\n";
  return text;
}

std::string table_text(const Results& results, const Frame& entries, bool bold) {
  const Experiment& e = results.experiment;
  std::string text;
  for (const std::string& dataset : e.datasets)
    text +=
        fmt::format("data set {}\n{}\n", dataset, dataset_text(entries.where({{"dataset", dataset}}), bold));
  std::vector<std::string> notes = {fmt::format(
      "size: mean half-width of the intervals in units of mean |y|, mean ± standard deviation over {}; * {}. valid: share of the points inside their interval; it should be 1 − α.",
      counted(e.runs, "run"), best_words())};
  const auto place = [](const Row& entry) {
    return fmt::format("{} on {} at α = {}", method_label(entry["method"]), entry["dataset"], entry["alpha"]);
  };
  const Frame passed = entries.where([&](const Row& entry) {
    if (!is_complete(entry) || !misses_clearly(entry)) return false;
    const Row* best = entries.find({{"dataset", entry["dataset"]}, {"alpha", entry["alpha"]}, {"best", "1"}});
    return best == nullptr || entry.number("size_mean") < best->number("size_mean");
  });
  if (!passed.empty())
    notes.push_back(fmt::format("Smaller, but without a mark, since valid is more than {} below 1 − α: {}.",
                                clear_miss, join_each(passed, "; ", place)));
  if (!std::ranges::all_of(entries, is_complete))
    notes.push_back(fmt::format("†k: mean of only k of {}; missing: of none.", counted(e.runs, "run")));
  if (!results.failed.empty()) notes.push_back(failed_tasks_text(results));
  for (const std::string& note : table_notes(results)) notes.push_back(note);
  for (const std::string& line : notes) text += wrapped(line) + "\n";
  return text;
}

void write_table(const Results& results, const Frame& entries) {
  write_file(results.folder / "table.csv", table_csv(entries));
  write_file(results.folder / "table.tex", table_tex(results, entries));
  write_file(results.folder / "table_standalone.tex", standalone_tex("table"));
}

std::string comparison_tex(const Results& results, const Comparison& comparison) {
  const Experiment& e = results.experiment;
  const Row& all = comparison.overall();
  TexTable table{"lacp compare", "", "comparison-" + e.name, e.levels, "rrr", {"ours", "paper", "$z$"}};
  const std::string note = log_target_note(results);
  table.caption = fmt::format(
      "Our means ({} runs) beside the paper's ({} runs); $z$ is their difference in units of the combined standard error, bold beyond {:.0f}, starred if significant at {:.0f}\\,\\% after Holm's correction over all {} numbers. {} of {} numbers lie within {:.0f} standard errors. {}.{}",
      e.runs, reference_runs, agreement_errors, 100.0 * error_rate, all["numbers"],
      all["within_2_standard_errors"], all["numbers"], agreement_errors, title_tex(e),
      note.empty() ? "" : fmt::format(" {}", tex_escape(note)));
  for (const std::string& dataset : comparison.numbers.distinct("dataset"))
    for (const char* quantity : {"size", "validity"}) {
      table.blocks.push_back({dataset, quantity});
      const Frame numbers = comparison.numbers.where({{"dataset", dataset}, {"quantity", quantity}});
      for (const std::string& method : e.methods) {
        if (numbers.find({{"method", method}}) == nullptr) continue;
        std::string row = method_label_tex(method);
        for (const Level& level : e.levels) {
          const Row* n = numbers.find({{"method", method}, {"alpha", level.text()}});
          row += n == nullptr ? " & & &"
                              : fmt::format(" & ${}$ & ${}$ & {}", tex_number(n->number("ours_mean")),
                                            tex_number(n->number("paper_mean")), z_text(*n));
        }
        table.blocks.back().rows.push_back(std::move(row));
      }
    }
  return to_tex(table);
}

std::string comparison_markdown(const Results& results, const Comparison& comparison) {
  WideTable table{.header = {"data set", "method"}};
  for (const std::string& dataset : comparison.numbers.distinct("dataset"))
    for (const std::string& method : results.experiment.methods)
      for (const Row& n : comparison.numbers.where({{"dataset", dataset}, {"method", method}})) {
        const std::string bold = n["within_2_standard_errors"] == "no" ? "**" : "",
                          star = n.number("holm_p_overall") < error_rate ? "\\*" : "";
        table.set({dataset, method_label(method)}, fmt::format("{}, α = {}", n["quantity"], n["alpha"]),
                  fmt::format("{0}{1}{0}{2} / {3}", bold, display(n.number("ours_mean")), star,
                              display(n.number("paper_mean"))));
      }
  return table.markdown();
}

void write_comparison(const Results& results, const Comparison& comparison) {
  write_file(results.folder / "comparison.csv", to_text(comparison.numbers));
  write_file(results.folder / "verdicts.csv", to_text(comparison.verdicts));
  write_file(results.folder / "comparison.tex", comparison_tex(results, comparison));
  write_file(results.folder / "comparison_standalone.tex", standalone_tex("comparison"));
}

}  // namespace lacp

// Numbers of results in an article. \res{name} stands in its text; the lines behind \end{document}, where
// LaTeX reads no more, say for each name what it is:
//
//     name: FILE | key=value; key!=value; by key | {column} of {mean column:.3f}
//     name: FILE | key=value; under text | rows {column} {column}
//     name: FILE | regular expression, whose group is the text
//
// FILE is a csv, all of a folder (FOLDER/*.csv), or a page with tables, of which the first is taken that has
// these columns and such rows, and above it a line that begins with the text after "under". A key may have
// several values ("a or b"). The text is made of each row, or of all rows with the same value of the key
// after "by", and the texts are joined by " / ". {…} is a cell as it is, or as all rows have it, a number
// with decimals (:.3f), or 100·(1 − x) (:less.1f); mean, min, max, sum or distinct before the column is over
// the rows, count is of the rows, and within2 of those from −2 to 2. "rows" makes rows of a table of LaTeX
// instead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <set>

#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sums.hpp"
#include "report/report.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// The parts between separators.
std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(trim(text.substr(0, end)));
    if (end == text.npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

/// The tables of a page, without what makes a cell bold or marks it, each behind the line with text above it.
std::vector<std::pair<std::string, Frame>> tables_of(const fs::path& file) {
  if (file.filename() == "*.csv") {
    std::optional<Frame> all;
    for (const fs::path& one :
         std::set<fs::path>(fs::directory_iterator(file.parent_path()), fs::directory_iterator())) {
      const Frame part = read_frame(one);
      if (all)
        all->append(part);
      else
        all = part;
    }
    return {{"", all.value()}};
  }
  if (file.extension() != ".md") return {{"", read_frame(file)}};
  std::vector<std::pair<std::string, Frame>> tables;
  std::string above;
  bool inside = false;
  for (const std::string& line : split_text(read_file(file), '\n')) {
    const bool row = line.starts_with('|');
    if (row) {
      std::vector<std::string> cells = parts_of(line.substr(1, line.rfind('|') - 1), "|");
      for (std::string& cell : cells) {
        std::erase(cell, '*');
        if (const std::size_t mark = cell.find("°"); mark != cell.npos) cell.erase(mark, 2);
      }
      if (!inside)
        tables.emplace_back(above, Frame(cells, file.string()));
      else if (Frame& table = tables.back().second;
               cells.front().find("--") == std::string::npos && cells.size() == table.header().size())
        table.add({cells.begin(), cells.end()});
    } else if (!line.empty()) {
      above = line;
    }
    inside = row;
  }
  return tables;
}

struct Condition {
  std::string key;
  bool equal = true;
  std::vector<std::string> values;
};

/// What stands in braces.
struct Taken {
  std::string before, operation, column;
  std::optional<int> decimals = {};
  bool less = false;
};

struct Quote {
  std::string file, by, under, after;  ///< `after`: the last field
  std::vector<Condition> conditions;
  std::vector<Taken> fields;
};

Quote parse(const std::vector<std::string>& parts) {
  if (parts.size() != 3) user_error("expected FILE | conditions | text");
  Quote quote;
  quote.file = parts[0];
  for (const std::string& part : parts_of(parts[1], ";")) {
    const std::size_t at = part.find('=');
    const bool equal = at == part.npos || at == 0 || part[at - 1] != '!';
    if (part.starts_with("by "))
      quote.by = part.substr(3);
    else if (part.starts_with("under "))
      quote.under = part.substr(6);
    else if (at == part.npos)
      user_error("found '{}'; expected key=value, key!=value, 'by key' or 'under text'", part);
    else
      quote.conditions.push_back(
          {part.substr(0, at - (equal ? 0 : 1)), equal, parts_of(part.substr(at + 1), " or ")});
  }
  static const std::regex form(
      R"(\{((mean|min|max|sum|distinct|count|within[1-9]) )?([^:}]+)(:(less)?\.(\d)f)?\})");
  std::smatch found;
  for (quote.after = parts[2]; std::regex_search(quote.after, found, form);
       quote.after = found.suffix().str()) {
    Taken& field = quote.fields.emplace_back(Taken{found.prefix(), found[2], found[3]});
    if (found[6].matched) field.decimals = std::stoi(found[6]);
    field.less = found[5].matched;
  }
  return quote;
}

std::string text_of(const Taken& field, const Frame& rows) {
  const std::vector<std::string> cells = rows.distinct(field.column);
  if (field.operation == "count") return fmt::format("{}", rows.size());
  if (field.operation == "distinct") return fmt::format("{}", cells.size());
  const bool same = cells.size() == 1 && !field.decimals;
  if (field.operation.empty() && rows.size() != 1 && !same)
    user_error("{} rows fit where one was expected: {} is {}", rows.size(), field.column, join(cells, ", "));
  if (field.operation.empty() && !field.decimals) return cells[0];
  const std::vector<double> values = rows.numbers(field.column);
  if (field.operation.starts_with("within")) {
    const double bound = field.operation.back() - '0';
    return fmt::format("{}", std::ranges::count_if(values, [&](double x) { return std::abs(x) <= bound; }));
  }
  const auto [least, most] = std::ranges::minmax(values);
  double value = sum_of(values);
  if (field.operation == "min") value = least;
  if (field.operation == "max") value = most;
  if (field.operation == "mean") value /= static_cast<double>(values.size());
  if (field.less) value = 100.0 * (1.0 - value);
  return fmt::format("{:.{}f}", value, field.decimals.value_or(0));
}

/// A cell of a page in LaTeX: code and links in typewriter.
std::string tex_of(const std::string& markdown) {
  static const std::regex mark(R"(`([^`]*)`|\[[^\]]*\]\(([^)]*)\))");
  std::string text, rest = markdown;
  for (std::smatch found; std::regex_search(rest, found, mark); rest = found.suffix().str())
    text +=
        tex_escape(found.prefix().str()) + "\\texttt{" + tex_escape(found[1].str() + found[2].str()) + "}";
  return text + tex_escape(rest);
}

std::string made_of(const Quote& quote, const fs::path& top) {
  const bool over_all = quote.by.empty() && std::ranges::any_of(quote.fields, [](const Taken& f) {
                          return !f.operation.empty();
                        });
  const bool as_rows = !quote.fields.empty() && quote.fields[0].before.starts_with("rows ");
  for (const auto& [above, found] : tables_of(top / quote.file)) {
    const Frame& table = found;  // clang 14 captures no part of a pair
    const auto lacks = [&](const std::string& name) { return std::ranges::count(table.header(), name) == 0; };
    if (!above.starts_with(quote.under) || (!quote.by.empty() && lacks(quote.by)) ||
        std::ranges::any_of(quote.conditions, lacks, &Condition::key) ||
        std::ranges::any_of(quote.fields, lacks, &Taken::column))
      continue;
    const Frame rows = table.where([&](const Row& row) {
      return std::ranges::all_of(quote.conditions, [&](const Condition& condition) {
        return (std::ranges::count(condition.values, row[condition.key]) > 0) == condition.equal;
      });
    });
    std::vector<Frame> groups;
    if (!quote.by.empty())
      groups = rows.by(quote.by);
    else if (over_all && !rows.empty())
      groups = {rows};
    else
      for (const Row& row : rows) groups.push_back(rows.where([&](const Row& one) { return &one == &row; }));
    std::string text;
    for (const Frame& group : groups) {
      std::vector<std::string> cells;
      std::string plain;
      for (const Taken& field : quote.fields) {
        cells.push_back(tex_of(text_of(field, group)));
        plain += field.before + text_of(field, group);
      }
      text += as_rows ? join(cells, " & ") + " \\\\\n"
                      : (text.empty() ? "" : " / ") + tex_escape(plain + quote.after);
    }
    if (!text.empty()) return text;
  }
  user_error("{} has no table with these columns and such a row", quote.file);
}

std::string first_match(const fs::path& file, const std::string& expression) {
  const std::string text = read_file(file);
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(expression)) || found.size() != 2)
    user_error("{} has nothing like {}", file.filename().string(), expression);
  return found[1];
}

}  // namespace

std::string article_numbers(const std::string& article, const fs::path& top) {
  const std::size_t end = std::min(article.find("\n\\end{document}"), article.size());
  std::set<std::string> used, explained;
  static const std::regex use(R"(\\res\{([^}]*)\})");
  for (std::sregex_iterator at(article.begin(), article.begin() + static_cast<std::ptrdiff_t>(end), use),
       last;
       at != last; ++at)
    used.insert(at->str(1));
  std::vector<std::string> problems;
  std::string text = "% Written by `lacp report --article`.\n";
  for (const std::string& line : split_text(article.substr(end), '\n')) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, colon);
    const std::vector<std::string> parts = parts_of(line.substr(colon + 2), " | ");
    explained.insert(name);
    if (!used.contains(name)) problems.push_back(name + ": is quoted nowhere");
    try {
      const std::string value =
          parts.size() == 2 ? tex_escape(first_match(top / parts[0], parts[1])) : made_of(parse(parts), top);
      text += fmt::format("\\expandafter\\def\\csname res:{}\\endcsname{{{}}}\n", name, value);
    } catch (const std::exception& error) {
      problems.push_back(fmt::format("{}: {}", name, error.what()));
    }
  }
  for (const std::string& name : used)
    if (!explained.contains(name))
      problems.push_back(name + ": the lines behind \\end{document} do not say what it is");
  if (!problems.empty()) user_error("{}", join(problems, "; "));
  return text;
}

ArticleDatasets article_datasets(const std::string& article, const fs::path& top) {
  std::set<std::string> names;
  static const std::regex experiment(R"(results/([a-z0-9_/]+)/[a-z]+\.)");
  for (std::sregex_iterator at(article.begin(), article.end(), experiment), last; at != last; ++at)
    if (const fs::path table = top / "results" / at->str(1) / "table.csv"; fs::exists(table))
      for (const std::string& name : read_frame(table).distinct("dataset")) names.insert(name);
  ArticleDatasets made;
  std::map<std::string, std::string> keys;  // by citation
  for (const std::string& name : names) {
    const DatasetDescription set = Catalog(top / "datasets").find(name);
    const auto [key, is_new] = keys.emplace(set.citation, set.synthetic ? "original" : "data:" + name);
    made.rows += fmt::format("\\texttt{{{}}} & {} & {} & {} & \\cite{{{}}} \\\\\n", tex_escape(name),
                             tex_escape(set.title), set.rows, set.attributes, key->second);
    if (is_new && !set.synthetic)
      made.references += fmt::format("@misc{{{}, note = {{{}}}}}\n", key->second, tex_escape(set.citation));
  }
  made.rows = "\\newcommand{\\datarows}{%\n" + made.rows + "}\n";
  return made;
}

}  // namespace lacp

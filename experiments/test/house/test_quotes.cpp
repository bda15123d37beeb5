// What README.md, findings.md and tutorial.md quote is what the results say. LACP_FILL_QUOTES=1 writes it
// there.
//
// Numbers that a page quotes, and where they come from. In the text a quote stands between two comments,
// <!--name-->148 of 180<!--/-->, which do not show; a comment at the end of the page says for each name what
// it is:
//
//     <!-- quotes
//     name: FILE | key=value; key!=value; by key | {column} of {mean column:.3f}
//     name: FILE | regular expression, whose group is the text
//     name: by hand | why nothing of it is in a file
//     -->
//
// FILE is a csv, or a page with tables, of which the first is taken that has these columns and such rows. A
// key may have several values ("a or b"). The text is made of each row, or of all rows with the same value of
// the key after "by", and the texts are joined by " / ". {…} is a cell as it is, its n-th word (#1), a number
// with decimals
// (:.3f), or 100·(1 − x) (:less.1f); mean, min, max, sum or distinct before the column is over the rows.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "common/frame.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp_program.hpp"

namespace lacp::quotes {

/// The parts between separators.
std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    parts.emplace_back(trim(text.substr(0, end)));
    text.remove_prefix(end + separator.size());
  }
  parts.emplace_back(trim(text));
  return parts;
}

/// The tables of a page, without what makes a cell bold or marks it.
std::vector<Frame> tables_of(const fs::path& file) {
  if (file.extension() != ".md") return {read_frame(file)};
  std::vector<Frame> tables;
  bool inside = false;
  for (const std::string& line : split_text(read_file(file), '\n')) {
    const bool row = line.starts_with("| ");
    if (row) {
      std::vector<std::string> cells = parts_of(line.substr(2, line.rfind('|') - 2), "|");
      for (std::string& cell : cells) {
        std::erase(cell, '*');
        if (const std::size_t mark = cell.find("°"); mark != cell.npos) cell.erase(mark, 2);
      }
      if (!inside)
        tables.emplace_back(cells, file.string());
      else if (!cells.front().starts_with("---") && cells.size() == tables.back().header().size())
        tables.back().add({cells.begin(), cells.end()});
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
struct Field {
  std::string before, operation, column;
  std::size_t word = 0;  ///< from 1; 0: all of them
  std::optional<int> decimals = {};
  bool less = false;
};

struct Quote {
  std::string file, by, after;  ///< the last field
  std::vector<Condition> conditions;
  std::vector<Field> fields;
};

Quote parse(const std::vector<std::string>& parts) {
  if (parts.size() != 3) user_error("expected FILE | conditions | text, or: by hand | why");
  Quote quote{.file = parts[0], .by = "", .after = "", .conditions = {}, .fields = {}};
  for (const std::string& part : parts_of(parts[1], ";")) {
    const std::size_t at = part.find('=');
    const bool equal = at == part.npos || at == 0 || part[at - 1] != '!';
    if (part.starts_with("by "))
      quote.by = part.substr(3);
    else if (at == part.npos)
      user_error("found '{}'; expected key=value, key!=value or 'by key'", part);
    else
      quote.conditions.push_back(
          {part.substr(0, at - (equal ? 0 : 1)), equal, parts_of(part.substr(at + 1), " or ")});
  }
  static const std::regex form(R"(\{((mean|min|max|sum|distinct) )?([^:#}]+)(#(\d))?(:(less)?\.(\d)f)?\})");
  std::smatch found;
  for (quote.after = parts[2]; std::regex_search(quote.after, found, form);) {
    Field field{
        .before = found.prefix(), .operation = found[2], .column = found[3], .less = found[7].matched};
    if (found[5].matched) field.word = std::stoul(found[5]);
    if (found[8].matched) field.decimals = std::stoi(found[8]);
    quote.fields.push_back(std::move(field));
    const std::string rest = found.suffix();
    quote.after = rest;
  }
  return quote;
}

std::string text_of(const Field& field, const Frame& table, const std::vector<std::size_t>& rows) {
  const std::size_t at = table.column(field.column);
  std::set<std::string> cells;
  std::vector<double> values;
  for (const std::size_t row : rows) cells.insert(table.rows[row][at]);
  if (field.operation == "distinct") return fmt::format("{}", cells.size());
  if (field.operation.empty() && rows.size() != 1)
    user_error("{} rows fit where one was expected: {} is {}", rows.size(), field.column,
               fmt::join(cells, ", "));
  if (field.word > 0) return parts_of(*cells.begin(), " ").at(field.word - 1);
  if (field.operation.empty() && !field.decimals) return *cells.begin();
  for (const std::size_t row : rows) values.push_back(table.number(row, field.column));
  const auto [least, most] = std::ranges::minmax(values);
  double value = field.operation == "min" ? least : field.operation == "max" ? most : sum_of(values);
  if (field.operation == "mean") value /= static_cast<double>(values.size());
  if (field.less) value = 100.0 * (1.0 - value);
  return fmt::format("{:.{}f}", value, field.decimals.value_or(0));
}

bool has_columns(const Frame& table, const Quote& quote) {
  const auto has = [&](const std::string& name) {
    return std::ranges::find(table.header(), name) != table.header().end();
  };
  return std::ranges::all_of(quote.conditions, has, &Condition::key) &&
         std::ranges::all_of(quote.fields, has, &Field::column) && (quote.by.empty() || has(quote.by));
}

bool fits(const Row& row, const Quote& quote) {
  return std::ranges::all_of(quote.conditions, [&](const Condition& condition) {
    const std::string& cell = row[condition.key];
    return (std::ranges::find(condition.values, cell) != condition.values.end()) == condition.equal;
  });
}

/// The text of a quote as the files below `top` have it. UserError if they do not have it.
std::string value_of(const Quote& quote, const fs::path& top) {
  const bool over_all = quote.by.empty() && std::ranges::any_of(quote.fields, [](const Field& f) {
                          return !f.operation.empty();
                        });
  for (const Frame& table : tables_of(top / quote.file)) {
    if (!has_columns(table, quote)) continue;
    std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;  // in the order of the file
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (!fits(table.rows[row], quote)) continue;
      const std::string key = over_all            ? ""
                              : !quote.by.empty() ? table.rows[row][quote.by]
                                                  : std::to_string(row);
      auto group = std::ranges::find(groups, key, [](const auto& entry) { return entry.first; });
      if (group == groups.end()) group = groups.insert(group, {key, {}});
      group->second.push_back(row);
    }
    std::string text;
    for (const auto& [key, rows] : groups) {
      if (!text.empty()) text += " / ";
      for (const Field& field : quote.fields) text += field.before + text_of(field, table, rows);
      text += quote.after;
    }
    if (!text.empty()) return text;
  }
  user_error("{} has no table with these columns and such a row", quote.file);
}

struct Checked {
  std::string filled;                 ///< the page with every quote as the files have it
  std::vector<std::string> problems;  ///< quotes that differ, and numbers that are none, by line
  std::size_t quotes = 0;
};

/// Numbers that only results can have: decimals, shares, records, percentages. Not those of settings (α =
/// 0.05), and none in code, addresses or versions.
std::vector<std::string> loose_numbers(std::string text) {
  for (const char* other : {R"(`[^`]*`)", R"(\]\([^)]*\))", R"([αθγ] = [\d.]+(( / |, | and )[\d.]+)*)"})
    text = std::regex_replace(text, std::regex(other), " ");
  static const std::regex number(R"(\d*\.\d+|\d+ of( its)? \d+|\d+–\d+–\d+|\d+ %)");
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
    found.push_back(at->str());
  return found;
}

/// Where the page ends and says what its quotes are.
std::size_t end_of(const std::string& page) { return std::min(page.find("<!-- quotes\n"), page.size()); }

std::string first_match(const fs::path& file, const std::string& expression) {
  std::string text = read_file(file);
  text.resize(end_of(text));
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(expression)) || found.size() != 2)
    user_error("{} has nothing like {}", file.filename().string(), expression);
  return found[1];
}

/// What the end of a page says of its quotes; nothing: by hand.
using Values = std::map<std::string, std::optional<std::string>>;

Values values_of(const std::string& end_of_page, const fs::path& top, std::vector<std::string>& problems) {
  Values values;
  for (const std::string& line : split_text(end_of_page, '\n')) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, colon);
    const std::vector<std::string> parts = parts_of(line.substr(colon + 2), " | ");
    std::optional<std::string>& value = values[name];
    try {
      if (parts.size() != 2)
        value = value_of(parse(parts), top);
      else if (parts[0] != "by hand")
        value = first_match(top / parts[0], parts[1]);
      else if (parts[1].empty())
        user_error("does not say why it is filled in by hand");
    } catch (const UserError& error) {
      problems.push_back(fmt::format("{}: {}", name, error.what()));
    }
  }
  return values;
}

Checked check(const std::string& page, const fs::path& top) {
  constexpr std::string_view behind = "<!--/-->";
  Checked checked;
  const std::size_t end = end_of(page);
  const Values values = values_of(page.substr(end), top, checked.problems);
  std::set<std::string> seen;
  std::string rest;  // without what is quoted
  for (std::size_t at = 0; at < end;) {
    const std::size_t open = std::min(page.find("<!--", at), end), close = page.find("-->", open);
    rest += page.substr(at, open - at), checked.filled += page.substr(at, open - at);
    at = open;
    if (open == end) continue;
    const std::string name = page.substr(open + 4, close - open - 4);
    const std::size_t last = page.find(behind, close);
    std::string said = page.substr(close + 3, last - close - 3);
    const auto found = values.find(name);
    if (last > end || found == values.end()) {
      checked.problems.push_back(
          fmt::format("{}: expected <!--/--> behind it, and what it is at the end of the page", name));
      checked.filled += page.substr(open, end - open);
      break;
    }
    if (found->second && *found->second != said) {
      checked.problems.push_back(
          fmt::format("{}: says '{}' where the results have '{}'", name, said, *found->second));
      said = *found->second;
    }
    checked.filled += fmt::format("<!--{}-->{}{}", name, said, behind);
    rest += ' ', seen.insert(name);
    at = last + behind.size();
  }
  checked.filled += page.substr(end), checked.quotes = seen.size();
  for (const auto& [name, value] : values)
    if (!seen.contains(name)) checked.problems.push_back(name + ": is quoted nowhere");
  const std::vector<std::string> lines = split_text(rest, '\n');
  bool code = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) code = !code;
    for (const std::string& loose : loose_numbers(code ? "" : lines[i]))
      checked.problems.push_back(
          fmt::format("line {}: says '{}' and does not say where it comes from", i + 1, loose));
  }
  return checked;
}

}  // namespace lacp::quotes

using namespace lacp;

namespace {

const fs::path top = LACP_SOURCE_DIR;

/// The problems of a page in a folder with a csv and a page of results.
std::vector<std::string> problems_of(const std::string& page, std::string* filled = nullptr) {
  const TemporaryFolder folder;
  write_file(folder / "table.csv",
             "dataset,method,alpha,size,valid\n"
             "a,exp,0.05,0.25,1\na,exp,0.1,0.1255,1\nb,exp,0.05,0.5,0.9\nb,fixed,0.05,1.5,0.9\n");
  write_file(folder / "page.md",
             "| other |\n| --- |\n| x |\n\n| method | cqr, α = 0.1 | rank |\n| --- | --- | ---: |\n"
             "| exp | 3–9–4 (0.5) | **4.56**° |\n| adapt | 5–9–2 (0.7) | 4.5 |\n");
  const quotes::Checked checked = quotes::check(page, folder.path());
  if (filled != nullptr) *filled = checked.filled;
  return checked.problems;
}

/// The text of one quote.
std::string quoted(const std::string& source) {
  std::string filled;
  const auto problems = problems_of("<!--q-->?<!--/-->\n<!-- quotes\nq: " + source + "\n-->\n", &filled);
  const std::size_t end = filled.find("<!--/-->");
  return filled.starts_with("<!--q-->?<") ? problems.at(0) : filled.substr(8, end - 8);
}

}  // namespace

TEST_CASE("a quote is a cell, or made of several, of a csv or of a table on a page") {
  CHECK(quoted("table.csv | dataset=b; method=fixed | {size:.3f} ± {valid:.1f}") == "1.500 ± 0.9");
  CHECK(quoted("table.csv | dataset=a | {size}") == "0.25 / 0.1255");
  CHECK(quoted("table.csv | method=exp; dataset!=b | {min size:.2f} to {max size:.2f}") == "0.13 to 0.25");
  CHECK(quoted("table.csv | method=exp; by alpha | {mean size:.4f}") == "0.3750 / 0.1255");
  CHECK(quoted("table.csv | dataset=a or b; alpha=0.05 | {distinct method} methods, {sum valid:.1f}") ==
        "2 methods, 2.8");
  CHECK(quoted("table.csv | alpha=0.1 | {size:less.1f} %") == "87.5 %");
  CHECK(quoted("page.md | method=adapt | {cqr, α = 0.1#1}") == "5–9–2");
  CHECK(quoted("page.md | method=exp | {rank:.1f}") == "4.6");
  CHECK(quoted("page.md | adapt [|] ([0-9]+)") == "5");
}

TEST_CASE("a quote without a source is refused") {
  CHECK(quoted("table.csv | method=erc | {size}") ==
        "q: table.csv has no table with these columns and such a row");
  CHECK(quoted("page.md | method=exp | {size}") ==
        "q: page.md has no table with these columns and such a row");
  CHECK(has(quoted("absent.csv | method=exp | {size}"), "absent.csv"));
  CHECK(quoted("table.csv | method | {size}") ==
        "q: found 'method'; expected key=value, key!=value or 'by key'");
  CHECK(quoted("table.csv | method=exp; by alpha | {size}") ==
        "q: 2 rows fit where one was expected: size is 0.25, 0.5");
  CHECK(quoted("page.md | nothing (.)") == "q: page.md has nothing like nothing (.)");
  CHECK(quoted("by hand | ") == "q: does not say why it is filled in by hand");
  CHECK(quoted("0.25") == "q: expected FILE | conditions | text, or: by hand | why");
}

TEST_CASE("numbers that differ, that nobody explains, and explanations of nothing are found") {
  const std::string end = "<!-- quotes\nq: page.md | method=adapt | {cqr, α = 0.1#1}\n-->\n";
  CHECK(problems_of("At α = 0.05 / 0.1 it has <!--q-->5–9–2<!--/-->, see `x 0.5` and [1](a0.5.md).\n" + end)
            .empty());
  std::string filled;
  CHECK(problems_of("It has <!--q-->5–8–2<!--/-->.\n" + end, &filled) ==
        std::vector<std::string>{"q: says '5–8–2' where the results have '5–9–2'"});
  CHECK(filled == "It has <!--q-->5–9–2<!--/-->.\n" + end);
  CHECK(problems_of("Nothing.\n" + end) == std::vector<std::string>{"q: is quoted nowhere"});
  CHECK(problems_of("<!--r-->1<!--/-->\n") ==
        std::vector<std::string>{"r: expected <!--/--> behind it, and what it is at the end of the page"});
  for (const char* loose : {"0.86", "5–9–2", "7 of 9", "12 %", ".948"})
    CHECK(problems_of(std::string("First\n\nIt is ") + loose + " here.\n") ==
          std::vector<std::string>{
              fmt::format("line 3: says '{}' and does not say where it comes from", loose)});
  CHECK(problems_of("```text\n0.5\n```\n").empty());
  CHECK(problems_of("<!--m-->0.06<!--/-->\n<!-- quotes\nm: by hand | measured once\n-->\n").empty());
}

TEST_CASE("what the pages quote is what the results say") {
  for (const auto& [name, least] : {std::pair("README.md", 1u), std::pair("experiments/findings.md", 25u),
                                    std::pair("experiments/tutorial.md", 3u)}) {
    INFO(std::string(name));
    const std::string page = read_file(top / name);
    const quotes::Checked checked = quotes::check(page, top);
    for (const std::string& problem : checked.problems) FAIL_CHECK(problem);
    CHECK(checked.quotes >= least);
    if (std::getenv("LACP_FILL_QUOTES") != nullptr && checked.filled != page)
      write_file(top / name, checked.filled);
  }
}

TEST_CASE("README.md is short") {
  const std::string page = read_file(top / "README.md");
  CHECK(std::ranges::count(page.substr(0, quotes::end_of(page)), '\n') <= 165);
}

TEST_CASE("the comment in paper.yaml is what the ablation says") {
  const quotes::Quote points = quotes::parse({"results/ablation/ablation.csv", "variant=paper-all-points",
                                              "are {max ratio:less.0f} to {min ratio:less.0f} % smaller"});
  CHECK(has(read_file(top / "experiments/paper.yaml"), quotes::value_of(points, top)));
}

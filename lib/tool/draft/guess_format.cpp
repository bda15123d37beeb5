// How a csv is written: delimiter, header, titles above it.

#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/csv.hpp"
#include "table/sheets/edges.hpp"
#include "tool/draft/draft.hpp"

namespace lacp {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// The first rows with this delimiter, without titles above them, which take `skip` lines; none if they do
/// not all have the same number of cells.
Rows first_rows(std::string_view bytes, char delimiter, std::size_t& skip, std::size_t most = 50) {
  const std::string source;
  Rows rows;
  std::vector<std::size_t> lines;
  skip = 0;
  CsvCells cells(bytes, bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0, 1, delimiter, source);
  try {
    while (rows.size() < most && cells.start_record()) {
      rows.emplace_back();
      lines.push_back(cells.line());
      do rows.back().emplace_back(cells.text());
      while (cells.another_cell());
    }
  } catch (const UserError&) {  // quotes that make no sense so
    return {};
  }
  if (rows.size() < most && delimiter != ' ') drop_notes(rows);
  if (const std::size_t titles = delimiter == ' ' ? 0 : count_titles(rows); titles > 0) {
    skip = lines[titles] - 1;
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(titles));
  }
  const auto is_longer = [&](const auto& row) { return row.size() == rows[0].size() + 1; };
  if (rows.size() > 2 && rows[0].size() > 1 && std::all_of(rows.begin() + 1, rows.end(), is_longer))
    rows[0].insert(rows[0].begin(), "");
  const auto is_ragged = [&](const auto& row) { return row.size() != rows[0].size(); };
  return std::ranges::any_of(rows, is_ragged) ? Rows{} : rows;
}

bool is_year(std::string_view cell) {
  const long long year = cell.size() == 4 ? parse_integer(cell).value_or(0) : 0;
  return year >= 1800 && year < 2200;
}

/// Whether the numbers of the first row are years over numbers of another kind, as in "country,2001,2002":
/// then they are names.
bool begins_with_years(const Rows& rows) {
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    if (!is_number(rows[0][i])) continue;
    const auto below = std::count_if(rows.begin() + 1, rows.end(),
                                     [&](const std::vector<std::string>& row) { return is_year(row[i]); });
    if (!is_year(rows[0][i]) || 2 * static_cast<std::size_t>(below) >= rows.size() - 1) return false;
  }
  return rows[0].size() > 1 && rows.size() > 2;
}

char said_delimiter(const std::string& option) try {
  return delimiter_of(option);
} catch (const UserError& error) {
  user_error("--delimiter: {}", error.what());
}

}  // namespace

CsvFormat guess_format(std::string_view bytes, const std::string& source, const DraftOptions& options,
                       std::size_t& skip) {
  const std::string skipped = without_first_lines(bytes, options.skip.value_or(0));
  const std::string_view rest = options.skip ? skipped : bytes;
  CsvFormat format;
  format.header = false;
  std::size_t titles = 0, titles_if = 0;
  if (!options.delimiter.empty()) format.delimiter = said_delimiter(options.delimiter);
  Rows rows = first_rows(rest, format.delimiter, titles);
  for (const char delimiter : {';', '\t', '|', ' '}) {
    Rows cut = options.delimiter.empty() ? first_rows(rest, delimiter, titles_if) : Rows{};
    const std::size_t cells = rows.empty() ? 1 : rows[0].size();
    if (cut.empty() || cut[0].size() <= cells) continue;
    // A cell that is a delimiter, as in "a , b", is none; a date and its time are not a row's name and a
    // cell.
    const bool is_cell = std::ranges::find(cut[0], std::string(1, format.delimiter)) != cut[0].end();
    if (is_cell || (cut[0][0].empty() && cells > 1)) continue;
    rows = std::move(cut);
    format.delimiter = delimiter;
    titles = titles_if;
  }
  read_csv_header(rest, source, format);  // refuses what is no table
  if (rows.empty()) rows = first_rows(rest, format.delimiter, titles_if, 1);
  skip = options.skip.value_or(titles);
  // These are names if none is a number, if the numbers among them look like years, or if a text stands above
  // numbers.
  format.header = rows.empty() || std::ranges::none_of(rows[0], is_number) || begins_with_years(rows);
  for (std::size_t i = 0; !format.header && rows.size() > 2 && i < rows[0].size(); ++i)
    format.header =
        !is_number(rows[0][i]) && !is_missing_mark(rows[0][i]) &&
        std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return is_number(row[i]); });
  return format;
}

}  // namespace lacp

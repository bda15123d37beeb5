#include "datasets/unpack.hpp"

#include <algorithm>

#include "common/process.hpp"
#include "datasets/catalog.hpp"
#include "datasets/xlsx.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// The sheet that is meant, from 0.
std::size_t find_sheet(const std::vector<Workbook::Sheet>& sheets, const std::string& wanted,
                       const std::string& file) {
  if (wanted.empty()) {
    const auto visible = std::ranges::find(sheets, false, &Workbook::Sheet::hidden);
    return visible == sheets.end() ? 0 : static_cast<std::size_t>(visible - sheets.begin());
  }
  const auto named = std::ranges::find(sheets, wanted, &Workbook::Sheet::name);
  if (named != sheets.end()) return static_cast<std::size_t>(named - sheets.begin());
  const long long number = parse_integer(wanted).value_or(0);
  if (number > 0 && static_cast<std::size_t>(number) <= sheets.size())
    return static_cast<std::size_t>(number) - 1;
  std::vector<std::string> names;
  for (const Workbook::Sheet& sheet : sheets) names.push_back(sheet.name);
  user_error("--sheet {}: {} has no such sheet{}; its sheets: {}", show_text(wanted), file,
             did_you_mean(wanted, names), short_list(names));
}

}  // namespace

TableBytes table_in(const std::filesystem::path& file, const std::string& sheet) {
  const std::string name = file.string();
  if (!ends_with_xlsx(name)) {
    if (!sheet.empty()) user_error("--sheet {}: {} is no xlsx file, so it has no sheets", sheet, name);
    return {.text = file.extension() == ".gz" ? gunzipped(file, FetchOptions{}.most_bytes) : read_file(file)};
  }
  const Workbook book(read_file(file), name);
  const std::vector<Workbook::Sheet>& sheets = book.sheets();
  const std::size_t chosen = find_sheet(sheets, sheet, name);
  TableBytes table{.text = book.csv(sheets[chosen]), .sheet = chosen + 1};
  std::vector<std::string> others;
  for (std::size_t i = 0; i < sheets.size() && sheet.empty(); ++i)
    if (i != chosen && !sheets[i].hidden && book.has_values(sheets[i])) others.push_back(sheets[i].name);
  if (!others.empty())
    table.note =
        fmt::format("the first sheet, {}, is read; others hold data, too ({}): --sheet {} reads that one",
                    show_text(sheets[chosen].name), short_list(others), shell_quoted(others[0]));
  return table;
}

std::string unpacked_table(const DatasetSource& source, std::uint64_t most_bytes) {
  const std::string name = source.original.string();
  if (source.gzip) return gunzipped(source.original, most_bytes);
  std::string bytes = read_file(source.original);
  if (!source.member.empty()) bytes = ZipArchive(std::move(bytes), name).member(source.member, most_bytes);
  if (source.sheet == 0) return bytes;
  const Workbook book(std::move(bytes), name);
  if (source.sheet > book.sheets().size())
    user_error("{}: has no sheet {}, which the description names (format.sheet); it has {}", name,
               source.sheet, counted(book.sheets().size(), "sheet"));
  return book.csv(book.sheets()[source.sheet - 1]);
}

}  // namespace lacp

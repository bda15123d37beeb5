#include "tool/row_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "lacp/base/descriptor.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/sheets/zip.hpp"

namespace lacp {
namespace {

/// A new table may have another delimiter than that of the fit, and titles above its header: the beginning of
/// the table is changed to what has the columns of the model, if anything does.
void find_header(std::string& bytes, CsvFormat& format, const Columns& columns, const std::string& name) {
  constexpr std::size_t most_titles = 20;
  if (!format.header || !format.names.empty()) return;
  const auto fits = [&](const std::string& text, char delimiter) {
    CsvFormat other = format;
    other.delimiter = delimiter;
    try {
      const std::vector<std::string> names = read_csv_header(text, name, other).names;
      const std::set<std::string_view> known(names.begin(), names.end());
      return std::ranges::all_of(columns.attributes,
                                 [&](const Column& column) { return known.contains(column.name); });
    } catch (const UserError&) {
      return false;
    }
  };
  if (fits(bytes, format.delimiter)) return;
  for (std::size_t skip = 0; skip <= most_titles; ++skip) {
    std::string text = without_first_lines(bytes, skip);
    const std::string_view rest = std::string_view(text).substr(skip);
    if (rest.starts_with('\n') || rest.starts_with("\r\n")) continue;  // an empty line counts, as in the fit
    for (const char delimiter : {format.delimiter, ',', ';', '\t', '|', ' '}) {
      if (!fits(text, delimiter)) continue;
      if (delimiter != format.delimiter)
        note("{}: cells are separated by {} instead of {}\n", name, show_text({&delimiter, 1}),
             show_text({&format.delimiter, 1}));
      if (skip > 0) note("{}: {} above the header left out\n", name, counted(skip, "line"));
      bytes = std::move(text);
      format.delimiter = delimiter;
      return;
    }
  }
}

/// A csv, standard input ("-"), a sheet of an xlsx, or a csv that is unpacked while it is read.
CsvChunks open_table(const StreamOptions& options, const TableModel& model) {
  const std::filesystem::path& table = options.table;
  const std::string name = table == "-" ? "standard input" : table.string();
  if (!options.sheet.empty() && !ends_with_xlsx(name)) user_error("--sheet: {} is no xlsx file", name);
  if (table.extension() == ".zip") user_error("{}: expected csv, csv.gz or xlsx", name);
  const auto begin = [&](std::string& bytes, CsvFormat& of_table) {
    find_header(bytes, of_table, model.columns(), name);
  };
  CsvFormat format = model.format();
  CsvChunks::Read read;
  if (table == "-") {
    read = [](std::string& bytes, std::size_t size) { return read_all(STDIN_FILENO, bytes, size); };
  } else if (ends_with_xlsx(name)) {
    format.delimiter = ',';
    const auto sheet = std::make_shared<const TableBytes>(table_in(table, options.sheet));
    if (!sheet->note.empty()) note("{}\n", sheet->note);
    read = [sheet, at = std::size_t{0}](std::string& bytes, std::size_t size) mutable {
      const std::string_view next = std::string_view(sheet->text).substr(at, size - bytes.size());
      at += next.size();
      bytes += next;
      return true;
    };
  } else if (table.extension() == ".gz") {
    const auto packed = std::make_shared<GzipFile>(table);
    read = [packed](std::string& bytes, std::size_t size) {
      packed->read(bytes, size);
      return true;
    };
  } else {
    return CsvChunks(table, format, CsvChunks::usual_size, begin);
  }
  return CsvChunks(std::move(read), name, format, CsvChunks::usual_size, begin);
}

}  // namespace

bool says_missing(const std::string& cell, const Columns& columns) {
  return columns.marks ? cell.empty() || std::ranges::count(*columns.marks, cell) > 0 : is_missing_mark(cell);
}

RowStream::RowStream(const StreamOptions& options, const TableModel& model)
    : chunks_(open_table(options, model)),
      all_(options.all_rows),
      columns_(model.columns()),
      last_(chunks_.header().names, names_like_totals(),
            [this](std::size_t line, const std::vector<std::string>& cells) { look_at(line, cells); }) {
  const std::map<std::string_view, const Column*> known = columns_by_name();
  for (std::size_t i = 0; i < chunks_.header().names.size(); ++i)
    if (known.contains(chunks_.header().names[i])) attributes_.push_back(i);
}

std::optional<CsvChunks::Chunk> RowStream::next() {
  while (!ended_) {
    std::optional<CsvChunks::Chunk> chunk = chunks_.next();
    if (chunk) last_.see(chunk->bytes, chunk->header.line, chunks_.format().delimiter);
    ended_ = !chunk;
    if (ended_)
      leave_out_end();
    else if (!kept_)
      kept_ = std::move(chunk);
    else if (belongs_to_kept(*chunk))
      kept_->bytes += chunk->bytes;
    else
      return std::exchange(kept_, std::move(chunk));
  }
  return std::exchange(kept_, std::nullopt);
}

CsvSource RowStream::source(const CsvChunks::Chunk& chunk) const {
  return {chunk.bytes, chunks_.name(), chunks_.format(), chunk.header};
}

void RowStream::report() const {
  if (const std::size_t lines = chunks_.converted(); lines > 0)
    note("{} no UTF-8: read as Windows-1252 (Latin-1)\n", counted(lines, "line"));
  if (end_.rows > 0) tell("{}: {}; --all-rows reads them, too\n", chunks_.name(), end_.text());
  if (empty_ > 0)
    note("{}:{}: no attribute of this row is known{}: means are used\n", chunks_.name(), first_empty_,
         empty_ == 1 ? "" : fmt::format(", nor of {} others", empty_ - 1));
}

std::map<std::string_view, const Column*> RowStream::columns_by_name() const {
  std::map<std::string_view, const Column*> by_name;
  for (const Column& column : columns_.attributes) by_name[column.name] = &column;
  return by_name;
}

std::vector<bool> RowStream::names_like_totals() const {
  const std::map<std::string_view, const Column*> known = columns_by_name();
  std::vector<bool> names;
  for (const std::string& name : chunks_.header().names) {
    const auto column = known.find(name);
    names.push_back(column != known.end() && std::ranges::any_of(column->second->values, says_total));
  }
  return names;
}

void RowStream::look_at(std::size_t line, const std::vector<std::string>& cells) {
  const auto known = [&](std::size_t i) { return i >= cells.size() || !says_missing(cells[i], columns_); };
  if (std::ranges::any_of(attributes_, known)) return;
  if (empty_ == 0) first_empty_ = line;
  ++empty_;
}

bool RowStream::belongs_to_kept(const CsvChunks::Chunk& chunk) const {
  const auto lines = static_cast<std::size_t>(std::ranges::count(kept_->bytes, '\n'));
  return kept_->bytes.size() + chunk.bytes.size() <= 3 * CsvChunks::usual_size / 2 &&
         chunk.header.line == kept_->header.line + lines;
}

void RowStream::leave_out_end() {
  if (!kept_ || !last_.readable()) return;
  const char delimiter = chunks_.format().delimiter;
  end_ = last_.finish(all_ ? 0 : count_rows(kept_->bytes, delimiter));
  kept_->bytes = without_last_rows(std::move(kept_->bytes), delimiter, end_.rows);
  if (kept_->bytes.empty()) kept_.reset();
}

}  // namespace lacp

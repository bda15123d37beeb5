#include "table/csv_chunks.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "lacp/base/descriptor.hpp"
#include "lacp/base/error.hpp"

namespace lacp {
namespace {

/// The bytes up to the end of the last record that ends in them, which begin with a record; 0 if none does.
/// Line ends within quotes end no record, by the rules of CsvCells.
std::size_t end_of_records(std::string_view bytes, char delimiter) {
  // Without quotes, which is the usual case, every line end ends a record.
  if (bytes.find('"') == std::string_view::npos) return bytes.rfind('\n') + 1;
  const auto is_blank = [&](char c) { return c == ' ' || (c == '\t' && delimiter != '\t'); };
  enum class In { cell_start, cell, quotes } in = In::cell_start;
  std::size_t end = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in == In::quotes) {
      if (c == '"' && i + 1 < bytes.size() && bytes[i + 1] == '"')
        ++i;
      else if (c == '"')
        in = In::cell;
    } else if (c == '\n') {
      end = i + 1;
      in = In::cell_start;
    } else if (c == delimiter || (delimiter == ' ' && c == '\t')) {
      in = In::cell_start;
    } else if (in == In::cell_start && !is_blank(c)) {
      in = c == '"' ? In::quotes : In::cell;
    }
  }
  return end;
}

CsvChunks::Read reader_of(const std::filesystem::path& file) {
  const auto opened = std::make_shared<const Descriptor>(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened->is_open()) user_error("{}: cannot be read: {}", file.string(), std::strerror(errno));
  return [opened](std::string& bytes, std::size_t size) { return read_all(opened->get(), bytes, size); };
}

}  // namespace

CsvChunks::CsvChunks(const std::filesystem::path& file, const CsvFormat& format, std::size_t size,
                     const Begin& begin)
    : CsvChunks(reader_of(file), file.string(), format, size, begin) {}

CsvChunks::CsvChunks(Read read, std::string name, const CsvFormat& format, std::size_t size,
                     const Begin& begin)
    : name_(std::move(name)), format_(format), size_(size), read_(std::move(read)) {
  const std::size_t end = whole_records();
  std::string first = rest_.substr(0, end);
  if (!first.starts_with("\xFF\xFE")) converted_ += to_utf8(first);  // UTF-16 is refused by its name
  if (begin) begin(first, format_);
  header_ = read_csv_header(first, name_, format_);
  line_ = header_.line;
  rest_.replace(0, end, first, header_.offset);
  header_.offset = 0;
}

void CsvChunks::read_more(std::size_t bytes) {
  const std::size_t wanted = rest_.size() + bytes;
  if (!read_(rest_, wanted)) user_error("{}: cannot be read: {}", name_, std::strerror(errno));
  at_end_ = rest_.size() < wanted;
}

std::size_t CsvChunks::whole_records() {
  for (;;) {
    if (!at_end_ && rest_.size() < size_) read_more(size_ - rest_.size());
    if (at_end_) return rest_.size();
    if (const std::size_t end = end_of_records(rest_, format_.delimiter); end > 0) return end;
    if (rest_.size() >= longest_row)
      user_error("{}:{}: the row that begins here has more than {} MB; is a quote left open?", name_, line_,
                 longest_row >> 20);
    read_more(rest_.size());
  }
}

std::optional<CsvChunks::Chunk> CsvChunks::next() {
  for (;;) {
    const std::size_t end = whole_records();
    if (end == 0 && !any_)
      user_error("{}: holds a header and no rows; expected one row per observation", name_);
    if (end == 0) return std::nullopt;
    Chunk chunk{.bytes = rest_.substr(0, end), .header = header_};
    chunk.header.line = line_;
    rest_.erase(0, end);
    line_ += static_cast<std::size_t>(std::count(chunk.bytes.begin(), chunk.bytes.end(), '\n'));
    converted_ += to_utf8(chunk.bytes);
    if (!CsvCells(chunk.bytes, 0, 1, format_.delimiter, name_).start_record()) continue;  // blank lines
    any_ = true;
    return chunk;
  }
}

}  // namespace lacp

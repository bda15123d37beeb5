// A table read piece by piece is the table read whole.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lacp/base/files.hpp"
#include "lacp/data/csv_chunks.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

struct Read {
  std::vector<std::size_t> lines;
  std::vector<double> values;
  std::size_t chunks = 0;
  bool operator==(const Read& other) const { return lines == other.lines && values == other.values; }
};

Read read_in_chunks(const std::filesystem::path& file, const CsvFormat& format, std::size_t size) {
  CsvChunks chunks(file, format, size);
  Read out;
  while (const auto chunk = chunks.next()) {
    const CsvSource source{chunk->bytes, chunks.name(), chunks.format(), chunk->header};
    const std::vector<CellUse> use{CellUse::skip, CellUse::number};
    const CsvTable table = read_csv(
        source, use, [](auto, auto, auto) { return std::optional<double>(); }, &out.lines);
    out.values.insert(out.values.end(), table.values.begin(), table.values.end());
    ++out.chunks;
  }
  return out;
}

}  // namespace

TEST_CASE("wherever a table is cut, its rows and their lines are the same") {
  const TemporaryFolder folder;
  std::string text = "\xEF\xBB\xBFtext,number\r\n";
  std::size_t line = 2;
  Read expected;
  for (int i = 0; i < 300; ++i) {
    expected.lines.push_back(line);
    expected.values.push_back(i);
    switch (i % 5) {
      case 0:
        text += fmt::format("plain,{}\n", i), line += 1;
        break;
      case 1:
        text += fmt::format(" \"two\nlines, \"\"quoted\"\"\",{}\r\n", i), line += 2;
        break;
      case 2:
        text += fmt::format("5\" pipe,{}\n\n  \n", i), line += 3;
        break;
      case 3:
        text += fmt::format("\"\",\"{}\"\n", i), line += 1;
        expected.lines.pop_back(), expected.values.pop_back();  // the reader here drops what is quoted
        break;
      default:
        text += fmt::format("\"a\"\"\n\n\n\"  ,{}\n", i), line += 4;
    }
  }
  const auto file = folder / "t.csv";
  for (const char* end : {"", "\n\n", "last,7"}) {
    write_file(file, text + end);
    Read whole = expected;
    if (std::string(end) == "last,7") whole.lines.push_back(line), whole.values.push_back(7);
    for (const std::size_t size : {1, 7, 20, 21, 100, 1000, 1 << 20}) {
      CAPTURE(size);
      const Read found = read_in_chunks(file, {}, size);
      CHECK(found == whole);
      CHECK((size < 1000 ? found.chunks > 5 : found.chunks >= 1));
    }
  }
}

TEST_CASE("a table of blanks and tabs is cut at its rows too") {
  const TemporaryFolder folder;
  const auto file = folder / "t.csv";
  write_file(file, "1  2\n\"3\n\"\t4\n  5 6 \n");
  for (const std::size_t size : {1, 5, 8, 100}) {
    const Read found = read_in_chunks(file, {.delimiter = ' ', .header = false, .names = {}}, size);
    CHECK(found.lines == std::vector<std::size_t>{1, 2, 4});
    CHECK(found.values == std::vector<double>{2, 4, 6});
  }
}

TEST_CASE("what is no table is refused") {
  const TemporaryFolder folder;
  const auto file = folder / "t.csv";
  const auto refusal = [&](const std::string& text) {
    write_file(file, text);
    return message_of([&] { read_in_chunks(file, {}, 16); });
  };
  CHECK(refusal("") == file.string() + ": is empty; expected a table");
  const std::string no_rows =
      file.string() + ": holds a header and no rows; expected one row per observation";
  CHECK(refusal("a,b\n") == no_rows);
  CHECK(refusal("a,b\n" + std::string(100, '\n')) == no_rows);
  CHECK(refusal("a,b\n1,2\n\"open,3\n4,5\n").find("never ends") != std::string::npos);
  CHECK(refusal("a,b\n1,2\n\"" + std::string(CsvChunks::longest_row + 100, 'x')) ==
        file.string() + ":3: the row that begins here has more than 64 MB; is a quote left open?");
  CHECK(message_of([&] { CsvChunks(folder / "none.csv", {}); }).find("cannot be read") != std::string::npos);
  CHECK(message_of([&] { CsvChunks(folder.path(), {}); }).find("Is a directory") != std::string::npos);
}

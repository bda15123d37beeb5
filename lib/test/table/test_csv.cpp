// Tables of numbers in csv, read whole and piece by piece.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "lacp/base/files.hpp"
#include "lacp/base/random.hpp"
#include "said.hpp"
#include "table/columns.hpp"
#include "table/csv.hpp"
#include "table/csv_chunks.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

CsvFormat format_of(char delimiter, bool header) {
  return {.delimiter = delimiter, .header = header, .names = {}};
}

/// The last column alone.
CsvTable read_last(std::string_view text) {
  const CsvFormat format;
  const std::string name = "t.csv";
  const CsvHeader header = read_csv_header(text, name, format);
  const CsvSource table{text, name, format, header};
  std::vector<CellUse> use(header.names.size(), CellUse::skip);
  use.back() = CellUse::number;
  return read_csv(table, use, [&](std::string_view cell, std::size_t column, std::size_t line) {
    return read_number(table, cell, column, line);
  });
}

std::string refusal(std::string_view text, const CsvFormat& format = {}) {
  return message_of<UserError>([&] { read_csv(text, "t.csv", format); });
}

void check_table(const CsvTable& table, const std::vector<std::string>& names, const arma::mat& rows) {
  CHECK(table.names == names);
  REQUIRE(table.values.n_rows == rows.n_cols);
  REQUIRE(table.values.n_cols == rows.n_rows);
  CHECK(arma::approx_equal(table.values.t(), rows, "absdiff", 0));
}

}  // namespace

TEST_CASE("what the published files contain is read") {
  const arma::mat expected{{1, 2.5}, {-3, 4e3}};
  for (const auto& [what, delimiter, text] :
       std::initializer_list<std::tuple<const char*, char, std::string>>{
           {"LF", ',', "a,b\n1,2.5\n-3,4e3\n"},
           {"CRLF", ',', "a,b\r\n1,2.5\r\n-3,4e3\r\n"},
           {"no newline at the end", ',', "a,b\n1,2.5\n-3,4e3"},
           {"CR at the end", ',', "a,b\r\n1,2.5\r\n-3,4e3\r"},
           {"byte-order mark", ',',
            "\xEF\xBB\xBF"
            "a,b\n1,2.5\n-3,4e3\n"},
           {"blanks around cells", ',', " a ,b \n1 , 2.5 \n -3\t,4e3\t\n"},
           {"quoted numbers", ',', "\"a\",\"b\"\n\"1\",2.5\n\" -3 \" ,\"4e3\"\n"},
           {"plus signs", ',', "a,b\n+1,+2.5\n-3,+4e+3\n"},
           {"blank lines", ',', "\n\na,b\n\n1,2.5\n  \n-3,4e3\n\n\r\n\n"},
           {"semicolons", ';', "a;b\n1;2.5\n-3;4e3\n"},
           {"tabs", '\t', "a\tb\n1\t2.5\n-3 \t 4e3\n"},
           {"runs of blanks", ' ', "  a   b\n 1 2.5  \n-3\t \"4e3\" \r\n"}}) {
    const std::string which = what;
    CAPTURE(which);
    check_table(read_csv(text, "t.csv", format_of(delimiter, true)), {"a", "b"}, expected);
  }
}

TEST_CASE("a file without header gets numbered or given names") {
  const auto given = [](bool header, std::vector<std::string> names) {
    return CsvFormat{.delimiter = ',', .header = header, .names = std::move(names)};
  };
  check_table(read_csv("1,2\n3,4\n", "t.csv", given(false, {})), {"c1", "c2"}, {{1, 2}, {3, 4}});
  check_table(read_csv("1,2\n3,4\n", "t.csv", given(false, {"u", "v"})), {"u", "v"}, {{1, 2}, {3, 4}});
  check_table(read_csv("p,q\n3,4\n", "t.csv", given(true, {"u", "v"})), {"u", "v"}, {{3, 4}});
  check_has(refusal("1,2\n", given(false, {"u"})), "t.csv:1: has 2 columns, but 1 name");
}

TEST_CASE("a quoted cell of a header or a dropped column may hold anything, also a delimiter or a line end") {
  const std::string_view text =
      "\"the, \"\"id\"\" \",date,y\n\"7,1\",2014,1\n\"a \"\"b\"\"\nc\",,2\nx,y z,3\n";
  check_table(read_last(text), {"y"}, arma::mat(arma::vec{1, 2, 3}));
  CHECK(read_csv_header(text, "t.csv", {}).names.front() == "the, \"id\"");
  const std::string message = message_of<UserError>([] { read_last("id,y\n\"two\nlines\",1\nx,oops\n"); });
  CHECK(message.starts_with("t.csv:4: column 2 'y': found 'oops'"));
}

TEST_CASE("what cannot be a data set is refused with file, line, column, cell and a hint") {
  const auto check = [](const std::string& text, const Parts& parts, char delimiter = ',') {
    CAPTURE(text);
    check_has(refusal(text, format_of(delimiter, true)), parts);
  };
  for (const char* empty : {"", " \r\n\n"}) check(empty, "t.csv: is empty");
  check("a,b\n", "t.csv: holds a header and no rows");
  check("a,b\n1,2\n3\n", {"t.csv:3: the row has 1 of 2 cells", "column 2 'b'"});
  check("a,b\n1,2\n3,4,five,6\n", "t.csv:3: the row has 4 cells; expected 2, so cell 3, 'five', ");
  check("a,b\n1,2,\n", "t.csv:2: the row has 3 cells; expected 2, so cell 3, '', ");
  check("7,b,7\n1,2,3\n", {"t.csv:1: columns 1 and 3 are both named '7'"});
  check("a,b\n1,\"2\n3,4\n", "t.csv:2: the quoted cell that begins with '2\\x0a3,4\\x0a' never ends");
  check("a,b\n1,\"2\"3\n", "t.csv:2: there is text after the closing quote of the cell '2'");
  check("# made, by hand, in 2020\na,b\n1,2\n", "comments are not read");
  check("a,b\n1,5,2,7\n", "decimal commas take quotes, or ; between the cells");
  CHECK_FALSE(refusal("a;b\n1;5;2;7\n", format_of(';', true)).ends_with("write points"));
  // A cell that is no number, and what it is.
  using Values = std::vector<std::string>;
  const std::string z40(40, 'z'), z1000(1000, 'z'), zero("2\0", 2);
  for (const auto& [cell, found, kind, values] :
       std::vector<std::tuple<std::string, std::string, FaultKind, Values>>{
           {"four", "found 'four'; expected a number", FaultKind::text, {"four"}},
           {"\xC3\xA4hnlich", "found '", FaultKind::text, {"\xC3\xA4hnlich"}},
           {"2x", "found '2x'; expected a number", FaultKind::no_number, {"2x"}},
           {zero, "found '2\\x00'; expected a number", FaultKind::no_number, {zero}},
           {z1000, "found '" + z40 + "...'", FaultKind::text, {z1000}},
           {"NA", "found 'NA'; expected a number", FaultKind::missing_cell, {}},
           {"#DIV/0!", "found '#DIV/0!'; expected a number", FaultKind::missing_cell, {}},
           {"", "the cell is empty; expected a number", FaultKind::missing_cell, {}},
           {"nan", "found 'nan'; expected a finite number", FaultKind::other, {}},
           {"-1e999", "found '-1e999'; expected a finite number", FaultKind::other, {}},
           {"1,5", "found '1,5'; expected a number", FaultKind::decimal_mark, {"", "1.5"}},
           {"-1.234,5e3", "found '", FaultKind::decimal_mark, {"", "-1234500"}},
           {"1,234,567", "found '", FaultKind::decimal_mark, {"1234567", ""}},
           {"1.2k", "found '1.2k'; expected a number", FaultKind::decimal_mark, {"1200", ""}},
           {"4,228", "found '", FaultKind::decimal_mark, {"4228", "4.228"}}}) {
    const std::string text = "a;b\n1;" + cell + "\n";
    check(text, "t.csv:2: column 2 'b': " + found, ';');
    const Fault fault = fault_of([&] { read_csv(text, "t.csv", format_of(';', true)); });
    CHECK(fault.kind == kind);
    CHECK(fault.values == values);
    CHECK(fault.line == 2);
  }
  check("{\"a\": 1}\n", "t.csv: looks like JSON");
  check_has(message_of<UserError>([] { read_last("a,b\n1,2\n# a note\n"); }), "comments are not read");
}

TEST_CASE("rows that begin with names of their own, as R writes them, have a column without a name") {
  const auto names = [](std::string_view text, char delimiter = ',') {
    return read_csv_header(text, "t.csv", format_of(delimiter, true)).names;
  };
  const std::vector<std::string> with{"c1", "a", "b"}, without{"a", "b"};
  CHECK(names("\"a\",\"b\"\n\"1\",5,6\n\"2\",7,8\n") == with);
  CHECK(names("\"a\" \"b\"\n\"Mazda RX4\" 5 6\n\"Fiat 128\" 7 8\n", ' ') == with);
  CHECK(names("a,b\n5,6,\n7,8,\n") == without);         // a delimiter at the end of each row
  CHECK(names("a,b\n5,6,1\n7,8,2\n") == without);       // no names
  CHECK(names("a,b\nx,6,1\nx,8,2\n") == without);       // not of one row each
  CHECK(names("a,b\nx,6,1\ny,8,2\nz,8\n") == without);  // not in all rows
}

TEST_CASE("rows in memory are read as those of a csv, and messages count them from 0") {
  const CsvFormat format;
  const std::string name = "X";
  const CsvHeader header{.names = {"a", "b", "y"}};
  std::vector<double> a{1.5, NAN, 3}, y{1, 2, 3};
  const std::string texts = "uvu";
  const std::vector<std::int64_t> ends{0, 1, 2, 3};
  const auto numbers = [](const std::vector<double>& all) {
    return MemoryColumn{.numbers = reinterpret_cast<const char*>(all.data()), .stride = sizeof(double)};
  };
  const MemoryTable memory{{numbers(a), {.texts = texts.data(), .ends = ends.data()}, numbers(y)}, 3};
  const CsvSource table{"", name, format, header, &memory};
  Columns columns{.attributes = {{.name = "a", .if_missing = IfMissing::fill},
                                 {.name = "b", .kind = ColumnKind::category}},
                  .target = {{.name = "y"}}};
  const EncodedTable found = fit_columns(columns, table);
  CHECK(
      arma::approx_equal(found.X.cols(arma::uvec{0, 2}), arma::mat{{1.5, 3}, {1, 1}, {0, 0}}, "absdiff", 0));
  CHECK(std::isnan(found.X(0, 1)));
  CHECK(columns.attributes[1].values == std::vector<std::string>{"u", "v"});
  CHECK(read_column(table, 1, {1, 3}) == std::vector<std::string>{"u", "u"});
  CHECK(read_column(table, 0, {1, 2}) == std::vector<std::string>{"1.5", ""});
  a[2] = INFINITY;
  CHECK_REFUSED(encode(columns, table), "row 2: column 'a': found inf; expected a finite number");
}

TEST_CASE("every number is read to the double that strtod gives") {
  Stream stream(7);
  for (int i = 0; i < 200000; ++i) {
    std::string text = stream.below(2) == 0 ? "-" : "";
    for (std::uint64_t digits = 1 + stream.below(20); digits > 0; --digits)
      text += static_cast<char>('0' + stream.below(10));
    if (stream.below(4) != 0)
      text.insert(text.size() - stream.below(text.size() - text.find_first_of("0123456789")), 1, '.');
    if (stream.below(4) == 0) text += fmt::format("e{}", static_cast<int>(stream.below(600)) - 300);
    const double expected = std::strtod(text.c_str(), nullptr);
    if (!std::isfinite(expected) || std::abs(expected) < std::numeric_limits<double>::min()) continue;
    const CsvTable table = read_csv(text + "\n", "t.csv", format_of(',', false));
    if (table.values(0, 0) != expected) FAIL("read wrongly: " << text);
  }
}

TEST_CASE("a table has at most 100,000 columns") {
  std::string wide;
  for (int i = 0; i < 99'999; ++i) wide += "1,";
  CHECK(read_csv(wide + "1\n", "t.csv", format_of(',', false)).values.n_elem == 100'000);
  check_has(refusal(wide + "1,1\n", format_of(',', false)), "t.csv:1: has more than 100000 columns");
}

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
  const std::pair<const char*, std::size_t> kinds[] = {{"plain,{}\n", 1},
                                                       {" \"two\nlines, \"\"quoted\"\"\",{}\r\n", 2},
                                                       {"5\" pipe,{}\n\n  \n", 3},
                                                       {"\"\",\"{}\"\n", 1},
                                                       {"\"a\"\"\n\n\n\"  ,{}\n", 4}};
  Read expected;
  for (int i = 0; i < 300; ++i) {
    expected.lines.push_back(line);
    expected.values.push_back(i);
    const auto& [record, lines] = kinds[i % 5];
    text += fmt::format(fmt::runtime(record), i), line += lines;
    if (i % 5 == 3) expected.lines.pop_back(), expected.values.pop_back();  // what is quoted is dropped here
  }
  const auto file = folder / "t.csv";
  for (const char* end : {"", "\n\n", "last,7"}) {
    write_file(file, text + end);
    Read whole = expected;
    if (std::string(end) == "last,7") whole.lines.push_back(line), whole.values.push_back(7);
    for (const std::size_t size : {1u, 7u, 20u, 21u, 100u, 1000u, 1u << 20}) {
      CAPTURE(size);
      const Read found = read_in_chunks(file, {}, size);
      CHECK(found == whole);
      CHECK((size < 1000 ? found.chunks > 5 : found.chunks >= 1));
    }
  }
}

TEST_CASE("a table of blanks and tabs is cut at its rows too, and what is no table is refused") {
  const TemporaryFolder folder;
  const auto file = folder / "t.csv";
  write_file(file, "1  2\n\"3\n\"\t4\n  5 6 \n");
  for (const std::size_t size : {1u, 5u, 8u, 100u}) {
    const Read found = read_in_chunks(file, format_of(' ', false), size);
    CHECK(found.lines == std::vector<std::size_t>{1, 2, 4});
    CHECK(found.values == std::vector<double>{2, 4, 6});
  }
  const auto check = [&](const std::string& text, const std::string& part) {
    write_file(file, text);
    check_has(message_of([&] { read_in_chunks(file, {}, 16); }), part);
  };
  check("", file.string() + ": is empty");
  check("a,b\n1,2\n\"open,3\n4,5\n", "never ends");
  check("a,b\n" + std::string(100, '\n'), file.string() + ": holds a header and no rows");
  check("a,b\n1,2\n\"" + std::string(CsvChunks::longest_row + 100, 'x'),
        file.string() + ":3: the row that begins here has more than 64 MB");
  CHECK_REFUSED(CsvChunks(folder.path(), {}), "Is a directory");
}

TEST_CASE("lines of Latin-1 and Windows-1252 become UTF-8, and others stay") {
  const auto converted = [](std::string bytes, std::size_t lines) {
    CHECK(to_utf8(bytes) == lines);
    return bytes;
  };
  CHECK(converted("a,b\n1,2\n", 0) == "a,b\n1,2\n");
  CHECK(converted("L\xe4nge,y\n1,2\nG\xf6\xdf", 2) == "Länge,y\n1,2\nGöß");
  CHECK(converted("O\x92"
                  "Brien \x80",
                  1) == "O\u2019Brien €");
  CHECK(converted("Länge\nL\xe4nge\n😀", 1) == "Länge\nLänge\n😀");
  CHECK(converted("\x81", 1) == "\xc2\x81");
  // Cut short, longer than need be, half of a pair, beyond the last.
  for (const char* wrong : {"\xe4", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"})
    CHECK(converted(wrong, 1) != wrong);
}

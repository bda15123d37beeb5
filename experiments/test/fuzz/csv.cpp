// A table, read with every delimiter that a description can name, with and without header.
#include "table/csv.hpp"

#include "lacp/base/text.hpp"
#include "target.hpp"

namespace lacp {
namespace {

void check(const CsvTable& table, std::size_t bytes) {
  fuzz::require(table.values.n_rows == table.names.size(), "a table has a name for every column");
  fuzz::require(table.values.n_elem <= bytes, "every number takes a byte or more");
}

void read_as(std::string_view bytes, const CsvFormat& format) {
  const CsvHeader header = read_csv_header(bytes, "t.csv", format);
  fuzz::require(header.offset <= bytes.size(), "the table ends with the file");
  const std::string hint = did_you_mean("target", header.names);
  fuzz::require(one_line(hint) == hint, "a message about a column stays on one line");
  const CsvTable whole = read_csv(bytes, "t.csv", format);
  check(whole, bytes.size());
  fuzz::require(whole.values.is_finite(), "a table holds finite numbers only");
}

/// Every second column is skipped, and of the others every second is read as text.
void read_in_part(std::string_view bytes, const CsvFormat& format) {
  const std::string name = "t.csv";
  const CsvHeader header = read_csv_header(bytes, name, format);
  std::vector<CellUse> use(header.names.size(), CellUse::skip);
  for (std::size_t i = 0; i < use.size(); i += 2) use[i] = i % 4 == 0 ? CellUse::number : CellUse::text;
  std::size_t read = 0;
  const CsvTable table =
      read_csv({bytes, name, format, header}, use, [&](std::string_view cell, std::size_t, std::size_t) {
        read += cell.size();
        return std::optional<double>(static_cast<double>(cell.size()));
      });
  check(table, bytes.size() + 1);
  fuzz::require(read <= bytes.size(), "no byte is in two cells");
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  for (const char delimiter : {',', ';', '\t', ' '})
    for (const bool header : {true, false}) {
      const CsvFormat format{.delimiter = delimiter, .header = header, .names = {}};
      read_or_refuse("t.csv", [&] { read_as(bytes, format); });
      read_or_refuse("t.csv", [&] { read_in_part(bytes, format); });
    }
}

std::vector<std::string> fuzz::costly_inputs() {
  std::vector<std::string> inputs;
  for (const char* unit :
       {",", "1,", "\"", "\"\",", "\n", "\r", "\r\n", " ", "1 ", "1\n", "a", ".", "1,2\n", ";", "x\t"})
    inputs.push_back(repeat(unit)), inputs.push_back(repeat(unit, "a,b\n1,2\n"));
  // Wide and long: the product of columns and lines must not be allocated.
  const std::string wide = repeat("1,").substr(0, most_input / 8);
  inputs.push_back(repeat("\n", wide + "1\n", "x"));
  std::string names;
  for (int i = 0; names.size() < most_input - 10; ++i) names += fmt::format("n{},", i);
  inputs.push_back(names);
  return inputs;
}

}  // namespace lacp

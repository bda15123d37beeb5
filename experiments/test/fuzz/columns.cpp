// Saved columns, and behind a line of dashes the table that they are applied to.
#include "lacp/table/columns.hpp"

#include "target.hpp"

namespace lacp {
namespace {

constexpr std::string_view line_between = "----\n";

void check(const EncodedTable& out, const Columns& columns, std::size_t bytes) {
  fuzz::require(out.X.n_rows == columns.attribute_names().size(), "a row for every attribute");
  fuzz::require(out.X.n_cols == out.lines.size() && out.lines.size() <= bytes,
                "a line for every observation");
  fuzz::require(out.filled.size() == columns.attributes.size(), "a count for every column");
  std::size_t filled = 0;
  for (const std::size_t cells : out.filled) filled += cells;
  fuzz::require(out.X.has_nan() == (filled > 0), "only missing cells are not numbers");
  fuzz::require(!out.X.has_inf() && out.y.is_finite(), "the others are finite");
}

void try_table(const Columns& columns, std::string_view bytes) {
  const std::string name = "t.csv";
  const CsvFormat format;
  const CsvHeader header = read_csv_header(bytes, name, format);
  const CsvSource table{bytes, name, format, header};
  for (const bool lenient : {false, true})
    fuzz::read_or_refuse(name, [&] {
      std::vector<BadRow> bad;
      const EncodeOptions options{
          .target = true, .unseen_zeros = lenient, .bad_rows = lenient ? &bad : nullptr};
      const EncodedTable out = encode(columns, table, options);
      check(out, columns, bytes.size());
      fuzz::require(out.y.n_elem == out.X.n_cols, "a target for every observation");
      for (const BadRow& row : bad) fuzz::require(row.reason.starts_with("t.csv:"), "a bad row has a reason");
    });
  fuzz::read_or_refuse(name, [&] {
    Columns fitted = columns;
    for (Column& column : fitted.attributes)
      if (column.kind == ColumnKind::category) column.levels.clear();
    const EncodedTable out = fit_columns(fitted, table);
    check(out, fitted, bytes.size());
    const std::string text = to_text(fitted);
    fuzz::require(to_text(parse_columns(text, "columns")) == text, "fitted columns can be saved");
    if (out.dropped_rows == 0)
      fuzz::require(encode(fitted, table).X.n_cols == out.X.n_cols, "what was fitted can be encoded");
  });
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  const std::size_t at = bytes.find(line_between);
  read_or_refuse("columns", [&] {
    const Columns columns = parse_columns(bytes.substr(0, at), "columns");
    const std::string text = to_text(columns);
    require(to_text(parse_columns(text, "columns")) == text, "columns are the same once read and written");
    if (at == std::string_view::npos) return;
    const std::string_view table = bytes.substr(at + line_between.size());
    // One-hot makes 512 bytes of a cell of two, so tables stay shorter than other inputs.
    if (table.size() <= most_input / 16) read_or_refuse("t.csv", [&] { try_table(columns, table); });
  });
}

std::vector<std::string> fuzz::costly_inputs() {
  const std::string head =
      "\"lacp columns\",\"1\"\n\"marks\",\"NA\"\n\"target\",\"number\",\"refuse\",\"y\"\n";
  std::string many = head, levels = head + "\"attribute\",\"ordered\",\"refuse\",\"o\"";
  for (int i = 0; many.size() < most_input - 60; ++i)
    many += fmt::format("\"attribute\",\"number\",\"refuse\",\"n{}\"\n", i);
  for (int i = 0; levels.size() < most_input - 20; ++i) levels += fmt::format(",\"{}\"", i);
  const std::string category = head + "\"attribute\",\"category\",\"fill\",\"k\",\"a\"\n----\nk,y\n";
  std::string short_table = category;
  for (int i = 0; short_table.size() < most_input / 16; ++i) short_table += fmt::format("{},1\n", i % 64);
  return {
      many, levels, short_table, repeat("\"", head), repeat("\"marks\",", ""), repeat("NA,1\n", category)};
}

}  // namespace lacp

#include "datasets/choose_columns.hpp"

#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// What messages about the columns of a table need to know.
struct TableColumns {
  const std::vector<std::string>& names;
  const std::string& file;
  std::string_view first_line;

  /// What else the table may be: begun by a comment, or, if it has a single column, read with the wrong
  /// delimiter.
  std::string hint() const {
    const std::string_view line = trim(first_line);
    if (line.starts_with('#')) return "; comments are not read: take lines with # out of the file";
    std::size_t at = line.find_first_of(";,\t|");
    if (at == std::string_view::npos) at = line.find(' ');
    if (names.size() != 1 || at == std::string_view::npos) return "";
    const std::string mark(1, line[at]);
    const std::string name = mark == "\t" ? "tab" : mark == " " ? "blanks" : mark;
    return fmt::format("; if its columns are separated by {}, say `format: {{delimiter: \"{}\"}}`",
                       name == mark    ? fmt::format("'{}'", mark)
                       : name == "tab" ? "tabs"
                                       : name,
                       name);
  }
};

/// A name stands for the column of that name, and otherwise for its number.
std::size_t column_of(const std::string& column, const std::string& where, const TableColumns& columns) {
  const std::vector<std::string>& names = columns.names;
  const auto found = std::ranges::find(names, trim(column));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto count = static_cast<long long>(names.size());
  if (const auto number = parse_integer(column)) {
    if (*number >= 1 && *number <= count) return static_cast<std::size_t>(*number - 1);
    if (*number <= -1 && *number >= -count) return static_cast<std::size_t>(count + *number);
    user_error("{}: found {}; {} has columns 1 to {} (or -1 to -{}, from the end){}", where, *number,
               columns.file, count, count, columns.hint());
  }
  user_error("{}: {} has no column {}{}; its columns: {}{}", where, columns.file, show_text(column),
             did_you_mean(column, names), short_list(names), columns.hint());
}

/// What a description makes of each column of a table; no kind: it is not an attribute.
class Choice {
 public:
  Choice(const DatasetDescription& description, const TableColumns& table)
      : description_(description), table_(table), attributes_(table.names.size()) {
    for (const std::string& column : description.target.columns)
      targets_.push_back(column_of(column, description.target.where, table));
    refuse_repeated_target();
    const bool all = description.use.columns.empty();
    for (std::size_t i = 0; i < attributes_.size(); ++i)
      if (all) attributes_[i] = Column{.name = table.names[i], .if_missing = description.missing.otherwise};
    for (const std::size_t i : find(description.use))
      attributes_[i] = Column{.name = table.names[i], .if_missing = description.missing.otherwise};
    for (const std::size_t i : find(description.drop)) attributes_[i].reset();
    for (const std::size_t i : targets_) attributes_[i].reset();
    for (const DescribedColumn& special : description.special) apply(special);
    for (const std::size_t i : find(description.missing.fill))
      attribute(i, description.missing.fill.where).if_missing = IfMissing::fill;
    apply_drop_rows();
  }

  Columns columns() const {
    Columns out{.attributes = {},
                .target = {},
                .log_target = description_.log_target,
                .marks = description_.missing.marks};
    for (const auto& column : attributes_)
      if (column) out.attributes.push_back(*column);
    if (out.attributes.empty())
      user_error("{}: leaves no attribute beside the target; columns of {}: {}{}", description_.yaml.string(),
                 table_.file, short_list(table_.names), table_.hint());
    const bool drop = description_.missing.otherwise == IfMissing::drop_row || drop_without_target_;
    for (const std::size_t i : targets_)
      out.target.push_back(
          {.name = table_.names[i], .if_missing = drop ? IfMissing::drop_row : IfMissing::refuse});
    return out;
  }

 private:
  bool is_target(std::size_t i) const { return std::ranges::find(targets_, i) != targets_.end(); }

  void refuse_repeated_target() const {
    for (std::size_t i = 0; i < targets_.size(); ++i)
      if (std::find(targets_.begin(), targets_.begin() + static_cast<std::ptrdiff_t>(i), targets_[i]) !=
          targets_.begin() + static_cast<std::ptrdiff_t>(i))
        user_error("{}: {} is named twice", description_.target.where, show_text(table_.names[targets_[i]]));
  }

  std::vector<std::size_t> find(const ColumnNames& list) const {
    std::vector<std::size_t> found;
    for (const std::string& column : list.columns) {
      found.push_back(column_of(column, list.where, table_));
      if (is_target(found.back())) user_error("{}: {} is the target", list.where, show_text(column));
    }
    return found;
  }

  Column& attribute(std::size_t i, const std::string& where) {
    if (is_target(i)) user_error("{}: {} is the target", where, show_text(table_.names[i]));
    if (!attributes_[i])
      user_error("{}: {} is not an attribute, going by columns.{}", where, show_text(table_.names[i]),
                 description_.use.columns.empty() ? "drop" : "use");
    return *attributes_[i];
  }

  void apply(const DescribedColumn& special) {
    Column& column = attribute(column_of(special.column, special.where, table_), special.where);
    if (column.kind != ColumnKind::number)
      user_error("{}: {} is described twice; expected it under one of categories, ordered and dates",
                 special.where, show_text(column.name));
    column.kind = special.how.kind;
    column.levels = special.how.levels;
    column.parts = special.how.parts;
  }

  /// The target may be among these: rows without it cannot be used.
  void apply_drop_rows() {
    const ColumnNames& list = description_.missing.drop_rows;
    for (const std::string& name : list.columns) {
      const std::size_t i = column_of(name, list.where, table_);
      if (is_target(i))
        drop_without_target_ = true;
      else
        attribute(i, list.where).if_missing = IfMissing::drop_row;
    }
  }

  const DatasetDescription& description_;
  const TableColumns& table_;
  std::vector<std::size_t> targets_;
  std::vector<std::optional<Column>> attributes_;
  bool drop_without_target_ = false;
};

}  // namespace

Columns choose_columns(const DatasetDescription& description, const CsvSource& table) {
  const TableColumns columns{table.header.names, table.name, table.bytes.substr(0, table.bytes.find('\n'))};
  return Choice(description, columns).columns();
}

}  // namespace lacp

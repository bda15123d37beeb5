#include "common/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/json.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

std::string decimal_advice(const std::string& point, const std::string& comma) {
  if (point.empty()) return fmt::format("say `format: {{decimal: comma}}`, or write {}", comma);
  if (comma.empty()) return fmt::format("say `format: {{decimal: point}}`, or write {}", point);
  return fmt::format("say `format: {{decimal: point}}` if it means {}, comma if it means {}", point, comma);
}

struct Entry {
  FaultKind kind;
  std::string_view name, advice;  // {}: the first value
};

constexpr auto entries = std::to_array<Entry>({
    {FaultKind::other, "other", ""},
    {FaultKind::option, "option", ""},
    {FaultKind::missing_cell, "missing_cell", "say under `missing` what to do about such cells"},
    {FaultKind::missing_target, "missing_target", "name the target under missing.drop_rows"},
    {FaultKind::no_number, "no_number",
     "correct it, or, if it means missing, say --missing {} (or missing.marks)"},
    {FaultKind::text, "text", "if it means missing, say --missing {}; a column of text goes under columns"},
    {FaultKind::decimal_mark, "decimal_mark", ""},
    {FaultKind::date_order, "date_order", "say `format: {{date: day_first}}` or month_first"},
    {FaultKind::unseen_category, "unseen_category", "--unseen zeros takes such a cell for none of them"},
    {FaultKind::many_categories, "many_categories", "name the column under columns.means or columns.drop"},
    {FaultKind::empty_column, "empty_column", "leave it out (columns.drop)"},
    {FaultKind::repeated_name, "repeated_name", "if the file has no header, say `format: {{header: false}}`"},
    {FaultKind::bad_row, "bad_row", "--skip-bad leaves them out"},
    {FaultKind::small_batch, "small_batch", "raise training.batch"},
    {FaultKind::large_batch, "large_batch", "lower training.batch, or drop_partial_batch: false"},
    {FaultKind::few_fitted_rows, "few_fitted_rows", "lower training.selection.validation_share"},
    {FaultKind::few_validation_rows, "few_validation_rows",
     "use more rows, raise training.selection.validation_share (or validation_rows), or raise the level"},
});

const Entry& entry_of(const Fault& fault) { return *std::ranges::find(entries, fault.kind, &Entry::kind); }

std::string advice(const Fault& fault) {
  if (fault.kind == FaultKind::decimal_mark) return decimal_advice(fault.values.at(0), fault.values.at(1));
  const std::string value = fault.values.empty() ? "" : show_text(fault.values[0]);
  return fmt::format(fmt::runtime(entry_of(fault).advice), value);
}

}  // namespace

std::string with_advice(const Error& error) {
  const std::string said = advice(error.fault());
  return said.empty() ? error.what() : fmt::format("{}; {}", error.what(), said);
}

std::string message_with_advice(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  return ours != nullptr ? with_advice(*ours) : error.what();
}

std::string json_of(const Error& error) {
  const Fault& fault = error.fault();
  return fmt::format(R"({{"code":{},"values":{},"line":{},"message":{}}})", json_text(entry_of(fault).name),
                     json_texts(fault.values), fault.line, json_text(error.what()));
}

}  // namespace lacp

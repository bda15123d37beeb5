#include <fmt/format.h>

#include "experiment/store/store.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// Texts as one that no other texts have, whatever is in them.
std::string listed(const std::vector<std::string>& texts) {
  std::string list = fmt::format("{}:", texts.size());
  for (const std::string& text : texts) list += fmt::format(" {}:{}", text.size(), text);
  return list + "\n";
}

/// A column that a description names; of one of plain numbers it says nothing.
std::string described(const DescribedColumn& described) {
  const Column& how = described.how;
  std::vector<std::string> parts;
  for (const DatePart part : how.parts) parts.emplace_back(date_part_name(part));
  std::string text = fmt::format("column {} {}", static_cast<int>(how.kind), listed({described.column}));
  text += listed(how.values) + listed(parts);
  if (const auto& written = how.written)
    text += fmt::format("{} {} {}", static_cast<int>(written->clock), static_cast<int>(written->limits),
                        listed({std::string(1, written->decimal), written->unit}));
  return text;
}

}  // namespace

std::string data_fingerprint(const DatasetDescription& description) {
  if (const auto& synthetic = description.synthetic)
    return sha256(fmt::format("synthetic\n{}\n{}\n{}\n{}\n{}\n", synthetic->profile, synthetic->rho,
                              synthetic->low, synthetic->high, synthetic->samples));
  const DatasetSource& source = *description.source;
  return data_fingerprint(description,
                          source.sha256.empty() ? sha256(read_file(source.original)) : source.sha256);
}

std::string data_fingerprint(const DatasetDescription& description, const std::string& file_sum) {
  const DatasetSource& source = *description.source;
  const CsvFormat& format = description.format;
  const MissingRules& missing = description.missing;
  std::string text = listed({file_sum, source.member});
  text += fmt::format("sheet {} delimiter {} header {} skip {} {}\n", source.sheet, format.delimiter,
                      format.header, description.skip, description.skip_last);
  for (const auto* names : {&format.names, &description.target.columns, &description.use.columns,
                            &description.drop.columns, &missing.fill.columns, &missing.drop_rows.columns})
    text += listed(*names);
  text += fmt::format("log {} decimal {} date {} missing {}\n", description.log_target,
                      description.decimal.value_or('-'), date_order_name(description.date),
                      static_cast<int>(missing.otherwise));
  if (missing.marks) text += "marks " + listed(*missing.marks);
  for (const DescribedColumn& column : description.special) text += described(column);
  return sha256(text);
}

std::size_t expected_rows(const DatasetDescription& description) {
  return description.synthetic ? description.synthetic->samples : description.rows;
}

}  // namespace lacp

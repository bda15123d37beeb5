#include "store/fingerprint.hpp"

#include <fmt/format.h>

#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

namespace {

/// What a description does to columns beyond taking or leaving them; empty if nothing.
std::string treatment(const DatasetDescription& description) {
  std::string text;
  if (description.target.columns.size() > 1) text += "sum\n";
  if (description.log_target) text += "log\n";
  for (const auto& [column, how, where] : description.special) {
    text += fmt::format("{}\n{}\n{}\n", column, static_cast<int>(how.kind), join(how.levels, "\n"));
    for (const DatePart part : how.parts) text += fmt::format("{}\n", date_part_name(part));
  }
  const MissingRules& missing = description.missing;
  if (missing.marks) text += fmt::format("marks\n{}\n", join(*missing.marks, "\n"));
  if (missing.otherwise != IfMissing::refuse || !missing.fill.columns.empty() ||
      !missing.drop_rows.columns.empty())
    text += fmt::format("missing\n{}\n{}\n{}\n", static_cast<int>(missing.otherwise),
                        join(missing.fill.columns, "\n"), join(missing.drop_rows.columns, "\n"));
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
  return sha256(fmt::format("file\n{}\n{}\n{}\n{}{}{}\n{}\n{}\n{}\n{}", file_sum, source.member, source.sheet,
                            format.delimiter, format.header, join(format.names, "\n"),
                            join(description.target.columns, ","), join(description.use.columns, ","),
                            join(description.drop.columns, ","), treatment(description)));
}

std::size_t expected_rows(const DatasetDescription& description) {
  return description.synthetic ? description.synthetic->samples : description.rows;
}

}  // namespace lacp

#include <fmt/format.h>

#include "experiment/store/store.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// Joins names by commas or line breaks. Of lists in which no name has such a separator, nearly all, the text
/// stays as it has always been, so that their cells count; where one has, `sizes` tells the lists apart.
class Names {
 public:
  std::string joined(const std::vector<std::string>& names, const std::string& separator) {
    sizes_ += fmt::format("{}:", names.size());
    for (const std::string& name : names) {
      sizes_ += fmt::format("{},", name.size());
      needed_ = needed_ || name.find_first_of("\n" + separator) != std::string::npos;
    }
    needed_ = needed_ || (names.size() == 1 && names[0].empty());  // reads as no name
    return join(names, separator);
  }

  std::string sizes() const { return needed_ ? sizes_ : ""; }

 private:
  std::string sizes_;
  bool needed_ = false;
};

/// What a description does to columns beyond taking or leaving them; empty if nothing.
std::string treatment(const DatasetDescription& description, Names& names) {
  std::string text;
  if (description.target.columns.size() > 1) text += "sum\n";
  if (description.log_target) text += "log\n";
  for (const auto& [column, how, where] : description.special) {
    if (how.kind == ColumnKind::number) continue;  // below
    text += fmt::format("{}\n{}\n{}\n", column, static_cast<int>(how.kind), names.joined(how.values, "\n"));
    for (const DatePart part : how.parts) text += fmt::format("{}\n", date_part_name(part));
  }
  const MissingRules& missing = description.missing;
  if (missing.marks) text += fmt::format("marks\n{}\n", names.joined(*missing.marks, "\n"));
  if (missing.otherwise != IfMissing::refuse || !missing.fill.columns.empty() ||
      !missing.drop_rows.columns.empty())
    text +=
        fmt::format("missing\n{}\n{}\n{}\n", static_cast<int>(missing.otherwise),
                    names.joined(missing.fill.columns, "\n"), names.joined(missing.drop_rows.columns, "\n"));
  if (description.decimal) text += fmt::format("decimal\n{}\n", *description.decimal);
  if (description.date != DateOrder::iso)
    text += fmt::format("date\n{}\n", date_order_name(description.date));
  for (const auto& [column, how, where] : description.special)
    if (const auto& written = how.written) {
      text += fmt::format("numbers\n{}\n",
                          names.joined({column, std::string(1, written->decimal), written->unit}, "\n"));
      if (written->clock != TimeParts::none || written->limits != Limits::none)
        text += fmt::format("time, limits\n{}\n{}\n", static_cast<int>(written->clock),
                            static_cast<int>(written->limits));
    }
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
  Names names;
  std::string text = fmt::format("file\n{}\n{}\n{}\n{}{}{}\n", file_sum, source.member, source.sheet,
                                 format.delimiter, format.header, names.joined(format.names, "\n"));
  for (const ColumnNames* list : {&description.target, &description.use, &description.drop})
    text += names.joined(list->columns, ",") + "\n";
  text += treatment(description, names);
  if (description.skip + description.skip_last > 0)  // those of results before these keys stay
    text += fmt::format("skip {} {}\n", description.skip, description.skip_last);
  return sha256(text + names.sizes());
}

std::size_t expected_rows(const DatasetDescription& description) {
  return description.synthetic ? description.synthetic->samples : description.rows;
}

}  // namespace lacp

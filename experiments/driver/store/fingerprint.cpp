#include "store/fingerprint.hpp"

#include <fmt/format.h>

#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

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
  return sha256(fmt::format("file\n{}\n{}\n{}\n{}{}{}\n{}\n{}\n{}\n", file_sum, source.member, source.sheet,
                            format.delimiter, format.header, join(format.names, "\n"),
                            join(description.target.columns, ","), join(description.use.columns, ","),
                            join(description.drop.columns, ",")));
}

std::size_t expected_rows(const DatasetDescription& description) {
  return description.synthetic ? description.synthetic->samples : description.rows;
}

}  // namespace lacp

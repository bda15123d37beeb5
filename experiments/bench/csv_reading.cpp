#include <fmt/format.h>

#include <algorithm>

#include "datasets/load.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/random.hpp"
#include "lacp/data/csv.hpp"
#include "sections.hpp"
#include "timing.hpp"

namespace lacp::bench {
namespace {

/// Numbers with six significant digits, twenty to a record.
std::string random_table(std::size_t records) {
  Stream stream(9);
  std::string text;
  for (std::size_t column = 1; column <= 20; ++column)
    text += fmt::format("{}c{}", column > 1 ? "," : "", column);
  for (std::size_t record = 0; record < records; ++record)
    for (std::size_t column = 0; column < 20; ++column)
      text += fmt::format("{}{:.6g}", column > 0 ? ',' : '\n', 100.0 * stream.normal());
  return text + "\n";
}

}  // namespace

void csv_reading(Context& context) {
  context.report.section(
      "Reading csv",
      "From bytes in memory to numbers, all columns; and a whole data set: file, SHA-256, numbers of the columns in use.");
  Frame table({"table", "MB", "csv, MB/s", "whole data set, MB/s"});
  const auto rate = [](std::size_t bytes, double seconds) {
    return 1e-6 * static_cast<double>(bytes) / seconds;
  };
  const auto megabytes = [](std::size_t bytes) { return display(1e-6 * static_cast<double>(bytes), 1); };

  const std::string random = random_table(50000);
  const double seconds = shortest([&] { keep(read_csv(random, "random")); }, context.budget);
  table.add({"random numbers", megabytes(random.size()), display(rate(random.size(), seconds), 0), ""});
  context.report.number("csv_mb_per_second/random", rate(random.size(), seconds));

  for (const std::string name : {"CASP", "homes", "facebook_1"}) {
    const DatasetDescription description = context.catalog.find(name);
    if (!at_hand(description)) {
      context.report.say(fmt::format("{} is missing and left out.", name));
      continue;
    }
    const std::string bytes = read_file(description.source->table);
    const CsvHeader header = read_csv_header(bytes, name, description.format);
    // Columns that a description drops may hold text.
    std::vector<bool> kept(header.names.size());
    for (std::size_t c = 0; c < kept.size(); ++c)
      kept[c] =
          std::ranges::find(description.drop.columns, header.names[c]) == description.drop.columns.end();
    const std::vector<double> best =
        shortest({[&] { keep(read_csv(bytes, name, description.format, header, kept)); },
                  [&] { keep(load_dataset(description)); }},
                 context.budget);
    table.add({name, megabytes(bytes.size()), display(rate(bytes.size(), best[0]), 0),
               display(rate(bytes.size(), best[1]), 0)});
    context.report.number("csv_mb_per_second/" + name, rate(bytes.size(), best[0]));
  }
  context.report.table(table);
}

}  // namespace lacp::bench

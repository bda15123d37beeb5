#pragma once

#include <fmt/format.h>

#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

namespace fs = std::filesystem;

/// A message without the name of this folder.
inline std::string without_folder(std::string message, const TemporaryFolder& folder) {
  const std::string name = folder.path().string() + "/";
  for (std::size_t at; (at = message.find(name)) != std::string::npos;) message.erase(at, name.size());
  return message;
}

/// A header, and below it a row for each of 0, 1, ...
template <class Row>
std::string table_of(const std::string& header, int rows, const Row& row) {
  std::string text = header + "\n";
  for (int i = 0; i < rows; ++i) text += row(i) + "\n";
  return text;
}
/// "x,y" and a line for each i: i and the y of it.
template <class Target>
std::string x_and_y(int rows, const Target& y) {
  return table_of("x,y", rows, [&](int i) { return fmt::format("{},{}", i, y(i)); });
}

/// A table in set.csv, by default of 120 rows (i, i², text, i mod 7), described by `keys`.
struct DescribedTable {
  TemporaryFolder folder;
  explicit DescribedTable(const std::string& keys, std::string table = "") {
    if (table.empty())
      table = table_of("n,square,note,y", 120,
                       [](int i) { return fmt::format("{},{},\"row {}\",{}", i, i * i, i, i % 7); });
    lacp::write_file(folder / "set.csv", table);
    lacp::write_file(folder / "set.yaml",
                     "title: T\ncitation: C\nlicence: L\nsource:\n  file: set.csv\n" + keys);
  }
  lacp::DatasetDescription describe() const {
    return lacp::read_description(folder / "set.yaml", folder / "cache");
  }
  lacp::Dataset load() const { return lacp::load_dataset(describe()); }
  /// The message about it, with the folder's name taken out.
  std::string refusal() const {
    return without_folder(message_of<lacp::UserError>([&] { load(); }), folder);
  }
};

/// A data set of the project, fetched from the mirror into `cache`.
inline lacp::Dataset from_mirror(const std::string& name, const fs::path& cache, const fs::path& mirror) {
  const lacp::DatasetDescription description =
      lacp::Catalog(fs::path(LACP_SOURCE_DIR) / "datasets", cache).find(name);
  lacp::fetch_dataset(description, {.mirror = mirror});
  REQUIRE(lacp::at_hand(description));
  return lacp::load_dataset(description);
}

#pragma once

#include <fmt/format.h>

#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

/// A table in set.csv, by default of 120 rows (i, i², text, i mod 7), described by `keys`.
struct DescribedTable {
  TemporaryFolder folder;
  explicit DescribedTable(const std::string& keys, std::string table = "") {
    if (table.empty()) {
      table = "n,square,note,y\n";
      for (int i = 0; i < 120; ++i) table += fmt::format("{},{},\"row {}\",{}\n", i, i * i, i, i % 7);
    }
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
    std::string message = message_of<lacp::UserError>([&] { load(); });
    const std::string name = folder.path().string() + "/";
    for (std::size_t at; (at = message.find(name)) != std::string::npos;) message.erase(at, name.size());
    return message;
  }
};

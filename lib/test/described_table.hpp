#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
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

/// How every description begins.
inline const std::string heading = "title: T\ncitation: C\nlicence: L\n";

/// A data set: NAME.csv and NAME.yaml, which begins with `heading` and its source and has these keys then.
/// Indented, they are more of its source.
inline void write_dataset(const fs::path& folder, const std::string& name, const std::string& csv,
                          const std::string& keys = "target: y\n") {
  lacp::write_file(folder / (name + ".csv"), csv);
  lacp::write_file(folder / (name + ".yaml"),
                   fmt::format("{}source:\n  file: {}.csv\n{}", heading, name, keys));
}

/// A table in set.csv, by default of 120 rows (i, i², text, i mod 7), described by `keys`.
struct WrittenTable {
  TemporaryFolder folder;
  explicit WrittenTable(const std::string& keys, std::string table = "") {
    if (table.empty())
      table = table_of("n,square,note,y", 120,
                       [](int i) { return fmt::format("{},{},\"row {}\",{}", i, i * i, i, i % 7); });
    write_dataset(folder.path(), "set", table, keys);
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

/// A description of a file that is elsewhere, in a folder where everything that appears is noticed.
struct FetchPlace {
  TemporaryFolder folder;
  fs::path cache = folder / "cache";
  lacp::FetchOptions options{.most_seconds = 600, .retries = 0};

  /// `lines` are those of the source, as yaml.
  lacp::DatasetDescription describe(const std::string& lines) const {
    lacp::write_file(folder / "set.yaml",
                     "title: T\ncitation: C\nlicence: L\ntarget: y\nsource:\n" + lines + "\n");
    return lacp::read_description(folder / "set.yaml", cache);
  }
  /// A table at a url. It is to have these bytes.
  lacp::DatasetDescription describe(const std::string& url, const std::string& expected) const {
    return describe(fmt::format("  url: '{}'\n  file: a.csv\n  sha256: {}", url, lacp::sha256(expected)));
  }
  /// A table within an archive that is there.
  lacp::DatasetDescription describe_member(const fs::path& archive, const std::string& member) const {
    return describe(fmt::format("  url: file://{}\n  sha256: {}\n  member: '{}'", archive.string(),
                                lacp::sha256(lacp::read_file(archive)), member));
  }
  std::string fetch(const lacp::DatasetDescription& description) const {
    return lacp::fetch_dataset(description, options);
  }
  /// Why it cannot be fetched.
  std::string failure(const lacp::DatasetDescription& description) const {
    return message_of<lacp::RunError>([&] { fetch(description); });
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder.path()).string());
    std::ranges::sort(names);
    return names;
  }
};

#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "lacp_program.hpp"
#include "store/cells.hpp"
#include "store/manifest.hpp"

inline const fs::path datasets = fs::path(LACP_SOURCE_DIR) / "datasets";

/// The smoke experiment, made once per program; each test works on a copy.
struct Filled {
  TemporaryFolder results;
  fs::path folder = results / "smoke";

  Filled() {
    static const TemporaryFolder made;
    if (!fs::exists(made / "smoke")) {
      const Ran ran = lacp_program(quick_run(made.path()));
      REQUIRE_MESSAGE(ran.status == 0, ran.messages);
    }
    fs::copy(made / "smoke", folder, fs::copy_options::recursive);
  }

  /// Alters a cell; its checksum is that of what it says then.
  template <class Change>
  void alter(const lacp::Task& task, Change&& change) const {
    lacp::Cell cell = lacp::Cells(folder).read(task).value();
    change(cell);
    put_cell(folder, cell);
  }
};

inline Ran verify(const fs::path& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"verify", folder.string(), "--datasets-folder", datasets.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return lacp_program(arguments);
}

/// Every file of a folder with its bytes and the time it was written.
inline std::map<std::string, std::pair<std::string, fs::file_time_type>> everything(const fs::path& folder) {
  std::map<std::string, std::pair<std::string, fs::file_time_type>> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files[entry.path().string()] = {entry.is_regular_file() ? lacp::read_file(entry.path()) : "",
                                    fs::last_write_time(entry.path())};
  return files;
}

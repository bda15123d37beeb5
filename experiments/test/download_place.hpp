#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "../../lib/test/temporary_folder.hpp"
#include "datasets/fetch.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "local_server.hpp"

namespace fs = std::filesystem;
using lacp::RunError;
using lacp::UserError;

const std::string table = "x,y\n1,2\n", old_file = "the old file\n", page = "<html>Sorry.\r\n</html>";

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A description of a file at a url, in a folder where everything that appears is noticed.
struct Place {
  TemporaryFolder folder;
  fs::path cache = folder / "cache";
  lacp::FetchOptions options{.most_seconds = 20, .retries = 0};

  Place() { ::setenv("no_proxy", "*", 1); }  // the server is on this machine

  /// `lines` are those of the source, as yaml.
  lacp::DatasetDescription describe(const std::string& lines) const {
    lacp::write_file(folder / "set.yaml",
                     "title: T\ncitation: C\nlicence: L\ntarget: y\nsource:\n" + lines + "\n");
    return lacp::read_description(folder / "set.yaml", cache);
  }
  lacp::DatasetDescription describe(const std::string& url, const std::string& expected) const {
    return describe(fmt::format("  url: '{}'\n  file: a.csv\n  sha256: {}", url, lacp::sha256(expected)));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder.path()).string());
    std::ranges::sort(names);
    return names;
  }
  /// Fetches what cannot be had, with an old file in the cache and without, and returns the message.
  std::string refused(const std::string& url, const std::string& expected = table) const {
    const lacp::DatasetDescription description = describe(url, expected);
    const auto fetch = [&] { lacp::fetch_dataset(description, options); };
    const std::string message = message_of<RunError>(fetch);
    CHECK(files() == std::vector<std::string>{"set.yaml"});
    lacp::write_file(cache / "a.csv", old_file);
    CHECK(message_of<RunError>(fetch).starts_with(url + ": "));  // curl also tells milliseconds
    CHECK(files() == std::vector<std::string>{"cache/a.csv", "set.yaml"});
    CHECK(lacp::read_file(cache / "a.csv") == old_file);
    fs::remove(cache / "a.csv");
    CHECK_MESSAGE(message.starts_with(url + ": "), message);
    CHECK_MESSAGE(message.find_first_of("\r\n") == std::string::npos, message);
    return message;
  }
};

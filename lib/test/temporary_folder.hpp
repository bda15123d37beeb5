#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "lacp/base/error.hpp"

/// A new empty folder that is gone at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lacp-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// The folder of downloaded files that CI gives; tests of the real data are skipped without it.
inline std::optional<std::filesystem::path> mirror_folder() {
  const char* named = std::getenv("LACP_MIRROR");
  if (named == nullptr || *named == '\0') return std::nullopt;
  return named;
}

/// The fault of the UserError that `action` throws.
template <class Action>
lacp::Fault fault_of(Action&& action) {
  try {
    action();
  } catch (const lacp::UserError& error) {
    return error.fault();
  }
  return {};
}

/// The message of the exception of type Error that `action` throws, or what happened instead.
template <class Error = lacp::UserError, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another kind of exception: ") + error.what();
  }
  return "nothing was thrown";
}

#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/frame.hpp"

namespace lacp::bench {

/// What is printed while it is measured, and the bare numbers for programs that read them.
class Report {
 public:
  /// Prints a heading and a remark.
  void section(const std::string& title, const std::string& remark);

  /// Prints a table in markdown.
  void table(const Frame& table);

  void say(const std::string& text);

  /// Keeps a number under a name such as step/18/16 (seconds, unless the name says otherwise).
  void number(const std::string& name, double value);

  /// Writes all numbers as a csv with the columns name and value.
  void write(const std::filesystem::path& file) const;

 private:
  std::vector<std::pair<std::string, double>> numbers_;
};

}  // namespace lacp::bench

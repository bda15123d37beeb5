#pragma once

#include <string>
#include <vector>

namespace lacp {

/// An option or an argument of a command, as its help and the completion of a shell show it.
struct OptionWords {
  std::string name;   ///< "--jobs", or what an argument is called
  std::string value;  ///< what it takes: "N", "FOLDER", "text|csv"; "" for a flag
  std::string about;
  bool argument = false;  ///< given by its place, without a name
  bool required = false;
  bool many = false;  ///< takes several values
};

/// A command of the program with everything that belongs to it.
struct CommandWords {
  std::string name, about, footer;
  std::vector<OptionWords> options;
  std::vector<CommandWords> commands;

  /// The command below this one that these words lead to; options and values between them are passed over.
  const CommandWords& find(const std::vector<std::string>& words) const;
};

/// What `--help` prints about a command, on lines that fit a terminal. `path`: "lacp run".
std::string help_text(const CommandWords& command, const std::string& path);

}  // namespace lacp

// `lacp info`
#include "tool/info.hpp"

#include "commands/commands.hpp"

namespace lacp {

void add_info(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "info", "Say what a model was fitted for: target, levels, columns", show_info);
  add(command, "MODEL", o.model, "FILE", "what `lacp fit` wrote")->required();
  command.add_flag("--json", o.json, "print it as json");
  command.footer(
      "plain (json): whether its tables have a header, commas, decimal points and ISO dates; --doubles of `lacp predict` needs no more than columns that are all numbers.");
}

}  // namespace lacp

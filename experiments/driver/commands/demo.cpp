// `lacp demo`
#include "tool/demo.hpp"

#include "commands/commands.hpp"

namespace lacp {

void add_demo(CLI::App& program) {
  const auto [command, o] = add_command(
      program, "demo", "Show all of it on a table that the program has, in a few seconds", run_demo);
  add(command, "--figure", o.figure, "FILE", "keep the picture of the intervals: svg or pdf, by its name");
}

}  // namespace lacp

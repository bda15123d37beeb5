#include "commands.hpp"

namespace lacp {

void add_output_commands(CLI::App&, int&) {}

}  // namespace lacp

#include "commands.hpp"

namespace lacp {

void add_dataset_commands(CLI::App&, int&) {}

}  // namespace lacp

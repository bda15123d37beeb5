// Does the replay notice? A target that breaks on some inputs: fuzz_cases, for check_cases.sh.
#include "target.hpp"

void lacp::fuzz::try_input(std::string_view bytes) {
  require(!bytes.starts_with("break\n"), "as it was told");
}

std::vector<std::string> lacp::fuzz::costly_inputs() { return {}; }

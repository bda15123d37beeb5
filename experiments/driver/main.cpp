// What surrounds the program in its process. Its commands are in commands/.
#include <csignal>

#include "commands/program.hpp"
#include "commit.hpp"
#include "common/message.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write with a message, not a sudden end
  lacp::program_commit = LACP_COMMIT;
  return lacp::lacp_main({argv + 1, argv + argc});
}

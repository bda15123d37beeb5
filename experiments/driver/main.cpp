// What surrounds the program in its process. Its commands are in commands/.
#include <sys/resource.h>

#include <csignal>

#include "commands/program.hpp"
#include "commit.hpp"
#include "common/message.hpp"

namespace {

/// Before they are gathered, a thousand shards have as many files of each data set.
void allow_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write with a message, not a sudden end
  lacp::program_commit = LACP_COMMIT;
  allow_open_files();
  return lacp::lacp_main({argv + 1, argv + argc});
}

// What surrounds the program in its process. Its commands are in commands/.
#include <sys/resource.h>

#include <csignal>

#include "commands/program.hpp"
#include "commit.hpp"
#include "common/message.hpp"
#include "lacp/base/files.hpp"

namespace {

/// What ends the program leaves no temporary files; what is ignored (nohup) stays so.
void clean_up_at_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    action.sa_handler = [](int number) {
      lacp::remove_temporary_files();
      ::raise(number);
    };
    ::sigaction(signal, &action, nullptr);
  }
}

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
  clean_up_at_signals();
  allow_open_files();
  return lacp::lacp_main({argv + 1, argv + argc});
}

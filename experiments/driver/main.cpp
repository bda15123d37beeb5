// The program: its commands are in commands/, and what they do is in work/, analysis/ and report/.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <sstream>

#include "commands/commands.hpp"
#include "commit.hpp"
#include "common/command_line.hpp"
#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "common/program_commit.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/version.hpp"
#include "lacp/model/kernels/kernels.hpp"

namespace {

struct HelpFormat : CLI::FormatterBase {
  std::string make_help(const CLI::App* app, std::string path, CLI::AppFormatMode) const override {
    return lacp::help_text(lacp::words_of(*app), path.empty() ? app->get_name() : path);
  }
};

/// What was printed is part of the result: a full disk under `lacp status > file` must not pass for success.
int flush_output(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  lacp::tell("lacp: standard output cannot be written{}{}\n", errno == 0 ? "" : ": ",
             errno == 0 ? "" : std::strerror(errno));
  return lacp::exit_failed;
}

/// What ends the program leaves no temporary files; what is ignored (nohup) stays so.
void clean_up_at_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
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
  int exit_code = lacp::exit_done;
  CLI::App app("lacp: locally adaptive conformal prediction, and the experiments of Colombo (COPA 2023)",
               "lacp");
  app.formatter(std::make_shared<HelpFormat>());
  app.set_version_flag("--version", [] {
    return lacp::version_text() + fmt::format("  {:<10} {}\n  {:<10} {}\n", "kernels", lacp::kernels().name,
                                              "commit", lacp::program_commit);
  });
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 something failed while running, 2 the input is wrong.");
  lacp::add_model_commands(app, exit_code);
  lacp::add_dataset_commands(app, exit_code);
  lacp::add_run_commands(app, exit_code);
  lacp::add_output_commands(app);
  lacp::add_help_commands(app);
  try {
    lacp::kernels();  // a name that this processor does not know is told at once, not in the middle of a run
    std::vector<std::string> arguments = lacp::split_settings({argv + 1, argv + argc});
    if (!arguments.empty()) lacp::check_command(app, arguments.front());
    std::ranges::reverse(arguments);  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    std::ostringstream output, messages;  // of --help and --version, and of what is wrong
    const int status = app.exit(error, output, messages);
    lacp::tell("{}", messages.str());
    lacp::show("{}", output.str());
    return flush_output(status == 0 ? lacp::exit_done : lacp::exit_wrong_input);
  } catch (const lacp::UserError& error) {
    lacp::tell("lacp: {}\n", error.what());
    return lacp::exit_wrong_input;
  } catch (const std::bad_alloc&) {
    lacp::tell("lacp: there is not enough memory; try fewer --jobs, a smaller table or smaller settings\n");
    return lacp::exit_failed;
  } catch (const std::filesystem::filesystem_error& error) {
    lacp::tell("lacp: {}: {}\n", error.path1().string(), error.code().message());
    return lacp::exit_failed;
  } catch (const std::exception& error) {
    lacp::tell("lacp: {}\n", error.what());
    return lacp::exit_failed;
  }
  return flush_output(exit_code);
}

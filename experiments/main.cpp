#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "commands.hpp"
#include "lacp/base/blas.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "message.hpp"

namespace {

/// What was printed is part of the result: a full disk under `lacp status > file` must not pass for success.
int flush_output(int exit_code) {
  if (std::fflush(stdout) == 0) return exit_code;
  lacp::tell("lacp: standard output cannot be written: {}\n", std::strerror(errno));
  return lacp::exit_failed;
}

/// CLI11 says of a wrong command only that one is required.
void check_command(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.front() == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (std::ranges::find(known, word) == known.end())
    lacp::user_error("there is no command {}{}; known: {}", lacp::show_text(word),
                     lacp::did_you_mean(word, known), lacp::join(known, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is a failed write with a message, not a sudden end
  lacp::use_one_blas_thread();
  int exit_code = lacp::exit_done;
  CLI::App app("lacp: locally adaptive conformal prediction, and the experiments of Colombo (COPA 2023)",
               "lacp");
  app.set_version_flag("--version", lacp::version_text());
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 something failed while running, 2 the input is wrong.");
  lacp::add_dataset_commands(app, exit_code);
  lacp::add_run_commands(app, exit_code);
  lacp::add_output_commands(app, exit_code);
  try {
    if (argc > 1) check_command(app, argv[1]);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lacp::exit_done : lacp::exit_wrong_input;
  } catch (const lacp::UserError& error) {
    lacp::tell("lacp: {}\n", error.what());
    return lacp::exit_wrong_input;
  } catch (const std::exception& error) {
    lacp::tell("lacp: {}\n", error.what());
    return lacp::exit_failed;
  }
  return flush_output(exit_code);
}

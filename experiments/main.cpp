#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "lacp/base/blas.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/version.hpp"

int main(int argc, char** argv) {
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
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lacp::exit_done : lacp::exit_wrong_input;
  } catch (const lacp::UserError& error) {
    fmt::print(stderr, "lacp: {}\n", error.what());
    return lacp::exit_wrong_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lacp: {}\n", error.what());
    return lacp::exit_failed;
  }
  return exit_code;
}

// Completion by the shells themselves, with the words of the program.
#include <doctest/doctest.h>

#include "common/layout.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"

namespace {

const fs::path source = LACP_SOURCE_DIR;

/// What bash offers after `lacp WORDS`; the last word is being written. Joined by blanks.
std::string bash_offers(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"bash",
                                      "-euc",
                                      "source <(\"$1\" completion bash)\n"
                                      "cd \"$2\"; export LACP_DATASETS=\"$2/datasets\"; program=$1; shift 2\n"
                                      "COMP_WORDS=(\"$program\" \"$@\") COMP_CWORD=$#\n"
                                      "complete -p lacp | grep -q -- '-F _lacp'\n"
                                      "_lacp || true\n"
                                      "echo \"${COMPREPLY[*]}\"",
                                      "bash",
                                      lacp_executable,
                                      source.string()};
  command.insert(command.end(), words.begin(), words.end());
  const Ran ran = program(command);
  CHECK_MESSAGE(ran.status == 0, ran.messages);
  return ran.output.substr(0, ran.output.find('\n'));
}

}  // namespace

TEST_CASE("bash completes commands, options and their values") {
  CHECK(bash_offers({"ru"}) == "run");
  CHECK(bash_offers({"datasets", ""}) == "fetch check add");
  CHECK(bash_offers({"run", "--datasets"}) == "--datasets --datasets-folder");
  CHECK(bash_offers({"run", "e.yaml", "--retr"}) == "--retry-failed");
  CHECK(bash_offers({"run", "e.yaml", "--datasets", "en"}) == "energy energy_with_y1");
  CHECK(bash_offers({"run", "e.yaml", "--datasets", "cos,sq"}) == "cos,squared");
  CHECK(bash_offers({"run", "e.yaml", "--methods", ""}) == lacp::join(lacp::method_names(), " "));
  CHECK(bash_offers({"run", "e.yaml", "--methods", "exp,e"}) == "exp,erc_error_fit exp,erc");
  CHECK(bash_offers({"run", "e.yaml", "--set", "training.ep"}) == "training.epsilon= training.epochs=");
  CHECK(bash_offers({"run", "e.yaml", "--force", "--set", "split.pr"}) == "split.proper=");
  CHECK(bash_offers({"help", "settings", "evaluation.m"}) == "evaluation.mode");
  CHECK(bash_offers({"table", "--format", "="}) == "text csv latex markdown");
  CHECK(bash_offers({"table", "--format", "=", "m"}) == "markdown");
  CHECK(bash_offers({"datasets", "check", "conc"}) == "concrete");
  CHECK(bash_offers({"completion", ""}) == "bash zsh");
  CHECK(bash_offers({"run", "experiments/rel"}) == "experiments/release.yaml");
  CHECK(bash_offers({"table", "experiments/refer"}) == "experiments/reference");
  CHECK(bash_offers({"compl"}) == "completion");  // what the completion itself asks is hidden
}

TEST_CASE("every command and option is offered and explained within 80 columns") {
  std::vector<std::vector<std::string>> commands = {{}};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    std::vector<std::string> words = {"complete"}, help = commands[i];
    words.insert(words.end(), commands[i].begin(), commands[i].end());
    help.emplace_back("--help");
    const std::string text = lacp_program(help).output;
    for (const std::string& line : lacp::split_text(text, '\n'))
      CHECK_MESSAGE(lacp::text_width(line) <= lacp::terminal_columns, line);
    for (const char* beginning : {"", "--"}) {
      std::vector<std::string> asked = words;
      asked.emplace_back(beginning);
      for (const std::string& line : lacp::split_text(lacp_program(asked).output, '\n')) {
        const std::vector<std::string> fields = lacp::split_text(line, '\t');
        if (fields.size() < 2 || fields[1].empty()) continue;
        const bool is_command = has(text, "Commands:") && *beginning == '\0';
        if (!is_command && *beginning == '\0') continue;  // a value
        CHECK_MESSAGE(has(text, "\n  " + fields[0]), fields[0]);
        for (const std::string& word : lacp::split_text(fields[1], ' ')) CHECK_MESSAGE(has(text, word), word);
        if (is_command) {
          commands.push_back(commands[i]);
          commands.back().push_back(fields[0]);
        }
      }
    }
  }
  CHECK(commands.size() >= 15);
}

TEST_CASE("the scripts are those that are installed, and zsh reads its own") {
  CHECK(lacp_program({"completion", "bash"}).output ==
        lacp::read_file(source / "experiments/completion/lacp.bash"));
  CHECK(lacp_program({"completion", "zsh"}).output ==
        lacp::read_file(source / "experiments/completion/_lacp"));
  CHECK(lacp_program({"completion", "fish"}).status == 2);
  const std::string rules = lacp::read_file(source / "experiments/CMakeLists.txt");
  for (const char* file : {"completion/lacp.bash", "completion/_lacp"})
    CHECK(has(rules, std::string("install(FILES ") + file + " DESTINATION share/"));
  if (program({"sh", "-c", "command -v zsh || true"}).output.empty()) {
    MESSAGE("skipped: zsh is not installed, so its script is not read");
    return;
  }
  const Ran zsh = program({"zsh", "-n", (source / "experiments/completion/_lacp").string()});
  CHECK_MESSAGE(zsh.status == 0, zsh.messages);
}

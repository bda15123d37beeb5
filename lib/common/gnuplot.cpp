#include "common/gnuplot.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common/embedded.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::string_view gnuplot_script(const std::string& name) { return embedded("figures/" + name + ".gp"); }

std::string gnuplot_list(const std::string& name, const std::vector<std::string>& items,
                         const char* separator) {
  return fmt::format("{} = \"{}\"\n", name, join(items, separator));
}

std::string gnuplot_text(const std::string& name, std::string_view text) {
  std::string quoted;  // in such quotes gnuplot replaces nothing
  for (const char c : one_line(text)) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return fmt::format("{} = '{}'\n", name, quoted);
}

std::string method_shade(std::string_view method, double part) {
  const std::string& colour = method_style(method)["colour"];
  std::string text = "#";
  for (const std::size_t at : {1, 3, 5})
    text += fmt::format("{:02X}",
                        std::lround(255.0 - part * (255.0 - std::stoi(colour.substr(at, 2), nullptr, 16))));
  return text;
}

ProgramResult run_gnuplot(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  std::vector<std::string> command = {"env", "LC_ALL=C.UTF-8", "gnuplot", "-d"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command, options);
}

std::string why_not_drawn(const ProgramResult& gnuplot) {
  if (gnuplot.status == 127) return "gnuplot is not installed (Debian: gnuplot-nox)";
  return fmt::format("gnuplot ended with code {}{}", gnuplot.status,
                     gnuplot.messages.empty() ? "" : fmt::format(" ({})", one_line(gnuplot.messages)));
}

std::string tidy(std::string picture) {
  constexpr std::string_view key = "/CreationDate (D:";
  if (const std::size_t at = picture.find(key); at != std::string::npos)
    picture.replace(at + key.size(), 14, "20000101000000");
  if (!picture.starts_with("<?xml")) return picture;
  // Half of a svg: defaults, empty groups, and titles, which a browser shows where the mouse is.
  std::vector<std::string> kept;
  for (std::string line : split_text(picture, '\n')) {
    line.erase(0, line.find_first_not_of('\t'));
    for (const std::string_view idle : {" stroke-linecap=\"butt\"", " stroke-linejoin=\"miter\""})
      if (const std::size_t at = line.find(idle); at != std::string::npos) line.erase(at, idle.size());
    if (const std::size_t at = line.find("<title>gnuplot_plot"); at != std::string::npos) line.erase(at);
    if (line == "</g>" && kept.back().starts_with("<g ") && kept.back().rfind('<') == 0)
      kept.pop_back();
    else
      kept.push_back(std::move(line));
  }
  return join(kept, "\n");
}

void check_picture(const std::filesystem::path& file) {
  if (file.extension() != ".svg" && file.extension() != ".pdf")
    user_error("--figure: found {}; expected a name that ends in .svg or .pdf", show_text(file.string()));
  check_writable(file);
}

void draw_picture(const std::filesystem::path& file, const std::string& script, const std::string& lines) {
  const std::string all = gnuplot_text("format", file.extension().string().substr(1)) +
                          gnuplot_list("methods", {}) + lines + std::string(gnuplot_script("style")) +
                          std::string(gnuplot_script(script));
  ProgramResult gnuplot = run_gnuplot({"/dev/stdin"}, {.input_bytes = all, .keep_output = true});
  if (gnuplot.status != 0) run_error("{}: is not drawn: {}", file.string(), why_not_drawn(gnuplot));
  if (!gnuplot.messages.empty()) tell("{}\n", gnuplot.messages);
  write_file(file, tidy(std::move(gnuplot.output)));
}

}  // namespace lacp

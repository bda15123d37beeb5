#include "bench_report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "lacp/base/files.hpp"

namespace lacp::bench {

void Report::section(const std::string& title, const std::string& remark) {
  say(fmt::format("\n## {}\n\n{}\n\n", title, remark));
}

void Report::table(const Frame& table) { say(to_markdown(table)); }

void Report::say(const std::string& text) {
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  std::fflush(stdout);
}

void Report::number(const std::string& name, double value) { numbers_.emplace_back(name, value); }

void Report::write(const std::filesystem::path& file) const {
  Frame table({"name", "value"}, file.string());
  for (const auto& [name, value] : numbers_) table.add({name, number_text(value)});
  write_file(file, to_text(table));
}

}  // namespace lacp::bench

#include <sys/utsname.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/message.hpp"
#include "io/yaml.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "store/manifest.hpp"

namespace fs = std::filesystem;

namespace lacp {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, implementer, part;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string value(trim(std::string_view(line).substr(colon + 1)));
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (line.starts_with("CPU part")) part = value;
  }
  utsname name{};
  ::uname(&name);
  return implementer.empty() ? name.machine
                             : fmt::format("{}, implementer {}, part {}", name.machine, implementer, part);
}

}  // namespace

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto now = time.time_since_epoch();
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);  // down, also before 1970
  const std::time_t seconds = whole.count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text,
                     std::chrono::duration_cast<std::chrono::milliseconds>(now - whole).count());
}

RunRecord new_record(const fs::path& source) {
  RunRecord record{.source = source,
                   .start = utc_text(std::chrono::system_clock::now()),
                   .commit = program_commit,
                   .cpu = processor()};
  record.cores = std::thread::hardware_concurrency();
  for (const std::string& line : split_text(version_text(), '\n'))
    if (!trim(line).empty()) record.versions.emplace_back(trim(line));
  return record;
}

std::string to_yaml(const RunRecord& r) {
  std::string text = "# What made the results beside this file; written by `lacp run`.\n";
  text += fmt::format("source: {}\nstart: {}\nduration_seconds: {:.1f}\nfinished: {}\njobs: {}\n",
                      yaml_quoted(r.source.generic_string()), yaml_quoted(r.start), r.seconds, r.finished,
                      r.jobs);
  text += fmt::format("tasks: {{done_before: {}, done_now: {}, failed: {}}}\n", r.done_before, r.done_now,
                      r.failed);
  if (!r.shard.empty()) text += fmt::format("shard: {}\n", r.shard);
  text += fmt::format("commit: {}\ncpu: {}\ncores: {}\nversions:\n", yaml_quoted(r.commit),
                      yaml_quoted(r.cpu), r.cores);
  for (const std::string& version : r.versions) text += fmt::format("  - {}\n", yaml_quoted(version));
  return text;
}

}  // namespace lacp

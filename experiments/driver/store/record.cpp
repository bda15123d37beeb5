#include <sys/utsname.h>

#include <algorithm>
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

std::string utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text,
                     std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 1000);
}

}  // namespace

RunRecord new_record(const fs::path& source) {
  RunRecord record{.source = source, .start = utc_now(), .commit = program_commit, .cpu = processor()};
  record.cores = std::thread::hardware_concurrency();
  for (const std::string& line : split_text(version_text(), '\n'))
    if (!trim(line).empty()) record.versions.emplace_back(trim(line));
  return record;
}

RunRecord read_record(const YamlMap& map) {
  RunRecord record;
  record.source = map.get<std::string>("source", "");
  record.start = map.get<std::string>("start", "");
  record.seconds = map.get<double>("duration_seconds", 0.0);
  record.finished = map.get<bool>("finished", false);
  record.jobs = map.get<std::size_t>("jobs", 1);
  record.done_now = map.get<std::size_t>("done_now", 0);
  record.shard = map.get<std::string>("shard", "");
  record.commit = map.get<std::string>("commit", "");
  record.cpu = map.get<std::string>("cpu", "");
  record.cores = map.get<std::size_t>("cores", 0);
  record.versions = map.get<std::vector<std::string>>("versions", {});
  if (map.has("tasks")) {
    const YamlMap tasks = map.map("tasks");
    record.done_before = tasks.get<std::size_t>("done_before", 0);
    record.done_now = tasks.get<std::size_t>("done_now", 0);
    record.failed = tasks.get<std::size_t>("failed", 0);
  }
  return record;
}

std::string records_yaml(const std::vector<RunRecord>& records) {
  const RunRecord& r = records.front();
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
  if (records.size() > 1) text += "earlier:\n";
  for (std::size_t i = 1; i < records.size(); ++i)
    text += fmt::format("  - {{start: {}, duration_seconds: {:.1f}, commit: {}, done_now: {}{}}}\n",
                        yaml_quoted(records[i].start), records[i].seconds, yaml_quoted(records[i].commit),
                        records[i].done_now,
                        records[i].shard.empty() ? "" : fmt::format(", shard: {}", records[i].shard));
  return text;
}

void add_record(std::vector<RunRecord>& records, const RunRecord& record) {
  constexpr std::size_t most = 101;
  const auto same = std::ranges::find_if(
      records, [&](const RunRecord& r) { return r.start == record.start && r.shard == record.shard; });
  if (same != records.end())
    *same = record;
  else
    records.insert(records.begin(), record);
  if (records.size() > most) records.resize(most);
}

}  // namespace lacp

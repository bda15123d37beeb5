#include <csignal>

#include "common/process.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// What curl said last, in one line, and nothing in it can move the cursor: it may quote a server.
std::string why(const ProgramResult& result, const ProgramOptions& limits) {
  if (result.status == 128 + SIGXFSZ) return fmt::format("more than {} bytes", limits.most_bytes);
  std::string said;
  for (const std::string& line : split_text(result.messages, '\n'))
    if (!trim(line).empty()) said = trim(line);
  return fmt::format("curl ended with {}: {}", result.status, one_line(said));
}

std::string download(const DatasetSource& source, const FetchOptions& options) {
  // --disable: no ~/.curlrc; --globoff: no patterns in the url
  std::vector<std::string> command = split_text(
      fmt::format("curl --disable --globoff --fail --location --max-redirs 5 --proto =https,http,file "
                  "--proto-redir =https,http --connect-timeout 20 --speed-limit 1000 --speed-time {} "
                  "--max-time {} --retry {} --retry-delay 2 --retry-connrefused --max-filesize {}",
                  options.stall_seconds, options.most_seconds, options.retries, options.most_bytes),
      ' ');
  if (options.show_progress)
    command.push_back("--progress-bar");
  else
    command.insert(command.end(), {"--silent", "--show-error"});
  command.insert(command.end(), {"--output", "/dev/stdout", "--url", source.url});
  // --max-filesize cannot refuse a file whose length the server does not tell; the limit of the process can.
  std::error_code error;
  fs::create_directories(source.path.parent_path(), error);
  if (error)
    run_error("{}: the folder cannot be made: {}", source.path.parent_path().string(), error.message());
  const ProgramOptions limits{.keep_output = true,
                              .scratch = source.path.parent_path(),
                              .most_bytes = options.most_bytes,
                              .most_memory = std::uint64_t{1} << 30,
                              .show_messages = options.show_progress};
  ProgramResult result = run_program(command, limits);
  if (result.status != 0)
    run_error("{}: the download failed ({}); try again, or say --mirror with a folder that holds {}",
              source.url, why(result, limits), source.file);
  return std::move(result.output);
}

bool is_right_file(const DatasetSource& source) {
  std::error_code ignored;
  return fs::is_regular_file(source.path, ignored) &&
         (source.sha256.empty() || sha256(read_file(source.path)) == source.sha256);
}

}  // namespace

std::string fetch_dataset(const DatasetDescription& description, const FetchOptions& options) {
  if (is_synthetic(description)) return "synthetic, needs no file";
  const DatasetSource& source = *description.source;
  if (is_right_file(source)) return "already there";
  if (source.url.empty())
    run_error("{}: is not there or not the file described; {} names no url", source.path.string(),
              description.yaml.string());
  std::error_code ignored;
  const fs::path copy = options.mirror / source.file;
  const bool mirrored = !options.mirror.empty() && fs::is_regular_file(copy, ignored);
  const std::string bytes = mirrored ? read_file(copy, options.most_bytes) : download(source, options),
                    from = mirrored ? copy.string() : source.url;
  const std::string sum = sha256(bytes);
  if (sum != source.sha256)
    run_error("{}: wrong checksum: sha256 is {}, {} expects {}; nothing was changed", from, sum,
              description.yaml.string(), source.sha256);
  write_file(source.path, bytes);
  return fmt::format("{} bytes from {}, checked", bytes.size(), from);
}

}  // namespace lacp

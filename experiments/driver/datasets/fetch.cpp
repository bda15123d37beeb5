#include <csignal>

#include "common/process.hpp"
#include "datasets/catalog.hpp"
#include "datasets/unpack.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

fs::path sum_file(const DatasetSource& source) { return fs::path(source.table) += ".sha256"; }

/// As sha256sum writes it.
std::string sums(const DatasetSource& source, std::string_view table, const std::string& original_sum) {
  return fmt::format("{}  {}\n{}  {}\n", sha256(table), source.table.filename().string(), original_sum,
                     source.file);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) run_error("{}: the folder cannot be made: {}", folder.string(), error.message());
}

/// What curl said last, in one line, and nothing in it can move the cursor: it may quote a server.
std::string why(const ProgramResult& result, const ProgramOptions& limits) {
  if (result.status == 128 + SIGXFSZ)
    return fmt::format("curl was stopped at {} bytes, more than a data set is expected to have",
                       limits.most_bytes);
  std::string said;
  for (const std::string& line : split_text(result.messages, '\n'))
    if (!trim(line).empty()) said = trim(line);
  for (char& c : said)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return fmt::format("curl ended with {}{}{}", result.status, said.empty() ? "" : ": ", said);
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
  make_folder(source.original.parent_path());
  const ProgramOptions limits{.keep_output = true,
                              .scratch = source.original.parent_path(),
                              .most_bytes = options.most_bytes,
                              .most_memory = std::uint64_t{1} << 30,
                              .show_messages = options.show_progress};
  ProgramResult result = run_program(command, limits);
  if (result.status != 0)
    run_error("{}: the download failed ({}); try again later, or name a folder that holds {} with --mirror",
              source.url, why(result, limits), source.file);
  return std::move(result.output);
}

bool is_right_file(const DatasetSource& source) {
  std::error_code ignored;
  return fs::is_regular_file(source.original, ignored) &&
         (source.sha256.empty() || sha256(read_file(source.original)) == source.sha256);
}

/// What cannot be unpacked is the user's own file, or one that had the right checksum.
std::string made_table(const DatasetSource& source, std::uint64_t most_bytes) try {
  return unpacked_table(source, most_bytes);
} catch (const UserError& error) {
  if (source.url.empty()) throw;
  throw RunError(error.what());
}

}  // namespace

std::string fetch_dataset(const DatasetDescription& description, const FetchOptions& options) {
  if (is_synthetic(description)) return "synthetic, needs no file";
  const DatasetSource& source = *description.source;
  const bool made = source.table != source.original;
  std::string done = "already there";
  std::error_code ignored;
  if (!is_right_file(source)) {
    if (source.url.empty())
      run_error("{}: is not there or not the file described; {} names no url to fetch it from",
                source.original.string(), description.yaml.string());
    const fs::path copy = options.mirror / source.file;
    const bool mirrored = !options.mirror.empty() && fs::is_regular_file(copy, ignored);
    const std::string bytes = mirrored ? read_file(copy, options.most_bytes) : download(source, options),
                      from = mirrored ? copy.string() : source.url;
    const std::string sum = sha256(bytes);
    if (sum != source.sha256)
      run_error("{}: wrong checksum: sha256 is {}, {} expects {}; nothing was changed", from, sum,
                description.yaml.string(), source.sha256);
    if (made) fs::remove(source.table, ignored);  // a table of the file that is now replaced
    write_file(source.original, bytes);
    done = fmt::format("{} bytes from {}, checksum right", bytes.size(), from);
  }
  if (!made) return done;
  const std::string original_sum = sha256(read_file(source.original));
  if (!fs::is_regular_file(source.table, ignored) ||
      !is_made_table(source, read_file(source.table), original_sum)) {
    make_folder(source.table.parent_path());
    const std::string table = made_table(source, options.most_bytes);
    // The checksums first: whatever ends the program in between, no table is taken for one that it is not.
    write_file(sum_file(source), sums(source, table, original_sum));
    write_file(source.table, table);
    done += fmt::format("; made {}", source.table.filename().string());
  }
  return done;
}

bool is_made_table(const DatasetSource& source, std::string_view table, const std::string& original_sum) {
  std::error_code error;
  return fs::exists(sum_file(source), error) &&
         read_file(sum_file(source)) == sums(source, table, original_sum);
}

}  // namespace lacp

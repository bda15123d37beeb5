#include "lacp/datasets/fetch.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/datasets/made_table.hpp"
#include "lacp/io/process.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// A file of its own in the cache that is gone when the work is done, or has failed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& folder) {
    static std::atomic<unsigned> counter{0};
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) run_error("{}: the folder cannot be made: {}", folder.string(), error.message());
    path_ = folder / fmt::format(".fetch.{}.{}.tmp", ::getpid(), counter.fetch_add(1));
    fs::remove(path_, error);  // left by a process of the same number that was killed
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The last line of what a tool said, which tells how it ended. It may quote a server, so nothing in it can
/// move the cursor.
std::string last_line(const std::string& messages) {
  std::string line = messages.substr(messages.find_last_of('\n') + 1);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return line;
}

/// Why a tool failed, in its own words or in ours where the limit on its output ended it.
std::string why(const std::string& tool, const ProgramResult& result, const FetchOptions& options) {
  if (result.status == 128 + SIGXFSZ)
    return fmt::format("{} was stopped at {} bytes, more than a data set is expected to have", tool,
                       options.most_bytes);
  return fmt::format("{} ended with {}{}{}", tool, result.status, result.messages.empty() ? "" : ": ",
                     last_line(result.messages));
}

std::string download(const DatasetSource& source, const FetchOptions& options) {
  const TemporaryFile file(source.original.parent_path());
  std::vector<std::string> command{"curl",
                                   "--disable",
                                   "--globoff",  // no ~/.curlrc, no patterns in the url
                                   "--fail",
                                   "--location",
                                   "--max-redirs",
                                   "5",  //
                                   "--proto",
                                   "=https,http,file",
                                   "--proto-redir",
                                   "=https,http",  //
                                   "--connect-timeout",
                                   "20",
                                   "--speed-limit",
                                   "1000",
                                   "--speed-time",
                                   fmt::format("{}", options.stall_seconds),
                                   "--max-time",
                                   fmt::format("{}", options.most_seconds),  //
                                   "--retry",
                                   fmt::format("{}", options.retries),
                                   "--retry-delay",
                                   "2",
                                   "--retry-connrefused",  //
                                   "--max-filesize",
                                   fmt::format("{}", options.most_bytes)};
  if (options.show_progress)
    command.push_back("--progress-bar");
  else
    command.insert(command.end(), {"--silent", "--show-error"});
  command.insert(command.end(), {"--output", file.path().string(), "--url", source.url});

  // --max-filesize cannot refuse a file whose length the server does not tell; the limit of the process can.
  const ProgramResult result =
      run_program(command, {.most_bytes = options.most_bytes, .show_messages = options.show_progress});
  if (result.status != 0)
    run_error("{}: the download failed ({}); try again later, or name a folder that holds {} with --mirror",
              source.url, why(command[0], result, options), source.file);
  return read_file(file.path(), options.most_bytes);
}

/// What a tool prints, as a string.
std::string output_of(const std::vector<std::string>& command, const DatasetSource& source,
                      const FetchOptions& options) {
  const TemporaryFile output(source.table.parent_path());
  const ProgramResult result =
      run_program(command, {.output = output.path(), .most_bytes = options.most_bytes});
  if (result.status != 0)
    run_error("{}: no table could be made from it: {}", source.original.string(),
              why(command[0], result, options));
  return read_file(output.path(), options.most_bytes);
}

/// From a copy whose name is ours: unzip takes * ? [ in the name of an archive for patterns. It writes to a
/// pipe alone, so names within the archive lead nowhere.
std::string unpack(const DatasetSource& source, const FetchOptions& options) {
  const TemporaryFile archive(source.table.parent_path());
  write_file(archive.path(), read_file(source.original));
  return output_of({"unzip", "-p", fs::absolute(archive.path()).string(), source.member}, source, options);
}

/// Numbers are converted as stored (not as the sheet shows them, rounded); blank rows and columns are left
/// out.
std::string convert_sheet(const fs::path& workbook, const DatasetSource& source,
                          const FetchOptions& options) {
  return output_of({"xlsx2csv", "--ignore-formats", "float", "--ignoreempty", "--skipemptycolumns", "--sheet",
                    fmt::format("{}", source.sheet), fs::absolute(workbook).string()},
                   source, options);
}

std::string make_table(const DatasetSource& source, const FetchOptions& options) {
  if (source.gzip) return output_of({"gzip", "-dc", fs::absolute(source.original).string()}, source, options);
  if (source.sheet == 0) return unpack(source, options);
  if (source.member.empty()) return convert_sheet(source.original, source, options);
  const TemporaryFile workbook(source.table.parent_path());
  write_file(workbook.path(), unpack(source, options));
  return convert_sheet(workbook.path(), source, options);
}

bool is_right_table(const DatasetSource& source, const std::string& original_sum) {
  std::error_code ignored;
  return fs::is_regular_file(source.table, ignored) &&
         check_made_table(source, read_file(source.table), original_sum) == MadeTable::right;
}

bool is_right_file(const DatasetSource& source) {
  std::error_code ignored;
  if (!fs::is_regular_file(source.original, ignored)) return false;
  return source.sha256.empty() || sha256(read_file(source.original)) == source.sha256;
}

struct Obtained {
  std::string bytes;
  std::string from;
};

Obtained obtain(const DatasetSource& source, const FetchOptions& options) {
  std::error_code ignored;
  const fs::path copy = options.mirror / source.file;
  if (!options.mirror.empty() && fs::is_regular_file(copy, ignored))
    return {read_file(copy, options.most_bytes), copy.string()};
  return {download(source, options), source.url};
}

}  // namespace

std::string fetch_dataset(const DatasetDescription& description, const FetchOptions& options) {
  if (is_synthetic(description)) return "synthetic, needs no file";
  const DatasetSource& source = *description.source;
  const bool made = source.table != source.original;
  std::string done = "already there";
  if (!is_right_file(source)) {
    if (source.url.empty())
      run_error("{}: is not there or not the file described; {} names no url to fetch it from",
                source.original.string(), description.yaml.string());
    const Obtained got = obtain(source, options);
    const std::string sum = sha256(got.bytes);
    if (sum != source.sha256)
      run_error("{}: wrong checksum: sha256 is {}, {} expects {}; nothing was changed", got.from, sum,
                description.yaml.string(), source.sha256);
    std::error_code ignored;
    if (made) fs::remove(source.table, ignored);  // a table of the file that is now replaced
    write_file(source.original, got.bytes);
    done = fmt::format("{} bytes from {}, checksum right", got.bytes.size(), got.from);
  }
  if (!made) return done;
  const std::string original_sum = sha256(read_file(source.original));
  if (!is_right_table(source, original_sum)) {
    write_made_table(source, make_table(source, options), original_sum);
    done += fmt::format("; made {}", source.table.filename().string());
  }
  return done;
}

}  // namespace lacp

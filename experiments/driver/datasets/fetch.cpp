#include <algorithm>
#include <array>
#include <csignal>

#include "datasets/catalog.hpp"
#include "io/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/table/date.hpp"

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

/// What a tool said, in one line, and nothing in it can move the cursor: it may quote a server. Python's
/// tracebacks end with what matters; what the interpreter says while it gives up matters to nobody.
std::string last_words(const std::string& tool, const ProgramResult& result) {
  if (tool == "unzip" && result.status == 9) return "it is no zip archive, or is damaged";
  if (tool == "unzip" && result.status == 11) return "there is no such member in it";
  std::string said;
  for (const std::string& line : split_text(result.messages, '\n')) {
    if (tool == "xlsx2csv" &&
        (line.starts_with("Exception ignored") || line.starts_with("Invalid xlsx file")))
      break;
    if (!trim(line).empty()) said = trim(line);
  }
  for (char& c : said)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return said.empty() && tool == "xlsx2csv" ? "it is no xlsx file, or is damaged" : said;
}

/// Why a tool failed, in its own words or in ours where a limit ended it.
std::string why(const std::string& tool, const ProgramResult& result, const ProgramOptions& limits) {
  if (result.status == 128 + SIGXFSZ)
    return fmt::format("{} was stopped at {} bytes, more than a data set is expected to have", tool,
                       limits.most_bytes);
  if (result.status == 128 + SIGXCPU)
    return fmt::format("{} was stopped after {} s, more than a file of this size should take", tool,
                       limits.most_seconds);
  if (result.messages.find("MemoryError") != std::string::npos)
    return fmt::format("{} was stopped at {} MB of memory, more than a file of this size should take", tool,
                       limits.most_memory >> 20);
  const std::string words = last_words(tool, result);
  return fmt::format("{} ended with {}{}{}", tool, result.status, words.empty() ? "" : ": ", words);
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
              source.url, why(command[0], result, limits), source.file);
  return std::move(result.output);
}

/// What a tool makes of its standard input.
std::string output_of(const std::vector<std::string>& command, const DatasetSource& source,
                      const ProgramOptions& limits) {
  ProgramResult result = run_program(command, limits);
  if (result.status == 0) return std::move(result.output);
  const std::string message = fmt::format("{}: no table could be made from it: {}", source.original.string(),
                                          why(command[0], result, limits));
  if (source.url.empty()) throw UserError(message);
  throw RunError(message);
}

bool is_right_file(const DatasetSource& source) {
  std::error_code ignored;
  return fs::is_regular_file(source.original, ignored) &&
         (source.sha256.empty() || sha256(read_file(source.original)) == source.sha256);
}

/// A file within an xlsx; "" if there is none.
std::string part_of(const fs::path& xlsx, const std::string& part) {
  ProgramResult result =
      run_program({"unzip", "-p", "/dev/stdin", part}, {.input = xlsx, .keep_output = true});
  return result.status == 0 ? std::move(result.output) : "";
}

std::string without_entities(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> entities{
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}}};
  for (const auto& [entity, character] : entities)
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at)
      text.replace(at, entity.size(), character);
  return text;
}

/// Dates come with millionths of a second, since a spreadsheet stores them as a number of days, of 15 digits:
/// an hour is often a millionth short. Rounded to seconds.
std::string with_whole_seconds(std::string csv) {
  constexpr std::string_view form = "0000-00-00 00:00:00.000000";
  const auto fits = [&](std::size_t begin) {
    return std::ranges::equal(std::string_view(csv).substr(begin, form.size()), form,
                              [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; });
  };
  constexpr std::size_t point = 19;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = point; (at = csv.find('.', at)) != std::string::npos; ++at) {
    const std::size_t begin = at - point;
    if (begin < done || !fits(begin)) continue;
    const std::string text = csv.substr(begin, point);
    const auto date = parse_date(text);
    out.append(csv, done, begin - done);
    if (date && csv[at + 1] >= '5') {
      const auto part = [&](DatePart which) {
        return static_cast<int>(part_of_date(which, date->seconds + 1.0));
      };
      out += fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", part(DatePart::year), part(DatePart::month),
                         part(DatePart::day), part(DatePart::hour), part(DatePart::minute),
                         part(DatePart::second));
    } else {
      out += text;
    }
    done = begin + form.size();
  }
  return out.append(csv, done);
}

}  // namespace

std::vector<std::string> sheet_names(const fs::path& file) {
  const std::string workbook = part_of(file, "xl/workbook.xml");
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = workbook.find("<sheet ", at)) != std::string::npos; ++at) {
    const std::string element = workbook.substr(at, workbook.find('>', at) - at);
    const std::size_t name = element.find(" name=");
    if (name == std::string::npos || name + 7 >= element.size()) return {};
    const std::size_t begin = name + 7;
    names.push_back(without_entities(element.substr(begin, element.find(element[begin - 1], begin) - begin)));
  }
  return names;
}

bool sheet_has_rows(const fs::path& file, std::size_t sheet) {
  return part_of(file, fmt::format("xl/worksheets/sheet{}.xml", sheet)).find("<row") != std::string::npos;
}

/// The tools read their standard input: unzip takes * ? [ in the name of an archive for patterns. They write
/// to their standard output alone, so names within an archive lead nowhere. Numbers and dates of a sheet are
/// converted as stored (not as the sheet shows them, rounded or without the year); blank rows and columns are
/// left out.
std::string unpacked_table(const DatasetSource& source, const fs::path& scratch, std::uint64_t most_bytes) {
  std::error_code error;
  const double megabytes = 0x1p-20 * static_cast<double>(fs::file_size(source.original, error));
  const auto scaled = [&](double base, double each) { return error ? base : base + each * megabytes; };
  ProgramOptions limits{.input = source.original,
                        .keep_output = true,
                        .scratch = scratch,
                        .most_bytes = most_bytes,
                        .most_seconds = static_cast<unsigned>(std::min(600.0, scaled(5.0, 20.0))),
                        .most_memory = static_cast<std::uint64_t>(std::max(240.0, scaled(0.0, 240.0))) << 20};
  if (source.gzip) return output_of({"gzip", "-dc"}, source, limits);
  std::string bytes;
  if (!source.member.empty()) {
    bytes = output_of({"unzip", "-p", "/dev/stdin", source.member}, source, limits);
    if (source.sheet == 0) return bytes;
    limits.input_bytes = bytes;
  }
  return with_whole_seconds(
      output_of({"xlsx2csv", "--ignore-formats", "float", "--ignoreempty", "--skipemptycolumns",
                 "--dateformat", "%Y-%m-%d %H:%M:%S.%f", "--timeformat", "%H:%M:%S", "--sheet",
                 fmt::format("{}", source.sheet), "/dev/stdin"},
                source, limits));
}

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
    const std::string table = unpacked_table(source, source.table.parent_path(), options.most_bytes);
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

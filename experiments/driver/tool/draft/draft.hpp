#pragma once

#include "datasets/catalog.hpp"
#include "datasets/unpack.hpp"

namespace lacp {

/// What a person may say about a table that nobody has described; the rest is guessed.
struct DraftOptions {
  std::string target = {};                ///< column to predict; "": the last one of numbers
  std::vector<std::string> missing = {};  ///< texts that mean that nothing is known
  std::vector<std::string> drop = {}, categories = {}, numbers = {};  ///< columns, also with commas between
  std::string decimal = {}, date = {};  ///< "comma", "day_first"; "": as the cells say
  std::string below_limit = {};         ///< what "<0.5" is: "limit", as "", or "half"
  std::string sheet = {};               ///< name or number of a spreadsheet's; "": the first
  std::size_t jobs = 1;                 ///< threads
  bool other_sheets = false;            ///< hold data, so that this one may be a note
  bool means = false;  ///< a column of many values may be read by the mean of the target, as `lacp fit` can

  bool empty() const {
    return target.empty() && missing.empty() && drop.empty() && categories.empty() && numbers.empty() &&
           decimal.empty() && date.empty() && sheet.empty() && below_limit.empty();
  }
};

/// What a table of this content seems to be: its delimiter, and whether its first row holds names. `skip`:
/// the lines above that row that hold titles.
CsvFormat guess_format(std::string_view bytes, const std::string& source, std::size_t* skip = nullptr);

/// A description of a table nobody has described, from all of its cells; every guess is a comment in its
/// text.
struct Draft {
  DatasetDescription description;
  std::string text = {};  ///< the same as yaml; "" if somebody has written it
  std::vector<std::pair<std::string, std::string>> unused = {};  ///< columns, and why
  std::vector<std::string> notes = {};                           ///< what else a person should know
};

/// On standard error: columns that are not used, and what else is to know.
void tell_notes(const Draft& draft);

/// `name` is what messages call the table, `file` the name that it is to lie under, in the text. UserError
/// for a table that cannot be read, a target that is not there or holds no numbers, and for a cell that is no
/// number in a column of numbers: nothing of what the table has is lost without a word.
Draft draft_description(TableBytes table, const std::string& name, const std::string& file,
                        const DraftOptions& options);

/// The name of the data set in a file: the file's, without its endings, in letters that it may have.
std::string name_after(const std::filesystem::path& file);

/// UserError unless it is a file that can be a table: csv, csv.gz or xlsx.
void require_table(const std::filesystem::path& file);

/// What to make of a table that may have no description: the name of a data set, the path of a yaml, or that
/// of a table ("-": standard input), whose description is then a draft, and whose bytes go nowhere else.
/// `options` are for a table alone.
Draft describe_table(const std::filesystem::path& folder, const std::string& input, DraftOptions options);

/// The bytes of standard input ("-"), or of a named pipe.
std::string read_pipe(const std::string& name);

}  // namespace lacp

#pragma once

#include "datasets/catalog.hpp"
#include "datasets/load.hpp"

namespace lacp {

/// What a person may say about a table that nobody has described; the rest is guessed.
struct DraftOptions {
  std::string target = {};                ///< column to predict; "": the last one of numbers
  std::vector<std::string> missing = {};  ///< texts that mean that nothing is known
  std::vector<std::string> drop = {}, categories = {}, numbers = {};  ///< columns, also with commas between
  std::string decimal = {}, date = {};   ///< "comma", "day_first"; "": as the cells say
  std::string sheet = {};                ///< name or number of a spreadsheet's; "": the first
  std::string delimiter = {};            ///< one character, "tab" or "blanks"; "": as the rows say
  std::optional<std::size_t> skip = {};  ///< lines above the names of the columns; none: as the rows say
  bool all_rows = false;  ///< the last ones, too: no total and no note is looked for among them
  bool means = false;  ///< a column of many values may be read by the mean of the target, as `lacp fit` can

  bool empty() const {
    return target.empty() && missing.empty() && drop.empty() && categories.empty() && numbers.empty() &&
           decimal.empty() && date.empty() && sheet.empty() && delimiter.empty() && !skip && !all_rows;
  }
};

/// What a table of this content seems to be: its delimiter, and whether its first row holds names. `skip`:
/// the lines above that row that hold titles. What the options say is not guessed.
CsvFormat guess_format(std::string_view bytes, const std::string& source, const DraftOptions& options,
                       std::size_t& skip);

/// Why a column is not used.
enum class Unused : std::uint8_t {
  by_option,  ///< --drop
  described,  ///< a description leaves it out
  empty,      ///< in every row
  mostly_empty,
  constant,
  row_number,  ///< counts the rows
  id,
  other_dates,  ///< in another order than those of the table
  text,
  many_values,  ///< for a category of an experiment
};

struct UnusedColumn {
  std::string name;
  Unused reason = Unused::by_option;
  std::string cell = {};          ///< one of them
  std::size_t count = 0, of = 0;  ///< missing cells of all, or different values of the known ones
};

/// "an id, different in every row, as '4711'".
std::string unused_text(const UnusedColumn& column);

/// A description of a table nobody has described, from all of its cells; every guess is a comment in its
/// text.
struct Draft {
  DatasetDescription description;
  std::string text = {};  ///< the same as yaml; "" if somebody has written it
  std::vector<UnusedColumn> unused = {};
  std::vector<std::string> notes = {};  ///< what else a person should know
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

struct AddOptions {
  std::filesystem::path folder, file;
  std::string name;  ///< of the data set; "": that of the file
  DraftOptions draft;
};

/// `lacp datasets add`: writes a draft of the description of a file into the folder, with a copy of the file
/// if it lies elsewhere; then checks it. UserError, and nothing changed, if either is there already or cannot
/// be read again. Returns the exit code.
int add_dataset(const AddOptions& options);

/// The bytes of standard input ("-"), or of a named pipe.
std::string read_pipe(const std::string& name);

}  // namespace lacp

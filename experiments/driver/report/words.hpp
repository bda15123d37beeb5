#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/embedded.hpp"
#include "common/frame.hpp"
#include "common/json.hpp"
#include "lacp/base/text.hpp"
#include "report/analysis/statistics.hpp"

// How names, numbers and texts of others are written: in words, markdown and LaTeX.
namespace lacp {

/// How Table 1 writes a method: "erc (error fit)" for erc_error_fit, else its name. The same in LaTeX, names
/// in typewriter as in the paper.
std::string method_label(std::string_view method);
std::string method_label_tex(std::string_view method);

/// Text with LaTeX's special characters escaped, on one line: an empty line would end a caption. And a number
/// inside $...$; the powers of ten of a diverged mean must not burst the column.
std::string tex_escape(std::string_view text);
std::string tex_text(std::string_view text);  ///< the same, with α and − in formulas
std::string tex_number(double value);

/// Text of others, a title say, in markdown: on one line, and nothing in it is a mark, a link or html (a
/// vertical bar is for to_markdown to escape). The same as code; and a path to follow.
std::string markdown_text(std::string_view text);
std::string markdown_code(std::string_view text);
std::string markdown_link(std::string_view path);

/// "0.412 ± 0.010"; and short, "0.412±0.010", without a deviation where there is none.
std::string mean_and_std(const Moments& moments);
std::string short_mean_and_std(const Moments& moments);

/// −12.3 % for a ratio of 0.877, and with its interval: −12.3 % [−15.0, −9.4].
std::string percent_change(double ratio);
std::string percent_change(const PairedInterval& ratio);

/// A table that is filled cell by cell: rows, each found by what stands in the first columns, and the columns
/// behind these are in the order in which they come. Where nothing goes is "–".
struct WideTable {
  std::vector<std::string> header;  ///< at first that of the first columns
  std::vector<std::vector<std::string>> rows = {};

  void set(const std::vector<std::string>& row, const std::string& column, const std::string& text);
  std::string markdown();
};

}  // namespace lacp

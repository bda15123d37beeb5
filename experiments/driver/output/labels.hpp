#pragma once

#include <string>
#include <string_view>

namespace lacp {

/// How Table 1 writes a method: "erc (error fit)" for erc_error_fit, else its name.
std::string method_label(std::string_view method);

/// The same in LaTeX, names in typewriter as in the paper.
std::string method_label_tex(std::string_view method);

/// Text with LaTeX's special characters escaped, on one line: an empty line would end a caption.
std::string tex_escape(std::string_view text);

/// Text of others, a title say, in markdown: on one line, and nothing in it is a mark, a link or html (a
/// vertical bar is for to_markdown to escape). The same as code; and a path to follow.
std::string markdown_text(std::string_view text);
std::string markdown_code(std::string_view text);
std::string markdown_link(std::string_view path);

}  // namespace lacp

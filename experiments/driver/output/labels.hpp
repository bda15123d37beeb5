#pragma once

#include <string>
#include <string_view>

namespace lacp {

/// How Table 1 writes a method: "erc (error fit)" for erc_error_fit, else its name.
std::string method_label(std::string_view method);

/// The same in LaTeX, names in typewriter as in the paper.
std::string method_label_tex(std::string_view method);

/// Text with LaTeX's special characters escaped.
std::string tex_escape(std::string_view text);

}  // namespace lacp

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace lacp {

/// A file of experiments/page that is part of the program.
struct PageFile {
  std::string_view name;  ///< "page.html"
  std::string_view text;
};
const std::vector<PageFile>& page_files();

/// How the figures draw a method: a choice of experiments/figures/style.gp ("colour", "dash", "mark",
/// "label") as it is for that method.
std::string drawn_as(std::string_view choice, std::string_view method);

/// All that the page shows, as json: numbers in columns, one for each column of a table. Links lead from
/// `folder`.
std::string page_data(const Report& report, const std::filesystem::path& folder);

/// page.html with the scripts and the style that it names, and the data, inside it: a browser needs no other
/// file, and may fetch none.
std::string page_html(const std::string& data);

/// Writes <folder>/index.html and returns its path.
std::filesystem::path write_page(const Report& report, const std::filesystem::path& folder);

}  // namespace lacp

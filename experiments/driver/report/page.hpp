#pragma once

#include <filesystem>
#include <string>

#include "report/report.hpp"

namespace lacp {

/// All that the page shows, as json: numbers in columns, one for each column of a table. Links lead from
/// `folder`.
std::string page_data(const Report& report, const std::filesystem::path& folder);

/// page.html with the scripts and the style that it names, and the data, inside it: a browser needs no other
/// file, and may fetch none.
std::string page_html(const std::string& data);

/// Writes <folder>/index.html and returns its path.
std::filesystem::path write_page(const Report& report, const std::filesystem::path& folder);

}  // namespace lacp

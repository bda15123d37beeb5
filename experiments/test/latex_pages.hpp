#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

/// Compiles <folder>/<name>_standalone.tex until its columns have settled, and gives the lines of each page.
inline std::vector<std::vector<std::string>> latex_pages(const std::string& folder, const std::string& name) {
  if (std::system("pdflatex --version >pdflatex.txt 2>&1 && pdftotext -v >pdflatex.txt 2>&1") != 0)
    FAIL("pdflatex or pdftotext is not installed (Debian: texlive-latex-recommended poppler-utils)");
  const std::string document = name + "_standalone";
  const std::string compile = "cd " + folder + " && pdflatex -interaction=nonstopmode -halt-on-error " +
                              document + ".tex >out.txt 2>&1";
  for (int i = 0; i < 3; ++i) REQUIRE(std::system(compile.c_str()) == 0);
  CHECK(lacp::read_file(folder + "/" + document + ".log").find("Overfull") == std::string::npos);
  REQUIRE(std::system(("cd " + folder + " && pdftotext -layout " + document + ".pdf pages.txt").c_str()) ==
          0);
  std::vector<std::vector<std::string>> pages;
  for (const std::string& page : lacp::split_text(lacp::read_file(folder + "/pages.txt"), '\f'))
    pages.push_back(lacp::split_text(page, '\n'));
  return pages;
}

/// Checks that each heading of a block has its two lines and all its rows on its page. Returns the number of
/// blocks.
inline std::size_t check_blocks(const std::vector<std::vector<std::string>>& pages,
                                const std::vector<std::string>& labels) {
  std::size_t blocks = 0;
  for (const auto& page : pages) {
    std::vector<std::string> lines;
    for (const std::string& line : page)
      if (!lacp::trim(line).empty()) lines.push_back(std::string(lacp::trim(line)));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find("α = 0.05") == std::string::npos) continue;
      ++blocks;
      INFO(lines[i]);
      REQUIRE(i + 1 + labels.size() < lines.size());
      for (std::size_t k = 0; k < labels.size(); ++k) CHECK(lines[i + 2 + k].starts_with(labels[k] + " "));
    }
  }
  return blocks;
}

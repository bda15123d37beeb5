#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/process.hpp"

// What draws all figures: gnuplot, and its scripts in experiments/figures.
namespace lacp {

/// A script, "style": what all have in common.
std::string_view gnuplot_script(const std::string& name);

/// Lines that set variables of a script: a list of words, and a text as it is.
std::string gnuplot_list(const std::string& name, const std::vector<std::string>& items,
                         const char* separator = " ");
std::string gnuplot_text(const std::string& name, std::string_view text);

/// The colour of a method, "#7FB8D8", as if so much of it were laid on white.
std::string method_shade(std::string_view method, double part);

/// Runs gnuplot in UTF-8, without settings of its user.
ProgramResult run_gnuplot(const std::vector<std::string>& arguments, const ProgramOptions& options);
std::string why_not_drawn(const ProgramResult& gnuplot);  ///< of one that failed

/// A svg without what has no effect, or a pdf without the time, which cairo writes into it: then the same
/// data gives the same bytes. Newer versions of cairo compress that part of the file: then it stays.
std::string tidy(std::string picture);

/// A picture of somebody's own rows. Its name says whether it is svg or pdf: UserError if neither, or if it
/// cannot be written. It is drawn by a script that has these lines before it: RunError, and no picture, if
/// gnuplot fails.
void check_picture(const std::filesystem::path& file);
void draw_picture(const std::filesystem::path& file, const std::string& script, const std::string& lines);

}  // namespace lacp

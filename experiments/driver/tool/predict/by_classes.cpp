#include "tool/predict/by_classes.hpp"

#include "lacp/table/gaps.hpp"

namespace lacp {

void ask_for_groups(const std::string& by, StreamOptions& options) {
  if (by.empty()) return;
  options.gaps = by == by_missing;
  if (options.gaps)
    options.keep_if_there = {by};
  else
    options.keep = {by};
}

std::string group_of(const TableIntervals& rows, arma::uword n) {
  return rows.kept.empty() ? rows.gaps[n] : rows.kept[n][0];
}

}  // namespace lacp

#include "lacp/data/level_means.hpp"

#include <array>
#include <cmath>

namespace lacp {
namespace {

constexpr std::size_t folds = 5;
constexpr double rows_of_all = 5.0;

struct Sum {
  double targets = 0.0, rows = 0.0;
  void add(double y) { targets += y, rows += 1.0; }
  Sum without(const Sum& part) const { return {targets - part.targets, rows - part.rows}; }
  double mean() const { return rows == 0.0 ? 0.0 : targets / rows; }
  double towards(double all) const { return (targets + rows_of_all * all) / (rows + rows_of_all); }
};
/// Of each fold, and of all.
using Sums = std::array<Sum, folds + 1>;

}  // namespace

void code_by_means(Columns& columns, arma::mat& X, const arma::vec& y,
                   const std::vector<arma::uword>& training, const std::vector<std::size_t>& groups) {
  // Training rows are in random order, so their places make folds.
  std::vector<std::size_t> fold(y.n_elem, folds);
  for (std::size_t i = 0; i < training.size(); ++i)
    fold[training[i]] = (groups.empty() ? i : groups[training[i]]) % folds;
  arma::uword row = 0;
  for (Column& column : columns.attributes) {
    const arma::uword here = row;
    row += attribute_count(column);
    if (column.kind != ColumnKind::mean) continue;
    Sums all;
    std::vector<Sums> levels(column.levels.size());
    const auto level_of = [&](arma::uword n) { return static_cast<std::size_t>(X(here, n)); };
    for (const arma::uword n : training) {
      for (const std::size_t part : {fold[n], folds}) {
        all[part].add(y(n));
        if (!std::isnan(X(here, n))) levels[level_of(n)][part].add(y(n));
      }
    }
    for (arma::uword n = 0; n < X.n_cols; ++n) {
      if (std::isnan(X(here, n))) continue;
      const Sums& level = levels[level_of(n)];
      const bool taught = fold[n] < folds;
      const Sum of_level = taught ? level[folds].without(level[fold[n]]) : level[folds];
      X(here, n) = of_level.towards((taught ? all[folds].without(all[fold[n]]) : all[folds]).mean());
    }
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i][folds].rows == 0.0) continue;
      seen.push_back(column.levels[i]);
      column.means.push_back(levels[i][folds].towards(all[folds].mean()));
    }
    column.means.push_back(all[folds].mean());
    column.levels = std::move(seen);
  }
}

}  // namespace lacp

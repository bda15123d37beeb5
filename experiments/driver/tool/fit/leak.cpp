// What `lacp fit` says where the target stands in the table twice: columns that are parts of it, or made from
// it, which new rows will not have.
#include <algorithm>
#include <cmath>
#include <optional>

#include "common/message.hpp"
#include "common/process.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "tool/fit/fit.hpp"

namespace lacp {
namespace {

/// A column of numbers, and where its cells are in X.
struct Numbers {
  std::string name;
  arma::uword row = 0;
};

std::vector<Numbers> numbers_of(const Fitted& fit) {
  std::vector<Numbers> columns;
  arma::uword row = 0;
  for (const Column& column : fit.table.columns.attributes) {
    if (column.kind == ColumnKind::number) columns.push_back({column.name, row});
    row += attribute_count(column);
  }
  return columns;
}

struct Target {
  arma::vec y;
  double tolerance = 0.0;
  arma::uword largest = 0;  ///< its row tells most columns that make nothing, at once
};

/// Whether a·x + b·z is y, up to what is rounded, in every row that has both, and most have.
bool makes(const arma::mat& X, const Target& target, double a, arma::uword x, double b, arma::uword z) {
  const auto& [y, tolerance, largest] = target;
  if (std::abs(a * X(x, largest) + b * X(z, largest) - y(largest)) > tolerance) return false;
  arma::uword known = 0;
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    const double made = a * X(x, n) + b * X(z, n);
    if (std::isnan(made)) continue;
    if (std::abs(made - y(n)) > tolerance) return false;
    ++known;
  }
  return 2 * known > y.n_elem;
}

struct Made {
  std::string of;
  std::vector<std::string> columns;
};

/// A column, or two, that the target is the multiple, sum or difference of; or none.
std::optional<Made> made_of(const Fitted& fit) {
  constexpr std::size_t most_columns = 200;  // of which each pair is looked at
  constexpr double rounding = 1e-3;          // of the mean deviation of the target
  const arma::mat& X = fit.table.X;
  arma::vec y = fit.table.y;
  if (fit.table.columns.log_target) y.transform([](double t) { return math::expm1(t); });
  const Target target{.y = y,
                      .tolerance = rounding * mean_of(arma::vec(arma::abs(y - mean_of(y)))),
                      .largest = arma::abs(y).index_max()};
  std::vector<Numbers> columns = numbers_of(fit);
  columns.resize(std::min(columns.size(), most_columns));
  for (const auto& [name, x] : columns) {
    const double times = y(target.largest) / X(x, target.largest);
    if (std::isfinite(times) && makes(X, target, times, x, 0.0, x))
      return Made{fmt::format("{:.5g} times {}", times, show_text(name)), {name}};
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto& [first, x] = columns[i];
      const auto& [second, z] = columns[j];
      const bool sum = i < j && makes(X, target, 1.0, x, 1.0, z);
      if (!sum && (i == j || !makes(X, target, 1.0, x, -1.0, z))) continue;
      return Made{fmt::format("{} {} {}", show_text(first), sum ? "+" : "-", show_text(second)),
                  {first, second}};
    }
  return std::nullopt;
}

}  // namespace

std::string target_in_columns(const Fitted& fit, double r2) {
  constexpr double nearly_exact = 0.999;
  if (!fit.table.prediction.empty()) return "";
  const std::string target = show_text(target_text(fit.input.description));
  if (const auto made = made_of(fit))
    return fmt::format(
        "{} is {} in every row: if new rows will not have {}, say --drop {}, or the model is of no use for them",
        target, made->of, made->columns.size() == 1 ? "it" : "these", shell_quoted(join(made->columns, ",")));
  if (!(r2 >= nearly_exact)) return "";
  return fmt::format(
      "R² is above {} on rows that it has not seen: if that is too good to be true, a column is a part of {} or was made from it; leave such columns out (--drop)",
      nearly_exact, target);
}

}  // namespace lacp

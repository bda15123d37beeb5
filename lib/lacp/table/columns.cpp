#include "lacp/table/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "lacp/table/column_coder.hpp"

namespace lacp {
namespace {

/// The levels that occur, in sorted order; the codes become their places.
std::vector<std::string> learn_levels(arma::mat& codes, std::size_t row, const ColumnRole& role) {
  std::vector<bool> occurs(role.levels.size(), false);
  for (arma::uword n = 0; n < codes.n_cols; ++n)
    if (const double code = codes(row, n); !std::isnan(code)) occurs[static_cast<std::size_t>(code)] = true;
  std::vector<std::string> levels;
  std::vector<double> place(role.levels.size(), 0.0);
  for (const auto& [level, code] : role.levels) {
    const auto number = static_cast<std::size_t>(code);
    if (!occurs[number]) continue;  // in dropped rows only
    place[number] = static_cast<double>(levels.size());
    levels.push_back(level);
  }
  for (arma::uword n = 0; n < codes.n_cols; ++n)
    if (double& code = codes(row, n); !std::isnan(code)) code = place[static_cast<std::size_t>(code)];
  return levels;
}

/// Whether the attribute is the code itself; that of a mean is until the means are learnt.
bool is_one_code(const Column& column) {
  return column.kind == ColumnKind::number || column.kind == ColumnKind::ordered ||
         (column.kind == ColumnKind::mean && column.means.empty());
}

/// The attributes that one code stands for.
void write_attributes(const Column& column, double code, double* out) {
  const std::size_t count = attribute_count(column);
  if (is_one_code(column) || std::isnan(code)) {
    std::fill_n(out, count, code);
  } else if (column.kind == ColumnKind::mean) {
    const std::size_t levels = column.levels.size(),
                      place = code == ColumnCoder::unseen_level ? levels : static_cast<std::size_t>(code);
    for (std::size_t i = 0; i < count; ++i) out[i] = column.means[i * (levels + 1) + place];
  } else if (column.kind == ColumnKind::date) {
    for (std::size_t i = 0; i < count; ++i) out[i] = part_of_date(column.parts[i], code);
  } else {
    std::fill_n(out, count, 0.0);
    if (code != ColumnCoder::unseen_level) out[static_cast<std::size_t>(code)] = 1.0;
  }
}

arma::vec target_of(const Columns& columns, const ColumnCoder& coder, const std::string& file) {
  arma::vec y(coder.codes.n_cols);
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    double sum = 0.0;
    for (std::size_t i = 0; i < columns.target.size(); ++i)
      sum += coder.codes(coder.row(columns.attributes.size() + i), n);
    if (std::isinf(sum) || (columns.log_target && sum <= -1.0))
      user_error("{}:{}: the target is {}; expected {}", file, coder.lines[n], sum,
                 columns.log_target ? "more than -1, since log(1 + y) is taken of it" : "a finite sum");
    y[n] = columns.log_target ? math::log1p(sum) : sum;
  }
  return y;
}

/// X and y from the codes, which are used up. `kept` are the attributes that go in.
EncodedTable expand(const Columns& columns, ColumnCoder& coder, const std::vector<std::size_t>& kept,
                    bool with_target, const std::string& file) {
  EncodedTable out;
  if (with_target) out.y = target_of(columns, coder, file);
  bool as_it_is = true;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Column& column = columns.attributes[kept[i]];
    as_it_is = as_it_is && is_one_code(column) && (i == 0 || coder.row(kept[i - 1]) < coder.row(kept[i]));
    rows += attribute_count(column);
  }
  if (as_it_is) {
    arma::uvec sources(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) sources[i] = coder.row(kept[i]);
    out.X = kept.size() == coder.codes.n_rows ? std::move(coder.codes) : coder.codes.rows(sources);
  } else {
    out.X.set_size(rows, coder.codes.n_cols);
    for (arma::uword n = 0; n < out.X.n_cols; ++n) {
      double* cell = out.X.colptr(n);
      for (const std::size_t i : kept) {
        const Column& column = columns.attributes[i];
        write_attributes(column, coder.codes(coder.row(i), n), cell);
        cell += attribute_count(column);
      }
    }
  }
  out.lines = std::move(coder.lines);
  out.dropped_rows = coder.dropped_rows;
  out.unseen = coder.unseen;
  for (const std::size_t i : kept) out.filled.push_back(coder.role(i).gaps);
  return out;
}

}  // namespace

std::size_t attribute_count(const Column& column) {
  if (column.kind == ColumnKind::category) return column.levels.size();
  if (column.kind == ColumnKind::mean && !column.means.empty())
    return column.means.size() / (column.levels.size() + 1);
  return column.kind == ColumnKind::date ? column.parts.size() : 1;
}

std::vector<std::string> Columns::attribute_names() const {
  std::vector<std::string> names;
  for (const Column& column : attributes) {
    if (column.kind != ColumnKind::category && column.kind != ColumnKind::date)
      names.insert(names.end(), attribute_count(column), column.name);
    for (const DatePart part : column.parts)
      names.push_back(fmt::format("{}.{}", column.name, date_part_name(part)));
    if (column.kind == ColumnKind::category)
      for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
  }
  return names;
}

EncodedTable fit_columns(Columns& columns, const CsvSource& table, CsvMissing* missing, DropColumns drop) {
  Columns fitted = columns;
  ColumnCoder coder(table, columns, true, {.target = true});
  coder.read(missing);
  if (coder.codes.n_cols == 0)
    user_error("{}: every row has a missing cell, so that none is left; drop or fill columns instead",
               table.name);
  std::vector<std::size_t> kept;
  std::vector<std::string> dropped;
  for (std::size_t i = 0; i < columns.attributes.size(); ++i) {
    const ColumnRole& role = coder.role(i);
    Column& column = fitted.attributes[i];
    if (role.gaps > 0 && column.if_missing == IfMissing::drop_column) {
      dropped.push_back(column.name);
      if (drop == DropColumns::now) continue;
    } else if (role.gaps >= coder.codes.n_cols)
      user_error("{}: column {} is missing in every row; leave it out (columns.drop)", table.name,
                 show_text(column.name));
    if (column.kind == ColumnKind::category || column.kind == ColumnKind::mean)
      column.levels = learn_levels(coder.codes, coder.row(i), role);
    kept.push_back(i);
  }
  if (kept.empty())
    user_error("{}: every column has a missing cell, so that none is left; drop rows or fill instead",
               table.name);
  EncodedTable out = expand(fitted, coder, kept, true, table.name);
  out.dropped_columns = std::move(dropped);
  columns = fitted;
  columns.attributes.clear();
  for (const std::size_t i : kept) columns.attributes.push_back(fitted.attributes[i]);
  return out;
}

Columns learnt_from(const Columns& columns, const arma::mat& X, const std::vector<arma::uword>& rows,
                    std::vector<arma::uword>& attributes) {
  Columns learnt = columns;
  learnt.attributes.clear();
  attributes.clear();
  arma::uword first = 0;
  for (const Column& column : columns.attributes) {
    const arma::uword count = attribute_count(column), here = std::exchange(first, first + count);
    const auto any = [&](arma::uword i, const auto& holds) {
      return std::ranges::any_of(rows, [&](arma::uword n) { return holds(X(i, n)); });
    };
    const auto missing = [](double value) { return std::isnan(value); };
    if (count == 0 || (column.if_missing == IfMissing::drop_column && any(here, missing))) continue;
    Column kept = column;
    kept.levels.clear();
    for (arma::uword i = 0; i < count; ++i) {
      const bool category = column.kind == ColumnKind::category;
      if (category && !any(here + i, [](double value) { return value == 1.0; })) continue;
      if (category) kept.levels.push_back(column.levels[i]);
      attributes.push_back(here + i);
    }
    if (column.kind != ColumnKind::category) kept.levels = column.levels;
    if (column.kind != ColumnKind::category || !kept.levels.empty())
      learnt.attributes.push_back(std::move(kept));
  }
  if (attributes.empty())
    user_error("every column has a missing cell, so that none is left; drop rows or fill instead");
  return learnt;
}

namespace {

constexpr std::size_t folds_of_means = 5;
constexpr double rows_of_all = 5.0;

struct Sum {
  double targets = 0.0, rows = 0.0;
  void add(double y) { targets += y, rows += 1.0; }
  Sum without(const Sum& part) const { return {targets - part.targets, rows - part.rows}; }
  double mean() const { return rows == 0.0 ? 0.0 : targets / rows; }
  double towards(double all) const { return (targets + rows_of_all * all) / (rows + rows_of_all); }
};
/// Of each fold, and of all.
using Sums = std::array<Sum, folds_of_means + 1>;

/// A column by the means of some training rows.
struct MeanCodes {
  arma::rowvec rows;
  std::vector<double> means;  ///< of each level and, last, of any other
  std::vector<bool> seen;     ///< of each level, whether a training row has it
};

MeanCodes mean_codes(arma::rowvec codes, std::size_t level_count, const arma::vec& y,
                     const std::vector<arma::uword>& training, const std::vector<std::size_t>& groups) {
  // Training rows are in random order, so their places make folds.
  std::vector<std::size_t> fold(y.n_elem, folds_of_means);
  for (std::size_t i = 0; i < training.size(); ++i)
    fold[training[i]] = (groups.empty() ? i : groups[training[i]]) % folds_of_means;
  Sums all;
  std::vector<Sums> levels(level_count);
  const auto level_of = [&](arma::uword n) { return static_cast<std::size_t>(codes(n)); };
  for (const arma::uword n : training) {
    for (const std::size_t part : {fold[n], folds_of_means}) {
      all[part].add(y(n));
      if (!std::isnan(codes(n))) levels[level_of(n)][part].add(y(n));
    }
  }
  MeanCodes out;
  for (const Sums& level : levels) {
    out.means.push_back(level[folds_of_means].towards(all[folds_of_means].mean()));
    out.seen.push_back(level[folds_of_means].rows > 0.0);
  }
  out.means.push_back(all[folds_of_means].mean());
  for (arma::uword n = 0; n < codes.n_elem; ++n) {
    if (std::isnan(codes(n))) continue;
    const Sums& level = levels[level_of(n)];
    const bool taught = fold[n] < folds_of_means;
    const Sum of_level = taught ? level[folds_of_means].without(level[fold[n]]) : level[folds_of_means];
    codes(n) =
        of_level.towards((taught ? all[folds_of_means].without(all[fold[n]]) : all[folds_of_means]).mean());
  }
  out.rows = std::move(codes);
  return out;
}

}  // namespace

void code_by_means(Columns& columns, arma::mat& X, const arma::vec& y,
                   const std::vector<std::vector<arma::uword>>& training,
                   const std::vector<std::size_t>& groups) {
  arma::uword row = 0;
  for (Column& column : columns.attributes) {
    const arma::uword here = row;
    row += attribute_count(column);
    if (column.kind != ColumnKind::mean) continue;
    std::vector<MeanCodes> codes;
    for (const std::vector<arma::uword>& rows : training)
      codes.push_back(mean_codes(X.row(here), column.levels.size(), y, rows, groups));
    if (codes.size() > 1) X.insert_rows(here, codes.size() - 1);
    row += codes.size() - 1;
    std::vector<std::string> seen;
    std::vector<bool> is_seen(column.levels.size());
    for (std::size_t i = 0; i < is_seen.size(); ++i) {
      is_seen[i] = std::ranges::any_of(codes, [&](const MeanCodes& of) { return of.seen[i]; });
      if (is_seen[i]) seen.push_back(column.levels[i]);
    }
    for (std::size_t k = 0; k < codes.size(); ++k) {
      X.row(here + k) = codes[k].rows;
      for (std::size_t i = 0; i <= is_seen.size(); ++i)
        if (i == is_seen.size() || is_seen[i]) column.means.push_back(codes[k].means[i]);
    }
    column.levels = std::move(seen);
  }
}

EncodedTable encode(const Columns& columns, const CsvSource& table, const EncodeOptions& options) {
  ColumnCoder coder(table, columns, false, options);
  coder.read(nullptr);
  std::vector<std::size_t> all(columns.attributes.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return expand(columns, coder, all, options.target, table.name);
}

}  // namespace lacp

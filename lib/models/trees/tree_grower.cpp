#include "models/trees/tree_grower.hpp"

#include <algorithm>
#include <cmath>

namespace lacp {

TreeGrower::TreeGrower(const BinnedAttributes& bins, const GrowOptions& options, std::size_t jobs)
    : bins_(bins),
      options_(options),
      jobs_(std::max<std::size_t>(jobs, 1)),
      first_bin_{0},
      stream_(options.seed) {
  for (std::uint32_t a = 0; a < bins.cuts.size(); ++a) {
    first_bin_.push_back(first_bin_.back() + bins.cuts[a].size() + 1);
    if (!bins.cuts[a].empty()) splittable_.push_back(a);
  }
}

void TreeGrower::use(TableRows fitted, TableRows held) {
  fitted_ = fitted;
  held_out_ = held;
  root_rows_.clear();
  rows_[1].resize(fitted.size());
  held_[1].resize(held.size());
}

TreeGrower::Leaf TreeGrower::all_rows() {
  rows_[0].assign(fitted_.begin(), fitted_.end());
  held_[0].assign(held_out_.begin(), held_out_.end());
  Leaf root{.rows = {0, fitted_.size()}, .held = {0, held_out_.size()}};
  for (const std::uint32_t row : fitted_) root.sum += residuals_[row];
  return root;
}

/// Each row is moved once; those to the right come in reverse. Returns where they begin.
std::size_t TreeGrower::divide(Rows& rows, std::size_t place, Run run, const Split& split) const {
  const std::uint8_t* const codes = bins_.of(split.attribute);
  const std::uint32_t* const from = rows[place].data();
  std::uint32_t* const to = rows[1 - place].data();
  std::size_t left = run.begin, right = run.end;
  for (std::size_t i = run.begin; i < run.end; ++i) {
    const std::uint32_t row = from[i];
    const std::size_t goes = codes[row] <= split.cut ? 0 : 1;
    right -= goes;
    to[goes != 0 ? right : left] = row;
    left += 1 - goes;
  }
  return left;
}

/// The leaf's two parts, which have not been looked at: this node and the next one.
std::pair<TreeGrower::Leaf, TreeGrower::Leaf> TreeGrower::split(const Leaf& leaf, std::size_t left_node) {
  const Split& by = leaf.best;
  const std::size_t middle = divide(rows_, leaf.place, leaf.rows, by),
                    held = divide(held_, leaf.place, leaf.held, by), place = 1 - leaf.place;
  Leaf left{.node = left_node,
            .place = place,
            .rows = {leaf.rows.begin, middle},
            .held = {leaf.held.begin, held},
            .sum = by.left_sum};
  Leaf right{.node = left_node + 1,
             .place = place,
             .rows = {middle, leaf.rows.end},
             .held = {held, leaf.held.end},
             .sum = leaf.sum - by.left_sum};
  return {std::move(left), std::move(right)};
}

void TreeGrower::keep(const Leaf& leaf) {
  grown_.push_back({.node = leaf.node,
                    .rows = rows_of(leaf),
                    .held = run_of(held_, leaf.place, leaf.held),
                    .sum = leaf.sum});
}

/// In increasing order: neighbours in memory follow each other.
void TreeGrower::draw_attributes() {
  drawn_ = splittable_;
  const auto count =
      static_cast<std::size_t>(std::ceil(options_.columns * static_cast<double>(splittable_.size())));
  if (count == drawn_.size()) return;
  stream_.shuffle(std::span<std::uint32_t>(drawn_));
  drawn_.resize(count);
  std::ranges::sort(drawn_);
}

std::vector<TreeNode> TreeGrower::grow(std::span<const std::int64_t> residuals) {
  std::vector<TreeNode> tree(1);
  std::vector<Leaf> leaves;
  residuals_ = residuals;
  draw_attributes();
  leaves.push_back(make_root());
  while (leaves.size() < options_.leaves) {
    const auto best = std::ranges::max_element(leaves, {}, [](const Leaf& leaf) { return leaf.best.gain; });
    if (best->best.gain == 0.0) break;
    const Split& by = best->best;
    tree[best->node] = {.value = bins_.cuts[by.attribute][by.cut],
                        .attribute = by.attribute,
                        .left = static_cast<std::uint32_t>(tree.size())};
    auto [left, right] = split(*best, tree.size());
    tree.resize(tree.size() + 2);
    if (leaves.size() + 1 < options_.leaves) {
      if (left.size() <= right.size())
        look_for_splits(left, right, *best);
      else
        look_for_splits(right, left, *best);
    }
    put_back(best->histogram);
    *best = std::move(left);
    leaves.push_back(std::move(right));
  }
  grown_.clear();
  for (Leaf& leaf : leaves) {
    put_back(leaf.histogram);
    keep(leaf);
  }
  return tree;
}

/// Its attributes are, before, those that may be able to split it, and after, those that may split a part.
void TreeGrower::look_at_some(Leaf& leaf, double part, Stream& stream) {
  std::vector<std::uint32_t> left = std::move(leaf.attributes);
  leaf.attributes.clear();
  if (leaf.size() < 2 * options_.least_rows) return;
  const auto some = static_cast<std::size_t>(std::ceil(part * static_cast<double>(left.size())));
  while (leaf.best.gain == 0.0 && !left.empty()) {
    const std::size_t count = std::min(std::max<std::size_t>(some, 1), left.size());
    for (std::size_t i = 0; i < count; ++i)
      std::swap(left[left.size() - 1 - i], left[stream.below(left.size() - i)]);
    const std::span<const std::uint32_t> drawn = std::span(left).last(count);
    consider_small(leaf, drawn);
    left.resize(left.size() - count);
  }
  leaf.attributes.insert(leaf.attributes.end(), left.begin(), left.end());
}

std::vector<CodedNode> TreeGrower::grow_fully(std::span<const std::int64_t> residuals, double part,
                                              Stream& stream) {
  std::vector<CodedNode> tree(1);
  residuals_ = residuals;
  grown_.clear();
  std::vector<Leaf> open;
  open.push_back(all_rows());
  open.back().attributes = splittable_;
  while (!open.empty()) {
    Leaf leaf = std::move(open.back());
    open.pop_back();
    look_at_some(leaf, part, stream);
    if (leaf.best.gain == 0.0) {
      tree[leaf.node] = CodedNode::leaf(leaf.node);
      keep(leaf);
      continue;
    }
    tree[leaf.node] =
        CodedNode::inner(static_cast<std::uint32_t>(tree.size()), leaf.best.attribute, leaf.best.cut);
    auto [left, right] = split(leaf, tree.size());
    tree.resize(tree.size() + 2);
    left.attributes = leaf.attributes;
    right.attributes = std::move(leaf.attributes);
    open.push_back(std::move(right));
    open.push_back(std::move(left));
  }
  return tree;
}

}  // namespace lacp

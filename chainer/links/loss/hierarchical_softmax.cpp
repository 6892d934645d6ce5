// SPDX-License-Identifier: MIT
#include <algorithm>
#include <queue>
#include <tuple>

#include "chainer/array/host.h"
#include "chainer/autograd/type_check.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/loss/rows_dot.h"
#include "chainer/functions/math.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/loss.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::links {
namespace {

struct PathToRoot {
  std::vector<int64_t> nodes;
  std::vector<double> codes;
};

// Inner nodes are numbered in order of the walk, the left branch first.
void collect(const Tree& tree, PathToRoot& way, int64_t& next, std::map<int64_t, PathToRoot>& ways) {
  if (tree.branches.empty()) {
    if (tree.leaf < 0) throw ValueError("BinaryHierarchicalSoftmax: word ", tree.leaf, " is negative");
    if (!ways.emplace(tree.leaf, way).second)
      throw ValueError("BinaryHierarchicalSoftmax: word ", tree.leaf, " occurs twice in the tree");
    return;
  }
  way.nodes.push_back(next++);
  way.codes.push_back(1);
  collect(tree.branches[0], way, next, ways);
  way.codes.back() = -1;
  collect(tree.branches[1], way, next, ways);
  way.nodes.pop_back();
  way.codes.pop_back();
}

int64_t inner_nodes(const Tree& t) {
  return t.branches.empty() ? 0 : 1 + inner_nodes(t.branches[0]) + inner_nodes(t.branches[1]);
}

}  // namespace

CHAINER_DEFINE_MEMBERS(BinaryHierarchicalSoftmax, W)

BinaryHierarchicalSoftmax::BinaryHierarchicalSoftmax(int64_t in_size, const Tree& tree,
                                                     const BinaryHierarchicalSoftmaxOptions& o)
    : W(initializers::Uniform(1, o.dtype), Shape{inner_nodes(tree), in_size}) {
  if (tree.branches.empty()) throw ValueError("BinaryHierarchicalSoftmax: the tree must have at least two words");
  std::map<int64_t, PathToRoot> ways;
  PathToRoot way;
  int64_t next = 0;
  collect(tree, way, next, ways);
  int64_t longest = 1;
  for (const auto& [word, w] : ways) longest = std::max(longest, static_cast<int64_t>(w.nodes.size()));
  const int64_t words = ways.rbegin()->first + 1;
  paths_ = full({words, longest}, -1, int32);  // int32 saves memory for large vocabularies
  codes_ = zeros({words, longest}, int8);
  for (const auto& [word, w] : ways) {
    paths_.set(word, 0);
    const Slice used(0, static_cast<int64_t>(w.nodes.size()));
    paths_.set({word, used}, array(w.nodes));
    codes_.set({word, used}, array(w.codes));
  }
}

Variable BinaryHierarchicalSoftmax::forward(const Variable& x, const Variable& t) {
  if (is_narrow_in_mixed_precision(x)) return forward(widened(x), t);
  type_check::check(
      "BinaryHierarchicalSoftmax", {x.array(), t.array(), W.array()}, [](const type_check::TypeInfos& in) {
        in.names({"x", "t", "W"});
        using type_check::expect;
        expect(in[0].dtype().kind() == 'f', in[0].ndim() == 2, in[1].dtype().kind() == 'i', in[1].ndim() == 1);
        expect(in[0].shape(0) == in[1].shape(0), in[2].dtype() == in[0].dtype(), in[0].shape(1) == in[2].shape(1));
      });
  const Array at = to_host(t.array());
  const std::vector<int64_t> words = at.to_vector<int64_t>();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] < 0 || words[i] >= paths_.shape()[0] || paths_[{words[i], 0}].item<int64_t>() < 0)
      throw IndexError("BinaryHierarchicalSoftmax: word ", words[i], " at position ", i, " is not in the tree");
  const Array codes = take(codes_, at, 0).astype(x.dtype()).to_device(x.device());
  const Array nodes = maximum(take(paths_, at, 0), 0).astype(int64).to_device(x.device());
  const Variable losses = functions::softplus(-(functions::rows_dot(x, W, nodes) * codes));
  return functions::sum(losses * not_equal(codes, 0).astype(x.dtype()));
}

Tree BinaryHierarchicalSoftmax::create_huffman_tree(const std::map<int64_t, double>& word_counts) {
  if (word_counts.empty()) throw ValueError("create_huffman_tree: the vocabulary is empty");
  using Entry = std::tuple<double, int64_t, std::size_t>;  // (count, number to break ties, index in `trees`)
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<Tree> trees;
  for (const auto& [word, count] : word_counts) {
    queue.emplace(count, static_cast<int64_t>(trees.size()), trees.size());
    trees.emplace_back(word);
  }
  while (queue.size() > 1) {
    const auto [count1, id1, left] = queue.top();
    queue.pop();
    const auto [count2, id2, right] = queue.top();
    queue.pop();
    trees.push_back(Tree(trees[left], trees[right]));
    queue.emplace(count1 + count2, std::min(id1, id2), trees.size() - 1);
  }
  return trees[std::get<2>(queue.top())];
}

}  // namespace chainer::links

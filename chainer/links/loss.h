// SPDX-License-Identifier: MIT
// L: losses with parameters (manual: "Activation/loss/normalization functions with parameters"). forward() has the
// shapes and exceptions of the functions in functions/loss.h.
#pragma once
#include <functional>
#include <map>

#include "chainer/functions/loss.h"
#include "chainer/links/link.h"
#include "chainer/links/members.h"
#include "chainer/routines/walker_alias.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of NegativeSampling.
struct NegativeSamplingOptions {
  double power = 0.75;              ///< samples are drawn with probability proportional to counts^power
  std::optional<Dtype> dtype = {};  ///< dtype of the probabilities; config().dtype by default
};
/// F::negative_sampling with its weights W (number of counts, in_size), initially zero, and its sampler, which may be
/// replaced: a function from a shape to an int32 array of words. The constructor throws ValueError if a count is
/// negative or not finite, or if all are zero.
class NegativeSampling : public Link {
 public:
  NegativeSampling(int64_t in_size, const std::vector<double>& counts, int64_t sample_size,
                   const NegativeSamplingOptions& options = {});
  CHAINER_OTHER_OPTIONS(NegativeSampling, ".power, .dtype", int64_t, const std::vector<double>&, int64_t);
  Variable forward(const Variable& x, const Variable& t, Reduction reduce = Reduction::sum);
  chainer::Parameter W;
  std::function<Array(const Shape&)> sampler;
  CHAINER_DECLARE_MEMBERS(NegativeSampling);

 private:
  int64_t sample_size_;
};

/// A binary tree over words: a leaf, or two branches.
///   L::Tree tree(L::Tree(L::Tree(2), L::Tree(3)), L::Tree(L::Tree(1), L::Tree(0)));
class Tree {
 public:
  explicit Tree(int64_t leaf) : leaf(leaf) {}
  Tree(Tree left, Tree right) : branches{std::move(left), std::move(right)} {}
  int64_t leaf = -1;
  std::vector<Tree> branches;  ///< none, or the left and the right one
};
/// Options of BinaryHierarchicalSoftmax.
struct BinaryHierarchicalSoftmaxOptions {
  std::optional<Dtype> dtype = {};  ///< dtype of W; config().dtype by default
};
/// A softmax over words at the leaves of a binary tree (Morin and Bengio, 2005). The loss of x (N, in_size) with words
/// t (N) is the sum over the nodes on the path to the word of softplus(-b x . W[node]), where b is 1 for the left
/// branch and -1 for the right one. W (inner nodes, in_size) is initially uniform in [-1, 1). The constructor throws
/// ValueError for a tree with less than two words, a word that is negative or twice in the tree; forward() throws
/// IndexError for a word that is not in the tree.
class BinaryHierarchicalSoftmax : public Link {
 public:
  BinaryHierarchicalSoftmax(int64_t in_size, const Tree& tree, const BinaryHierarchicalSoftmaxOptions& options = {});
  CHAINER_OTHER_OPTIONS(BinaryHierarchicalSoftmax, ".dtype", int64_t, const Tree&);
  Variable forward(const Variable& x, const Variable& t);
  /// Returns the Huffman tree of word counts, in which rare words have long paths. Throws ValueError if there is no
  /// word.
  static Tree create_huffman_tree(const std::map<int64_t, double>& word_counts);
  chainer::Parameter W;
  CHAINER_DECLARE_MEMBERS(BinaryHierarchicalSoftmax);

 private:
  Array paths_;  // (words, longest path): inner nodes, 0 after the end; -1 for numbers that are no words
  Array codes_;  // (words, longest path): -1 or 1, 0 after the end
};

/// F::black_out with its weights W (number of counts, in_size), initially zero, and a sampler of words with probability
/// proportional to counts, which may be replaced: a function from a shape to an int32 array of words. The constructor
/// throws ValueError if a count is negative or not finite, or if all are zero.
class BlackOut : public Link {
 public:
  BlackOut(int64_t in_size, const std::vector<double>& counts, int64_t sample_size);
  Variable forward(const Variable& x, const Variable& t);
  chainer::Parameter W;
  std::function<Array(const Shape&)> sampler;
  CHAINER_DECLARE_MEMBERS(BlackOut);

 private:
  int64_t sample_size_;
};

/// F::crf1d with its transition costs (n_label, n_label), initially zero.
class CRF1d : public Link {
 public:
  explicit CRF1d(int64_t n_label, const InitializerArg& initial_cost = {});
  Variable forward(const Variables& xs, const Variables& ys, Reduction reduce = Reduction::mean);
  functions::ArgmaxCrf1d::Result argmax(const Variables& xs);
  chainer::Parameter cost;
  CHAINER_DECLARE_MEMBERS(CRF1d);
};

}  // namespace links
namespace L = links;
}  // namespace chainer

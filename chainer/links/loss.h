// L: losses with parameters (manual: "Activation/loss/normalization functions with parameters").
#pragma once
#include <functional>
#include <map>

#include "chainer/functions/loss.h"
#include "chainer/links/link.h"
#include "chainer/links/members.h"
#include "chainer/routines/walker_alias.h"

namespace chainer {
namespace links {

/// Options of NegativeSampling.
struct NegativeSamplingOptions {
  double power = 0.75;              ///< samples are drawn in proportion to counts^power
  std::optional<Dtype> dtype = {};  ///< the dtype of the probabilities, config().dtype by default
};
/// The loss of F::negative_sampling with its weights W (number of counts, in_size), zero at first, and a sampler, which
/// may be replaced: a function from a shape to an int32 array of words.
class NegativeSampling : public Link {
 public:
  NegativeSampling(int64_t in_size, const std::vector<double>& counts, int64_t sample_size,
                   const NegativeSamplingOptions& options = {});
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
  std::optional<Dtype> dtype = {};  ///< of W; config().dtype by default
};
/// A softmax over words at the leaves of a binary tree (Morin and Bengio, 2005): the loss of x (N, in_size) with words
/// t (N) is the sum over the nodes on the way to the word of softplus(-b x . W[node]), where b is 1 for the left branch
/// and -1 for the right one. W (inner nodes, in_size) is uniform in [-1, 1) at first. A word that is not in the tree is
/// an IndexError.
class BinaryHierarchicalSoftmax : public Link {
 public:
  BinaryHierarchicalSoftmax(int64_t in_size, const Tree& tree, const BinaryHierarchicalSoftmaxOptions& options = {});
  Variable forward(const Variable& x, const Variable& t);
  /// The tree that Huffman's algorithm makes of word counts: rare words lie deep.
  static Tree create_huffman_tree(const std::map<int64_t, double>& word_counts);
  chainer::Parameter W;
  CHAINER_DECLARE_MEMBERS(BinaryHierarchicalSoftmax);

 private:
  Array paths_;  // (words, longest way): inner nodes, 0 behind the end; -1 for numbers that are no words
  Array codes_;  // likewise: -1 or 1, 0 behind the end
};

/// F::black_out with its weights W (number of counts, in_size), zero at first, and a sampler of words in proportion to
/// counts, which may be replaced: a function from a shape to an int32 array of words.
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

/// F::crf1d with its transition costs (n_label, n_label), zero at first.
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

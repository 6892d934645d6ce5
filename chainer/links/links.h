// L: links with parameters (manual: "Link implementations").
//
//   struct MLP : Chain {
//     L::Linear l1, l2;
//     MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_out) {}
//     CHAINER_MEMBERS(MLP, l1, l2);
//     Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }
//   };
#pragma once
#include <functional>
#include <map>
#include <variant>

#include "chainer/functions/activation.h"
#include "chainer/functions/evaluation.h"
#include "chainer/functions/loss.h"
#include "chainer/links/chain_list.h"
#include "chainer/links/link.h"
#include "chainer/links/sequential.h"
#include "chainer/routines/walker_alias.h"

namespace chainer {
namespace links {

/// Options of Linear.
struct LinearOptions {
  bool nobias = false;
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// y = x W^T + b, see F::linear. Parameters W (out_size, in_size) and b (out_size). With one size, or in_size nullopt,
/// the input size is found at the first call.
class Linear : public Link {
 public:
  explicit Linear(int64_t out_size, const LinearOptions& options = {}) : Linear(std::nullopt, out_size, options) {}
  Linear(std::optional<int64_t> in_size, int64_t out_size, const LinearOptions& options = {});
  Variable forward(const Variable& x, int64_t n_batch_axes = 1);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  int64_t out_size() const { return out_size_; }
  CHAINER_MEMBERS(Linear, W, b);

 private:
  int64_t out_size_;
};

/// Options of EmbedID.
struct EmbedIDOptions {
  InitializerArg initialW = {};  ///< N(0, 1) by default
  std::optional<int64_t> ignore_label = {};
};
/// Rows of W (in_size, out_size) by integer id, see F::embed_id.
class EmbedID : public Link {
 public:
  EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& options = {});
  Variable forward(const Variable& x);
  chainer::Parameter W;
  CHAINER_MEMBERS(EmbedID, W);

 private:
  std::optional<int64_t> ignore_label_;
};

/// x + b along an axis, see F::bias. With a shape it has b as a parameter, else the second argument.
class Bias : public Link {
 public:
  explicit Bias(int64_t axis = 1, std::optional<Shape> shape = {});
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);
  std::optional<chainer::Parameter> b;
  CHAINER_MEMBERS(Bias, b);

 private:
  int64_t axis_;
};

/// Options of Scale.
struct ScaleOptions {
  bool bias_term = false;                ///< add a Bias
  std::optional<Shape> bias_shape = {};  ///< its shape, where W is not a parameter
};
/// x * W along an axis, see F::scale. With W_shape it has W as a parameter (ones), else the second argument.
class Scale : public Chain {
 public:
  explicit Scale(int64_t axis = 1, std::optional<Shape> W_shape = {}, const ScaleOptions& options = {});
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);
  std::optional<chainer::Parameter> W;
  std::optional<Bias> bias;
  CHAINER_MEMBERS(Scale, W, bias);

 private:
  int64_t axis_;
};

/// Options of Bilinear.
struct BilinearOptions {
  bool nobias = false;           ///< W only, without V1, V2 and b
  InitializerArg initialW = {};  ///< LeCunNormal by default, as initialV1 and initialV2
  InitializerArg initialV1 = {}, initialV2 = {};
  InitializerArg initialb = {};  ///< zero by default
};
/// F::bilinear with its parameters W (left, right, out), V1 (left, out), V2 (right, out), b (out).
class Bilinear : public Link {
 public:
  Bilinear(int64_t left_size, int64_t right_size, int64_t out_size, const BilinearOptions& options = {});
  Variable forward(const Variable& e1, const Variable& e2);
  chainer::Parameter W;
  std::optional<chainer::Parameter> V1, V2, b;  ///< absent with nobias
  CHAINER_MEMBERS(Bilinear, W, V1, V2, b);
};

/// Options of Highway.
struct HighwayOptions {
  bool nobias = false;
  std::function<Variable(const Variable&)> activate = functions::relu;
  InitializerArg init_Wh = {}, init_Wt = {}, init_bh = {};
  InitializerArg init_bt = {};  ///< -1 by default: at first the input mostly passes through
};
/// activate(plain(x)) t + x (1 - t) with t = sigmoid(transform(x)). Srivastava et al., arXiv:1505.00387.
class Highway : public Chain {
 public:
  explicit Highway(int64_t in_out_size, const HighwayOptions& options = {});
  Variable forward(const Variable& x);
  Linear plain, transform;
  CHAINER_MEMBERS(Highway, plain, transform);

 private:
  std::function<Variable(const Variable&)> activate_;
};

/// F::maxout over pools of pool_size outputs of a Linear, its child `linear`.
class Maxout : public Chain {
 public:
  Maxout(std::optional<int64_t> in_size, int64_t out_size, int64_t pool_size, const LinearOptions& options = {});
  Variable forward(const Variable& x);
  Linear linear;
  CHAINER_MEMBERS(Maxout, linear);

 private:
  int64_t pool_size_;
};

/// F::prelu with its slopes W, of one value for all by default.
class PReLU : public Link {
 public:
  explicit PReLU(const Shape& shape = {}, const InitializerArg& init = 0.25);
  Variable forward(const Variable& x);
  chainer::Parameter W;
  CHAINER_MEMBERS(PReLU, W);
};

/// F::swish with its parameter beta; without a shape it takes that of the first input's items.
class Swish : public Link {
 public:
  explicit Swish(std::optional<Shape> beta_shape, const InitializerArg& beta_init = 1.0);
  Variable forward(const Variable& x);
  chainer::Parameter beta;
  CHAINER_MEMBERS(Swish, beta);
};

/// Options of LayerNormalization.
struct LayerNormalizationOptions {
  double eps = 1e-6;
  InitializerArg initial_gamma = {};  ///< one by default
  InitializerArg initial_beta = {};   ///< zero by default
};
/// F::layer_normalization with gamma and beta; the size is found at the first call if it is not given.
class LayerNormalization : public Link {
 public:
  explicit LayerNormalization(std::optional<int64_t> size = {}, const LayerNormalizationOptions& options = {});
  Variable forward(const Variable& x);
  chainer::Parameter gamma, beta;
  CHAINER_MEMBERS(LayerNormalization, gamma, beta);

 private:
  double eps_;
};

/// Options of GroupNormalization.
struct GroupNormalizationOptions {
  double eps = 1e-5;
  InitializerArg initial_gamma = {};  ///< one by default
  InitializerArg initial_beta = {};   ///< zero by default
};
/// F::group_normalization with gamma and beta of the channels.
class GroupNormalization : public Link {
 public:
  explicit GroupNormalization(int64_t groups, std::optional<int64_t> size = {},
                              const GroupNormalizationOptions& options = {});
  Variable forward(const Variable& x);
  chainer::Parameter gamma, beta;
  CHAINER_MEMBERS(GroupNormalization, gamma, beta);

 private:
  int64_t groups_;
  double eps_;
};

/// Options of SimplifiedDropconnect.
struct SimplifiedDropconnectOptions {
  double ratio = 0.5;
  bool nobias = false;
  InitializerArg initialW = {};      ///< HeNormal(1 / sqrt(2)) by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// F::simplified_dropconnect with its weights.
class SimplifiedDropconnect : public Link {
 public:
  SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                        const SimplifiedDropconnectOptions& options = {});
  Variable forward(const Variable& x, bool train = true, const Array& mask = {}, bool use_batchwise_mask = true);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  CHAINER_MEMBERS(SimplifiedDropconnect, W, b);

 private:
  int64_t out_size_;
  double ratio_;
};

/// Options of NegativeSampling.
struct NegativeSamplingOptions {
  double power = 0.75;              ///< samples are drawn in proportion to counts^power
  std::optional<Dtype> dtype = {};  ///< the dtype of the probabilities, config().dtype by default
};
/// The loss of F::negative_sampling with its weights W (number of counts, in_size), zero at first, and a sampler.
class NegativeSampling : public Link {
 public:
  NegativeSampling(int64_t in_size, const std::vector<double>& counts, int64_t sample_size,
                   const NegativeSamplingOptions& options = {});
  Variable forward(const Variable& x, const Variable& t, Reduction reduce = Reduction::sum);
  chainer::Parameter W;
  utils::WalkerAlias sampler;
  CHAINER_MEMBERS(NegativeSampling, W);

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
  CHAINER_MEMBERS(BinaryHierarchicalSoftmax, W);

 private:
  Array paths_;  // (words, longest way): inner nodes, 0 behind the end; -1 for numbers that are no words
  Array codes_;  // likewise: -1 or 1, 0 behind the end
};

/// F::black_out with its weights W (number of counts, in_size), zero at first, and a sampler of words in proportion to
/// counts.
class BlackOut : public Link {
 public:
  BlackOut(int64_t in_size, const std::vector<double>& counts, int64_t sample_size);
  Variable forward(const Variable& x, const Variable& t);
  chainer::Parameter W;
  utils::WalkerAlias sampler;
  CHAINER_MEMBERS(BlackOut, W);

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
  CHAINER_MEMBERS(CRF1d, cost);
};

/// A parameter as a link; called without arguments.
class Parameter : public Link {
 public:
  explicit Parameter(const Array& array) : W(array) {}
  Variable forward() { return W; }
  chainer::Parameter W;
  CHAINER_MEMBERS(Parameter, W);
};

/// Options of Classifier.
struct ClassifierOptions {
  std::function<Variable(const Variable&, const Variable&)> lossfun = functions::softmax_cross_entropy;
  std::function<Variable(const Variable&, const Variable&)> accfun = functions::accuracy;  ///< may be empty
  std::variant<int64_t, std::string> label_key = int64_t(-1);  ///< which argument is the label
};
/// A predictor with its loss: called with inputs and label, it computes the loss, keeps y, loss and accuracy, and
/// reports loss and accuracy. The predictor may be any link.
class Classifier : public Chain {
 public:
  explicit Classifier(Child predictor, const ClassifierOptions& options = {});
  Variable forward(const Variables& args);
  Variable forward(const NamedVariables& args);
  Variable forward(const Variable& x, const Variable& t) { return forward(Variables{x, t}); }
  Link& predictor() const { return *predictor_; }
  Variables call(const NamedVariables& x) override { return {forward(x)}; }
  bool compute_accuracy = true;
  Variable y, loss, accuracy;
  CHAINER_MEMBERS(Classifier, predictor_);

 private:
  Variable evaluate(const Variables& inputs, const Variable& t);
  Child predictor_;
  ClassifierOptions options_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer

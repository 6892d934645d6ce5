// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/operations/indices.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/autograd/partial_gradients.h"
#include "chainer/functions/array.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"
#include "chainer/functions/rows.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

// The scores of a block of rows. Each block reads W twice and its gradient once, so blocks must not be much smaller.
constexpr int64_t kScores = int64_t{1} << 24;

struct LinearCrossEntropyNode : FunctionNode {
  explicit LinearCrossEntropyNode(const SoftmaxCrossEntropyOptions& o) : options(o), rows_options(o) {
    rows_options.reduce = Reduction::no;
  }
  std::string label() const override { return "LinearCrossEntropy"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    using type_check::expect;
    if (in.count() == 4)
      in.names({"x", "W", "t", "b"});
    else
      in.names({"x", "W", "t"});
    expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[2].dtype().kind() == 'i');
    expect(in[0].ndim() == 2, in[1].ndim() == 2, in[2].ndim() == 1);
    expect(in[0].shape(1) == in[1].shape(1), in[2].shape(0) == in[0].shape(0));
    if (in.count() == 4) expect(in[3].dtype() == in[0].dtype(), in[3].ndim() == 1, in[3].shape(0) == in[1].shape(0));
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs(in.size() == 4 ? Indexes{0, 1, 2, 3} : Indexes{0, 1, 2});
    const Array &x = in[0], &t = in[2];
    Array checked({t.size()}, int64, t.device());
    t.device().backend().check_indices({.size = in[1].shape()[0], .ignored = options.ignore_label, .fail = fail}, t,
                                       checked);
    if (options.reduce == Reduction::no) return {blocks(in, {}, {}).losses};
    const Array factor = share(t);
    // Sums of gradients in 16 bits need the gradient of the loss (a loss scale) before they are rounded.
    const bool now = !computed_now.empty() && item_size(x.dtype()) > 2;
    const Blocks made = now ? blocks(in, factor.astype(x.dtype(), false), computed_now) : blocks(in, {}, {});
    gradients = made.gradients;
    return {(chainer::sum(made.losses, {}, false, factor.dtype()) * factor).astype(x.dtype(), false)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Variables in = retained_inputs();
    if (config().enable_backprop)
      return partial_gradients(
          [&](const Variables& v) {
            const Variable y = linear(v[0], v[1], v.size() == 4 ? v[3] : Variable());
            const Variable losses = softmax_cross_entropy(y, v[2], rows_options);
            if (options.reduce == Reduction::no) return Variables{losses};
            const Array factor = share(v[2].array());
            return Variables{cast(functions::sum(cast(losses, factor.dtype())) * factor, losses.dtype())};
          },
          in, wanted, gy);
    Variables out;
    if (!gradients.empty() && wanted == computed_now) {
      for (const Array& g : gradients) out.push_back(Variable(g * gy[0].array(), false));
      return out;
    }
    Array seed = gy[0].array();
    if (options.reduce != Reduction::no) {
      const Array factor = share(in[2].array());
      seed = (seed.astype(factor.dtype(), false) * factor).astype(seed.dtype(), false);
    }
    Arrays arrays;
    for (const Variable& v : in) arrays.push_back(v.array());
    for (const Array& g : blocks(arrays, seed, wanted).gradients) out.push_back(Variable(g, false));
    return out;
  }

  struct Blocks {
    Array losses;
    Arrays gradients;
  };
  // Returns the losses of all rows. With `seed`, the gradients with respect to the losses (of a shape that broadcasts
  // to theirs), also computes the gradients with respect to the inputs `wanted`; an empty Array for labels.
  Blocks blocks(const Arrays& in, const Array& seed, const Indexes& wanted) const {
    const Array &x = in[0], &W = in[1], &t = in[2];
    const int64_t n = x.shape()[0], classes = W.shape()[0], size = std::max<int64_t>(1, kScores / (classes + !classes));
    Array losses({n}, x.dtype(), x.device()), gx, gW, gb;
    const auto result = [&](int i) {
      const bool wants = std::find(wanted.begin(), wanted.end(), i) != wanted.end();
      return wants ? zeros(in[static_cast<std::size_t>(i)].shape(), x.dtype(), x.device()) : Array();
    };
    gx = result(0), gW = result(1), gb = result(3);
    const Array seeds = seed ? chainer::broadcast_to(seed, {n}) : Array();
    for (int64_t begin = 0; begin < n; begin += size) {
      const Slice rows(begin, std::min(n, begin + size));
      const Array xs = x[rows];
      Variable scores;
      {
        const NoBackpropMode values;
        scores = Variable(linear(xs, W, in.size() == 4 ? Variable(in[3]) : Variable()).array(), bool(seed));
      }
      const UsingConfig graph(&Config::enable_backprop, bool(seed));
      Variable loss = softmax_cross_entropy(scores, t[rows], rows_options);
      losses.set(rows, loss.array());
      if (!seed) continue;
      loss.set_grad(seeds[rows]);
      loss.backward();
      const Array g = scores.grad();
      if (gx) gx.set(rows, chainer::matmul(g, W));
      if (gW) matmul_into(g.T(), xs, gW, 1, 1);
      if (gb) gb += chainer::sum(g, {0});
    }
    Arrays gradients_of_wanted;
    for (const int i : wanted) gradients_of_wanted.push_back(i == 0 ? gx : i == 1 ? gW : i == 3 ? gb : Array());
    return {losses, gradients_of_wanted};
  }

  // 1 divided by the number of labels that the reduction divides by.
  Array share(const Array& t) const {
    const Dtype wide = item_size(dtype) == 2 ? float32 : dtype;
    if (options.reduce == Reduction::mean && options.normalize) {
      const Array count = chainer::sum(not_equal(t, options.ignore_label), {}, false, float64);
      return chainer::reciprocal(chainer::maximum(count, scalar_array(1.0, count))).astype(wide);
    }
    const int64_t divisor = options.reduce == Reduction::sum ? 1 : std::max<int64_t>(1, batch);
    return full({}, 1 / static_cast<double>(divisor), wide, t.device());
  }
  [[noreturn]] static void fail(int64_t label, int64_t position, const IndexCheck& check) {
    throw IndexError("linear_cross_entropy: label ", label, " at position ", position, " is not in 0 ... ",
                     check.size - 1);
  }

  SoftmaxCrossEntropyOptions options, rows_options;
  Dtype dtype = float32;
  int64_t batch = 0;
  Indexes computed_now;  // inputs whose gradients are computed by forward(), for a gradient of 1
  Arrays gradients;
};

}  // namespace

Variable LinearCrossEntropy::operator()(const Variable& x, const Variable& W, const Variable& t, const Variable& b,
                                        const SoftmaxCrossEntropyOptions& o) const {
  if (are_narrow(x, W, b)) return (*this)(widened(x), widened(W), t, widened(b), o);
  check_plain_reduction(o.reduce, name);
  if (mixed(x, W, b))
    return in_dtype_of_x(
        "linear_cross_entropy", x, W, b,
        [&](const Variable& x_, const Variable& W_, const Variable& b_) { return (*this)(x_, W_, t, b_, o); });
  if (x.ndim() < 2 || t.shape() != Shape(x.shape().begin(), x.shape().end() - 1))
    throw DimensionError("linear_cross_entropy: t of shape ", t.shape(), " does not have the shape of x of shape ",
                         x.shape(), " without its last axis");
  const Variable rows = rows_of(x, x.ndim() - 1), labels = reshape(t, {t.size()});
  if (CompositeRecorder::current) {  // an exporter: operators that other systems know
    const Variable loss = softmax_cross_entropy(linear(rows, W, b), labels, o);
    if (o.reduce == Reduction::no) return reshape(loss, t.shape());
    if (o.reduce == Reduction::sum || o.normalize || t.ndim() < 2 || t.shape()[0] == 0) return loss;
    return loss * (static_cast<double>(t.size()) / static_cast<double>(t.shape()[0]));  // a mean over t.shape()[0]
  }
  LinearCrossEntropyNode node(o);
  node.dtype = x.dtype();
  node.batch = t.shape()[0];
  if (config().enable_backprop && o.reduce != Reduction::no)
    for (const int i : {0, 1, 3}) {
      const Variable& v = i == 0 ? x : i == 1 ? W : b;
      if (v && v.requires_grad()) node.computed_now.push_back(i);
    }
  const Variable y =
      b ? apply_single(std::move(node), rows, W, labels, b) : apply_single(std::move(node), rows, W, labels);
  return o.reduce == Reduction::no ? reshape(y, t.shape()) : y;
}

}  // namespace chainer::functions

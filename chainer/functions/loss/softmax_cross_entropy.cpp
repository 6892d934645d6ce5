#include <algorithm>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer {

Reduction parse_reduction(std::string_view s) {
  if (s == "mean") return Reduction::mean;
  if (s == "sum") return Reduction::sum;
  if (s == "no") return Reduction::no;
  throw ValueError("reduce must be 'mean', 'sum' or 'no', not '", s, "'");
}

namespace functions {
namespace {

struct SoftmaxCrossEntropyNode : FunctionNode {
  explicit SoftmaxCrossEntropyNode(const SoftmaxCrossEntropyOptions& o) : options(o) {}
  std::string label() const override { return "SoftmaxCrossEntropy"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    using type_check::expect;
    in.names({"x", "t"});
    expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[1].ndim() == in[0].ndim() - 1);
    expect(in[0].shape(0) == in[1].shape(0), in[0].shape().slice(2) == in[1].shape().slice(1));
  }

  Arrays forward(const Arrays& in) override {
    const Array &x = in[0], &t = in[1];
    if (options.class_weight && (options.class_weight.ndim() != 1 || options.class_weight.size() != x.shape()[1]))
      throw DimensionError("softmax_cross_entropy: class_weight of shape ", options.class_weight.shape(), " for ",
                           x.shape()[1], " classes");
    retain_inputs({0});
    read_labels(x.shape(), t);
    const int64_t classes = x.shape()[1], inner = Dims(x.shape().begin() + 2, x.shape().end()).product();
    const Array log_y = log_softmax_array(x, inner, classes);
    if (options.cache_score) score = log_y;

    // The logarithm at each label, 0 where the label does not count; weighted.
    Array at({t.size()}, int64);
    int64_t* p = at.mutable_data<int64_t>();
    const int64_t* l = labels.data<int64_t>();
    for (int64_t i = 0; i < t.size(); ++i) p[i] = (i / inner * classes + l[i]) * inner + i % inner;
    Array losses = log_y.ravel()[at] * -row_weight;
    if (options.reduce == Reduction::no) return {losses.reshape(t.shape())};
    const double divisor = options.reduce == Reduction::sum
                               ? 1
                               : static_cast<double>(std::max<int64_t>(1, options.normalize ? counted : t.shape()[0]));
    scale = 1 / divisor;
    return {chainer::sum(losses) * scale};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    const int64_t classes = x.shape()[1], inner = Dims(x.shape().begin() + 2, x.shape().end()).product();
    const Shape rows{x.shape()[0], 1, inner}, full{x.shape()[0], classes, inner};
    const Array weight = row_weight.reshape(rows);
    if (!config().enable_backprop) {  // (softmax - one-hot) * weight * gy in the softmax's own memory
      Array g = score ? chainer::exp(score) : chainer::exp(log_softmax_array(x.array(), inner, classes));
      g = with_labels_subtracted(g, inner, classes).reshape(full);
      g *= options.reduce == Reduction::no ? weight * gy[0].array().reshape(rows) : weight * (gy[0].array() * scale);
      return {g.reshape(x.shape()), Variable()};
    }
    const Array one_hot = with_labels_subtracted(zeros(x.shape(), x.dtype(), x.device()), inner, classes);
    const Variable p = reshape(softmax(x, 1) + one_hot, full);
    const Variable g = options.reduce == Reduction::no ? reshape(gy[0], rows) : gy[0] * scale;
    return {reshape(p * broadcast_to(Variable(weight, false) * broadcast_to(g, rows), full), x.shape()), Variable()};
  }

  // Checks the labels; those that do not count become class 0 with weight 0.
  void read_labels(const Shape& x, const Array& t) {
    labels = to_host(t).contiguous().astype(int64);
    row_weight = Array({t.size()}, float64);
    std::vector<double> weights;
    if (options.class_weight) weights = options.class_weight.to_vector<double>();
    int64_t* l = labels.mutable_data<int64_t>();
    double* w = row_weight.mutable_data<double>();
    for (int64_t i = 0; i < t.size(); ++i) {
      if (l[i] == options.ignore_label) {
        l[i] = 0;
        w[i] = 0;
        continue;
      }
      if (l[i] < 0 || l[i] >= x[1])
        throw IndexError("softmax_cross_entropy: label ", l[i], " at position ", i, " is not in 0 ... ", x[1] - 1);
      w[i] = weights.empty() ? 1 : weights[static_cast<std::size_t>(l[i])];
      ++counted;
    }
    row_weight = row_weight.astype(inputs_dtype, false).to_device(t.device());
  }

  static Array log_softmax_array(const Array& in, int64_t inner, int64_t classes) {
    const Array x = in.contiguous();
    Array y(x.shape(), x.dtype(), x.device());
    if (y.size()) y.device().backend().softmax(true, x, x.shape()[0], classes, inner, y);
    return y;
  }

  // y with 1 taken off at each label, in its own memory where that is the host's.
  Array with_labels_subtracted(const Array& y, int64_t inner, int64_t classes) const {
    return through_host(
        [&](Array x) {
          subtract_labels(x, inner, classes);
          return x;
        },
        y);
  }
  void subtract_labels(Array& y, int64_t inner, int64_t classes) const {
    const int64_t* l = labels.data<int64_t>();
    visit<FloatingTypes>(y.dtype(), "softmax_cross_entropy", [&]<class T>() {
      T* p = y.mutable_data<T>();
      for (int64_t i = 0; i < labels.size(); ++i) {
        T& v = p[(i / inner * classes + l[i]) * inner + i % inner];
        v = static_cast<T>(v - 1);
      }
    });
  }

  SoftmaxCrossEntropyOptions options;
  Dtype inputs_dtype = float32;
  Array score, labels, row_weight;
  int64_t counted = 0;
  double scale = 1;
};

}  // namespace

Variable SoftmaxCrossEntropy::operator()(const Variable& x, const Variable& t,
                                         const SoftmaxCrossEntropyOptions& o) const {
  SoftmaxCrossEntropyNode node(o);
  node.inputs_dtype = x.dtype();
  return apply_single(std::move(node), x, t);
}

}  // namespace functions
}  // namespace chainer

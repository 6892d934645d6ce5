// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/functions/mixed.h"

namespace chainer {

Reduction parse_reduction(std::string_view s) {
  if (s == "mean") return Reduction::mean;
  if (s == "sum") return Reduction::sum;
  if (s == "no") return Reduction::no;
  throw ValueError("reduce must be 'mean', 'sum' or 'no', not '", s, "'");
}

namespace functions {
namespace {

struct SoftmaxCrossEntropyNode : FunctionNode, Described {
  explicit SoftmaxCrossEntropyNode(const SoftmaxCrossEntropyOptions& o) : options(o) {}
  std::string label() const override { return "SoftmaxCrossEntropy"; }
  void describe(NodeAttributes& a) const override { a("options", options); }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    using type_check::expect;
    in.names({"x", "t"});
    expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[1].ndim() == in[0].ndim() - 1);
    expect(in[0].shape(0) == in[1].shape(0), in[0].shape().slice(2) == in[1].shape().slice(1));
  }

  Arrays forward(const Arrays& in) override {
    const Array &x = in[0], &t = in[1];
    if (x.shape()[1] == 0 && t.size() > 0)
      throw ValueError("softmax_cross_entropy: x of shape ", x.shape(), " has no classes");
    if (options.class_weight && (options.class_weight.ndim() != 1 || options.class_weight.size() != x.shape()[1]))
      throw DimensionError("softmax_cross_entropy: class_weight of shape ", options.class_weight.shape(), " for ",
                           x.shape()[1], " classes");
    retain_inputs({0});
    read_labels(x.shape(), t);
    if (options.label_smoothing > 0 && options.class_weight)
      counts_of_labels = not_equal(t.contiguous().ravel(), options.ignore_label).astype(inputs_dtype);
    const int64_t classes = x.shape()[1], inner = Dims(x.shape().begin() + 2, x.shape().end()).product();
    const Array log_y = log_softmax_array(x, inner, classes);
    if (options.cache_score) score = log_y;

    // The weighted logarithm at each label, 0 for ignored labels.
    Array picked({t.size()}, x.dtype(), x.device());
    if (t.size()) picked.device().backend().take_rows(log_y.ravel(), positions, picked);
    Array losses = picked * -row_weight;
    if (options.label_smoothing > 0) losses = smoothed(losses, log_y, {x.shape()[0], classes, inner});
    if (options.reduce == Reduction::no) return {losses.reshape(t.shape())};
    return {(chainer::sum(losses, {}, false, wide()) * scale).astype(x.dtype(), false)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable x = retained_input(0);
    const int64_t classes = x.shape()[1], inner = Dims(x.shape().begin() + 2, x.shape().end()).product();
    const Shape rows{x.shape()[0], 1, inner}, full{x.shape()[0], classes, inner};
    const Array weight = row_weight.reshape(rows);
    const double smoothing = options.label_smoothing;
    if (smoothing > 0 && (config().enable_backprop || options.class_weight))
      return {smoothed_grad(x, gy[0], full), Variable()};
    if (!config().enable_backprop) {  // (softmax - one-hot) * weight * gy in the softmax's own memory
      Array g = score ? chainer::exp(score) : chainer::exp(log_softmax_array(x.array(), inner, classes));
      g = with_labels_subtracted(g, inner, classes, 1 - smoothing).reshape(full);
      if (smoothing > 0) g -= scalar_array(smoothing / static_cast<double>(classes), g);
      const Array factor = options.reduce == Reduction::no
                               ? weight * gy[0].array().reshape(rows)
                               : weight.astype(wide(), false) * (gy[0].array().astype(wide(), false) * scale);
      if (factor.dtype() == g.dtype())
        g *= factor;
      else
        g = (g.astype(factor.dtype()) * factor).astype(g.dtype());
      return {g.reshape(x.shape()), Variable()};
    }
    const Array one_hot = with_labels_subtracted(zeros(x.shape(), x.dtype(), x.device()), inner, classes);
    const Variable p = reshape(softmax(x, 1) + one_hot, full);
    const Variable g =
        options.reduce == Reduction::no ? reshape(gy[0], rows) : cast(cast(gy[0], wide()) * scale, x.dtype());
    return {reshape(p * broadcast_to(Variable(weight, false) * broadcast_to(g, rows), full), x.shape()), Variable()};
  }

  // Smoothed labels: of each counted label the share e = label_smoothing is spread over the classes, weighted by
  // theirs.
  Array smoothed(const Array& losses, const Array& log_y, const Shape& full) {
    const double e = options.label_smoothing;
    Array y = log_y.reshape(full);
    if (options.class_weight) y = y * class_weights(y).reshape({1, full[1], 1});
    const Array all = chainer::sum(y, {1}, false, wide()) * (e / static_cast<double>(full[1]));
    return losses * (1 - e) - counted() * all.ravel().astype(losses.dtype());
  }
  // weight (1 - e) (p - one-hot) + e / C (p sum(w) - w), w the weights of the classes, times gy.
  Variable smoothed_grad(const Variable& x, const Variable& gy, const Shape& full) {
    const double e = options.label_smoothing, share = e / static_cast<double>(full[1]);
    const Shape rows{full[0], 1, full[2]};
    const Array w = options.class_weight ? class_weights(x.array()) : ones({full[1]}, x.dtype(), x.device());
    const Array hard = row_weight.reshape(rows) * (1 - e), counts = counted().reshape(rows);
    const Array one_hot =
        with_labels_subtracted(zeros(x.shape(), x.dtype(), x.device()), full[2], full[1]).reshape(full);
    const Array of_p = hard + counts * (chainer::sum(w) * share);
    const Array rest = one_hot * hard - counts * (w * share).reshape({1, full[1], 1});
    const Variable p = reshape(softmax(x, 1), full);
    const Variable g = options.reduce == Reduction::no ? reshape(gy, rows) : cast(cast(gy, wide()) * scale, x.dtype());
    return reshape((p * of_p + rest) * broadcast_to(g, full), x.shape());
  }
  Array class_weights(const Array& x) const { return options.class_weight.to_device(x.device()).astype(x.dtype()); }
  // 1 where a label counts, else 0.
  Array counted() const { return options.class_weight ? counts_of_labels : row_weight; }

  // Sums of more than 65,504 losses, and their share of the sum, are no numbers of 16 bits.
  Dtype wide() const { return item_size(inputs_dtype) == 2 ? float32 : inputs_dtype; }
  // Checks the labels; ignored ones become class 0 with weight 0.
  void read_labels(const Shape& x, const Array& t) {
    const int64_t classes = x[1], inner = Dims(x.begin() + 2, x.end()).product();
    if (!t.device().is_host()) return read_labels_there(classes, inner, t);
    labels = t.contiguous().astype(int64);
    Array out[] = {labels, Array({t.size()}, float64), Array({t.size()}, int64), Array(Shape{}, float64)};
    Array in[1] = {options.class_weight};
    recording::step("read_labels", {in, options.class_weight ? 1u : 0u}, out,
                    [classes, inner, o = options.reduce, ignored = options.ignore_label, normalize = options.normalize,
                     batch = t.shape()[0]](std::span<const Array> weight, std::span<Array> made) {
                      std::vector<double> weights;
                      if (!weight.empty()) weights = weight[0].to_vector<double>();
                      int64_t* l = made[0].mutable_data<int64_t>();
                      double* w = made[1].mutable_data<double>();
                      int64_t* p = made[2].mutable_data<int64_t>();
                      int64_t counted = 0;
                      for (int64_t i = 0; i < made[0].size(); ++i) {
                        const bool counts = l[i] != ignored;
                        if (!counts) {
                          l[i] = 0;
                          w[i] = 0;
                        } else if (l[i] < 0 || l[i] >= classes) {
                          fail(l[i], i, {.size = classes});
                        } else {
                          w[i] = weights.empty() ? 1 : weights[static_cast<std::size_t>(l[i])];
                          ++counted;
                        }
                        p[i] = (i / inner * classes + l[i]) * inner + i % inner;
                      }
                      const int64_t divisor =
                          o == Reduction::sum ? 1 : std::max<int64_t>(1, normalize ? counted : batch);
                      *made[3].mutable_data<double>() = 1 / static_cast<double>(divisor);
                    });
    row_weight = out[1].astype(inputs_dtype, false);
    positions = out[2];
    scale = out[3].astype(wide(), false);
  }
  // The same on a device, without waiting for it.
  void read_labels_there(int64_t classes, int64_t inner, const Array& t) {
    const auto checked = [&](bool columns) {
      Array out({t.size()}, int64, t.device());
      const IndexCheck check{
          .size = classes, .ignored = options.ignore_label, .columns = columns, .inner = inner, .fail = fail};
      t.device().backend().check_indices(check, t, out);
      return out;
    };
    positions = checked(true);
    const Array counts = not_equal(t.contiguous().ravel(), options.ignore_label);
    row_weight = counts.astype(inputs_dtype);
    if (options.class_weight && t.size()) {
      const Array table = options.class_weight.to_device(t.device()).astype(inputs_dtype).contiguous();
      Array weights({t.size()}, inputs_dtype, t.device());
      t.device().backend().take_rows(table, checked(false), weights);
      row_weight *= weights;
    }
    if (options.reduce != Reduction::sum && options.normalize) {
      const Array count = chainer::sum(counts, {}, false, float64);
      scale = chainer::reciprocal(chainer::maximum(count, scalar_array(1.0, count))).astype(wide());
    } else {
      scale = Array(Shape{}, wide(), t.device());
      const int64_t divisor = options.reduce == Reduction::sum ? 1 : std::max<int64_t>(1, t.shape()[0]);
      scale.fill(1 / static_cast<double>(divisor));
    }
  }
  [[noreturn]] static void fail(int64_t label, int64_t position, const IndexCheck& check) {
    throw IndexError("softmax_cross_entropy: label ", label, " at position ", position, " is not in 0 ... ",
                     check.size - 1);
  }

  static Array log_softmax_array(const Array& in, int64_t inner, int64_t classes) {
    const Array x = in.contiguous();
    Array y(x.shape(), x.dtype(), x.device());
    if (y.size()) y.device().backend().softmax(true, x, x.shape()[0], classes, inner, y);
    return y;
  }

  // y with `amount` taken off at each label, in its own memory.
  Array with_labels_subtracted(const Array& y, int64_t inner, int64_t classes, double amount = 1) const {
    Array x = y;
    if (x.device().is_host()) {
      subtract_labels(x, inner, classes, amount);
    } else if (x.size()) {
      Array flat = x.ravel();
      const Array taken = chainer::broadcast_to(scalar_array(-amount, x), positions.shape());
      x.device().backend().scatter_rows(flat, positions, taken, true);
    }
    return x;
  }
  void subtract_labels(Array& y, int64_t inner, int64_t classes, double amount) const {
    recording::step("subtract_labels", {&labels, 1}, {&y, 1},
                    [inner, classes, amount](std::span<const Array> in, std::span<Array> out) {
                      const int64_t* l = in[0].data<int64_t>();
                      visit<FloatingTypes>(out[0].dtype(), "softmax_cross_entropy", [&]<class T>() {
                        T* p = out[0].mutable_data<T>();
                        const auto off = static_cast<T>(amount);
                        for (int64_t i = 0; i < in[0].size(); ++i) {
                          T& v = p[(i / inner * classes + l[i]) * inner + i % inner];
                          v = static_cast<T>(v - off);
                        }
                      });
                    });
  }

  SoftmaxCrossEntropyOptions options;
  Dtype inputs_dtype = float32;
  Array score, labels, positions, row_weight, counts_of_labels, scale;
};

}  // namespace

Variable SoftmaxCrossEntropy::operator()(const Variable& x, const Variable& t,
                                         const SoftmaxCrossEntropyOptions& o) const {
  if (are_narrow(x)) return (*this)(widened(x), t, o);
  check_plain_reduction(o.reduce, name);
  if (!(o.label_smoothing >= 0 && o.label_smoothing <= 1))
    throw ValueError("softmax_cross_entropy: label_smoothing must be in [0, 1], not ", o.label_smoothing);
  SoftmaxCrossEntropyNode node(o);
  node.inputs_dtype = x.dtype();
  return apply_single(std::move(node), x, t);
}

}  // namespace functions
}  // namespace chainer

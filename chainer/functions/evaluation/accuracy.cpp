// SPDX-License-Identifier: MIT
#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/evaluation.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {
namespace {

// The share of correct (`right`) elements among the `valid` ones, as a 0-d array.
Array share(const Array& right, const Array& valid, Dtype d) {
  const Array in[] = {chainer::sum(valid), chainer::sum(right & valid)};
  if (!right.device().is_host()) {  // without waiting for the device
    const Array all = in[0].astype(float64);
    return (in[1].astype(float64) / chainer::maximum(all, scalar_array(1.0, all))).astype(d);
  }
  Array out(Shape{}, d, right.device());
  recording::step(
      "share", in, {&out, 1},
      [](std::span<const Array> counts, std::span<Array> share) {
        const double all = counts[0].item<double>();
        share[0].fill(all > 0 ? counts[1].item<double>() / all : 0);
      },
      true);
  return out;
}

struct AccuracyNode : FunctionNode {
  explicit AccuracyNode(const AccuracyOptions& o) : options(o) {}
  std::string label() const override { return "Accuracy"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    using type_check::expect;
    in.names({"x", "t"});
    expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].ndim() >= 2);
    expect(type_check::make_variable(in[0].array().size() / std::max<int64_t>(1, in[0].array().shape()[1]),
                                     "x.size() / x.shape()[1]") == in[1].size());
    expect(in[0].shape(0) == in[1].shape(0));
  }
  Arrays forward(const Arrays& in) override {
    const Array right = equal(chainer::argmax(in[0], 1).reshape(in[1].shape()), in[1]);
    const Array valid = options.ignore_label ? not_equal(in[1], *options.ignore_label)
                                             : ones(in[1].shape(), Dtype::bool_, in[1].device());
    return {share(right, valid, in[0].dtype())};
  }
  AccuracyOptions options;
};

struct BinaryAccuracyNode : FunctionNode {
  std::string label() const override { return "BinaryAccuracy"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"x", "t"});
    type_check::expect(in[0].dtype().kind() == 'f', in[1].dtype().kind() == 'i', in[0].shape() == in[1].shape());
  }
  Arrays forward(const Arrays& in) override {
    return {share(equal((in[0] >= 0).astype(in[1].dtype()), in[1]), not_equal(in[1], -1), in[0].dtype())};
  }
};

}  // namespace

Variable Accuracy::operator()(const Variable& y, const Variable& t, const AccuracyOptions& o) const {
  return apply_single(AccuracyNode(o), Variable(y.array(), false), Variable(t.array(), false));
}
Variable BinaryAccuracy::operator()(const Variable& y, const Variable& t) const {
  return apply_single(BinaryAccuracyNode(), Variable(y.array(), false), Variable(t.array(), false));
}

}  // namespace chainer::functions

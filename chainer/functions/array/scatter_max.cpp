// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/array/host.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

// The maximum of a and of the elements of b that are put at `places`, flat positions in a.
Array put_largest(const Array& a, const Array& places, const Array& b) {
  Array y = a.astype(float64).contiguous();
  const Array from = b.astype(float64).contiguous();
  if (from.size() == 0 || y.size() == 0) return y.astype(a.dtype());
  double* const to = y.mutable_data<double>();
  const double* const v = from.data<double>();
  const int64_t* const at = places.data<int64_t>();
  for (int64_t i = 0; i < from.size(); ++i)
    if (double& d = to[at[i]]; v[i] > d || std::isnan(v[i])) d = v[i];
  return y.astype(a.dtype());
}

struct ScatterMaxNode : FunctionNode {
  explicit ScatterMaxNode(Indices s) : slices(std::move(s)) {}
  std::string label() const override { return "ScatterMax"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"a", "b"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].dtype() == in[1].dtype());
  }
  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    retain_outputs({0});
    const Array positions = arange(in[0].size()).astype(int64).reshape(in[0].shape());
    const Array places = chainer::get_item(positions, slices).contiguous();
    const Array b = chainer::broadcast_to(in[1], places.shape());
    return {through_host([&](const Array& x, const Array& y) { return put_largest(x, places, y); }, in[0], b)};
  }
  // All elements that equal the maximum share its gradient equally. Which ones they are is a constant of the graph.
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const Array a = retained_input(0).array(), y = retained_output(0).array();
    const Array chosen = chainer::get_item(y, slices);
    const Array b = chainer::broadcast_to(retained_input(1).array(), chosen.shape());
    const Array own = (a == y).astype(y.dtype()), put = (b == chosen).astype(y.dtype());
    Array count = own.copy();
    chainer::add_at(count, slices, put);
    const Variable share = gy[0] / Variable(chainer::maximum(count, ones_like(count)), false);
    Variables out;
    for (const std::size_t i : wanted)
      out.push_back(i == 0 ? share * Variable(own, false)
                           : sum_to(functions::get_item(share, slices) * Variable(put, false), input_shape(1)));
    return out;
  }
  Indices slices;
};

}  // namespace

Variable ScatterMax::operator()(const Variable& a, const Indices& slices, const Variable& b) const {
  return apply_single(ScatterMaxNode(slices), a, b);
}

}  // namespace chainer::functions

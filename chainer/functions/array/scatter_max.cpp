// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/positions.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

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
    const Device device = in[0].device();
    const Array positions = positions_below(in[0].size(), device).reshape(in[0].shape());
    const Array places = chainer::get_item(positions, slices).contiguous();
    const Array b = chainer::broadcast_to(in[1], places.shape()).contiguous();
    Array flat = in[0].contiguous().ravel().copy();
    if (places.size()) device.backend().scatter_largest(flat, places.ravel(), b.ravel());
    return {flat.reshape(in[0].shape())};
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

// SPDX-License-Identifier: MIT
#include <cstring>
#include <vector>

#include "chainer/array/recording/step.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/array.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::functions {
namespace {

// Its own inverse, and therefore its own gradient.
struct TransposeSequenceNode : FunctionNode {
  std::string label() const override { return "TransposeSequence"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    for (std::size_t i = 1; i < in.count(); ++i) {
      const auto k = static_cast<int64_t>(i);
      type_check::expect(in[0].dtype() == in[k].dtype(), in[0].ndim() == in[k].ndim());
      for (int64_t d = 1; d < in[0].ndim().eval(); ++d) type_check::expect(in[0].shape(d) == in[k].shape(d));
    }
  }
  Arrays forward(const Arrays& xs) override {
    bool plain = !(recording::any() && recording::here());  // while recording, use operations on arrays
    for (const Array& x : xs) plain = plain && x.device().is_host() && x.is_contiguous();
    Arrays in, out;
    for (const Array& x : xs) in.push_back(x);
    std::size_t count = in.size();
    for (int64_t t = 0; t < len(xs[0]); ++t) {
      while (len(in[count - 1]) <= t) --count;
      Shape shape = in[0].shape();
      shape[0] = static_cast<int64_t>(count);
      if (!plain) {
        Arrays rows;
        for (std::size_t i = 0; i < count; ++i) rows.push_back(in[i][Slice(t, t + 1)]);
        out.push_back(concatenate(rows, 0));
        continue;  // also for other memory orders and other devices
      }
      Array y(shape, in[0].dtype());
      const int64_t bytes = y.size() / shape[0] * item_size(y.dtype());
      char* to = static_cast<char*>(y.mutable_raw());
      for (std::size_t i = 0; i < count && bytes; ++i, to += bytes)
        std::memcpy(to, static_cast<const char*>(in[i].raw()) + t * bytes, static_cast<std::size_t>(bytes));
      out.push_back(std::move(y));
    }
    for (const Array& y : out) shapes.push_back(y.shape());
    return out;
  }
  Variables backward(const Indexes&, const Variables& gys) override {
    const Variable* some = nullptr;
    for (const Variable& g : gys)
      if (g) some = &g;
    Variables given;
    for (std::size_t t = 0; t < gys.size(); ++t)
      given.push_back(gys[t] ? gys[t] : Variable(zeros(shapes[t], some->dtype(), some->device()), false));
    Variables gx = apply(TransposeSequenceNode(), given);
    for (std::size_t i = gx.size(); i < inputs().size(); ++i)  // sequences without elements
      gx.push_back(Variable(zeros(input_shape(static_cast<int>(i)), some->dtype(), some->device()), false));
    return gx;
  }
  std::vector<Shape> shapes;  // of the outputs
};

// Built of functions that exporters know: row t of every array that has one, picked from their concatenation.
Variables composed(const Variables& xs) {
  const Variable all = concat(xs, 0);
  std::vector<int64_t> starts;
  int64_t at = 0;
  for (const Variable& x : xs) starts.push_back(at), at += len(x);
  Variables out;
  for (int64_t t = 0; t < len(xs[0]); ++t) {
    std::vector<int64_t> rows;
    for (std::size_t i = 0; i < xs.size() && len(xs[i]) > t; ++i) rows.push_back(starts[i] + t);
    out.push_back(get_item(all, {array(rows, Shape{static_cast<int64_t>(rows.size())})}));
  }
  return out;
}

}  // namespace

Variables TransposeSequence::operator()(const Variables& xs) const {
  for (std::size_t i = 1; i < xs.size(); ++i)
    if (len(xs[i]) > len(xs[i - 1]))
      throw ValueError("transpose_sequence: arrays must be sorted by length, the longest first; ", len(xs[i]),
                       " follows ", len(xs[i - 1]));
  if (xs.empty() || len(xs[0]) == 0) return {};
  if (CompositeRecorder::current) return composed(xs);
  return apply(TransposeSequenceNode(), xs);
}

}  // namespace chainer::functions

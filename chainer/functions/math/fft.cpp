// SPDX-License-Identifier: MIT
#include "chainer/routines/fft.h"

#include "chainer/autograd/function_node.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

struct FftNode : FunctionNode {
  FftNode(bool i, double s) : inverse(i), scale(s) {}
  MixedPrecision mixed_precision() const override { return MixedPrecision::wide; }
  std::string label() const override { return inverse ? "ifft" : "fft"; }
  void check_type_forward(const type_check::TypeInfos& in) const override {
    in.names({"real", "imag"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() > 0, in[1].dtype() == in[0].dtype());
    type_check::expect(in[0].shape() == in[1].shape());
  }
  Arrays forward(const Arrays& x) override { return fft_sums(x[0], x[1], inverse, scale); }
  Variables backward(const Indexes&, const Variables& gy) override {
    // The adjoint is the transform in the other direction with the same factor.
    const auto part = [&](std::size_t i) {
      return gy[i] ? gy[i] : Variable(zeros(input_shape(0), gy[1 - i].dtype(), gy[1 - i].device()), false);
    };
    return apply(FftNode(!inverse, scale), {part(0), part(1)});
  }
  bool inverse;
  double scale;
};

}  // namespace

Variables Fft::operator()(const Variables& x) const {
  if (x.size() != 2) throw ValueError("fft: expected the real and the imaginary part, got ", x.size(), " variables");
  return apply(FftNode(false, 1), x);
}

Variables Ifft::operator()(const Variables& x) const {
  if (x.size() != 2) throw ValueError("ifft: expected the real and the imaginary part, got ", x.size(), " variables");
  const int64_t n = x[0].ndim() ? x[0].shape(-1) : 0;
  return apply(FftNode(true, n ? 1 / static_cast<double>(n) : 1), x);
}

}  // namespace chainer::functions

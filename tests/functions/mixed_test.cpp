// SPDX-License-Identifier: MIT
// Inputs of different floating dtypes, accepted or refused as in release 5.4.0 (conformance/make_mixed.py).
#include <chainer/chainer.h>

#include <chainer/testing/testing.h>

#include <functional>

#include "test.h"

using namespace chainer;

namespace {

using MixedCall = std::function<Variable(const Variables&)>;

const std::map<std::string, MixedCall>& mixed_calls() {
  const Array t = array({0, 1});
  static const std::map<std::string, MixedCall> calls{
      {"linear", [](const Variables& v) { return F::linear(v[0], v[1], v[2]); }},
      {"convolution_2d", [](const Variables& v) { return F::convolution_2d(v[0], v[1], v[2]); }},
      {"convolution_nd", [](const Variables& v) { return F::convolution_nd(v[0], v[1], v[2]); }},
      {"deconvolution_2d", [](const Variables& v) { return F::deconvolution_2d(v[0], v[1], v[2]); }},
      {"deconvolution_nd", [](const Variables& v) { return F::deconvolution_nd(v[0], v[1], v[2]); }},
      {"dilated_convolution_2d",
       [](const Variables& v) { return F::dilated_convolution_2d(v[0], v[1], v[2], {.dilate = 2}); }},
      {"depthwise_convolution_2d", [](const Variables& v) { return F::depthwise_convolution_2d(v[0], v[1], v[2]); }},
      {"local_convolution_2d", [](const Variables& v) { return F::local_convolution_2d(v[0], v[1], v[2]); }},
      {"deformable_convolution_2d_sampler",
       [](const Variables& v) { return F::deformable_convolution_2d_sampler(v[0], v[1], v[2]); }},
      {"simplified_dropconnect",
       [](const Variables& v) {
         return F::simplified_dropconnect(v[0], v[1], v[2], {.mask = ones({2, 4, 3}, bool_)});
       }},
      {"matmul", [](const Variables& v) { return F::matmul(v[0], v[1]); }},
      {"tensordot", [](const Variables& v) { return F::tensordot(v[0], v[1], 1); }},
      {"black_out",
       [t](const Variables& v) {
         return F::black_out(v[0], t, v[1], array({{1}, {2}}));
       }},
  };
  return calls;
}

Dtype mixed_dtype(char c) { return c == 'e' ? float16 : c == 'f' ? float32 : float64; }

}  // namespace

TEST(functions_take_floating_dtypes_as_the_release_does) {
  const serializers::NpzFile file(TEST_DATA "../conformance/mixed.npz");
  int taken = 0, refused = 0;
  for (const auto& [name, call] : mixed_calls()) {
    const std::string outcomes = file.text(name + ".outcomes");
    const std::size_t n = outcomes.size() == 27 ? 3 : 2;
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
      Variables x;
      double tolerance = 1e-10;
      for (std::size_t i = 0, divisor = outcomes.size() / 3; i < n; ++i, divisor /= 3) {
        const char letter = "efd"[k / divisor % 3];
        tolerance = std::max(tolerance, letter == 'e' ? 2e-2 : letter == 'f' ? 1e-4 : 0);
        x.push_back(Variable(file.array(name + text(".x", i)).astype(mixed_dtype(letter))));
      }
      if (outcomes[k] == '-') {
        ++refused;
        EXPECT_THROW(InvalidType, "", call(x));
        continue;
      }
      ++taken;
      Variable y = call(x);
      EXPECT_EQ(y.dtype(), mixed_dtype(outcomes[k]));
      EXPECT_CLOSE(y.array().astype(float64), file.array(name + ".y"), {.atol = tolerance, .rtol = tolerance});
      y.set_grad(ones_like(y.array()));
      y.backward();
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(x[i].grad().dtype(), x[i].dtype());
        EXPECT_CLOSE(x[i].grad().astype(float64), file.array(name + text(".gx", i)),
                     {.atol = tolerance, .rtol = tolerance});
      }
    }
  }
  EXPECT(taken > 100 && refused > 100);
}

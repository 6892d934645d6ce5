// SPDX-License-Identifier: MIT
// F::resize_images compared with products of dense matrices.
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include "chainer/functions/array/resample.h"
#include "test.h"

using namespace chainer;

namespace {

// The matrix of linear interpolation with aligned corners.
Array interpolated(int64_t in, int64_t out) {
  Array m = zeros({out, in}, float64);
  for (int64_t i = 0; i < out; ++i) {
    const double at =
        out == 1 ? 0 : static_cast<double>(i) * static_cast<double>(in - 1) / static_cast<double>(out - 1);
    for (int64_t k = 0; k < in; ++k) m.set({i, k}, std::max(0.0, 1 - std::abs(at - static_cast<double>(k))));
  }
  return m;
}
Array resized(const Array& x, int64_t h, int64_t w) {
  return matmul(matmul(interpolated(x.shape(2), h), x), interpolated(x.shape(3), w).T());
}

}  // namespace

TEST(resized_images_are_products_with_the_weights) {
  random::RandomState r(1);
  for (const auto& [shape, h, w] : std::vector<std::tuple<Shape, int64_t, int64_t>>{{{2, 3, 5, 7}, 9, 20},
                                                                                    {{1, 2, 20, 18}, 7, 5},
                                                                                    {{2, 1, 4, 33}, 4, 40},
                                                                                    {{1, 1, 1, 1}, 3, 2},
                                                                                    {{1, 4, 6, 6}, 1, 1},
                                                                                    {{3, 2, 8, 2}, 3, 8},
                                                                                    {{0, 2, 3, 3}, 5, 5},
                                                                                    {{1, 2, 3, 3}, 3, 3}}) {
    const Array x = r.normal(0, 1, shape), expected = resized(x, h, w);
    const Array last = x.transpose({0, 2, 3, 1}).copy().transpose({0, 3, 1, 2});  // channels last in memory
    for (const Array& a : {x, last}) {
      EXPECT_CLOSE(F::resize_images(a, {h, w}).array(), expected, {.atol = 1e-12, .rtol = 1e-12});
      EXPECT_CLOSE(F::resize_images(a.astype(float32), {h, w}).array(), expected, {.atol = 1e-5, .rtol = 1e-5});
      EXPECT_CLOSE(F::resize_images(a.astype(float16), {h, w}).array(), expected, {.atol = 1e-2, .rtol = 1e-2});
    }
  }
}

TEST(resized_images_have_gradients_of_every_order) {
  random::RandomState r(2);
  for (const bool last : {false, true}) {
    Array x = r.normal(0, 1, {1, 2, 4, 5});
    if (last) x = x.transpose({0, 2, 3, 1}).copy().transpose({0, 3, 1, 2});
    const auto cubed = [](const Variables& v) {
      const Variable y = F::resize_images(v[0], {6, 3});
      return Variables{y * y * y};
    };
    const Array gy = r.normal(0, 1, {1, 2, 6, 3}), ggx = r.normal(0, 1, x.shape());
    gradient_check::check_backward(cubed, {x}, {gy}, {.atol = 1e-4, .rtol = 1e-4});
    gradient_check::check_double_backward(cubed, {x}, {gy}, {ggx}, {.atol = 1e-4, .rtol = 1e-4});
    Variable v(x);
    Variable g = F::sum(cubed({v})[0]);
    for (int order = 1; order <= 3; ++order) g = F::sum(grad({g}, {v}, {.enable_double_backprop = true})[0]);
    EXPECT(std::abs(g.item<double>()) > 1e-3);  // the third derivative of a cube
  }
}

TEST(taps_are_a_sparse_matrix) {
  functions::Taps taps(4);
  taps.begin();
  taps.add(1, 2), taps.add(3, 1), taps.add(1, 0.5);
  taps.begin();
  taps.begin();
  taps.add(0, 3), taps.scale(2);
  const Array m = array({{0., 2.5, 0., 1.}, {0., 0., 0., 0.}, {6., 0., 0., 0.}});
  EXPECT_CLOSE(taps.matrix(), m, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(taps.transposed().matrix(), m.T(), {.atol = 0, .rtol = 0});
  const Array x = random::RandomState(3).normal(0, 1, {2, 4, 3});
  EXPECT_CLOSE(functions::resample(x, 1, taps).array(), matmul(m, x), {.atol = 1e-14, .rtol = 1e-14});
}

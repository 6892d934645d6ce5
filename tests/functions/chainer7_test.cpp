// SPDX-License-Identifier: MIT
// Functions of Chainer 6 and 7 compared with Chainer 7.8.1 (conformance/make_chainer7.py).
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include "test.h"

using namespace chainer;

namespace {

const serializers::NpzFile& chainer7() {
  static const serializers::NpzFile file(TEST_DATA "../conformance/chainer7.npz");
  return file;
}

// Compares a function's result and gradient.
template <class F>
void compare_with_chainer7(const std::string& name, Dtype d, const F& function) {
  const testing::AllcloseOptions close{.atol = 1e-5, .rtol = 1e-5};
  Variable x(chainer7().array("x").astype(d));
  Variable y = function(x);
  testing::assert_allclose(y.array(), chainer7().array(name + "/y"), close);
  y.set_grad(chainer7().array(name + "/gy"));
  y.backward();
  testing::assert_allclose(x.grad(), chainer7().array(name + "/gx"), close);
}

}  // namespace

TEST(poolings_of_regions_are_those_of_chainer_7) {
  const Array rois = chainer7().array("rois"), of = chainer7().array("indices");
  const IntPair outsize(3, 2), ratio(2, 3);
  compare_with_chainer7("roi_max_pooling_2d", float32,
                        [&](const Variable& x) { return F::roi_max_pooling_2d(x, rois, of, outsize, 0.9); });
  compare_with_chainer7("roi_average_pooling_2d", float32,
                        [&](const Variable& x) { return F::roi_average_pooling_2d(x, rois, of, outsize, 0.9); });
  compare_with_chainer7("roi_max_align_2d", float32, [&](const Variable& x) {
    return F::roi_max_align_2d(x, rois, of, outsize, 0.9, {.sampling_ratio = ratio});
  });
  compare_with_chainer7("roi_average_align_2d", float32, [&](const Variable& x) {
    return F::roi_average_align_2d(x, rois, of, outsize, 0.9, {.sampling_ratio = ratio});
  });
}

TEST(decorrelated_batch_normalization_is_that_of_chainer_7) {
  const Array mean = full({2, 2}, 0.5, float64), projection = zeros({2, 2, 2}, float64) + eye(2, {}, 0, float64);
  compare_with_chainer7("decorrelated", float64, [&](const Variable& x) {
    return F::decorrelated_batch_normalization(
        x, {.groups = 2, .eps = 0.01, .running_mean = mean, .running_projection = projection, .decay = 0.7});
  });
  const testing::AllcloseOptions close{.atol = 1e-9, .rtol = 1e-9};
  testing::assert_allclose(mean, chainer7().array("decorrelated/mean"), close);
  testing::assert_allclose(projection, chainer7().array("decorrelated/projection"), close);
  const Array x = chainer7().array("x").astype(float64);
  testing::assert_allclose(F::fixed_decorrelated_batch_normalization(x, mean, projection, {.groups = 2}).array(),
                           chainer7().array("decorrelated/fixed"), close);
}

TEST(a_decorrelating_link_of_chainer_7_is_loaded) {
  L::DecorrelatedBatchNormalization link(4, {.groups = 2});
  serializers::load_npz(TEST_DATA "../conformance/chainer7.npz", link, {.path = "link"});
  EXPECT_EQ(link.N, 2);
  const UsingConfig test_mode(&Config::train, false);
  testing::assert_allclose(link(chainer7().array("x")).array(), chainer7().array("tested"),
                           {.atol = 1e-5, .rtol = 1e-5});
}

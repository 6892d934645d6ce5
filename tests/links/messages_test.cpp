// SPDX-License-Identifier: MIT
// Error messages for inputs of wrong shapes, which suggest a correction.
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

TEST(one_picture_is_no_batch) {
  L::Convolution2D known(3, 8, 3), unknown(8, 3);
  const Array picture = ones({3, 9, 9});
  for (L::Convolution2D* link : {&known, &unknown})
    EXPECT_THROW(DimensionError,
                 "Convolution2D: x must have 4 axes (batch, channels, and 2 in space), not shape (3, 9, 9); "
                 "a single picture becomes a batch of one by F::expand_dims(x, 0)",
                 (*link)(picture));
  EXPECT_EQ(known(F::expand_dims(picture, 0)).shape(), (Shape{1, 8, 7, 7}));
  EXPECT_THROW(DimensionError, "Deconvolution2D: x must have 4 axes", L::Deconvolution2D(3, 8, 3)(picture));
  EXPECT_THROW(DimensionError, "not shape (9, 9)", known(ones({9, 9})));
}

TEST(linear_on_the_last_of_several_axes) {
  L::Linear l(4, 5);
  const Array x = random::uniform(-1, 1, {2, 3, 4}, float32);
  EXPECT_THROW(DimensionError, "pass n_batch_axes = 2 (for a link: linear(x, 2))", l(x));
  const Variable y = l(x, 2);
  EXPECT_EQ(y.shape(), (Shape{2, 3, 5}));
  EXPECT_CLOSE(y.array()[1], l(x[1]).array(), {.atol = 1e-6});
}

TEST(layer_normalization_on_the_last_of_several_axes) {
  L::LayerNormalization norm(4), lazy;
  const Array x = random::uniform(-1, 1, {2, 3, 4}, float32);
  EXPECT_THROW(DimensionError, "call it with n_batch_axes = 2: norm(x, 2)", norm(x));
  const Variable y = norm(x, 2);
  EXPECT_EQ(y.shape(), x.shape());
  EXPECT_CLOSE(y.array()[1], norm(x[1]).array(), {.atol = 1e-6});
  EXPECT_CLOSE(lazy(x, 2).array(), y.array(), {.atol = 1e-6});
  EXPECT_EQ(lazy.gamma.shape(), Shape{4});
  L::LayerNormalization whole;
  EXPECT_EQ(whole(x).shape(), x.shape());
  EXPECT_EQ(whole.gamma.shape(), Shape{12});
  for (const int64_t axes : {0, 3}) EXPECT_THROW(DimensionError, "n_batch_axes must be from 1 to 2", norm(x, axes));
}

TEST(a_classifier_without_labels_says_so) {
  L::Classifier model(L::Linear(2, 2));
  EXPECT_THROW(TypeError, "examples of the dataset must be pairs of an input and a label", model.call({ones({3, 2})}));
}

TEST(a_link_that_is_gone_is_named) {
  optimizers::SGD optimizer;
  {
    L::Linear l(2, 2);
    optimizer.setup(l);
  }
  EXPECT_THROW(RuntimeError, "SGD: its target is gone: the Linear passed by reference no longer exists",
               optimizer.update());
}

TEST(initial_values_that_do_not_fit) {
  EXPECT_THROW(DimensionError, "an initial value of shape (3, 4) does not fit an array of shape (4, 3)",
               L::Linear(3, 4, {.initialW = ones({3, 4})}));
  EXPECT_THROW(DimensionError, "an initial value of shape (3,) does not fit an array of shape (4,)",
               L::Linear(3, 4, {.initial_bias = ones({3})}));
  EXPECT_THROW(DimensionError, "an array of shape (3, -1) cannot be initialized", L::Linear(-1, 3));
  EXPECT_THROW(IndexError, "normalize: axis 1", F::normalize(ones({3})));
}

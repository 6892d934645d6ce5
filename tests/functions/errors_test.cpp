// SPDX-License-Identifier: MIT
// Errors of functions for invalid arguments. Labels and indices out of range must never be used for reading: the
// address-sanitized build runs these tests, too.
#include <chainer/chainer.h>

#include <limits>

#include "test.h"

using namespace chainer;

TEST(labels_out_of_range) {
  const Array x = zeros({2, 3}), W = zeros({4, 3}), image = zeros({1, 2, 1, 2});
  for (int64_t bad :
       {int64_t(-2), int64_t(3), std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    const Array t = array({int64_t(1), bad});
    EXPECT_THROW(IndexError, text("label ", bad), F::softmax_cross_entropy(x, t));
    EXPECT_THROW(IndexError, text("label ", bad), F::hinge(x, t));
    EXPECT_THROW(IndexError, text("label ", bad), F::select_item(x, t));
    EXPECT_THROW(IndexError, text("label ", bad), F::crf1d(zeros({3, 3}), {x}, {t}));
    EXPECT_THROW(IndexError, text("label ", bad, " at position (1, 0)"),
                 F::connectionist_temporal_classification(zeros({2, 2, 3}), t.reshape({2, 1}), 0));
    if (bad != -2) {  // -2 counts from the end
      EXPECT_THROW(IndexError, text(bad), F::get_item(x, {t}));
      EXPECT_THROW(Error, text(bad), F::scatter_add(x, {t}, zeros({2, 3})));
    }
    EXPECT_THROW(Error, text(bad), F::permutate(x, t));
    EXPECT_THROW(IndexError, text(bad), D::Categorical(ones({3}) / 3.f).log_prob(t));
    EXPECT_THROW(ValueError, text(bad), utils::CooMatrix(array({1.f, 2.f}), t, array({0, 0}), {3, 3}));
    EXPECT_THROW(ValueError, text(bad), utils::CooMatrix(array({1.f, 2.f}), array({0, 0}), t, {3, 3}));
  }
  for (int64_t bad : {int64_t(-2), int64_t(4), std::numeric_limits<int64_t>::max()}) {
    const Array t = array({int64_t(1), bad}), good = array({1, 2}), samples = array({{0}, {3}});
    EXPECT_THROW(Error, text(bad), F::embed_id(t, W));
    EXPECT_THROW(IndexError, text("label ", bad), F::black_out(x, t, W, samples));
    EXPECT_THROW(IndexError, text("sample ", bad), F::black_out(x, good, W, t.reshape({2, 1})));
    EXPECT_THROW(IndexError, text("label ", bad),
                 F::negative_sampling(
                     x, t, W, [](const Shape& s) { return zeros(s, int32); }, 1));
    EXPECT_THROW(IndexError, text("sample ", bad),
                 F::negative_sampling(
                     x, good, W, [&](const Shape& s) { return full(s, bad, int64); }, 1));
    L::BinaryHierarchicalSoftmax tree(3, L::Tree(L::Tree(L::Tree(0), L::Tree(1)), L::Tree(3)));
    EXPECT_THROW(IndexError, text("word ", bad), tree(x, t));
    EXPECT_THROW(IndexError, "word 2 at position 1 is not in the tree", tree(x, array({1, 2})));
  }
  EXPECT_THROW(IndexError, "blank_symbol 3",
               F::connectionist_temporal_classification(zeros({2, 1, 3}), array({{1}}), 3));
  EXPECT_THROW(
      ValueError, "label_length 2 at position 0 is not in 0 ... 1",
      F::connectionist_temporal_classification(zeros({2, 1, 3}), array({{1}}), 0, {.label_length = array({2})}));
  EXPECT_THROW(
      ValueError, "input_length 0 at position 0 is not in 1 ... 2",
      F::connectionist_temporal_classification(zeros({2, 1, 3}), array({{1}}), 0, {.input_length = array({0})}));
  // Labels that stand for no instance are ignored.
  EXPECT_EQ(F::discriminative_margin_based_clustering_loss(image, array({{{7, -3}}}), 0.5, 1, 2)[0].item<float>(), 0.f);
}

TEST(linear_algebra_says_what_is_wrong) {
  EXPECT_THROW(ValueError, "matrix 1 is singular", F::batch_inv(array({{{1., 0.}, {0., 1.}}, {{1., 2.}, {2., 4.}}})));
  EXPECT_THROW(InvalidType, "a.shape()[-1] == a.shape()[-2]", F::inv(zeros({2, 3})));
  EXPECT_THROW(InvalidType, "a.ndim() == 3", F::batch_det(zeros({2, 2})));
  EXPECT_EQ(F::det(array({{1., 2.}, {2., 4.}})).item<double>(), 0.);
  const Variable singular(array({{1., 2.}, {2., 4.}}));
  EXPECT_THROW(ValueError, "singular", F::det(singular).backward());
  EXPECT_THROW(ValueError, "name 2 operands, got 1", F::einsum("ij,jk", {zeros({2, 2})}));
  EXPECT_THROW(ValueError, "do not fit an operand with 2 axes", F::einsum("ijk", {zeros({2, 2})}));
  EXPECT_THROW(DimensionError, "label 'j' stands for lengths", F::einsum("ij,jk", {zeros({2, 3}), zeros({2, 2})}));
  EXPECT_THROW(ValueError, "label 'k' of the result does not occur in any operand",
               F::einsum("ij->k", {zeros({2, 3})}));
  EXPECT_THROW(ValueError, "label 'i' occurs twice in the result", F::einsum("ij->ii", {zeros({2, 3})}));
  EXPECT_THROW(ValueError, "'-'", F::einsum("i-", {zeros({2, 3})}));
  EXPECT_THROW(TypeError, "operand 1 has int32", F::einsum("i,i", {zeros({2}), zeros({2}, int32)}));
  EXPECT_THROW(DimensionError, "one operand", F::einsum("ii", {zeros({2, 3})}));
  EXPECT_THROW(DimensionError, "sparse", F::sparse_matmul(utils::to_coo(eye(3)), zeros({2, 2})));
  EXPECT_THROW(TypeError, "float32 and float64", F::sparse_matmul(utils::to_coo(eye(3)), zeros({3, 2}, float64)));
  EXPECT_THROW(ValueError, "order must be",
               utils::CooMatrix(array({1.f}), array({0}), array({0}), {1, 1}, {.order = "X"}));
  try {
    EXPECT_THROW(InvalidType, "real.shape() == imag.shape()", F::fft({zeros({2}), zeros({3})}));
    EXPECT_THROW(ValueError, "got 1 variables", F::ifft({zeros({2})}));
  } catch (const MissingPartError&) {}
}

TEST(images_and_sequences_say_what_is_wrong) {
  EXPECT_THROW(DimensionError, "does not fit", F::im2col(zeros({1, 1, 2, 2}), 3));
  EXPECT_THROW(ValueError, "stride (0, 0)", F::im2col(zeros({1, 1, 2, 2}), 1, {.stride = 0}));
  EXPECT_THROW(InvalidType, "x.ndim() == 4", F::im2col(zeros({2, 2}), 1));
  EXPECT_THROW(ValueError, "must be positive", F::resize_images(zeros({1, 1, 2, 2}), {0, 3}));
  EXPECT_THROW(InvalidType, "theta.shape()[2] == 3", F::spatial_transformer_grid(zeros({1, 2, 2}), {2, 2}));
  EXPECT_THROW(InvalidType, "grid.shape()[1] == 2",
               F::spatial_transformer_sampler(zeros({1, 1, 2, 2}), zeros({1, 3, 2, 2})));
  EXPECT_THROW(ValueError, "no time steps", F::crf1d(zeros({2, 2}), {}, {}));
  EXPECT_THROW(DimensionError, "the longest first",
               F::crf1d(zeros({2, 2}), {zeros({1, 2}), zeros({2, 2})}, {array({0}), array({0, 1})}));
  EXPECT_THROW(DimensionError, "cost must be a square matrix", F::argmax_crf1d(zeros({2, 3}), {zeros({1, 2})}));
  EXPECT_THROW(ValueError, "norm can only be 1 or 2",
               F::discriminative_margin_based_clustering_loss(zeros({1, 2, 1, 2}), zeros({1, 1, 2}, int32), 0.5, 1, 2,
                                                              {.norm = 3}));
  EXPECT_THROW(ValueError, "the vocabulary is empty", L::BinaryHierarchicalSoftmax::create_huffman_tree({}));
  EXPECT_THROW(ValueError, "at least two words", L::BinaryHierarchicalSoftmax(2, L::Tree(0)));
  EXPECT_THROW(ValueError, "word 1 occurs twice", L::BinaryHierarchicalSoftmax(2, L::Tree(L::Tree(1), L::Tree(1))));
}

TEST(convolutions_say_what_is_wrong) {
  const Array x = zeros({1, 4, 5, 5}), W = zeros({6, 4, 3, 3});
  EXPECT_THROW(InvalidType, "x.ndim() == 4", F::convolution_2d(zeros({4, 5}), W));
  EXPECT_THROW(InvalidType, "x.shape()[1] == W.shape()[1] * groups", F::convolution_2d(x, zeros({6, 3, 3, 3})));
  EXPECT_THROW(InvalidType, "W.shape()[0] % groups == 0", F::convolution_2d(x, zeros({3, 2, 3, 3}), {}, {.groups = 2}));
  EXPECT_THROW(InvalidType, "b.shape()[0] == W.shape()[0]", F::convolution_2d(x, W, zeros({5})));
  EXPECT_THROW(InvalidType, "x.dtype().kind() == 'f'", F::convolution_2d(x.astype(int32), W));
  EXPECT_THROW(InvalidType, "W.dtype() == x.dtype()", F::convolution_2d(x, W.astype(int32)));
  EXPECT_THROW(DimensionError,
               "convolution_2d: a filter of 7 (stride 2, pad 0, dilate 1) has no position on an input of 5",
               F::convolution_2d(x, zeros({6, 4, 3, 7}), {}, {.stride = 2}));
  EXPECT_THROW(ValueError, "stride (0, 1)", F::convolution_2d(x, W, {}, {.stride = {0, 1}}));
  EXPECT_THROW(ValueError, "pad (-1, -1)", F::convolution_2d(x, W, {}, {.pad = -1}));
  EXPECT_THROW(ValueError, "stride: one number or 2 are needed, not 3",
               F::convolution_2d(x, W, {}, {.stride = {1, 1, 1}}));
  EXPECT_THROW(DimensionError, "a spatial axis", F::convolution_nd(zeros({1, 4}), zeros({1, 4})));
  EXPECT_THROW(InvalidType, "out_size(outsize[0]) <= x.shape()[2]",
               F::deconvolution_2d(x, zeros({4, 6, 3, 3}), {}, {.stride = 2, .outsize = {14, 12}}));
  EXPECT_THROW(DimensionError, "give no output", F::deconvolution_2d(x, zeros({4, 6, 3, 3}), {}, {.pad = 4}));
  EXPECT_THROW(InvalidType, "(x.shape()[3] - W.shape()[5]) / stride + 1",
               F::local_convolution_2d(x, zeros({2, 3, 2, 4, 3, 3})));
  EXPECT_THROW(ValueError, "must be odd", F::shift(zeros({1, 9, 3, 3}), {3, 2}));
}

// A NaN pixel reaches the results of the windows that contain it and no others, in every algorithm.
TEST(convolutions_pass_on_what_is_not_a_number) {
  for (Dtype dtype : {float32, float64}) {
    Array x = ones({1, 2, 5, 5}, dtype);
    x.set({0, 0, 0, 0}, NAN);
    const Array y = F::convolution_2d(x, ones({3, 2, 3, 3}, dtype), {}, {.pad = 1}).array();
    EXPECT_EQ(sum(isnan(y)).item<int>(), 3 * 4);
    const Variable W(zeros({3, 2, 3, 3}, dtype));
    F::sum(F::convolution_2d(x, W)).backward();
    EXPECT_EQ(sum(isnan(W.grad())).item<int>(), 3);
  }
}

// Results have channels last, whatever the order of the operands; results of few channels are in C order.
TEST(convolutions_make_channels_last) {
  const Variable x(ones({2, 5, 6, 7})), W(ones({4, 5, 3, 3}));
  const Variable y = F::convolution_2d(x, W);
  EXPECT_EQ(y.array().strides(), (Strides{80, 1, 20, 4}));
  F::sum(y).backward();
  EXPECT_EQ(x.grad().strides(), (Strides{210, 1, 35, 5}));
  EXPECT(W.grad().is_contiguous());
  const Variable image(ones({2, 3, 6, 7}));
  F::sum(F::convolution_2d(image, ones({4, 3, 3, 3}))).backward();
  EXPECT(image.grad().is_contiguous());
}

// A label sequence longer than its time steps gives an infinite loss and no gradient, next to items that fit.
TEST(impossible_paths) {
  const Variable x(random::RandomState(0).randn({2, 2, 3}));
  const Variable loss =
      F::connectionist_temporal_classification(x, array({{1, 1}, {1, 2}}), 0, {.reduce = Reduction::no});
  EXPECT(loss.array()[0].item<double>() == std::numeric_limits<double>::infinity());
  F::sum(loss[1]).backward();
  EXPECT_CLOSE(x.grad()[{Slice(), 0}], zeros({2, 3}, float64), {.atol = 0});
  EXPECT(max(absolute(x.grad())).item<double>() > 0.01);
}

// Logits of minus infinity exclude symbols.
TEST(masked_symbols) {
  Array x = random::RandomState(0).randn({3, 1, 4});
  x.set({Slice(), Slice(), 3}, -std::numeric_limits<double>::infinity());
  const auto loss = [](const Variable& v, int64_t label) {
    return F::connectionist_temporal_classification(v, array({{label}}), 0);
  };
  const Variable masked(x), three(x[{ellipsis, Slice(0, 3)}].copy());
  const Variable y = loss(masked, 1), z = loss(three, 1);
  EXPECT_CLOSE(y.array(), z.array(), {.atol = 1e-12});
  y.backward(), z.backward();
  EXPECT_CLOSE(masked.grad()[{ellipsis, Slice(0, 3)}], three.grad(), {.atol = 1e-12});
  EXPECT_EQ(loss(masked, 3).item<double>(), std::numeric_limits<double>::infinity());
}

// Coordinates of NaN give NaN, coordinates outside the image give zero.
TEST(sampling_anywhere) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Array grid = array({nan, inf, -inf, 1e30f, 0.f, 0.f, 0.f, 0.f}).reshape({1, 2, 2, 2});
  const Array y = F::spatial_transformer_sampler(ones({1, 1, 3, 3}), grid).array();
  EXPECT(isnan(y[{0, 0, 0, 0}]).item<bool>());
  EXPECT_CLOSE(y.ravel()[Slice(1, 4)], zeros({3}), {.atol = 0});
}

// No overflow or cancellation at logits of 1e4.
TEST(large_logits) {
  const Array x = array({{1e4f, 9999.f, -1e4f}});
  EXPECT_CLOSE(F::log_softmax(x).array(), array({{-0.3132617f, -1.3132617f, -20000.313f}}), {.atol = 2e-3});
  EXPECT_CLOSE(F::softmax_cross_entropy(x, array({1})).array(), array(1.3132617f), {.atol = 1e-3});
  EXPECT_CLOSE(F::logsumexp(x.astype(float64)).array(), array(1e4 + 0.31326168751822286), {.atol = 1e-9});
}

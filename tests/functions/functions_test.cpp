// SPDX-License-Identifier: MIT
// Tests of functions that do not fit the table of functions.
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

TEST(losses_do_not_overflow) {
  const Array x = array({{1e4, -1e4, 0.}, {-1e4, 1e4, 1e4}});
  EXPECT_CLOSE(F::softmax_cross_entropy(x, array({0, 1})).array(), array(0.34657359), {.atol = 1e-7});
  EXPECT_CLOSE(F::log_softmax(x).array(), array({{0., -2e4, -1e4}, {-20000.69314718, -0.69314718, -0.69314718}}),
               {.atol = 1e-7});
  EXPECT_CLOSE(F::sigmoid_cross_entropy(array({{1e4, -1e4}}), array({{1, 1}})).array(), array(5000.));
  Variable z(array({1e3, -1e3}));
  const Variable g = grad({F::softplus(z)}, {z}, {.enable_double_backprop = true})[0];
  EXPECT_CLOSE(grad({g}, {z})[0].array(), array({0., 0.}), {.atol = 1e-12});
}

TEST(accuracies) {
  const Array y = array({{0.f, 1.f}, {1.f, 0.f}, {0.f, 1.f}, {3.f, 1.f}});
  EXPECT_EQ(F::accuracy(y, array({1, 1, 1, 0})).item<float>(), 0.75f);
  EXPECT_CLOSE(F::accuracy(y, array({1, 1, -1, 0}), {.ignore_label = -1}).array(), array(2.f / 3));
  EXPECT_EQ(F::accuracy(y, array({-1, -1, -1, -1}), {.ignore_label = -1}).item<float>(), 0.f);
  // Ignored ids have zeros, whatever the rows and the gradients contain.
  Array rows = ones({3, 2});
  rows.set({0}, std::numeric_limits<float>::quiet_NaN());
  const Variable W(rows);
  const Variable looked_up = F::embed_id(array({-1, 1}), W, {.ignore_label = -1});
  EXPECT_CLOSE(looked_up.array(), array({{0.f, 0.f}, {1.f, 1.f}}));
  const Array gradient = array({{NAN, NAN}, {2.f, 3.f}}).astype(float32);
  EXPECT_CLOSE(grad({looked_up}, {W}, {.grad_outputs = {gradient}})[0].array(),
               array({{0.f, 0.f}, {2.f, 3.f}, {0.f, 0.f}}));
  EXPECT_CLOSE(F::binary_accuracy(array({0.5f, -1.f, 2.f, 0.f}), array({1, 1, -1, 1})).array(), array(2.f / 3));
  EXPECT_THROW(InvalidType, "", F::accuracy(y, array({1, 1})));
}

TEST(bad_labels_and_arguments_are_named) {
  const Array x = zeros({2, 3});
  EXPECT_THROW(IndexError, "softmax_cross_entropy: label 3 at position 1 is not in 0 ... 2",
               F::softmax_cross_entropy(x, array({0, 3})));
  EXPECT_THROW(IndexError, "label -2", F::softmax_cross_entropy(x, array({-2, 0})));
  EXPECT_THROW(InvalidType, "t.dtype().kind() == 'i'", F::softmax_cross_entropy(x, zeros({2})));
  EXPECT_THROW(IndexError, "embed_id: id 5", F::embed_id(array({0, 5}), zeros({5, 2})));
  EXPECT_THROW(IndexError, "embed_id: id -1", F::embed_id(array({-1}), zeros({5, 2})));
  EXPECT_THROW(ValueError, "ratio must be in [0, 1)", F::dropout(x, 1.0));
  EXPECT_THROW(ValueError, "2 sections do not divide", F::split_axis(x, 2, 1));
  EXPECT_THROW(InvalidType, "", F::reshape(x, {4, -1}));
  EXPECT_THROW(InvalidType, "", F::concat({x, zeros({3, 3})}));
  EXPECT_THROW(InvalidType, "axis", F::softmax(x, 2));
  EXPECT_THROW(ValueError, "x_min", F::clip(x, 1, 0));
  EXPECT_THROW(DimensionError, "class_weight",
               F::softmax_cross_entropy(x, array({0, 1}), {.class_weight = zeros({2})}));
  EXPECT_THROW(InvalidType, "broadcast", Variable(x, false) + Variable(zeros({2, 2}), false));
  EXPECT_THROW(ValueError, "'mean', 'sum' or 'no'", parse_reduction("average"));
}

TEST(dropout_in_training_and_test) {
  random::seed(0);
  const Variable x(ones({200, 100}));
  Array mask;
  const Variable y = F::dropout(x, 0.25, {.return_mask = &mask});
  EXPECT(std::abs(mean(y.array()).item<double>() - 1) < 0.02);
  EXPECT_CLOSE(max(y.array()), array(4.f / 3));
  EXPECT_CLOSE(mask, y.array());
  // Without dropout nothing is drawn or multiplied, unless a mask is given or wanted.
  EXPECT(F::dropout(x, 0).array().is(x.array()));
  EXPECT_CLOSE(F::dropout(x, 0, {.mask = mask}).array(), mask);
  EXPECT_CLOSE(F::dropout(x, 0, {.return_mask = &mask}).array(), x.array());
  EXPECT_CLOSE(mask, ones({200, 100}));
  EXPECT_THROW(InvalidType, "Dropout", F::dropout(Variable(ones({2}, int32), false), 0));
  const UsingConfig test_mode(&Config::train, false);
  EXPECT(F::dropout(x, 0.25).array().is(x.array()));
}

TEST(integers_pass_through_array_functions) {
  const Array i = array({{1, 2}, {3, 4}});
  EXPECT_EQ(F::concat({i, i}).dtype(), int32);
  EXPECT_EQ(F::broadcast_to(i[0], {3, 2}).dtype(), int32);
  EXPECT_EQ(F::reshape(i, {4}).dtype(), int32);
  EXPECT_EQ(Variable(i, false)[{Slice(), newaxis}].shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(F::split_axis(i, 1, 0).size(), std::size_t(1));
}

TEST(a_number_never_widens_a_variable) {
  const Variable h(zeros({2}, float16), false);
  EXPECT_EQ((h + 0.1).dtype(), float16);
  EXPECT_EQ((1e-3 * h + array({1., 2.})).dtype(), float16);
  EXPECT_THROW(ValueError, "does not broadcast", h + zeros({3, 2}));
  EXPECT_EQ(floor_divide(Variable(array({-7.f}), false), 2).item<float>(), -4.f);
}

// Labels and ids may pass through array manipulations, as in the word-embedding and sequence examples of the manual.
TEST(integer_variables) {
  const Variable x(array({{1, 2, 3}, {4, 5, 6}}), false);
  const auto check = [](const Variable& y, const Array& expected) {
    EXPECT_EQ(y.dtype(), int32);
    EXPECT_CLOSE(y.array(), expected, {.atol = 0});
  };
  check(F::concat({x, x}, 0)[3], array({4, 5, 6}));
  check(F::broadcast_to(x[{Slice(), newaxis}], {2, 2, 3})[{1, 1}], array({4, 5, 6}));
  check(x.reshape({3, 2}), array({{1, 2}, {3, 4}, {5, 6}}));
  check(F::split_axis(x, 3, 1)[2], array({{3}, {6}}));
  check(F::split_axis(x, std::vector<int64_t>{1}, 1)[1], array({{2, 3}, {5, 6}}));
  check(F::transpose(x), array({{1, 4}, {2, 5}, {3, 6}}));
  check(F::stack({x, x}, 2)[{0, 1}], array({2, 2}));
  check(F::pad_sequence({array({1, 2}), array({3})}, {.padding = -1}), array({{1, 2}, {3, -1}}));
  check(F::where(array({true, false, true}), x[0], x[1]), array({1, 5, 3}));
  check(F::flip(x, 1), array({{3, 2, 1}, {6, 5, 4}}));
  check(F::separate(x, 1)[1], array({2, 5}));
  check(F::get_item(x, {array({1, 0})}), array({{4, 5, 6}, {1, 2, 3}}));
}

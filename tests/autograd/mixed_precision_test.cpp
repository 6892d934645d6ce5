// SPDX-License-Identifier: MIT
// Mixed precision: the dtypes of functions, networks that train in it, and its scopes.
#include <chainer/chainer.h>

#include <cmath>
#include <thread>

#include "test.h"

using namespace chainer;

namespace {

struct Net : Chain {
  L::Convolution2D conv{1, 4, 3, {.pad = 1}};
  L::BatchNormalization norm{4};
  L::LayerNormalization rows{64};
  L::LSTM cell{64, 16};
  L::Linear out{16, 3};
  Dtype conv_dtype = float32, norm_dtype = float32, out_dtype = float32;
  CHAINER_MEMBERS(Net, conv, norm, rows, cell, out);
  Variable forward(const Variable& x) {
    const Variable c = conv(x), n = norm(c);
    conv_dtype = c.dtype();
    norm_dtype = n.dtype();
    cell.reset_state();
    const Variable y = out(cell(rows(F::reshape(F::max_pooling_2d(F::relu(n), 2), {x.shape(0), -1}))));
    out_dtype = y.dtype();
    return y;
  }
};

Variable sum_of_squares(const Variable& y) { return F::sum(y * y); }

// The losses of some updates from the same start.
std::vector<double> losses(const DefaultDtype& dtype, bool scale) {
  random::seed(3);
  Net model;
  random::RandomState r(1);
  const Array x = r.randn({20, 1, 8, 8}).astype(float32), t = r.randint(0, 3, {20}, int32);
  auto optimizer = optimizers::Adam({.alpha = 0.01}).setup(model);
  if (scale) optimizer.loss_scaling({.interval = 5, .initial = 1024});
  const UsingConfig mode(&Config::dtype, dtype);
  std::vector<double> out;
  for (int i = 0; i < 25; ++i) {
    Variable loss;
    optimizer.update([&] { return loss = F::softmax_cross_entropy(model(x), t); });
    EXPECT_EQ(loss.dtype(), float32);
    out.push_back(loss.array().astype(float64).item<double>());
  }
  for (const auto& [path, p] : model.namedparams()) {
    EXPECT_EQ(p.array().dtype(), float32);
    EXPECT_EQ(p.grad().dtype(), float32);
  }
  const Dtype products = dtype.products.value_or(dtype.parameters);
  EXPECT_EQ(model.conv_dtype, products);
  EXPECT_EQ(model.norm_dtype, products);
  EXPECT_EQ(model.out_dtype, products);
  return out;
}

}  // namespace

TEST(networks_train_in_mixed_precision) {
  const std::vector<double> wide = losses(float32, false);
  EXPECT(wide.back() < 0.5 * wide.front());
  for (const DefaultDtype& dtype : {mixed16, mixed_bfloat16}) {
    const std::vector<double> narrow = losses(dtype, dtype.products == float16);
    for (std::size_t i = 0; i < wide.size(); ++i) EXPECT(std::abs(narrow[i] - wide[i]) < 0.05);
    EXPECT(narrow != wide);
  }
}

TEST(products_are_narrow_and_losses_are_wide) {
  const UsingConfig mode(&Config::dtype, mixed_bfloat16);
  random::RandomState r(2);
  const Variable x(r.randn({4, 6}).astype(float32)), W(r.randn({5, 6}).astype(float32)), b(zeros({5}));
  const Variable y = F::linear(x, W, b);
  EXPECT_EQ(y.dtype(), bfloat16);
  EXPECT_EQ(F::matmul(x, W, {.transb = true}).dtype(), bfloat16);
  EXPECT_EQ(F::relu(y).dtype(), bfloat16);
  EXPECT_EQ((y + x[{Slice(), Slice(0, 5)}]).dtype(), float32);  // the wider one
  for (const Variable& wide :
       {F::exp(y), F::softmax(y), F::sum(y), F::mean(y), F::softmax_cross_entropy(y, array({0, 1, 2, 3})),
        F::mean_squared_error(y, zeros_like(y.array())), F::mean_absolute_error(y, y)})
    EXPECT_EQ(wide.dtype(), float32);
  EXPECT_EQ(F::layer_normalization(y, ones({5}), zeros({5})).dtype(), bfloat16);
  // float64 is never cast.
  EXPECT_EQ(F::matmul(x.array().astype(float64), W.array().astype(float64).T()).dtype(), float64);
  sum_of_squares(y).backward();
  EXPECT_EQ(x.grad().dtype(), float32);
  EXPECT_EQ(W.grad().dtype(), float32);
}

TEST(recomputed_functions_keep_the_precision_of_their_call) {
  random::RandomState r(2);
  const Array w = r.randn({6, 6}).astype(float32), x = r.randn({4, 6}).astype(float32);
  const auto gradient = [&](bool forget) {
    L::Linear l(6, 6, {.initialW = w});
    Variable in(x);
    Variable y;
    {
      const UsingConfig mode(&Config::dtype, mixed_bfloat16);
      y = forget ? F::forget([&](const Variable& v) { return F::tanh(l(v)); }, in) : F::tanh(l(in));
    }
    EXPECT_EQ(y.dtype(), bfloat16);
    l.cleargrads();
    sum_of_squares(F::cast(y, float32)).backward();  // outside of the scope
    return std::pair(in.grad(), l.W.grad());
  };
  const auto [gx, gW] = gradient(false);
  const auto [fx, fW] = gradient(true);
  EXPECT_CLOSE(fx, gx, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(fW, gW, {.atol = 0, .rtol = 0});
}

TEST(double_backward_in_mixed_precision) {
  const UsingConfig mode(&Config::dtype, mixed_bfloat16);
  const Variable x(array({{1.f, 2.f}})), W(array({{0.5f, -1.f}, {2.f, 0.25f}}));
  const Variable y = F::sum(F::tanh(F::linear(x, W)));
  const Variable g = grad({y}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_EQ(g.dtype(), float32);
  const Variable gg = grad({sum_of_squares(g)}, {W})[0];
  const Array narrow = gg.array();
  const UsingConfig off(&Config::dtype, float32);
  const Variable y2 = F::sum(F::tanh(F::linear(x, W)));
  const Variable g2 = grad({y2}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_CLOSE(narrow, grad({sum_of_squares(g2)}, {W})[0].array(), {.atol = 0.05, .rtol = 0.05});
}

TEST(the_scope_of_a_thread) {
  const UsingConfig mode(&Config::dtype, mixed16);
  EXPECT_EQ(get_dtype(), float32);
  EXPECT_EQ(to_string(config().dtype.get()), "mixed16");
  Dtype elsewhere = float16;
  std::thread([&] { elsewhere = F::matmul(ones({2, 2}), ones({2, 2})).dtype(); }).join();
  EXPECT_EQ(elsewhere, float32);
}

TEST(functions_composed_of_products_stay_in_float32) {
  random::RandomState draw(1);
  const Array x = draw.normal(0, 300, {64, 4}, float32), small = draw.normal(0, 1, {2, 2, 3}, float32);
  const Array t = draw.randint(0, 3, {2, 3, 3}, int32), images = draw.normal(0, 1, {2, 2, 3, 3}, float32);
  const auto all = [&] {
    const Variable v(x), theta(small), e(images);
    const distributions::MultivariateNormal normal(zeros({2}), {.scale_tril = eye(2) * 1e-3f});
    Variables ys{F::decorrelated_batch_normalization(v, {.groups = 1}),
                 F::cross_covariance(v, v, {.reduce = F::CovarianceReduction::no}), F::decov(v),
                 F::spatial_transformer_grid(theta, {33, 33}), normal.log_prob(full({2}, 0.1f))};
    for (const Variable& y : F::discriminative_margin_based_clustering_loss(e, t, 0.1, 0.5, 2)) ys.push_back(y);
    Variable total(zeros({}), false);
    for (const Variable& y : ys) total = total + F::sum(F::cast(y, float32) * 1e-3);
    total.backward();
    Arrays out{v.grad(), theta.grad(), e.grad()};
    for (const Variable& y : ys) out.push_back(y.array());
    return out;
  };
  const Arrays expected = all();
  for (const DefaultDtype& dtype : {mixed16, mixed_bfloat16}) {
    const UsingConfig mixed(&Config::dtype, dtype);
    const Arrays got = all();
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].dtype(), float32);
      EXPECT_CLOSE(got[i], expected[i], {.atol = 0, .rtol = 0});
    }
  }
}

TEST(sums_of_products_do_not_overflow_16_bits) {
  const UsingConfig mixed(&Config::dtype, mixed16);
  const Variable x(full({1, 4}, 300, float16));
  EXPECT_EQ(F::average(x, {1}, {.weights = x}).array().item<float>(), 300.f);
  EXPECT_EQ(F::batch_l2_norm_squared(x).array().item<float>(), 360000.f);
}

TEST(regions_and_trees_in_mixed_precision) {
  for (const DefaultDtype& dtype : {mixed16, mixed_bfloat16}) {
    const UsingConfig mixed(&Config::dtype, dtype);
    L::Convolution2D conv(1, 1, 1);
    const Variable x(ones({1, 1, 8, 8}));
    const Array regions = array({{1.f, 1.f, 5.f, 6.f}}), first = array({0});
    EXPECT_EQ(F::roi_average_align_2d(conv(x), regions, first, 3, 1.0).shape(), (Shape{1, 1, 3, 3}));
    EXPECT_EQ(F::roi_max_pooling_2d(conv(x), regions, first, 3, 1.0).shape(), (Shape{1, 1, 3, 3}));
    const Array with_index = array({{0.f, 1.f, 1.f, 5.f, 6.f}});
    const Variable y = F::roi_pooling_2d(conv(x), with_index, 3, 3, 1.0);
    EXPECT_EQ(y.dtype(), *dtype.products);
    conv.cleargrads();
    sum_of_squares(y).backward();
    EXPECT(all(isfinite(conv.W.grad())).item<bool>());
    L::Linear linear(3, 4);
    L::BinaryHierarchicalSoftmax tree(4, L::BinaryHierarchicalSoftmax::create_huffman_tree({{0, 3}, {1, 2}, {2, 1}}));
    linear.cleargrads(), tree.cleargrads();
    const Variable loss = tree(linear(Variable(ones({2, 3}))), array({0, 2}));
    EXPECT_EQ(loss.dtype(), float32);
    loss.backward();
    EXPECT(all(isfinite(linear.W.grad())).item<bool>());
  }
}

TEST(quantized_links_have_one_dtype_for_all_numbers_of_rows) {
  L::Linear link(64, 32);
  link.quantize();
  const auto dtype_of = [&](int64_t rows, Dtype dtype) { return link(ones({rows, 64}, dtype)).dtype(); };
  for (const int64_t rows : {1, 128, 129}) {
    for (const Dtype dtype : {float16, bfloat16, float32}) EXPECT_EQ(dtype_of(rows, dtype), dtype);
    const UsingConfig mixed(&Config::dtype, mixed_bfloat16);
    for (const Dtype dtype : {bfloat16, float32}) EXPECT_EQ(dtype_of(rows, dtype), bfloat16);
  }
}

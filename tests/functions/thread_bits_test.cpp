// SPDX-License-Identifier: MIT
// The number of threads does not change any bit: reductions over shapes and dtypes, and every function that adds up
// numbers, forward and backward, on arrays large enough for several threads.
#include <chainer/chainer.h>
#include <chainer/routines/linalg.h>
#include <chainer/routines/sorting.h>

#include <cstring>

#include "../array/bits.h"
#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace thread_bits {

constexpr int kThreads[] = {1, 2, 3, 4, 8, 16};

// Runs f() with each number of threads, and fails with `name` if a result differs from that of one thread.
void expect_same_bits(const std::string& name, const std::function<Arrays()>& f) {
  Arrays first;
  for (int n : kThreads) {
    cpu::set_thread_count(n);
    Arrays now;
    try {
      now = f();
    } catch (const std::exception& e) {
      test::fail(__FILE__, __LINE__, text(name, ": ", e.what()));
      break;
    }
    for (const Array& a : now)
      if (a) (void)a.raw();
    if (n == 1) {
      first = now;
      continue;
    }
    ++test::expectations;
    std::string different = first.size() == now.size() ? "" : " in number";
    for (std::size_t i = 0; different.empty() && i < first.size(); ++i)
      if (static_cast<bool>(first[i]) != static_cast<bool>(now[i]) || (first[i] && !same_bits(first[i], now[i])))
        different = text(" in result ", i);
    if (!different.empty()) {
      test::fail(__FILE__, __LINE__, text(name, ": ", n, " threads differ from one", different));
      break;
    }
  }
  cpu::set_thread_count(0);
}

Array numbers(const Shape& s, Dtype d = float32) { return random::normal(0, 1, s, float64).astype(d); }

struct Threaded {
  const char* name;
  std::function<Variables(const Variables&)> f;
  std::vector<Shape> shapes;
};

// The results and all gradients.
Arrays results(const Threaded& c, const Arrays& inputs) {
  random::seed(3);
  Variables xs;
  for (const Array& a : inputs) xs.push_back(Variable(a, is_floating(a.dtype())));
  const Variables ys = c.f(xs);
  Arrays out;
  Variable total;
  for (const Variable& y : ys) {
    out.push_back(y.array());
    if (!is_floating(y.dtype()) || !y.requires_grad()) continue;
    const Variable part = F::sum(y * Variable(F::cos(y).array(), false));
    total = total ? total + part : part;
  }
  if (total) total.backward();
  for (const Variable& x : xs) out.push_back(x.grad());
  return out;
}

Array labels(int64_t n, int64_t classes) { return random::randint(0, classes, {n}, int32); }

std::vector<Threaded> threaded_functions() {
  using Vs = const Variables&;
  std::vector<Threaded> t;
  const auto add = [&](const char* name, std::function<Variables(Vs)> f, std::vector<Shape> shapes) {
    t.push_back({name, std::move(f), std::move(shapes)});
  };
  add("linear", [](Vs x) { return Variables{F::linear(x[0], x[1], x[2])}; }, {{200, 300}, {24, 300}, {24}});
  add("linear, wide", [](Vs x) { return Variables{F::linear(x[0], x[1], x[2])}; }, {{32, 1000}, {1000, 1000}, {1000}});
  add("matmul", [](Vs x) { return Variables{F::matmul(x[0], x[1])}; }, {{130, 1100}, {1100, 70}});
  add("matmul, batches", [](Vs x) { return Variables{F::matmul(x[0], x[1])}; }, {{50, 20, 30}, {50, 30, 10}});
  add("tensordot", [](Vs x) { return Variables{F::tensordot(x[0], x[1], 2)}; }, {{30, 40, 50}, {40, 50, 20}});
  add("bilinear", [](Vs x) { return Variables{F::bilinear(x[0], x[1], x[2])}; }, {{60, 30}, {60, 20}, {30, 20, 10}});
  add("bias of rows", [](Vs x) { return Variables{x[0] + F::broadcast_to(x[1], x[0].shape())}; }, {{32, 16}, {16}});
  for (const Shape& s : {Shape{4, 3, 40, 40}, Shape{8, 32, 20, 20}, Shape{16, 40, 9, 9}}) {
    const int64_t c = s[1];
    add("convolution_2d", [](Vs x) { return Variables{F::convolution_2d(x[0], x[1], x[2], {.pad = 1})}; },
        {s, {32, c, 3, 3}, {32}});
    add("convolution_2d, 1x1", [](Vs x) { return Variables{F::convolution_2d(x[0], x[1], x[2])}; },
        {s, {24, c, 1, 1}, {24}});
    add("convolution_2d, stride", [](Vs x) { return Variables{F::convolution_2d(x[0], x[1], x[2], {.stride = 2})}; },
        {s, {20, c, 5, 5}, {20}});
    add("deconvolution_2d", [](Vs x) { return Variables{F::deconvolution_2d(x[0], x[1], x[2], {.stride = 2})}; },
        {s, {c, 16, 3, 3}, {16}});
  }
  // Split into lines of one image or of a few, or by channels if there are more filters than pixels.
  for (const int64_t n : {1, 3})
    for (const int64_t stride : {1, 2, 3})
      add("convolution_2d, lines",
          [=](Vs x) {
            return Variables{F::convolution_2d(x[0], x[1], x[2], {.stride = stride, .pad = 2}),
                             F::dilated_convolution_2d(x[0], x[1], x[2], {.stride = stride, .pad = 3, .dilate = 2})};
          },
          {{n, 16, 61, 47}, {24, 16, 4, 4}, {24}});
  add("convolution_2d, channels", [](Vs x) { return Variables{F::convolution_2d(x[0], x[1], x[2], {.pad = 1})}; },
      {{1, 100, 7, 7}, {250, 100, 3, 3}, {250}});
  add("convolution_2d, lines of groups",
      [](Vs x) { return Variables{F::convolution_2d(x[0], x[1], x[2], {.pad = 1, .groups = 96})}; },
      {{1, 96, 56, 56}, {96, 1, 3, 3}, {96}});
  add("convolution_nd, lines of volumes",
      [](Vs x) { return Variables{F::convolution_nd(x[0], x[1], x[2], {.pad = 1})}; },
      {{2, 8, 12, 13, 14}, {16, 8, 3, 3, 3}, {16}});
  add("convolution_2d, groups", [](Vs x) { return Variables{F::convolution_2d(x[0], x[1], x[2], {.groups = 4})}; },
      {{8, 32, 16, 16}, {32, 8, 3, 3}, {32}});
  add("convolution_2d, one line", [](Vs x) { return Variables{F::convolution_2d(x[0], x[1], x[2], {.pad = 1})}; },
      {{64, 64, 2, 2}, {64, 64, 3, 3}, {64}});
  add("depthwise_convolution_2d", [](Vs x) { return Variables{F::depthwise_convolution_2d(x[0], x[1], x[2])}; },
      {{8, 16, 20, 20}, {2, 16, 3, 3}, {32}});
  add("dilated_convolution_2d",
      [](Vs x) { return Variables{F::dilated_convolution_2d(x[0], x[1], x[2], {.dilate = 2})}; },
      {{8, 16, 20, 20}, {16, 16, 3, 3}, {16}});
  add("convolution_nd, lines", [](Vs x) { return Variables{F::convolution_nd(x[0], x[1], x[2])}; },
      {{16, 16, 200}, {24, 16, 5}, {24}});
  add("convolution_nd, short filters", [](Vs x) { return Variables{F::convolution_nd(x[0], x[1], x[2], {.pad = 1})}; },
      {{15, 63, 254}, {74, 63, 2}, {74}});
  add("convolution_nd, volumes", [](Vs x) { return Variables{F::convolution_nd(x[0], x[1], x[2])}; },
      {{4, 8, 10, 10, 10}, {16, 8, 3, 3, 3}, {16}});
  add("local_convolution_2d", [](Vs x) { return Variables{F::local_convolution_2d(x[0], x[1])}; },
      {{16, 4, 12, 12}, {8, 10, 10, 4, 3, 3}});
  add("sum, mean, average",
      [](Vs x) {
        return Variables{F::sum(x[0], 0), F::mean(x[0], 1), F::average(x[0])};
      },
      {{600, 90}});
  add("max, min, prod, logsumexp",
      [](Vs x) {
        return Variables{F::max(x[0], 0), F::min(x[0], 1), F::prod(x[0] * 0.1 + 1, 0), F::logsumexp(x[0], 0)};
      },
      {{600, 90}});
  add("cumsum, cumprod",
      [](Vs x) {
        return Variables{F::cumsum(x[0], 0), F::cumprod(x[0] * 0.01 + 1, 1)};
      },
      {{300, 200}});
  add("softmax", [](Vs x) { return Variables{F::softmax(x[0]), F::log_softmax(x[0], 0)}; }, {{300, 200}});
  add("softmax of one long row", [](Vs x) { return Variables{F::softmax(x[0])}; }, {{2, 100000}});
  add("softmax_cross_entropy",
      [](Vs x) { return Variables{F::softmax_cross_entropy(x[0], labels(x[0].shape()[0], 10))}; }, {{5000, 10}});
  add("sigmoid_cross_entropy",
      [](Vs x) { return Variables{F::sigmoid_cross_entropy(x[0], random::randint(0, 2, x[0].shape(), int32))}; },
      {{500, 100}});
  add("mean_squared_error, mean_absolute_error",
      [](Vs x) {
        return Variables{F::mean_squared_error(x[0], x[1]), F::mean_absolute_error(x[0], x[1])};
      },
      {{300, 200}, {300, 200}});
  add("huber_loss, gaussian_nll",
      [](Vs x) {
        return Variables{F::huber_loss(x[0], x[1], 1), F::gaussian_nll(x[0], x[1], x[2])};
      },
      {{300, 200}, {300, 200}, {300, 200}});
  add("gaussian_kl_divergence, bernoulli_nll",
      [](Vs x) {
        return Variables{F::gaussian_kl_divergence(x[0], x[1]), F::bernoulli_nll(F::sigmoid(x[0]), x[1])};
      },
      {{300, 200}, {300, 200}});
  add("hinge", [](Vs x) { return Variables{F::hinge(x[0], labels(x[0].shape()[0], 10))}; }, {{5000, 10}});
  add("contrastive, triplet",
      [](Vs x) {
        return Variables{F::contrastive(x[0], x[1], random::randint(0, 2, {x[0].shape()[0]}, int32)),
                         F::triplet(x[0], x[1], x[2])};
      },
      {{1000, 40}, {1000, 40}, {1000, 40}});
  add("decov, cross_covariance",
      [](Vs x) {
        return Variables{F::decov(x[0]), F::cross_covariance(x[0], x[1])};
      },
      {{2000, 30}, {2000, 20}});
  add("crf1d",
      [](Vs x) {
        Variables xs, ys;
        for (int i = 0; i < 10; ++i) xs.push_back(x[1][i]), ys.push_back(Variable(labels(500, 12), false));
        return Variables{F::crf1d(x[0], xs, ys)};
      },
      {{12, 12}, {10, 500, 12}});
  add("connectionist_temporal_classification",
      [](Vs x) {
        Variables xs;
        for (int i = 0; i < 20; ++i) xs.push_back(x[0][i]);
        return Variables{
            F::connectionist_temporal_classification(xs, Variable(random::randint(1, 30, {60, 5}, int32), false), 0)};
      },
      {{20, 60, 30}});
  for (const Shape& s : {Shape{5000, 3}, Shape{300, 200}, Shape{65, 1000}, Shape{32, 16}}) {
    add("batch_normalization of rows", [](Vs x) { return Variables{F::batch_normalization(x[0], x[1], x[2])}; },
        {s, {s[1]}, {s[1]}});
    add("layer_normalization", [](Vs x) { return Variables{F::layer_normalization(x[0], x[1], x[2])}; },
        {s, {s[1]}, {s[1]}});
    add("rms_normalization", [](Vs x) { return Variables{F::rms_normalization(x[0], x[1])}; }, {s, {s[1]}});
    add("normalize", [](Vs x) { return Variables{F::normalize(x[0])}; }, {s});
  }
  for (const Shape& s : {Shape{1, 2, 300, 16}, Shape{3, 16, 70, 8}, Shape{1, 1, 1000, 8}, Shape{2, 4, 3, 8}}) {
    for (const int64_t groups : {s[1], int64_t(1)}) {
      const Shape kv{s[0], groups, 400, s[3]};
      add("scaled_dot_product_attention",
          [](Vs x) { return Variables{F::scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true})}; },
          {s, kv, kv});
      add("scaled_dot_product_attention with dropout",
          [](Vs x) { return Variables{F::scaled_dot_product_attention(x[0], x[1], x[2], {.dropout = 0.1})}; },
          {s, kv, kv});
    }
    add("rotary_embedding", [](Vs x) { return Variables{F::rotary_embedding(x[0])}; }, {s});
  }
  const Shape images{8, 24, 16, 16};
  add("batch_normalization", [](Vs x) { return Variables{F::batch_normalization(x[0], x[1], x[2])}; },
      {images, {24}, {24}});
  add("fixed_batch_normalization",
      [](Vs x) { return Variables{F::fixed_batch_normalization(x[0], x[1], x[2], x[3], F::exp(x[4]))}; },
      {images, {24}, {24}, {24}, {24}});
  add("group_normalization", [](Vs x) { return Variables{F::group_normalization(x[0], 4, x[1], x[2])}; },
      {images, {24}, {24}});
  add("local_response_normalization", [](Vs x) { return Variables{F::local_response_normalization(x[0])}; }, {images});
  add("max_pooling_2d, average_pooling_2d",
      [](Vs x) {
        return Variables{F::max_pooling_2d(x[0], 3, {.stride = 2}), F::average_pooling_2d(x[0], 3, {.stride = 1})};
      },
      {images});
  add("average_pooling_nd",
      [](Vs x) {
        return Variables{F::average_pooling_nd(x[0], {2, 2, 2})};
      },
      {{4, 8, 12, 12, 12}});
  add("unpooling_2d, resize_images",
      [](Vs x) {
        return Variables{F::unpooling_2d(x[0], 2), F::resize_images(x[0], {20, 31})};
      },
      {images});
  add("spatial_transformer_sampler",
      [](Vs x) { return Variables{F::spatial_transformer_sampler(x[0], F::tanh(x[1]))}; }, {images, {8, 2, 20, 20}});
  add("roi_average_align_2d",
      [](Vs x) {
        const Array rois = array({1.f, 1.f, 9.f, 12.f, 0.f, 3.f, 14.f, 15.f}).reshape({2, 4}).astype(x[0].dtype());
        return Variables{F::roi_average_align_2d(x[0], rois, array({1, 5}).astype(int32), 7, 1.0)};
      },
      {images});
  add("embed_id", [](Vs x) { return Variables{F::embed_id(Variable(labels(20000, 50), false), x[0])}; }, {{50, 40}});
  add("get_item by index", [](Vs x) { return Variables{F::get_item(x[0], {labels(20000, 50).astype(int64)})}; },
      {{50, 40}});
  add("prelu, maxout", [](Vs x) { return Variables{F::prelu(x[0], x[1]), F::maxout(x[0], 4)}; }, {{3000, 24}, {24}});
  add("scale, bias",
      [](Vs x) {
        return Variables{F::scale(x[0], x[1], 1), F::bias(x[0], x[1], 1)};
      },
      {{40, 30, 60}, {30}});
  add("lstm", [](Vs x) { return F::lstm(x[0], x[1]); }, {{300, 64}, {300, 256}});
  add("broadcast, where, clip",
      [](Vs x) {
        return Variables{F::clip(x[0] * F::broadcast_to(x[1], x[0].shape()), -1, 1),
                         F::where(Variable(x[0].array() > 0, false), x[0], F::broadcast_to(x[1], x[0].shape()))};
      },
      {{700, 100}, {1, 100}});
  add("sum_to of columns", [](Vs x) { return Variables{x[0] + F::broadcast_to(x[1], x[0].shape())}; },
      {{700, 100}, {700, 1}});
  add("einsum", [](Vs x) { return Variables{F::einsum("bij,bjk->ik", {x[0], x[1]})}; }, {{20, 30, 40}, {20, 40, 25}});
  add("batch_l2_norm_squared, linear_interpolate",
      [](Vs x) {
        return Variables{F::batch_l2_norm_squared(x[0]), F::linear_interpolate(x[1], x[0], x[0])};
      },
      {{600, 100}, {600, 100}});
  add("inv, det",
      [](Vs x) { return Variables{F::batch_inv(x[0] + Variable(eye(12, {}, 0, x[0].dtype()) * 9, false))}; },
      {{200, 12, 12}});
  add("rrelu, dropout",
      [](Vs x) {
        return Variables{F::dropout(x[0]), F::gaussian(x[0], x[1])};
      },
      {{300, 200}, {300, 200}});
  add("simplified_dropconnect", [](Vs x) { return Variables{F::simplified_dropconnect(x[0], x[1], x[2])}; },
      {{60, 40}, {30, 40}, {30}});
  return t;
}

}  // namespace thread_bits

TEST(threads_leave_reductions_their_bits) {
  const int64_t lengths[] = {1, 2, 3, 7, 16, 24, 25, 32, 33, 63, 64, 65, 96, 100, 128, 200, 257, 1000, 1025, 2049};
  std::vector<Shape> shapes;
  for (int64_t rows : lengths)
    for (int64_t columns : lengths)
      if (rows * columns <= 70000 && (rows + columns) % 3 != 1) shapes.push_back({rows, columns});
  shapes.insert(shapes.end(), {Shape{5000, 3}, Shape{3000, 24}, Shape{2100, 25}, Shape{3, 90000}, Shape{90000, 2},
                               Shape{20, 30, 40}, Shape{3, 2000, 30}, Shape{40, 2, 600}, Shape{7, 11, 13, 17}});
  for (const Shape& s : shapes)
    for (Dtype d : {float32, float64, float16}) {
      if (d == float16 && s[0] % 2) continue;
      const Array x = thread_bits::numbers(s, d);
      for (const bool eager : {true, false})
        thread_bits::expect_same_bits(text("reductions of ", s, " in ", d, eager ? "" : ", deferred"), [&]() -> Arrays {
          std::optional<deferred::EagerMode> mode;
          if (eager) mode.emplace();
          Arrays out;
          for (int axis = 0; axis < x.ndim(); ++axis) out.push_back(sum(x, axis)), out.push_back(sum(x * x, axis));
          out.push_back(sum(x)), out.push_back(mean(x, 0)), out.push_back(var(x, 0)),
              out.push_back(chainer::std(x, -1));
          out.push_back(sum(x.T(), 0)), out.push_back(sum(x.T(), -1)), out.push_back(prod(x * 0.01 + 1, 0));
          out.push_back(max(x, 0)), out.push_back(min(x, 1)), out.push_back(cumsum(x, 0));
          out.push_back(sum_to(x, Shape(Dims::filled(x.ndim(), 1)))), out.push_back(sum(x > 0, 0));
          return out;
        });
    }
}

TEST(threads_leave_functions_their_bits) {
  for (const thread_bits::Threaded& c : thread_bits::threaded_functions())
    for (Dtype d : {float32, float64}) {
      random::seed(1);
      Arrays inputs;
      for (const Shape& s : c.shapes) inputs.push_back(thread_bits::numbers(s, d));
      thread_bits::expect_same_bits(text(c.name, " of ", c.shapes[0], " in ", d),
                                    [&] { return thread_bits::results(c, inputs); });
    }
}

// SPDX-License-Identifier: MIT
// Random graphs of functions whose variables join, branch and share memory: three orders of derivatives against finite
// differences, backward() against grad(), deferred against eager evaluation, and gradients that callers hold.
#include <chainer/chainer.h>

#include <optional>

#include "chainer/core/sanitizer.h"
#include "test.h"
#include "array/bits.h"

using namespace chainer;

namespace {

constexpr int64_t kLength = 48;  // of both axes of every variable: large enough for deferred evaluation

Variable image(const Variable& x) { return F::reshape(x, {2, 8, 12, 12}); }
Variable matrix(const Variable& x) { return F::reshape(x, {kLength, kLength}); }
// The first elements of x in another shape.
Variable part(const Variable& x, const Shape& shape) {
  return F::reshape(F::flatten(x)[Slice(0, shape.product())], shape);
}
Variable spread(const Variable& x) { return F::broadcast_to(x, {kLength, kLength}); }

/// Runs the same random program at each call. Its steps use any earlier variables and are smooth everywhere.
class Program {
 public:
  explicit Program(uint32_t seed) : seed_(seed) {}
  Variable operator()(const Variables& leaves) {
    random_.emplace(seed_);
    pool_ = leaves;
    for (int i = 0; i < 12; ++i) {
      Variable y = step(any(), any(), any());
      pool_.push_back(draw(2) ? F::tanh(y) : 0.5 * y);
    }
    Variable loss;
    for (int i = 0; i < 4; ++i) {
      const Array weights = random_->normal(0, 1, {kLength, kLength}).astype(leaves[0].dtype());
      const Variable& y = pool_[pool_.size() - 1 - static_cast<std::size_t>(i)];
      const Variable term = F::sum(weights * (draw(2) ? y : y * y)) / static_cast<double>(kLength);
      loss = loss ? loss + term : term;
    }
    return loss;
  }
  /// A variable from the middle of the last run.
  const Variable& middle() const { return pool_[pool_.size() / 2]; }

 private:
  int draw(int n) { return static_cast<int>(random_->next_interval(static_cast<uint64_t>(n - 1))); }
  const Variable& any() { return pool_[static_cast<std::size_t>(draw(static_cast<int>(pool_.size())))]; }
  Variable step(const Variable x, const Variable y, const Variable z) {  // copies: the pool grows
    switch (draw(40)) {
      case 0: return x + y;
      case 1: return x * y;
      case 2: return x - y;
      case 3: return F::sigmoid(2 * x);
      case 4: return F::softplus(x);
      case 5: return x / (1 + y * y);
      case 6: return 0.2 * F::matmul(x, y);
      case 7: return 0.2 * F::linear(x, y);
      case 8: return 0.2 * F::linear(x, y, z[0]);
      case 9: return F::transpose(x);
      case 10: {
        const Variables halves = F::split_axis(x, 2, 1);
        return F::concat({halves[1], halves[0]}, 1);
      }
      case 11: return spread(F::sum(x, 0)) / 7.0;
      case 12: return spread(F::sum(x * y, 1, {.keepdims = true})) / 7.0;
      case 13: return F::tanh(8 * F::softmax(x));
      case 14: return F::layer_normalization(x, y[0], z[1]);
      case 15: return F::batch_normalization(x, y[0], z[1]);
      case 16: return matrix(0.2 * F::convolution_2d(image(x), part(y, {8, 8, 3, 3}), part(z, {8}), {.pad = 1}));
      case 17: return matrix(0.2 * F::deconvolution_2d(image(x), part(y, {8, 8, 3, 3}), part(z, {8}), {.pad = 1}));
      case 18: return matrix(F::unpooling_2d(F::average_pooling_2d(image(x), 2), 2, {.cover_all = false}));
      case 19: return x[{Slice(std::nullopt, std::nullopt, -1), Slice()}];
      case 20: return F::where(Variable(random_->uniform(0, 1, {kLength, kLength}) < 0.5, false), x, y);
      case 21: return F::exp(-x * x);
      case 22: return spread(F::expand_dims(F::logsumexp(x, 1), 1)) / 4.0;
      case 23: return F::normalize(x);
      case 24: return 0.2 * F::einsum("ij,kj->ik", {x, y});
      case 25: return 0.2 * F::cumsum(x, 1);
      case 26: return F::get_item(x, {random_->randint(0, kLength, {kLength})});
      case 27: return F::scatter_add(x, {random_->randint(0, kLength, {20})}, y[Slice(0, 20)]);
      case 28: {
        const Variables states = F::lstm(y[{Slice(), Slice(0, kLength / 4)}], x);
        return F::concat({states[0], states[1], states[0], states[1]}, 1);
      }
      case 29: {
        Variables rows = F::separate(x);
        std::swap(rows[0], rows[3]);
        return F::stack(rows, 1);
      }
      case 30: return 0.2 * F::bilinear(x[{Slice(), Slice(0, 6)}], y[{Slice(), Slice(0, 8)}], part(z, {6, 8, kLength}));
      case 31: return matrix(F::local_response_normalization(image(x), {.alpha = 0.1}));
      case 32: return matrix(F::group_normalization(image(x), 4, part(y, {8}), part(z, {8})));
      case 33: return x + spread(F::softmax_cross_entropy(y, random_->randint(0, kLength, {kLength})));
      case 34: return z * spread(F::mean_squared_error(x, y));
      case 35: return F::linear_interpolate(F::sigmoid(x), y, z);
      case 36: return F::swish(x, y[0]);
      case 37: {
        const Variable cells = y[{Slice(), Slice(0, kLength / 4)}];
        const Variables states = F::slstm(cells, cells, x, z);
        return F::concat({states[0], states[1], states[0], states[1]}, 1);
      }
      case 38: {
        Variables w, b;
        for (int64_t i = 0; i < 6; ++i) {
          w.push_back(part(i < 3 ? y[Slice(4 * i, 4 * i + 4)] : z[Slice(i, i + 1)], {4, i < 3 ? kLength : 4}));
          b.push_back(z[{i, Slice(0, 4)}]);
        }
        const auto r = F::n_step_gru(1, 0, part(y, {1, 3, 4}), {w}, {b}, {x[Slice(0, 3)], x[Slice(3, 5)]});
        return F::concat({F::tile(F::concat(r.ys, 0), {1, kLength / 4}), x[Slice(5, std::nullopt)]}, 0);
      }
      default: return F::forget([](const Variables& in) { return Variables{in[0] * F::sin(in[1])}; }, {x, y})[0];
    }
  }
  uint32_t seed_;
  std::optional<random::RandomState> random_;
  Variables pool_;
};

Array direction(random::RandomState& random) {
  return random.normal(0, 1, {kLength, kLength}) / static_cast<double>(kLength);
}
// The leaves, shifted by h times `by` if that is given.
Variables leaves(uint32_t seed, Dtype dtype, const std::vector<Array>& by = {}, double h = 0) {
  random::RandomState random(seed + 1000);
  Variables out;
  for (std::size_t i = 0; i < 3; ++i) {
    Array a = random.uniform(-1, 1, {kLength, kLength}).astype(dtype);
    out.push_back(Variable(by.empty() ? a : a + h * by[i]));
  }
  return out;
}

Variable along(const Variables& gradients, const std::vector<Array>& directions) {
  Variable sum;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i]) {
      const Variable term = F::sum(gradients[i] * directions[i].astype(gradients[i].dtype()));
      sum = sum ? sum + term : term;
    }
  return sum ? sum : Variable(zeros({}, float64));
}
/// Differentiates the loss successively along each list of directions.
Variable derivative(Program& program, const Variables& xs, const std::vector<std::vector<Array>>& directions,
                    std::size_t order) {
  Variable y = program(xs);
  for (std::size_t i = 0; i < order; ++i) {
    if (!y.requires_grad()) return Variable(zeros({}, float64));
    y = along(grad({y}, xs, {.enable_double_backprop = true}), directions[i]);
  }
  return y;
}

}  // namespace

TEST(three_orders_of_derivatives_of_random_graphs) {
  const double h = 1e-4;
  for (uint32_t seed = 0; seed < (kSanitized ? 6u : 200u); ++seed) {
    Program program(seed);
    random::RandomState random(seed);
    std::vector<std::vector<Array>> directions(3);
    for (auto& d : directions)
      for (int i = 0; i < 3; ++i) d.push_back(direction(random));
    for (std::size_t order = 1; order <= 3; ++order) {
      const double value = derivative(program, leaves(seed, float64), directions, order).item<double>();
      const auto at = [&](double step) {
        return derivative(program, leaves(seed, float64, directions[order - 1], step), directions, order - 1)
            .item<double>();
      };
      const double difference = (at(h) - at(-h)) / (2 * h);
      ++test::expectations;
      if (!(std::abs(value - difference) <= 1e-6 + 1e-5 * std::abs(difference)))
        test::fail(__FILE__, __LINE__,
                   text("seed ", seed, ", order ", order, ": ", value, ", by differences ", difference));
    }
  }
}

// The same by backward(), which leaves gradients with a graph in the leaves.
TEST(second_derivatives_of_random_graphs_by_backward) {
  for (uint32_t seed = 0; seed < (kSanitized ? 6u : 100u); ++seed) {
    Program program(seed);
    random::RandomState random(seed);
    std::vector<Array> directions;
    for (int i = 0; i < 3; ++i) directions.push_back(direction(random));
    Variables xs = leaves(seed, float64);
    const Variable loss = program(xs);
    const Variable slope = along(grad({loss}, xs, {.enable_double_backprop = true}), directions);
    if (!slope.requires_grad()) continue;
    const Variables expected = grad({slope}, xs);
    loss.backward({.enable_double_backprop = true});
    Variables gradients;
    for (Variable& x : xs) {
      gradients.push_back(x.grad_var());
      x.cleargrad();
    }
    along(gradients, directions).backward();
    for (std::size_t i = 0; i < xs.size(); ++i) {
      EXPECT_EQ(static_cast<bool>(expected[i]), static_cast<bool>(xs[i].grad()));
      if (expected[i]) EXPECT_CLOSE(xs[i].grad(), expected[i].array(), {.atol = 1e-11, .rtol = 1e-9});
    }
  }
}

TEST(random_graphs_leave_gradients_of_others_alone) {
  for (uint32_t seed = 0; seed < (kSanitized ? 10u : 200u); ++seed) {
    Program program(seed);
    const auto run = [&](Dtype dtype) {
      Variables xs = leaves(seed, dtype);
      Variable loss = program(xs), middle = program.middle();
      const Variables expected = grad({loss}, xs);
      std::vector<Array> out;
      // One array, held by the caller, is the gradient of all leaves.
      const Array set = xs[0].array() * 3, before = set.copy();
      for (Variable& x : xs) x.set_grad(set);
      loss.backward({.retain_grad = true});
      EXPECT(same_bits(set, before));
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const Array g = expected[i] ? expected[i].array() : zeros_like(before);
        EXPECT_CLOSE(xs[i].grad(), before + g, {.atol = dtype == float64 ? 1e-11 : 1e-3, .rtol = 1e-4});
        out.push_back(xs[i].grad());
      }
      // Gradients that a caller holds do not change in another backward() of the same graph.
      std::vector<Array> held, copies;
      for (Variable v : {xs[0], xs[1], xs[2], middle}) {
        if (v.grad()) held.push_back(v.grad()), copies.push_back(v.grad().copy());
        v.cleargrad();
      }
      loss.cleargrad();
      loss.backward();
      for (std::size_t i = 0; i < held.size(); ++i) EXPECT(same_bits(held[i], copies[i]));
      return out;
    };
    run(float64);
    const std::vector<Array> lazy = run(float32), eager = eagerly([&] { return run(float32); });
    for (std::size_t i = 0; i < lazy.size(); ++i)
      if (!same_bits(lazy[i], eager[i])) test::fail(__FILE__, __LINE__, text("seed ", seed, ": leaf ", i, " differs"));
  }
}

// SPDX-License-Identifier: MIT
#include "ranks.h"

using namespace chainer;
namespace CF = chainermn::functions;

namespace {
Variable leaf(int64_t n, int seed) {
  return Variable(random::RandomState(static_cast<uint32_t>(seed)).randn({n}, float64));
}
// Compares gradients on each rank with finite differences of the sum of the losses of all ranks.
void check_gradient(const chainermn::Communicator& c, const std::function<Variable(const Variable&)>& loss, int64_t n) {
  const Variable x = leaf(n, 10 + c->rank());
  loss(x).backward();
  const std::vector<double> g = x.grad().to_vector<double>();
  const double eps = 1e-5;
  for (int r = 0; r < c->size(); ++r)
    for (int64_t i = 0; i < n; ++i) {
      double change = 0, size = 0;
      for (const double sign : {1.0, -1.0}) {
        Array moved = x.array().copy();
        if (c->rank() == r) moved.set(i, moved[i].item<double>() + sign * eps);
        const NoBackpropMode no_graph;
        size = c->allreduce(loss(Variable(moved)).array().reshape({})).item<double>();
        change += sign * size;
      }
      if (c->rank() == r) {
        ++test::expectations;
        const double numeric = change / (2 * eps), mine = g[static_cast<std::size_t>(i)];
        // The tolerance includes rounding errors of the sum of the losses.
        if (std::abs(numeric - mine) > 1e-6 * (1 + std::abs(mine)) + 1e-9 * std::abs(size))
          test::fail(__FILE__, __LINE__,
                     text("rank ", r, ", element ", i, ": ", mine, " and by differences ", numeric));
      }
    }
}
// Checks double backward: each rank's loss is the sum of squares of the gradient of an inner loss.
void check_second(const chainermn::Communicator& c, const std::function<Variable(const Variable&)>& inner, int64_t n) {
  check_gradient(
      c,
      [&](const Variable& x0) {
        // The inner gradient is needed even if backprop is disabled.
        const UsingConfig on(&Config::enable_backprop, true);
        const Variable x = x0 * 1.0;
        const Variable g = grad({inner(x)}, {x}, {.enable_double_backprop = true})[0];
        return F::sum(g * g * g);
      },
      n);
}
Variable cubes(const Variable& y, double by) { return F::sum(y * y * y) * by; }
}  // namespace

TEST(functions_collective_gradients) {
  for (const auto& c : communicators()) {
    const int n = c->size(), r = c->rank(), last = n - 1;
    const std::vector<std::pair<const char*, std::function<Variable(const Variable&)>>> all = {
        {"bcast", [&](const Variable& x) { return cubes(CF::bcast(c, x, last), r + 1); }},
        {"gather",
         [&](const Variable& x) {
           const Variables ys = CF::gather(c, x, last);
           Variable sum = r == last ? cubes(ys[0], 1) : F::cast(ys[0], float64);
           for (int k = 1; k < static_cast<int>(ys.size()); ++k)
             sum = sum + cubes(ys[static_cast<std::size_t>(k)], k + 1);
           return sum;
         }},
        {"scatter",
         [&](const Variable& x) {
           Variables xs;
           for (int k = 0; k < n; ++k) xs.push_back(x * (k + 1.0));
           // x takes part on every rank, so that each has a gradient.
           return cubes(CF::scatter(c, xs, 0), r + 1) + cubes(x, 0.5);
         }},
        {"alltoall",
         [&](const Variable& x) {
           Variables xs;
           for (int k = 0; k < n; ++k) xs.push_back(x * (k + 1.0));
           Variable sum;
           for (const Variable& y : CF::alltoall(c, xs)) sum = sum ? sum + cubes(y, r + 1) : cubes(y, r + 1);
           return sum;
         }},
        {"allgather",
         [&](const Variable& x) {
           Variable sum;
           int k = 0;
           for (const Variable& y : CF::allgather(c, x)) {
             const Variable part = cubes(y, r + 1 + 2 * k++);
             sum = sum ? sum + part : part;
           }
           return sum;
         }},
        {"mean", [&](const Variable& x) { return cubes(CF::mean_over_ranks(c, x * x), r + 1); }},
    };
    for (const auto& [name, function] : all) {
      const auto& f = function;  // Clang 14 does not capture structured bindings
      if (std::string(name) != "bcast") check_gradient(c, f, 3);
      // bcast: only the root has a gradient, so x is also used directly.
      check_gradient(
          c, [&](const Variable& x) { return f(x) + cubes(x, 0.25); }, 3);
      check_second(
          c, [&](const Variable& x) { return f(x) + cubes(x, 0.25); }, 2);
    }
  }
}

TEST(functions_send_and_recv) {
  const auto& c = world();
  const int r = c->rank();
  if (r < 2) {
    // x is sent from rank 0 and back: rank 1 computes y = (2 x)^3.
    if (r == 0) {
      const Variable x = leaf(3, 1);
      const Variable phi = CF::send(x * 2.0, c, 1);
      EXPECT_EQ(phi.creator()->label(), std::string("Send (peer_rank: 1)"));
      const Variable y = CF::recv(c, 1, {.delegate_variable = phi});
      EXPECT_EQ(y.creator()->label(), std::string("Recv (peer_rank: 1)"));
      EXPECT_CLOSE(y.array(), x.array() * x.array() * x.array() * 8.0);
      F::sum(y).backward({.enable_double_backprop = true});
      EXPECT_CLOSE(x.grad(), x.array() * x.array() * 24.0);
      const Variable g = x.grad_var();
      Variable again = x;
      again.cleargrad();
      F::sum(g * g).backward();  // (24 x^2)^2
      EXPECT_CLOSE(x.grad(), x.array() * x.array() * x.array() * (24.0 * 24 * 4));
    } else {
      const Variable start(zeros({}, float32));
      const Variable z = CF::recv(c, 0, {.delegate_variable = start});
      const Variable phi = CF::send(z * z * z, c, 0);
      phi.backward({.enable_double_backprop = true});
      // The graph of the gradient depends on the gradient of the delegate.
      const Variable again = start.grad_var();
      EXPECT(static_cast<bool>(again));
      again.backward();
    }
    // Tuples, tags, and two sends joined by pseudo_connect.
    if (r == 0) {
      const Variable a = leaf(2, 2), b = leaf(3, 3);
      const Variable phi1 = CF::send(Variables{a, b}, c, 1, 5), phi2 = CF::send(a, c, 1, 6);
      CF::pseudo_connect(phi1, phi2).backward();
      EXPECT_CLOSE(a.grad(), a.array() * 2.0 + 3.0);
      EXPECT_CLOSE(b.grad(), ones({3}, float64));
    } else {
      const Variables ab = CF::recv_tuple(c, 0, {.tag = 5});
      const Variable a2 = CF::recv(c, 0, {.tag = 6});
      (F::sum(ab[0] * ab[0]) + F::sum(ab[1]) + F::sum(a2 * 3.0)).backward();
    }
    // Variables without gradient receive none.
    if (r == 0) {
      (void)CF::send(Variable(ones({2}), false), c, 1);
      c->send(ones({1}), 1);
    } else {
      const Variable y = CF::recv(c, 0);
      F::sum(y).backward();
      EXPECT_CLOSE(c->recv(0), ones({1}));
      EXPECT_THROW(ValueError, "this rank itself", CF::send(y, c, 1));
      EXPECT_THROW(TypeError, "the delegate variable is none", CF::pseudo_connect(Variable(), y));
    }
  }
  c->barrier();
}

// SPDX-License-Identifier: MIT
// Random deferred programs and random graphs on an emulated device, with three orders of threads and blocks.
#include <chainer/chainer.h>

#include "../array/bits.h"
#include "../array/random_program.h"
#include "chainer/array/host.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;
using cuda::emulation::Order;
using random_programs::RandomProgram;

namespace {

// Seeds that the test on the host does not use.
constexpr uint32_t kFirst = 50000, kPrograms = 150;

void programs_in(Order order) {
  cuda::emulation::set_order(order, 9);
  const Device device = emulated_number(0);
  const uint32_t first = kFirst + static_cast<uint32_t>(order) * kPrograms;
  for (uint32_t seed = first; seed < first + kPrograms; ++seed) {
    const Arrays lazy = RandomProgram(seed, device).run(60);
    const Arrays eager = eagerly([&] { return RandomProgram(seed, device).run(60); });
    EXPECT_EQ(lazy.size(), eager.size());
    for (std::size_t i = 0; i < lazy.size(); ++i) {
      ++test::expectations;
      if (!same_bits(to_host(lazy[i]), to_host(eager[i])))
        test::fail(__FILE__, __LINE__, chainer::text("seed ", seed, ": array ", i, " differs from eager evaluation's"));
    }
  }
  cuda::emulation::set_order(Order::forward);
}

}  // namespace

TEST(random_programs_have_eager_bits_on_the_device) { programs_in(Order::forward); }
TEST(random_programs_have_eager_bits_on_the_device_backward) { programs_in(Order::backward); }
TEST(random_programs_have_eager_bits_on_the_device_shuffled) { programs_in(Order::shuffled); }

// Random graphs of smooth functions with few variables that are reused often: values, gradients and second derivatives
// equal those of the host up to rounding.
TEST(random_graphs_have_the_gradients_of_the_host) {
  const auto run = [](uint32_t seed, const Device& device) {
    random::RandomState r(seed);
    const auto draw = [&](int n) { return static_cast<int>(r.next_interval(static_cast<uint64_t>(n - 1))); };
    Variables leaves, pool;
    for (const Shape& s : {Shape{48, 64}, Shape{48, 64}, Shape{64}, Shape{48, 1}})
      leaves.push_back(Variable(r.uniform(-1, 1, s).astype(float64).to_device(device)));
    pool = leaves;
    for (int step = 0; step < 14; ++step) {
      const Variable &a = pool[static_cast<std::size_t>(draw(static_cast<int>(pool.size())))],
                     &b = pool[static_cast<std::size_t>(draw(static_cast<int>(pool.size())))];
      const auto meet = [&](const Variable& v) { return F::broadcast_to(v, {48, 64}); };
      switch (draw(9)) {
        case 0: pool.push_back(meet(a) + meet(b)); break;
        case 1: pool.push_back(meet(a) * meet(b)); break;
        case 2: pool.push_back(F::tanh(a)); break;
        case 3: pool.push_back(F::sigmoid(a) * 2.0 - b * 0.25); break;
        case 4: pool.push_back(meet(a) / (meet(b) * meet(b) + 1.0)); break;
        case 5: pool.push_back(F::softmax(meet(a))); break;
        case 6: pool.push_back(F::matmul(F::matmul(meet(a), F::transpose(meet(b))), meet(b)) * 0.01); break;
        case 7: pool.push_back(F::sum(F::tanh(meet(a)), 0)); break;
        default: pool.push_back(F::exp(F::tanh(a)) - a); break;
      }
    }
    Variable total = F::sum(F::tanh(pool[0]));
    for (const Variable& v : pool) total = total + F::sum(F::tanh(v));
    const Variables first = grad({total}, leaves, {.enable_double_backprop = true});
    Variable norm = F::sum(first[0] * first[0]);
    for (std::size_t k = 1; k < first.size(); ++k) norm = norm + F::sum(first[k] * first[k]);
    const Variables second = grad({norm}, leaves);
    Arrays out{to_host(total.array())};
    for (const Variables* g : {&first, &second})
      for (const Variable& v : *g) out.push_back(v ? to_host(v.array()) : Array());
    return out;
  };
  for (const Order order : {Order::forward, Order::backward, Order::shuffled}) {
    cuda::emulation::set_order(order, 9);
    for (uint32_t k = 0; k < 20; ++k) {
      const uint32_t seed = 70000 + 20 * static_cast<uint32_t>(order) + k;
      const Arrays want = run(seed, Device()), got = run(seed, emulated_number(0));
      EXPECT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(static_cast<bool>(got[i]), static_cast<bool>(want[i]));
        // Elements that are small by cancellation are compared with the precision of the largest.
        if (want[i])
          EXPECT_CLOSE(got[i], want[i], {.atol = 1e-8 * std::max(1.0, max(abs(want[i])).item<double>()), .rtol = 1e-8});
      }
    }
  }
  cuda::emulation::set_order(Order::forward);
}

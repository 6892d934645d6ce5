// SPDX-License-Identifier: MIT
// Functions on a device compared with the host's, and the arrays that leave the device.
#pragma once
#include <chainer/chainer.h>

#include <utility>

#include "chainer/array/host.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "emulated_number.h"
#include "test.h"

/// f(device) returns arrays, which must be close to the host's in three orders of threads, without an array going to
/// the host in between.
template <class F>
void expect_as_on_the_host(double tolerance, F&& f, int64_t fetched = 0) {
  using chainer::cuda::emulation::Order;
  const chainer::Arrays want = f(chainer::Device());
  for (const auto order : {Order::forward, Order::backward, Order::shuffled}) {
    chainer::cuda::emulation::set_order(order, 7);
    const int64_t before = chainer::transfers().to_host;
    const chainer::Arrays got = f(emulated_number(0));
    for (const chainer::Array& a : got) (void)a.raw();
    EXPECT_EQ(chainer::transfers().to_host - before, fetched);
    for (std::size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(got[i].dtype(), want[i].dtype());
      EXPECT_CLOSE(chainer::to_host(got[i]), want[i], {.atol = tolerance, .rtol = tolerance});
    }
  }
  chainer::cuda::emulation::set_order(Order::forward);
}

/// Returns a result and the gradients of its sum, with different weights for all elements; of a constant only the
/// result.
inline chainer::Arrays with_gradients(const chainer::Variable& y, const chainer::Variables& of) {
  using namespace chainer;
  const Array weights = random::RandomState(99).randn(y.shape()).astype(y.dtype()).to_device(y.device());
  Arrays out{y.array()};
  if (!y.requires_grad()) return out;
  for (const Variable& g : chainer::grad({y}, of, {.grad_outputs = {Variable(weights)}})) out.push_back(g.array());
  return out;
}
/// Returns the array on a device with its axes reversed in memory.
inline chainer::Array reversed_in_memory(const chainer::Array& a, const chainer::Device& d) {
  return a.T().contiguous().to_device(d).T();
}

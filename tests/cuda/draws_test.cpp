// SPDX-License-Identifier: MIT
// Functions that draw numbers, on a device.
#include <chainer/chainer.h>

#include "../array/bits.h"
#include "chainer/array/host.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

// Results of convolutions have their channels last in memory; masks for them do not pass through the host.
TEST(masks_of_any_memory_order_are_drawn_on_the_device) {
  const Array x = ones({2, 3, 4, 5}).transpose({0, 2, 3, 1}).copy().transpose({0, 3, 1, 2});
  const Variable here(x), there(x.to_device(emulated_number(0)));
  random::seed(6);
  const Array want = F::dropout(here, 0.3).array();
  random::seed(6);
  const int64_t sent = transfers().to_device;
  const Array got = F::dropout(there, 0.3).array();
  (void)got.raw();
  EXPECT_EQ(transfers().to_device, sent);
  EXPECT(same_bits(to_host(got), want));
}

// Functions that draw NumPy's numbers on the host draw on a device: equal for a seed, and of the same distribution.
TEST(functions_draw_on_the_device) {
  const Device d = emulated_number(0);
  const Variable one(ones({200, 500}, float32).to_device(d)), zero(zeros({200, 500}, float32).to_device(d));
  const auto drawn = [&](auto&& f) {
    random::seed(5);
    const int64_t sent = transfers().to_device;
    const Array first = f().array();
    EXPECT_EQ(transfers().to_device, sent);
    const Array second = to_host(f().array());
    random::seed(5);
    EXPECT_CLOSE(to_host(f().array()), to_host(first), {.atol = 0, .rtol = 0});
    EXPECT(!same_bits(second, to_host(first)));
    return second.astype(float64);
  };
  const Array zoned = drawn([&] { return F::zoneout(zero, one, 0.3); });
  EXPECT_CLOSE(mean(zoned), array(0.7), {.atol = 0.01});
  EXPECT_CLOSE(zoned * zoned, zoned);
  const Array slope = drawn([&] { return F::rrelu(-one, 0.2, 0.6); });
  EXPECT_CLOSE(mean(slope), array(-0.4), {.atol = 0.01});
  EXPECT(chainer::min(slope).item<double>() >= -0.6 && chainer::max(slope).item<double>() <= -0.2);
  // The larger of two Gumbel variables is that of the larger score with its probability.
  const Variable scores(broadcast_to(log(array({0.2f, 0.8f})), {50000, 2}).copy().to_device(d));
  const Array chosen = drawn([&] { return F::gumbel_softmax(scores, 0.01); });
  EXPECT_CLOSE(mean(chosen[{Slice(), 1}] > 0.5, {0}), array(0.8), {.atol = 0.01});
  EXPECT(!any(isnan(chosen)).item<bool>());
  const Variable w(ones({400, 300}, float32).to_device(d)), x(ones({2, 300}, float32).to_device(d));
  EXPECT_CLOSE(mean(drawn([&] { return F::simplified_dropconnect(x, w, {}, {.ratio = 0.25}); })), array(300.0),
               {.atol = 3});
}

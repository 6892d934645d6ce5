// SPDX-License-Identifier: MIT
// Each kind of mistake that the emulated device detects, with a faulty kernel.
#include "chainer/backend/cuda/emulation/emulation.h"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "chainer/core/error.h"
#include "test.h"
#include "wrong_kernels.h"

using namespace chainer;
using namespace chainer::cuda;

namespace {

// Runs a kernel with a block of 64 threads on 64 numbers in host memory, which the emulated device uses.
std::vector<float> result_of(const char* kernel, int n = 0, unsigned blocks = 1, Dim3 block = {64, 1, 1}) {
  std::vector<float> x(64);
  std::iota(x.begin(), x.end(), 0.f);
  const WrongArgs args{x.data(), n};
  const Launch l{kernel, {blocks, 1, 1}, block, 0, sizeof(args), &typeid(WrongArgs)};
  emulation::check(l);
  emulation::run(l, &args);
  return x;
}

struct InOrder {
  explicit InOrder(emulation::Order order, uint32_t seed = 1) { emulation::set_order(order, seed); }
  ~InOrder() { emulation::set_order(emulation::Order::forward); }
};

}  // namespace

TEST(a_right_kernel_gives_the_same_in_every_order) {
  std::vector<float> want(64);
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 32; ++k) want[static_cast<std::size_t>(i)] += static_cast<float>(63 - (i / 32 * 32 + k));
  for (const auto order : {emulation::Order::forward, emulation::Order::backward, emulation::Order::shuffled}) {
    const InOrder scope(order, 5);
    EXPECT(result_of("right") == want);
  }
}

TEST(threads_that_do_not_meet_are_found) {
  const auto finds = [](const char* kernel, const char* part, int n = 0) {
    for (const auto order : {emulation::Order::forward, emulation::Order::backward}) {
      const InOrder scope(order);
      EXPECT_THROW(DeviceError, part, result_of(kernel, n));
      EXPECT_THROW(DeviceError, text(kernel, ", block (0, 0, 0), thread ("), result_of(kernel, n));
    }
  };
  finds("barrier_of_some", " at line ", 63);
  finds("two_barriers", ", other threads at line ");
  finds("shuffle_of_half", "lane 8 reads from lane 16, which takes no part, at line ");
  finds("shuffle_with_all", "waits for threads that wait elsewhere");
  finds("not_in_the_mask", "is not in its own mask at line ");
  finds("two_meetings", "lanes that are at line ");
  EXPECT_THROW(DeviceError, "waits at line", result_of("barrier_after_an_end"));
  EXPECT(result_of("right")[0] > 0);  // a failed block has no effect on later ones
}

TEST(shared_memory_is_what_threads_wrote) {
  const std::vector<float> v = result_of("unwritten_shared");
  EXPECT(v[31] == 1 && std::isnan(v[32]));
  EXPECT_THROW(DeviceError, "more than 49152 bytes of shared memory", result_of("much_shared"));
  bool nan = false;
  for (const float x : result_of("transpose_without_barrier")) nan = nan || std::isnan(x);
  EXPECT(nan);
}

TEST(a_race_of_blocks_shows_in_another_order) {
  const float forward = result_of("blocks_in_a_race", 0, 8, {1, 1, 1})[0];
  const InOrder scope(emulation::Order::backward);
  EXPECT(result_of("blocks_in_a_race", 0, 8, {1, 1, 1})[0] != forward);
}

TEST(launches_beyond_limits_are_refused) {
  const WrongArgs args{nullptr, 0};
  Launch l{"right", {1, 1, 1}, {64, 1, 1}, 0, sizeof(args), &typeid(WrongArgs)};
  emulation::check(l);
  const auto with = [&](auto change) {
    Launch other = l;
    change(other);
    emulation::check(other);
  };
  EXPECT_THROW(DeviceError, "launch of nothing, grid (1, 1, 1), block (64, 1, 1): no such kernel",
               with([](auto& o) { o.kernel = "nothing"; }));
  EXPECT_THROW(DeviceError, "arguments of another type", with([](auto& o) { o.args_type = &typeid(int); }));
  EXPECT_THROW(DeviceError, "a block must have 1 to 1024", with([](auto& o) { o.block = {1025, 1, 1}; }));
  EXPECT_THROW(DeviceError, "at most 64 of them along z", with([](auto& o) { o.block = {1, 1, 65}; }));
  EXPECT_THROW(DeviceError, "a grid must have", with([](auto& o) { o.grid = {0, 1, 1}; }));
  EXPECT_THROW(DeviceError, "a grid must have", with([](auto& o) { o.grid = {1, 65536, 1}; }));
  EXPECT_THROW(DeviceError, "bytes of shared memory", with([](auto& o) { o.dynamic_shared = 300000; }));
  EXPECT_THROW(DeviceError, "bytes of arguments", with([](auto& o) { o.args_bytes = 4097; }));
  const emulation::Counts before = emulation::counts();
  result_of("right");
  EXPECT_EQ(emulation::counts().launches, before.launches + 1);
  EXPECT_EQ(emulation::counts().threads, before.threads + 64);
}

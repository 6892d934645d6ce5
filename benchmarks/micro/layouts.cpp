// SPDX-License-Identifier: MIT
// Memory order: statistics over (N, H, W) of channels-last images, broadcasting with them, and copies between orders.
// Names end in /1 for deferred and in /0 for eager evaluation.
#include <benchmark/benchmark.h>
#include <chainer/array/order.h>
#include <chainer/array/deferred/deferred.h>
#include <chainer/chainer.h>

#include <optional>

using namespace chainer;

namespace {

const Shape kImages{64, 64, 32, 32};
const Axes kAllButChannels{0, 2, 3};

Array images() { return in_order(random::uniform(-1, 1, kImages).astype(float32), {0, 2, 3, 1}); }

template <class F>
void time_of(benchmark::State& state, F&& f) {
  std::optional<deferred::EagerMode> eager;
  if (state.range(0) == 0) eager.emplace();
  for (auto _ : state) benchmark::DoNotOptimize(f().raw());
}

void channel_sums(benchmark::State& state) {
  const Array x = images();
  time_of(state, [&] { return sum(x, kAllButChannels); });
}
void channel_mean_and_variance(benchmark::State& state) {
  const Array x = images();
  time_of(state, [&] { return var(x, kAllButChannels, true); });
}
void normalized(benchmark::State& state) {
  const Array x = images();
  time_of(state, [&] {
    const Array m = mean(x, kAllButChannels, true), d = x - m;
    return relu(d * rsqrt(mean(square(d), kAllButChannels, true) + 1e-5));
  });
}
void per_channel_scale(benchmark::State& state) {
  const Array x = images(), scale = random::uniform(-1, 1, {1, 64, 1, 1}).astype(float32);
  time_of(state, [&] { return x * scale + scale; });
}
void rows_normalized(benchmark::State& state) {
  const Array x = random::uniform(-1, 1, {65536, 64}).astype(float32);
  time_of(state, [&] {
    const Array m = mean(x, 0, true), d = x - m;
    return d * rsqrt(mean(square(d), 0, true) + 1e-5);
  });
}
void transposed_copy(benchmark::State& state) {
  const Array x = random::uniform(-1, 1, {2048, 2048}).astype(float32).T();
  time_of(state, [&] { return x.contiguous(); });
}
void into_channels_last(benchmark::State& state) {
  const Array x = images().contiguous();
  time_of(state, [&] { return in_order(x, {0, 2, 3, 1}); });
}
void mixed_orders(benchmark::State& state) {
  const Array x = images(), y = x.contiguous();
  time_of(state, [&] { return x + y; });
}

}  // namespace

#define BOTH(NAME) BENCHMARK(NAME)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime()
BOTH(channel_sums);
BOTH(channel_mean_and_variance);
BOTH(normalized);
BOTH(per_channel_scale);
BOTH(rows_normalized);
BOTH(transposed_copy);
BOTH(into_channels_last);
BOTH(mixed_orders);

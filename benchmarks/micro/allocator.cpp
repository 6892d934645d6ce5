// SPDX-License-Identifier: MIT
// The allocator: creating and destroying arrays, small ones from the pool, larger ones from the cache.
#include <benchmark/benchmark.h>
#include <chainer/chainer.h>

using namespace chainer;

namespace {
void make_and_drop(benchmark::State& state) {
  const Shape shape = {state.range(0)};
  for (auto _ : state) {
    Array a(shape, float32);
    benchmark::DoNotOptimize(a);
  }
}
// The cost of first use: the cache is emptied in between, so every block comes from the system and is touched.
void fresh_pages(benchmark::State& state) {
  for (auto _ : state) {
    memory::empty_cache();
    Array a({state.range(0)}, float32);
    a.fill(1);
  }
}
void recycled_pages(benchmark::State& state) {
  for (auto _ : state) {
    Array a({state.range(0)}, float32);
    a.fill(1);
  }
}
}  // namespace

BENCHMARK(make_and_drop)->Arg(1)->Arg(64)->Arg(1000)->Arg(100000)->Arg(10000000);
BENCHMARK(fresh_pages)->Arg(100000)->Arg(10000000);
BENCHMARK(recycled_pages)->Arg(100000)->Arg(10000000);

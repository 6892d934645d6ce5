// SPDX-License-Identifier: MIT
// The cost of one operation: forward, and forward with backward, with and without a graph, from 1 to 1e7 elements.
#include <benchmark/benchmark.h>
#include <chainer/chainer.h>

using namespace chainer;

namespace {

Array numbers(int64_t n) { return random::uniform(0.5, 1.5, {n}, float32); }
void sizes(benchmark::internal::Benchmark* b) {
  for (int64_t n : {1, 1000, 100000, 10000000}) b->Arg(n);
}

template <class F>
void array_operation(benchmark::State& state, F f) {
  const Array x = numbers(state.range(0)), y = numbers(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(f(x, y).raw());
  state.SetBytesProcessed(state.iterations() * state.range(0) * 4);
}
template <class F>
void no_graph(benchmark::State& state, F f) {
  const Variable x = numbers(state.range(0)), y = numbers(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(f(x, y).array().raw());
}
template <class F>
void with_graph(benchmark::State& state, F f) {
  const Variable x(numbers(state.range(0))), y(numbers(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(f(x, y).array().raw());
}
template <class F>
void with_backward(benchmark::State& state, F f) {
  Variable x(numbers(state.range(0))), y(numbers(state.range(0)));
  const Array gy = numbers(state.range(0));
  for (auto _ : state) {
    Variable z = f(x, y);
    z.set_grad(gy);
    x.cleargrad();
    y.cleargrad();
    z.backward();
    benchmark::DoNotOptimize(x.grad().raw());
  }
}

const auto plus = [](const auto& a, const auto& b) { return a + b; };
const auto times = [](const auto& a, const auto& b) { return a * b; };
const auto tanh_of = [](const Variable& a, const Variable&) { return F::tanh(a); };

}  // namespace

BENCHMARK_CAPTURE(array_operation, add, plus)->Apply(sizes);
BENCHMARK_CAPTURE(array_operation, exp, [](const Array& a, const Array&) { return exp(a); })->Apply(sizes);
BENCHMARK_CAPTURE(array_operation, sum, [](const Array& a, const Array&) { return sum(a); })->Apply(sizes);
BENCHMARK_CAPTURE(no_graph, multiply, times)->Apply(sizes);
BENCHMARK_CAPTURE(no_graph, tanh, tanh_of)->Apply(sizes);
BENCHMARK_CAPTURE(with_graph, multiply, times)->Apply(sizes);
BENCHMARK_CAPTURE(with_graph, tanh, tanh_of)->Apply(sizes);
BENCHMARK_CAPTURE(with_backward, multiply, times)->Apply(sizes);
BENCHMARK_CAPTURE(with_backward, tanh, tanh_of)->Apply(sizes);

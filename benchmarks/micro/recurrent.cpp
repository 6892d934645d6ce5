// SPDX-License-Identifier: MIT
// The cost of a step of a recurrent layer at hidden size 64 and batch 1: forward without a graph, forward with a graph,
// and forward and backward, per step of a sequence of 20 (or of the given length).
#include <benchmark/benchmark.h>
#include <chainer/chainer.h>

using namespace chainer;

namespace {

constexpr int64_t kUnits = 64;

struct Inputs {
  Variables x;
  explicit Inputs(int64_t steps) {
    for (int64_t t = 0; t < steps; ++t) x.push_back(Variable(random::uniform(-1, 1, {1, kUnits}, float32), false));
  }
};

void per_step(benchmark::State& state, int64_t steps) {
  state.SetItemsProcessed(state.iterations() * steps);  // the inverse of the time per step
  state.counters["step"] = benchmark::Counter(static_cast<double>(state.iterations() * steps),
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <class Lstm>
void forward(benchmark::State& state, bool graph) {
  Lstm lstm(kUnits, kUnits);
  const Inputs in(state.range(0));
  const UsingConfig backprop(&Config::enable_backprop, graph);
  for (auto _ : state) {
    lstm.reset_state();
    for (const Variable& x : in.x) benchmark::DoNotOptimize(lstm(x).array().raw());
  }
  per_step(state, state.range(0));
}
template <class Lstm>
void forward_backward(benchmark::State& state) {
  Lstm lstm(kUnits, kUnits);
  const Inputs in(state.range(0));
  for (auto _ : state) {
    lstm.reset_state();
    Variable h;
    for (const Variable& x : in.x) h = lstm(x);
    lstm.cleargrads();
    h.set_grad(ones({1, kUnits}));
    h.backward();
    benchmark::DoNotOptimize(lstm.params()[0].grad().raw());
  }
  per_step(state, state.range(0));
}

// The whole sequence in one function.
void n_step(benchmark::State& state, bool backward) {
  L::NStepLSTM lstm(1, kUnits, kUnits, 0.0);
  const Variable x(random::uniform(-1, 1, {state.range(0), kUnits}, float32), false);
  const UsingConfig backprop(&Config::enable_backprop, backward);
  for (auto _ : state) {
    Variable h = lstm(Variable(), Variable(), Variables{x}).hy;
    benchmark::DoNotOptimize(h.array().raw());
    if (!backward) continue;
    lstm.cleargrads();
    h.set_grad(ones({1, 1, kUnits}));
    h.backward();
    benchmark::DoNotOptimize(lstm.params()[0].grad().raw());
  }
  per_step(state, state.range(0));
}

}  // namespace

const auto lstm = forward<L::LSTM>;
const auto gru = forward<L::StatefulGRU>;
BENCHMARK_CAPTURE(lstm, no_graph, false)->Arg(20);
BENCHMARK_CAPTURE(lstm, graph, true)->Arg(20);
BENCHMARK(forward_backward<L::LSTM>)->Arg(20);
BENCHMARK_CAPTURE(gru, no_graph, false)->Arg(20);
BENCHMARK_CAPTURE(gru, graph, true)->Arg(20);
BENCHMARK(forward_backward<L::StatefulGRU>)->Arg(20);
BENCHMARK_CAPTURE(n_step, forward, false)->Arg(20);
BENCHMARK_CAPTURE(n_step, forward_backward, true)->Arg(20);

// SPDX-License-Identifier: MIT
// An optimizer's step on 1M parameters; and after gradients became zero, when decaying values become denormal.
#include <benchmark/benchmark.h>
#include <chainer/chainer.h>

#include <algorithm>
#include <chrono>
#include <vector>

using namespace chainer;

namespace {

struct Weights : Link {
  Parameter W{InitializerArg(initializers::Normal(0.05)), Shape{1000, 1000}};
  CHAINER_MEMBERS(Weights, W);
};

template <class Optimizer>
void step(benchmark::State& state) {
  Weights model;
  Optimizer optimizer;
  optimizer.setup(model);
  model.W.set_grad(random::randn({1000, 1000}, float32));
  for (auto _ : state) optimizer.update();
}

// The counter is the time of steps around the 3000th relative to the first steps: 1 without denormals.
template <class Optimizer>
void step_without_gradient(benchmark::State& state) {
  for (auto _ : state) {
    Weights model;
    Optimizer optimizer;
    optimizer.setup(model);
    model.W.set_grad(random::randn({1000, 1000}, float32));
    std::vector<double> seconds;
    for (int i = 0; i < 3020; ++i) {
      const auto start = std::chrono::steady_clock::now();
      optimizer.update();
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      if (i == 0) model.W.set_grad(zeros({1000, 1000}));
    }
    const auto median = [&](int from, int to) {
      std::vector<double> part(seconds.begin() + from, seconds.begin() + to);
      std::sort(part.begin(), part.end());
      return part[part.size() / 2];
    };
    state.counters["late/early"] = median(2980, 3020) / median(2, 42);
  }
}

}  // namespace

BENCHMARK(step<optimizers::SGD>)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(step<optimizers::MomentumSGD>)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(step<optimizers::Adam>)->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(step_without_gradient<optimizers::MomentumSGD>)->Iterations(1)->UseRealTime();
BENCHMARK(step_without_gradient<optimizers::Adam>)->Iterations(1)->UseRealTime();

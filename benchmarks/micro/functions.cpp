// Single functions, forward and backward, at sizes of real use: what peers/functions.py runs beside PyTorch.
#include <benchmark/benchmark.h>
#include <chainer/chainer.h>

using namespace chainer;

namespace {

// One step: gradients cleared, the function summed, backward.
template <class Function>
void step(benchmark::State& state, Function f, std::vector<Variable> roots) {
  for (auto _ : state) {
    for (Variable& x : roots) x.cleargrad();
    F::sum(f()).backward();
    for (Variable& x : roots) benchmark::DoNotOptimize(x.grad().raw());
  }
}
Variable normal(const Shape& s) { return Variable(random::randn(s, float32)); }

void ctc(benchmark::State& state) {
  const Variable x = normal({200, 32, 80});
  const Array t = random::randint(1, 80, {32, 40}, int32);
  step(state, [&] { return F::connectionist_temporal_classification(x, t, 0); }, {x});
}
void crf1d(benchmark::State& state) {
  const Variable cost = normal({20, 20});
  Variables xs, ys;
  for (int i = 0; i < 50; ++i)
    xs.push_back(normal({64, 20})), ys.push_back(Variable(random::randint(0, 20, {64}, int32), false));
  step(state, [&] { return F::crf1d(cost, xs, ys); }, {cost});
}
void black_out(benchmark::State& state) {
  const Variable x = normal({128, 300}), W = normal({20000, 300});
  const Array t = random::randint(0, 20000, {128}, int32), samples = random::randint(0, 20000, {128, 50}, int32);
  step(state, [&] { return F::black_out(x, t, W, samples); }, {x, W});
}
void spatial_transformer_sampler(benchmark::State& state) {
  const Variable x = normal({8, 3, 64, 64}), grid(random::uniform(-1, 1, {8, 2, 64, 64}, float32));
  step(state, [&] { return F::spatial_transformer_sampler(x, grid); }, {x, grid});
}
void resize_images(benchmark::State& state) {
  const Variable x = normal({8, 3, 64, 64});
  step(state, [&] { return F::resize_images(x, {128, 128}); }, {x});
}
void im2col(benchmark::State& state) {
  const Variable x = normal({8, 3, 64, 64});
  step(state, [&] { return F::im2col(x, 3, {.pad = 1}); }, {x});
}
void einsum(benchmark::State& state) {
  const Variable a = normal({16, 128, 64}), b = normal({16, 64, 128});
  step(state, [&] { return F::einsum("bij,bjk->bik", {a, b}); }, {a, b});
}
void layer_normalization(benchmark::State& state) {
  const Variable x = normal({256, 1024}), gamma(ones({1024})), beta(zeros({1024}));
  step(state, [&] { return F::layer_normalization(x, gamma, beta); }, {x, gamma, beta});
}
void prelu(benchmark::State& state) {
  const Variable x = normal({128, 2048}), W(full({2048}, 0.25));
  step(state, [&] { return F::prelu(x, W); }, {x, W});
}
void batch_inv(benchmark::State& state) {
  const Variable a = normal({64, 32, 32});
  step(state, [&] { return F::batch_inv(a); }, {a});
}
void fft(benchmark::State& state) {
  const Variable re = normal({64, 4096}), im = normal({64, 4096});
  step(state, [&] { return F::fft({re, im})[0]; }, {re, im});
}
void digamma(benchmark::State& state) {
  const Variable x(random::uniform(0.5, 3, {262144}, float32));
  step(state, [&] { return F::digamma(x); }, {x});
}
void erfinv(benchmark::State& state) {
  const Variable x(random::uniform(-0.9, 0.9, {262144}, float32));
  step(state, [&] { return F::erfinv(x); }, {x});
}

}  // namespace

BENCHMARK(ctc)->UseRealTime();
BENCHMARK(crf1d)->UseRealTime();
BENCHMARK(black_out)->UseRealTime();
BENCHMARK(spatial_transformer_sampler)->UseRealTime();
BENCHMARK(resize_images)->UseRealTime();
BENCHMARK(im2col)->UseRealTime();
BENCHMARK(einsum)->UseRealTime();
BENCHMARK(layer_normalization)->UseRealTime();
BENCHMARK(prelu)->UseRealTime();
BENCHMARK(batch_inv)->UseRealTime();
BENCHMARK(fft)->UseRealTime();
BENCHMARK(digamma)->UseRealTime();
BENCHMARK(erfinv)->UseRealTime();

// SPDX-License-Identifier: MIT
// The cost of monitoring: one million scalars in an event file, extensions::TensorBoard in a training step, and
// recording a timeline. Measures processor time, which depends little on other programs: bench_seeing [FOLDER]
#include <chainer/chainer.h>
#include <chainer/function_hooks/trace.h>
#include <chainer/training/extensions/tensorboard.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

using namespace chainer;

namespace {

// Processor seconds of all threads.
double processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void scalars(const std::filesystem::path& folder) {
  constexpr int64_t kPoints = 1'000'000;
  const double begin = processor();
  {
    tensorboard::Writer board(folder / "scalars");
    for (int64_t i = 0; i < kPoints; ++i) board.scalar("main/loss", 1.0 / static_cast<double>(i + 1), i);
  }
  std::printf("one million scalars: %.0f per second\n", kPoints / (processor() - begin));
}

L::Classifier network() {
  return L::Classifier(Sequential(L::Linear(784, 1000), F::relu, L::Linear(1000, 1000), F::relu, L::Linear(1000, 10)));
}

struct Timed : extensions::TensorBoard {
  explicit Timed(double& seconds) : seconds_(seconds) {}
  void operator()(Trainer& trainer) override {
    const double begin = processor();
    extensions::TensorBoard::operator()(trainer);
    seconds_ += processor() - begin;
  }
  double& seconds_;
};

// An epoch of MNIST's size, and the extension's share.
void board(const std::filesystem::path& folder) {
  auto model = network();
  auto optimizer = optimizers::Adam().setup(model);
  const Array x = random::uniform(0, 1, {60000, 784}).astype(float32);
  iterators::SerialIterator batches(datasets::TupleDataset(x, zeros({60000}, int32)), 100);
  training::StandardUpdater updater(batches, optimizer);
  Trainer trainer(updater, {1, "epoch"}, {.out = folder});
  double inside = 0;
  trainer.extend(Timed(inside));
  const double begin = processor();
  trainer.run();
  const double all = processor() - begin;
  std::printf("extensions::TensorBoard: %.3f of %.2f ms per step, %.2f %%\n", inside / 0.6, (all - inside) / 0.6,
              100 * inside / (all - inside));
}

// Alternates steps with and without a recorder; takes the minimum of each.
void traced_steps() {
  auto model = network();
  auto optimizer = optimizers::Adam().setup(model);
  const Variable x(random::uniform(0, 1, {100, 784}).astype(float32)), t(zeros({100}, int32));
  function_hooks::TraceHook trace;
  double least[] = {1e9, 1e9};
  for (int i = 0; i < 400; ++i) {
    std::optional<FunctionHookScope> scope;
    if (i % 2) scope.emplace(trace);
    const double begin = processor();
    model.cleargrads();
    model(x, t).backward();
    optimizer.update();
    least[i % 2] = std::min(least[i % 2], processor() - begin);
  }
  std::printf("TraceHook: %.3f ms per step with it, %.3f without, %+.2f %%\n", 1e3 * least[1], 1e3 * least[0],
              100 * (least[1] / least[0] - 1));
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "bench_seeing";
  random::seed(0);
  scalars(folder);
  board(folder / "run");
  traced_steps();
  std::filesystem::remove_all(folder);
}

// SPDX-License-Identifier: MIT
// Trains a multilayer perceptron on MNIST whose graph is recorded in the first iteration and then replayed.
//
//   build/release/examples/static_graph_optimizations/mnist/train_mnist_static --unit 100
//
// The log is equal to that of examples/mnist/train_mnist with the same options. Small networks and batches gain most.
// --model side_effect has code that is not a function: static_code() adds it to the schedule.
#include <chainer/chainer.h>

#include "../../common/training.h"
#include "../../mnist/mlp.h"

using namespace chainer;

namespace {

// Counts its calls: replays also run marked code.
struct MLPSideEffect : Chain {
  L::Linear l1, l2, l3;
  int64_t counter = 0;
  MLPSideEffect(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_units), l3(n_out) {}
  CHAINER_MEMBERS(MLPSideEffect, l1, l2, l3);
  Variable forward(const Variable& x) {
    const auto count = static_code([this] { ++counter; });
    count();
    return l3(F::relu(l2(F::relu(l1(x)))));
  }
};

struct Settings {
  std::string dataset, out = "result", model = "mlp", device = "@cpu";
  long batchsize = 100, epoch = 20, unit = 1000, seed = -1;
};

void train(const Settings& s, L::Classifier& model) {
  auto optimizer = optimizers::Adam().setup(model);
  auto [train, test] = load_digits(s.dataset);
  iterators::SerialIterator train_iter(train, s.batchsize);
  iterators::SerialIterator test_iter(test, s.batchsize, {.repeat = false, .shuffle = false});
  const Device device = get_device(s.device);
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"}));
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_mnist_static", [&] {
    Settings s;
    examples::Options options("train_mnist_static", "Trains a multilayer perceptron as a static graph on MNIST.");
    options.add("--batchsize", "images per batch", s.batchsize, 1);
    options.add("--epoch", "passes over the images", s.epoch, 1);
    options.add("--unit", "units of the hidden layers", s.unit, 1);
    options.add("--out", "folder for the results", s.out);
    options.add("--model", "mlp, or side_effect: one with code that is not a function", s.model);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                s.dataset);
    examples::add_device(options, s.device);
    options.add("--seed", "seed of the random numbers; -1: taken from the system", s.seed, -1);
    options.parse(argc, argv);
    if (s.seed >= 0) random::seed(static_cast<uint32_t>(s.seed));
    if (s.model == "mlp") {
      L::Classifier model(static_graph(MLP(s.unit, 10)));
      train(s, model);
    } else if (s.model == "side_effect") {
      MLPSideEffect mlp(s.unit, 10);
      L::Classifier model(static_graph(mlp));
      train(s, model);
      std::printf("%lld calls\n", static_cast<long long>(mlp.counter));
    } else {
      throw ValueError("--model is mlp or side_effect, not '", s.model, "'");
    }
  });
}

// SPDX-License-Identifier: MIT
// Trains a multilayer perceptron on MNIST with the trainer.
//
//   build/release/examples/mnist/train_mnist --epoch 20 --out result
//
// Adam, 1000 units, batches of 100: about 0.98 test accuracy from the sixth epoch on. --resume continues an interrupted
// run from its newest snapshot (--frequency 1 writes one per epoch). See --help for the options.
#include <chainer/chainer.h>

#include <filesystem>

#include "../common/training.h"
#include "../common/watching.h"
#include "mlp.h"

using namespace chainer;

namespace {

struct Settings {
  std::string dataset, out = "result", device = "@cpu", optimizer = "adam", resume;
  long batchsize = 100, epoch = 20, unit = 1000, frequency = -1, seed = -1;
  bool noplot = false, resuming = false;
  examples::Watching watching;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Options options("train_mnist", "Trains a multilayer perceptron on MNIST.");
  options.add("--batchsize", "images per batch", s.batchsize, 1);
  options.add("--epoch", "passes over the images", s.epoch, 1);
  options.add("--unit", "units of the hidden layers", s.unit, 1);
  options.add("--frequency", "epochs between snapshots; -1: one at the end", s.frequency, -1);
  examples::add_device(options, s.device);
  options.add("--out", "folder for the results", s.out);
  options.add_optional("--resume", "resume from this snapshot, by default from the newest complete one in --out",
                       s.resuming, s.resume);
  options.add("--noplot", "do not draw plots", s.noplot);
  options.add("--optimizer", "adam, momentum_sgd or sgd", s.optimizer);
  options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
              s.dataset);
  s.watching.add_to(options);
  options.add("--seed", "seed of the random numbers; -1: taken from the system", s.seed, -1);
  options.parse(argc, argv);
  s.watching.args = options.values();
  return s;
}

void train(const Settings& s, GradientMethod& optimizer) {
  L::Classifier model(MLP(s.unit, 10));
  optimizer.setup_link(model);

  auto [train, test] = load_digits(s.dataset);
  iterators::SerialIterator train_iter(train, s.batchsize);
  iterators::SerialIterator test_iter(test, s.batchsize, {.repeat = false, .shuffle = false});

  const Device device = get_device(s.device);
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}));
  trainer.extend(extensions::dump_graph("main/loss"));
  const long frequency = s.frequency == -1 ? s.epoch : std::max(1L, s.frequency);
  trainer.extend(extensions::snapshot(), {.trigger = {frequency, "epoch"}});
  trainer.extend(extensions::LogReport());
  if (!s.noplot && extensions::PlotReport::available()) {
    trainer.extend(
        extensions::PlotReport({"main/loss", "validation/main/loss"}, {.x_key = "epoch", .file_name = "loss.png"}));
    trainer.extend(extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                                          {.x_key = "epoch", .file_name = "accuracy.png"}));
  }
  s.watching.extend(
      trainer,
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"},
      {1, "iteration"}, 100);

  examples::resume(trainer, {.out = s.out, .resume = s.resume, .resuming = s.resuming});
  trainer.run(false);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_mnist", [&] {
    const Settings s = parse(argc, argv);
    if (s.seed >= 0) random::seed(static_cast<uint32_t>(s.seed));
    std::printf("Device: %s\n# unit: %ld\n# Minibatch-size: %ld\n# epoch: %ld\n\n", s.device.c_str(), s.unit,
                s.batchsize, s.epoch);
    std::fflush(stdout);
    if (s.optimizer == "adam") {
      optimizers::Adam optimizer;
      train(s, optimizer);
    } else if (s.optimizer == "momentum_sgd") {
      optimizers::MomentumSGD optimizer;
      train(s, optimizer);
    } else if (s.optimizer == "sgd") {
      optimizers::SGD optimizer;
      train(s, optimizer);
    } else {
      throw ValueError("--optimizer is adam, momentum_sgd or sgd, not '", s.optimizer, "'");
    }
  });
}

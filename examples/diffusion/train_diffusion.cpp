// SPDX-License-Identifier: MIT
// Trains a denoising diffusion model of digits (Ho et al., arXiv:2006.11239) and writes digits that it draws.
//
//   build/release/examples/diffusion/train_diffusion --epoch 20
//
// Adam with a warm-up, and running averages of the weights, which draw the digits: after each epoch a grid of them is
// written to OUT/samples, from the same noise. They are blots after some hundred iterations, and look like digits after
// some thousand. Without MNIST in the cache and without a network the program trains on drawn digits.
#include <filesystem>

#include "../common/pictures.h"
#include "../common/training.h"
#include "../mnist/mlp.h"
#include "diffusion.h"

using namespace chainer;

int main(int argc, char** argv) {
  return examples::run("train_diffusion", [&] {
    examples::TrainingOptions o{.batchsize = 64, .epoch = 20};
    std::string dataset;
    long channels = 32, steps = 200, pictures = 64, size = 0;
    double rate = 1e-3, decay = 0.995;
    examples::Options options("train_diffusion", "Trains a denoising diffusion model of MNIST.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    options.add("--channels", "channels of the first level, a multiple of 4", channels, 4);
    options.add("--steps", "steps from a picture to noise", steps, 1);
    options.add("--pictures", "pictures of a grid", pictures, 1);
    options.add("--size", "pictures to train on; 0: all", size, 0);
    options.add("--alpha", "the largest rate of Adam", rate);
    options.add("--decay", "of the running averages of weights", decay);
    options.parse(argc, argv);
    if (channels % 4) throw ValueError("--channels must be a multiple of 4, not ", channels);
    o.seed_random();

    datasets::TrainTest data = load_digits(dataset, {.withlabel = false, .ndim = 3});
    if (size > 0) {
      const auto shorten = [](AnyDataset& d, int64_t n) {
        d = datasets::SubDataset(std::move(d), 0, std::min(n, d.size()));
      };
      shorten(data.train, size), shorten(data.test, size);
    }
    iterators::SerialIterator train_iter(data.train, o.batchsize);
    iterators::SerialIterator test_iter(data.test, o.batchsize, {.repeat = false, .shuffle = false});
    Diffusion model(channels, steps);
    L::AveragedModel averaged(model, {.decay = decay});
    auto optimizer = optimizers::Adam({.alpha = rate}).setup(model);
    optimizer.add_hook(optimizer_hooks::GradientClipping(1));
    const Device device = get_device(o.device);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    averaged.to_device(device);
    trainer.extend(extensions::LinearShift("alpha", {0, rate}, {0, 200}));
    trainer.extend(extensions::WeightAverage(averaged));
    trainer.extend(extensions::Evaluator(test_iter, averaged.model(), {.device = device}), {.trigger = o.report()});
    const auto write = [&](Trainer& t) {
      const std::filesystem::path folder = t.out() / "samples";
      std::filesystem::create_directories(folder);
      auto& drawing = dynamic_cast<Diffusion&>(averaged.model());
      dataset::write_grid(folder / text("image", t.updater().iteration(), dataset::has_png() ? ".png" : ".ppm"),
                          drawing.sample({pictures, 1, 28, 28}, 0, device));
    };
    trainer.extend(write, {.name = "samples", .trigger = o.report()});
    examples::run_trainer(trainer, o, {"epoch", "iteration", "main/loss", "validation/main/loss", "elapsed_time"});
  });
}

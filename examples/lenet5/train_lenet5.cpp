// SPDX-License-Identifier: MIT
// Trains LeNet5, the first convolutional network for digits, on MNIST (manual: "LeNet5"; LeCun et al., 1998).
//
//   build/release/examples/lenet5/train_lenet5 --epoch 3
//
// Adam, batches of 32: about 0.98 test accuracy after three epochs. Without MNIST in the cache and without a network
// the program trains on drawn digits.
#include "../common/training.h"
#include "../mnist/mlp.h"

using namespace chainer;

namespace {

/// Three convolutions with pooling, two linear layers. Returns logits.
struct LeNet5 : Chain {
  L::Convolution2D conv1{1, 6, 5}, conv2{6, 16, 5}, conv3{16, 120, 4};
  L::Linear fc4{84}, fc5{84, 10};
  CHAINER_MEMBERS(LeNet5, conv1, conv2, conv3, fc4, fc5);
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::sigmoid(conv1(x)), 2);
    h = F::max_pooling_2d(F::sigmoid(conv2(h)), 2);
    h = F::sigmoid(conv3(h));
    return fc5(F::sigmoid(fc4(h)));
  }
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_lenet5", [&] {
    examples::TrainingOptions o{.batchsize = 32, .epoch = 3};
    std::string dataset;
    examples::Options options("train_lenet5", "Trains LeNet5 on MNIST.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    options.parse(argc, argv);
    o.seed_random();

    auto [train, test] = load_digits(dataset, {.ndim = 3});
    iterators::SerialIterator train_iter(train, o.batchsize);
    iterators::SerialIterator test_iter(test, o.batchsize, {.repeat = false, .shuffle = false});
    L::Classifier model{LeNet5()};
    auto optimizer = optimizers::Adam({.alpha = 3e-3}).setup(model);
    const Device device = get_device(o.device);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}), {.trigger = o.report()});
    run_trainer(
        trainer, o,
        {"epoch", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"});
  });
}

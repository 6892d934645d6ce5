// SPDX-License-Identifier: MIT
// Trains a multilayer perceptron on MNIST in a custom loop, without the trainer (manual: "MNIST with a manual
// training loop").
//
//   build/release/examples/mnist/train_mnist_custom_loop --epoch 10
//
// MomentumSGD, 100 units, batches of 128: about 0.97 validation accuracy after 10 epochs. Writes the model to
// mnist_mlp.npz in --out, reads it back and classifies the first test image.
#include <chainer/chainer.h>

#include <filesystem>

#include "../common/own_loop.h"
#include "mlp.h"

using namespace chainer;

int main(int argc, char** argv) {
  return examples::run("train_mnist_custom_loop", [&] {
    std::string out = "result", dataset, resume, on = "@cpu";
    long epochs = 10, seed = -1;
    examples::Options options("train_mnist_custom_loop", "Trains a multilayer perceptron on MNIST in a manual loop.");
    options.add("--epoch", "passes over the images", epochs, 1);
    options.add("--out", "folder for the model", out);
    options.add("--resume", "resume from this snapshot", resume);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    examples::add_device(options, on);
    options.add("--seed", "seed of the random numbers; -1: taken from the system", seed, -1);
    options.parse(argc, argv);
    if (seed >= 0) random::seed(static_cast<uint32_t>(seed));
    std::filesystem::create_directories(out);

    auto [train, test] = load_digits(dataset);
    iterators::SerialIterator train_iter(train, 128);
    iterators::SerialIterator test_iter(test, 128, {.repeat = false, .shuffle = false});

    const Device device = get_device(on);
    MLP model(100, 10);
    model.to_device(device);
    auto optimizer = optimizers::MomentumSGD({.lr = 0.01, .momentum = 0.9}).setup(model);

    examples::OwnLoop loop([&](Serializer& s) {
      model.serialize(*s.child("model"));
      optimizer.serialize(*s.child("optimizer"));
      train_iter.serialize(*s.child("iterator"));
    });
    loop.resume(resume);

    while (train_iter.epoch() < epochs) {
      loop.end_if_asked(out);
      auto [x, t] = concat_examples<2>(train_iter.next(), device);
      Variable loss = F::softmax_cross_entropy(model(x), t);
      model.cleargrads();
      loss.backward();
      optimizer.update();
      if (!train_iter.is_new_epoch()) continue;

      const UsingConfig test_mode(&Config::train, false);
      const NoBackpropMode no_graph;
      double test_loss = 0, accuracy = 0;
      int64_t batches = 0;
      test_iter.reset();
      while (const auto batch = test_iter.try_next()) {
        auto [xs, ts] = concat_examples<2>(*batch, device);
        const Variable y = model(xs);
        test_loss += F::softmax_cross_entropy(y, ts).item<double>();
        accuracy += F::accuracy(y, ts).item<double>();
        ++batches;
      }
      const double n = static_cast<double>(batches);
      std::printf("epoch:%02lld train_loss:%.04f val_loss:%.04f val_accuracy:%.04f\n",
                  static_cast<long long>(train_iter.epoch()), loss.item<double>(), test_loss / n, accuracy / n);
      std::fflush(stdout);
    }

    const std::string file = out + "/mnist_mlp.npz";
    serializers::save_npz(file, model);
    MLP loaded(100, 10);
    serializers::load_npz(file, loaded);
    const Example first = test[0];
    const Variable y = loaded(first[0][newaxis]);
    std::printf("label: %d\npredicted label: %d\n", first[1].item<int>(), argmax(y.array(), 1).item<int>());
  });
}

// SPDX-License-Identifier: MIT
// Trains a variational autoencoder on MNIST and writes pictures of reconstructions and samples.
//
//   build/release/examples/vae/train_vae --epoch 100
//
// Adam, batches of 100, 20 latent variables: the test loss is about 125 after two epochs and 103 after a hundred. At
// the end OUT contains train.png and test.png with digits and their reconstructions, and sampled.png with samples from
// the model. Without MNIST in the cache and without a network the program trains on drawn digits.
#include <filesystem>

#include "../common/pictures.h"
#include "../common/training.h"
#include "../mnist/mlp.h"
#include "net.h"

using namespace chainer;

namespace {

/// The first nine images and their reconstructions, and samples from the prior.
void write_pictures(Vae& model, const datasets::TrainTest& data, int64_t n_latent, const std::string& out) {
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  const auto grid = [&](const std::string& name, const Array& rows) {
    dataset::write_grid(out + "/" + name + (dataset::has_png() ? ".png" : ".ppm"), rows.reshape({-1, 1, 28, 28}), 3);
  };
  for (const auto& [name, part] : {std::pair("train", data.train), std::pair("test", data.test)}) {
    Arrays first;
    for (int64_t i = 0; i < 9; ++i) first.push_back(part[i][0]);
    const Array x = stack(first);
    grid(name, x);
    grid(text(name, "_reconstructed"), model.reconstruct(x).array());
  }
  const Array z = random::normal(0, 1, {9, n_latent}).astype(float32);
  grid("sampled", F::sigmoid(model.decoder(z)).array());
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_vae", [&] {
    examples::TrainingOptions o{.batchsize = 100, .epoch = 100};
    std::string dataset;
    long n_latent = 20, n_hidden = 500, draws = 1;
    double beta = 1;
    examples::Options options("train_vae", "Trains a variational autoencoder on MNIST.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    options.add("--dim-z", "latent variables per picture", n_latent, 1);
    options.add("--dim-h", "units of the hidden layers", n_hidden, 1);
    options.add("--beta", "the weight of the divergence from N(0, 1)", beta);
    options.add("--k", "samples per picture", draws, 1);
    options.parse(argc, argv);
    o.seed_random();

    const datasets::TrainTest data = load_digits(dataset, {.withlabel = false});
    iterators::SerialIterator train_iter(data.train, o.batchsize);
    iterators::SerialIterator test_iter(data.test, o.batchsize, {.repeat = false, .shuffle = false});
    Vae model(784, n_latent, n_hidden, beta, draws);
    auto optimizer = optimizers::Adam().setup(model);
    const Device device = get_device(o.device);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}), {.trigger = o.report()});
    run_trainer(trainer, o,
                {"epoch", "main/loss", "validation/main/loss", "main/reconstr", "main/kl_penalty", "elapsed_time"});
    model.to_cpu();
    write_pictures(model, data, n_latent, o.out);
  });
}

// SPDX-License-Identifier: MIT
// Trains DCGAN: a generator of pictures against a discriminator (manual: "DCGAN: Generate images with Deep
// Convolutional GAN").
//
//   build/release/examples/dcgan/train_dcgan --epoch 1000
//
// Adam (alpha 2e-4, beta1 0.5) with weight decay for both. Every --picture_interval iterations a grid of generated
// pictures is written to OUT/preview: colours and blobs after some hundred iterations, objects after some thousand. On
// the drawn pictures, which are used if CIFAR-10 is not available, shapes appear after about 300.
#include <filesystem>

#include "../common/pictures.h"
#include "../common/training.h"
#include "../common/watching.h"
#include "updater.h"

using namespace chainer;

namespace {

/// Writes a grid of pictures from fixed noise.
struct Preview {
  Preview(Generator& g, int64_t r, int64_t c, uint32_t seed, const Device& d) : gen(g), rows(r), columns(c), device(d) {
    random::RandomState state(seed);
    noise = state.uniform(-1, 1, {rows * columns, gen.n_hidden}).astype(float32);
  }
  void operator()(Trainer& trainer) const {
    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    const std::filesystem::path folder = trainer.out() / "preview";
    std::filesystem::create_directories(folder);
    dataset::write_grid(folder / text("image", trainer.updater().iteration(), dataset::has_png() ? ".png" : ".ppm"),
                        gen(noise.to_device(device)).array().to_device(Device()), columns);
  }
  Generator& gen;
  int64_t rows, columns;
  Device device;
  Array noise;
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_dcgan", [&] {
    examples::TrainingOptions o{.batchsize = 50, .epoch = 1000};
    std::string dataset;
    long n_hidden = 100, channels = 512, picture_interval = 1000, display_interval = 100;
    examples::Watching watching;
    examples::Options options("train_dcgan", "Trains DCGAN on CIFAR-10.");
    o.add_to(options);
    o.add_device_to(options);
    watching.add_to(options);
    options.add("--dataset",
                "cifar10, cifar100, drawn, or a folder with train.txt and test.txt; by default cifar10, or "
                "drawn pictures if it is not available",
                dataset);
    options.add("--n_hidden", "size of the noise vector of a picture", n_hidden, 1);
    options.add("--channels", "channels of the widest layer, a multiple of 8", channels, 8);
    options.add("--picture_interval", "iterations between pictures", picture_interval, 1);
    options.add("--display_interval", "iterations between lines of the table", display_interval, 1);
    options.parse(argc, argv);
    watching.args = options.values();
    o.seed_random();

    examples::Pictures pictures = examples::load_pictures(dataset);
    const datasets::TransformDataset images(pictures.data.train, [](const Example& e) { return Example{e[0]}; });
    iterators::SerialIterator train_iter(images, o.batchsize);
    Generator gen(n_hidden, 4, channels);
    Discriminator dis(4, channels);
    const auto make = [](auto& model) {
      auto optimizer = optimizers::Adam({.alpha = 2e-4, .beta1 = 0.5}).setup(model);
      optimizer.add_hook(optimizer_hooks::WeightDecay(1e-4));
      return optimizer;
    };
    auto gen_optimizer = make(gen), dis_optimizer = make(dis);
    const Device device = get_device(o.device);
    DcganUpdater updater(train_iter,
                         std::map<std::string, Kept<Optimizer>>{{"gen", gen_optimizer}, {"dis", dis_optimizer}}, gen,
                         dis, device);
    Trainer trainer(updater, o.stop(), {.out = o.out});
    trainer.extend(Preview(gen, 10, 10, 0, device), {.name = "preview", .trigger = {picture_interval, "iteration"}});
    trainer.extend(extensions::snapshot(), {.trigger = {picture_interval, "iteration"}});
    trainer.extend(extensions::LogReport({.trigger = {display_interval, "iteration"}}));
    watching.extend(trainer, {"epoch", "iteration", "gen/loss", "dis/loss", "elapsed_time"},
                    {display_interval, "iteration"}, 10);
    examples::resume(trainer, o);
    trainer.run(false);
  });
}

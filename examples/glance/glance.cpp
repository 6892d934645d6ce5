// SPDX-License-Identifier: MIT
// Chainer at a glance: classifies mushrooms as edible or poisonous.
//
//   build/release/examples/glance/glance --data mushrooms.csv
//
// The data are the UCI mushroom records as comma-separated letters with a header line. After 50 epochs both accuracies
// are above 0.97; the run takes a few seconds.
#include <chainer/chainer.h>

#include "../common/options.h"
#include "mushrooms.h"

using namespace chainer;

Sequential mlp(int64_t n_units, int64_t n_out) {
  auto layer = Sequential(L::Linear(n_units), F::relu);  // the first call determines the input size
  auto model = layer.repeat(2);
  model.append(L::Linear(n_out));
  return model;
}

int main(int argc, char** argv) {
  return examples::run("glance", [&] {
    std::string data = "mushrooms.csv", out = "result", on = "@cpu";
    long epoch = 50, seed = -1;
    examples::Options options("glance", "Trains a classifier of mushrooms.");
    options.add("--data", "the file of mushrooms", data);
    options.add("--out", "folder for the results", out);
    options.add("--epoch", "passes over the data", epoch, 1);
    examples::add_device(options, on);
    options.add("--seed", "seed of the random numbers; -1: taken from the system", seed, -1);
    options.parse(argc, argv);
    if (seed >= 0) random::seed(static_cast<uint32_t>(seed));

    auto [x, y] = load_mushrooms(data);
    auto [train, test] = datasets::split_dataset_random(datasets::TupleDataset(x, y), len(x) * 7 / 10);
    iterators::SerialIterator train_iter(train, 100);
    iterators::SerialIterator test_iter(test, 100, {.repeat = false, .shuffle = false});

    L::Classifier model(mlp(44, 1), {.lossfun = F::sigmoid_cross_entropy, .accfun = F::binary_accuracy});
    auto optimizer = optimizers::SGD().setup(model);

    const Device device = get_device(on);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    training::Trainer trainer(updater, {epoch, "epoch"}, {.out = out});
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}));
    trainer.extend(extensions::dump_graph("main/loss"));
    trainer.extend(extensions::snapshot(), {.trigger = {20, "epoch"}});
    trainer.extend(extensions::LogReport());
    trainer.extend(
        extensions::PlotReport({"main/loss", "validation/main/loss"}, {.x_key = "epoch", .file_name = "loss.png"}));
    trainer.extend(extensions::PlotReport({"main/accuracy", "validation/main/accuracy"},
                                          {.x_key = "epoch", .file_name = "accuracy.png"}));
    trainer.extend(extensions::PrintReport(
        {"epoch", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"}));
    trainer.run();

    // One of the test rows, chosen at random.
    const Example row = AnyDataset(test)[random::randint(0, test.size(), {}).item<int64_t>()];
    const UsingConfig test_mode(&Config::train, false);
    const Variable score = model.predictor().call({Variable(row[0][newaxis].to_device(device), false)})[0];
    const auto word = [](bool poisonous) { return poisonous ? "Poisonous" : "Edible"; };
    std::printf("Predicted %s, Actual %s\n", word(score.item<float>() >= 0), word(row[1].item<int>() == 1));
  });
}

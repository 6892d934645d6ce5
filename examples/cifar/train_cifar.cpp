// SPDX-License-Identifier: MIT
// Trains a VGG with batch normalization, or a vision transformer, on CIFAR-10 or CIFAR-100.
//
//   build/release/examples/cifar/train_cifar --epoch 300
//
// Batches of 64, MomentumSGD with weight decay 5e-4 whose learning rate halves every 25 epochs. The defaults are for
// 300 epochs of all 50,000 pictures. For few pictures and epochs use less dropout, for example --dropout 0 --learnrate
// 0.01. --model small is for quick trials (for example with --batchsize 32 --learnrate 0.003), --model vit a
// transformer over patches, trained by AdamW. Without CIFAR-10 in the cache and without a network the program trains on
// drawn pictures.
#include "../common/pictures.h"
#include "../common/training.h"
#include "vgg.h"
#include "vit.h"

using namespace chainer;

namespace {

template <class Net, class Optimizer>
void train(Net net, const examples::TrainingOptions& o, Optimizer optimizer, const char* rate,
           examples::Pictures& pictures, const std::vector<std::shared_ptr<optimizer::Hook>>& hooks = {}) {
  iterators::SerialIterator train_iter(pictures.data.train, o.batchsize);
  iterators::SerialIterator test_iter(pictures.data.test, o.batchsize, {.repeat = false, .shuffle = false});
  L::Classifier model(std::move(net));
  optimizer.setup(model);
  for (const auto& hook : hooks) optimizer.add_hook(hook);
  const Device device = get_device(o.device);
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  Trainer trainer(updater, o.stop(), {.out = o.out});
  trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}), {.trigger = o.report()});
  trainer.extend(extensions::ExponentialShift(rate, 0.5), {.trigger = {25, "epoch"}});
  trainer.extend(extensions::observe_lr());
  run_trainer(trainer, o,
              {"epoch", "lr", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy",
               "elapsed_time"});
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_cifar", [&] {
    examples::TrainingOptions o{.batchsize = 64, .epoch = 300};
    std::string dataset, model = "vgg";
    double lr = 0, dropout = 1;
    examples::Options options("train_cifar", "Trains a VGG or a vision transformer on CIFAR-10 or CIFAR-100.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--dataset",
                "cifar10, cifar100, drawn, or a folder with train.txt and test.txt; by default cifar10, or "
                "drawn pictures if it is not available",
                dataset);
    options.add("--model", "vgg, vit or small", model);
    options.add("--learnrate", "the initial learning rate; by default 0.05, or 0.001 for vit", lr);
    options.add("--dropout", "factor of the dropout ratios; 0 learns faster from few pictures", dropout);
    options.parse(argc, argv);
    o.seed_random();
    if (dropout < 0 || dropout > 2) throw ValueError("--dropout is 0 to 2, not ", dropout);
    if (lr < 0) throw ValueError("--learnrate must be positive, not ", lr);
    if (model != "vgg" && model != "vit" && model != "small")
      throw ValueError("--model is vgg, vit or small, not '", model, "'");
    examples::Pictures pictures = examples::load_pictures(dataset);
    if (model == "vit") {
      optimizers::AdamW adam({.alpha = lr > 0 ? lr : 0.001, .weight_decay = 0.05});
      return train(Vit(pictures.classes, 0.1 * dropout), o, std::move(adam), "alpha", pictures);
    }
    optimizers::MomentumSGD sgd({.lr = lr > 0 ? lr : 0.05});
    const auto decay = std::make_shared<optimizer_hooks::WeightDecay>(5e-4);
    if (model == "vgg")
      train(Vgg(pictures.classes, dropout), o, std::move(sgd), "lr", pictures, {decay});
    else
      train(SmallNet(pictures.classes), o, std::move(sgd), "lr", pictures, {decay});
  });
}

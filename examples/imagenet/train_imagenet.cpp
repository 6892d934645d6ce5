// SPDX-License-Identifier: MIT
// Trains a network on ImageNet or on any images with labels.
//
//   build/release/examples/imagenet/compute_mean train.txt --root FOLDER
//   build/release/examples/imagenet/train_imagenet train.txt val.txt --root FOLDER --mean mean.npy --arch resnet50
//
// Each line of the lists is a path below FOLDER and a label below 1000; the images are at least 256 x 256, or have the
// size of the mean image if one is given. --loaderjob worker processes read them. MomentumSGD, batches of 32. --resume
// continues an interrupted run from its newest snapshot with the same results, with any number of workers. On
// ImageNet's 1.28 million images NIN reaches about 0.55 validation accuracy and ResNet-50 0.73 with their published
// schedules, which take days on many processors; the initial loss is ln 1000 = 6.9. Without lists the program trains on
// drawn pictures of four shapes.
#include <chainer/routines/npy.h>

#include "../common/pictures.h"
#include "../common/training.h"
#include "crops.h"
#include "models.h"

using namespace chainer;

namespace {

struct Settings {
  examples::TrainingOptions training{.batchsize = 32};
  std::string train, val, root = ".", mean, arch = "nin";
  long drawn = 2000, loaderjob = 2;
  double lr = 0.01;
};

struct Images {
  AnyDataset train, val;
};
Images load(const Settings& s) {
  if (s.train.empty()) {
    std::fprintf(stderr, "no lists of images given: training on pictures drawn by this program\n");
    return {examples::DrawnPictures(s.drawn, 4, 1, 255, 256),
            examples::DrawnPictures(s.drawn / 10 + 1, 4, 99, 255, 256)};
  }
  if (s.val.empty()) throw ValueError("a second list, of the validation images, is required");
  return {datasets::LabeledImageDataset(s.train, {.root = s.root, .dtype = float32}),
          datasets::LabeledImageDataset(s.val, {.root = s.root, .dtype = float32})};
}

template <class Net, class... Arguments>
void train(const Settings& s, Arguments... arguments) {
  const examples::TrainingOptions& o = s.training;
  const Array mean = s.mean.empty() ? Array() : load_npy(s.mean).astype(float32);
  const Images images = load(s);
  const imagenet::Crops train(images.train, mean, Net::kInsize, true), val(images.val, mean, Net::kInsize, false);
  // Before the first computation, so that the workers are processes.
  const auto workers = static_cast<int>(s.loaderjob);
  iterators::MultiprocessIterator train_iter(train, o.batchsize, {.n_processes = workers, .n_prefetch = 2});
  iterators::MultiprocessIterator val_iter(val, o.batchsize,
                                           {.repeat = false, .shuffle = false, .n_processes = workers});
  Net model(arguments...);
  auto optimizer = optimizers::MomentumSGD({.lr = s.lr}).setup(model);
  const Device device = get_device(o.device);
  training::StandardUpdater updater(train_iter, optimizer, {.device = device});
  Trainer trainer(updater, o.stop(), {.out = o.out});
  trainer.extend(extensions::Evaluator(val_iter, model, {.device = device}), {.trigger = o.report()});
  trainer.extend(extensions::observe_lr());
  run_trainer(trainer, o,
              {"epoch", "iteration", "lr", "main/loss", "validation/main/loss", "main/accuracy",
               "validation/main/accuracy", "elapsed_time"});
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_imagenet", [&] {
    Settings s;
    examples::Options options("train_imagenet", "Trains a network on images: train_imagenet [TRAIN_LIST VAL_LIST].");
    s.training.add_to(options);
    s.training.add_device_to(options);
    options.add_positional("TRAIN_LIST", "paths and labels of the training images", s.train);
    options.add_positional("VAL_LIST", "paths and labels of the validation images", s.val);
    options.add("--arch", "alex, googlenet, googlenetbn, nin, resnet50, resnext50 or small (for a quick trial)",
                s.arch);
    options.add("--root", "the folder of the images", s.root);
    options.add("--mean", "the mean image written by compute_mean; 128 by default", s.mean);
    options.add("--learnrate", "the learning rate", s.lr);
    options.add("--loaderjob", "worker processes that read images; 0 for threads", s.loaderjob, 0);
    options.add("--drawn", "number of drawn pictures if no lists are given", s.drawn, 1);
    options.parse(argc, argv);
    s.training.seed_random();
    if (s.arch == "alex")
      train<imagenet::Alex>(s);
    else if (s.arch == "googlenet")
      train<imagenet::GoogLeNet>(s);
    else if (s.arch == "googlenetbn")
      train<imagenet::GoogLeNetBN>(s);
    else if (s.arch == "nin")
      train<imagenet::Nin>(s);
    else if (s.arch == "resnet50")
      train<imagenet::ResNet>(s, 1);
    else if (s.arch == "resnext50")
      train<imagenet::ResNet>(s, 32);
    else if (s.arch == "small")
      train<imagenet::Small>(s);
    else
      throw ValueError("--arch is alex, googlenet, googlenetbn, nin, resnet50, resnext50 or small, not '", s.arch, "'");
  });
}

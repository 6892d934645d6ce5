// SPDX-License-Identifier: MIT
// Trains a network on ImageNet or on any images with labels, with several processes.
//
//   mpiexec -n 4 build/release/examples/chainermn/imagenet/train_imagenet train.txt val.txt --root FOLDER --arch
//   resnet50
//
// Each line of the lists is a path below FOLDER, accessible on all hosts, and a label below 1000. The learning rate is
// that of one rank times the number of ranks (Goyal et al., arXiv:1706.02677). Without lists the program trains on
// drawn pictures.
#include "../../common/pictures.h"
#include "../../imagenet/crops.h"
#include "../../imagenet/models.h"
#include "../common/training.h"

using namespace chainer;

namespace {

struct Settings {
  examples::DistributedOptions o{.training = {.batchsize = 32}};
  std::string train, val, root = ".", arch = "resnet50";
  long drawn = 256;
  double lr = 0.01;
};

// The images of a list, or drawn ones; each rank reads the images of its part.
AnyDataset part(const chainermn::Communicator& comm, const Settings& s, const std::string& list, int64_t drawn,
                uint32_t seed) {
  const AnyDataset all = s.train.empty()
                             ? AnyDataset(examples::DrawnPictures(drawn, 4, seed, 255, 256))
                             : AnyDataset(datasets::LabeledImageDataset(list, {.root = s.root, .dtype = float32}));
  // Paths are short, so all ranks read the whole list; the common seed gives them parts of the same order.
  const std::vector<int64_t> order = random::RandomState(1).permutation(all.size()).to_vector<int64_t>();
  const auto [begin, end] = chainermn::shard_of(all.size(), comm->rank(), comm->size());
  return datasets::SubDataset(all, begin, end, order);
}

template <class Net>
void train(const chainermn::Communicator& comm, Net model, const Settings& s) {
  const examples::TrainingOptions& t = s.o.training;
  const Array mean = full({3, 256, 256}, 128);
  const imagenet::Crops train(part(comm, s, s.train, s.drawn, 1), mean, Net::kInsize, true),
      val(part(comm, s, s.val, s.drawn / 8 + 1, 99), mean, Net::kInsize, false);
  iterators::SerialIterator train_iter(train, t.batchsize);
  iterators::SerialIterator val_iter(val, t.batchsize, {.repeat = false, .shuffle = false});
  auto optimizer = chainermn::create_multi_node_optimizer(optimizers::MomentumSGD({.lr = s.lr * comm->size()}), comm,
                                                          s.o.optimizer())
                       .setup(model);
  training::StandardUpdater updater(train_iter, optimizer);
  Trainer trainer(updater, t.stop(), {.out = t.out, .handle_signals = false});
  trainer.extend(chainermn::extensions::AllreducePersistent(model, comm), {.trigger = t.report()});
  trainer.extend(chainermn::create_multi_node_evaluator(extensions::Evaluator(val_iter, model), comm),
                 {.trigger = t.report()});
  trainer.extend(extensions::observe_lr());
  examples::run_trainer(trainer, comm, s.o,
                        {"epoch", "iteration", "lr", "main/loss", "validation/main/loss", "main/accuracy",
                         "validation/main/accuracy", "elapsed_time"});
}

}  // namespace

int main(int argc, char** argv) {
  return chainermn::run("train_imagenet", [&] {
    Settings s;
    examples::Options options(
        "train_imagenet", "Trains a network on images with several processes: train_imagenet [TRAIN_LIST VAL_LIST].");
    s.o.add_to(options);
    options.add_positional("TRAIN_LIST", "paths and labels of the training images", s.train);
    options.add_positional("VAL_LIST", "paths and labels of the validation images", s.val);
    options.add("--arch", "alex, googlenet, googlenetbn, nin, resnet50 or resnext50", s.arch);
    options.add("--root", "the folder of the images", s.root);
    options.add("--learnrate", "the learning rate of one rank", s.lr);
    options.add("--drawn", "number of drawn pictures if no lists are given", s.drawn, 1);
    options.parse(argc, argv);
    if (s.train.empty() != s.val.empty()) throw ValueError("a second list, of the validation images, is required");
    const auto comm = chainermn::create_communicator(s.o.communicator);
    examples::introduce(comm);
    s.o.training.seed_random();
    if (s.arch == "alex")
      train(comm, imagenet::Alex(), s);
    else if (s.arch == "googlenet")
      train(comm, imagenet::GoogLeNet(), s);
    else if (s.arch == "googlenetbn")
      train(comm, imagenet::GoogLeNetBN(), s);
    else if (s.arch == "nin")
      train(comm, imagenet::Nin(), s);
    else if (s.arch == "resnet50")
      train(comm, imagenet::ResNet(1), s);
    else if (s.arch == "resnext50")
      train(comm, imagenet::ResNet(32), s);
    else
      throw ValueError("--arch is alex, googlenet, googlenetbn, nin, resnet50 or resnext50, not '", s.arch, "'");
  });
}

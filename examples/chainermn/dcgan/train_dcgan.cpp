// SPDX-License-Identifier: MIT
// Trains DCGAN with several processes: each has its part of the pictures, and gradients are averaged for both networks.
//
//   mpiexec -n 2 build/release/examples/chainermn/dcgan/train_dcgan --epoch 1000
#include "../../dcgan/updater.h"

#include "../../common/pictures.h"
#include "../common/training.h"

using namespace chainer;

int main(int argc, char** argv) {
  return chainermn::run("train_dcgan", [&] {
    examples::DistributedOptions o{.training = {.batchsize = 50, .epoch = 1000}};
    long n_hidden = 100, channels = 512, drawn = 5000;
    examples::Options options("train_dcgan", "Trains DCGAN on drawn pictures with several processes.");
    o.add_to(options);
    options.add("--n_hidden", "size of the noise vector of a picture", n_hidden, 1);
    options.add("--channels", "channels of the widest layer, a multiple of 8", channels, 8);
    options.add("--drawn", "number of drawn pictures", drawn, 1);
    options.parse(argc, argv);
    const auto comm = chainermn::create_communicator(o.communicator);
    examples::introduce(comm);
    // Different noise on each rank; all ranks take the networks of rank 0.
    if (o.training.seed >= 0) random::seed(static_cast<uint32_t>(o.training.seed + comm->rank()));

    const AnyDataset part = examples::scatter(comm, [&] { return AnyDataset(examples::DrawnPictures(drawn, 8, 1)); });
    iterators::SerialIterator it(part, o.training.batchsize);
    Generator gen(n_hidden, 4, channels);
    Discriminator dis(4, channels);
    const auto make = [&](Link& model) {
      auto optimizer =
          chainermn::create_multi_node_optimizer(optimizers::Adam({.alpha = 2e-4, .beta1 = 0.5}), comm, o.optimizer())
              .setup(model);
      optimizer.add_hook(optimizer_hooks::WeightDecay(1e-4));
      return optimizer;
    };
    auto gen_optimizer = make(gen), dis_optimizer = make(dis);
    DcganUpdater updater(it, std::map<std::string, Kept<Optimizer>>{{"gen", gen_optimizer}, {"dis", dis_optimizer}},
                         gen, dis);
    Trainer trainer(updater, o.training.stop(), {.out = o.training.out, .handle_signals = false});
    examples::run_trainer(trainer, comm, o, {"epoch", "iteration", "gen/loss", "dis/loss", "elapsed_time"});
  });
}

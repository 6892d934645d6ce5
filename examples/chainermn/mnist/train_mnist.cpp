// SPDX-License-Identifier: MIT
// Trains a multilayer perceptron on MNIST with several processes (manual: "Step 1" and "Step 2" of ChainerMN).
//
//   mpiexec -n 2 build/release/examples/chainermn/mnist/train_mnist --epoch 20 --checkpoint 100
//
// Each rank has its part of the images; gradients and evaluations are means over the ranks. A run that was killed
// continues from its newest checkpoint when it is started again, also with another number of ranks.
#include "../../mnist/mlp.h"
#include "../common/training.h"

using namespace chainer;

int main(int argc, char** argv) {
  return chainermn::run("train_mnist", [&] {
    examples::DistributedOptions o{.training = {.batchsize = 100, .epoch = 20}};
    std::string dataset;
    long unit = 1000;
    examples::Options options("train_mnist", "Trains a multilayer perceptron on MNIST with several processes.");
    o.add_to(options);
    options.add("--unit", "units of the hidden layers", unit, 1);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    options.parse(argc, argv);
    const auto comm = chainermn::create_communicator(o.communicator);
    examples::introduce(comm);
    o.training.seed_random();

    AnyDataset all_train, all_test;
    if (comm->rank() == 0) {
      auto [a, b] = load_digits(dataset);
      all_train = a, all_test = b;
    }
    const AnyDataset train = chainermn::scatter_dataset(all_train, comm, {.shuffle = true, .seed = 1});
    const AnyDataset test = chainermn::scatter_dataset(all_test, comm);
    iterators::SerialIterator train_iter(train, o.training.batchsize);
    iterators::SerialIterator test_iter(test, o.training.batchsize, {.repeat = false, .shuffle = false});

    L::Classifier model(MLP(unit, 10));
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), comm, o.optimizer()).setup(model);
    training::StandardUpdater updater(train_iter, optimizer);
    Trainer trainer(updater, o.training.stop(), {.out = o.training.out, .handle_signals = false});
    trainer.extend(chainermn::create_multi_node_evaluator(extensions::Evaluator(test_iter, model), comm),
                   {.trigger = o.training.report()});
    examples::run_trainer(
        trainer, comm, o,
        {"epoch", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"});
  });
}

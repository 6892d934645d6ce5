// SPDX-License-Identifier: MIT
// Trains a convolutional network whose channels are distributed over the ranks (manual: "Example 3: Channel-wise
// Parallel Convolution").
//
//   mpiexec -n 2 build/release/examples/chainermn/parallel_convolution/train_parallel_convolution
//
// All ranks use the same batches, read by rank 0. Each rank computes its share of the output channels from its share of
// the input channels; allgather concatenates them.
#include "../../common/pictures.h"
#include "../common/training.h"

using namespace chainer;
using chainermn::Communicator;

namespace {

/// Returns how many of `channels` this rank has: those whose index is equal to its rank modulo the number of ranks.
int64_t share(const Communicator& comm, int64_t channels) {
  return channels / comm->size() + (comm->rank() < channels % comm->size() ? 1 : 0);
}

struct ParallelConvolution2D : Chain {
  Communicator comm;
  L::Convolution2D conv;
  Array own;
  ParallelConvolution2D(Communicator c, int64_t in, int64_t out, int64_t ksize)
      : comm(std::move(c)),
        conv(share(comm, in), share(comm, out), ksize, {.pad = ksize / 2}),
        own(arange(comm->rank(), in, comm->size())) {
    if (in < comm->size() || out < comm->size())
      throw ValueError("ParallelConvolution2D: ", in, " to ", out, " channels on ", comm->size(), " ranks");
  }
  CHAINER_MEMBERS(ParallelConvolution2D, conv);
  Variable forward(const Variable& x) {
    return F::concat(chainermn::functions::allgather(comm, conv(x[{Slice(), own}])), 1);
  }
};

struct Net : Chain {
  L::Convolution2D stem{3, 16, 3, {.pad = 1}};
  ParallelConvolution2D c1, c2;
  L::Linear out;
  Net(const Communicator& comm, int64_t classes) : c1(comm, 16, 32, 3), c2(comm, 32, 32, 3), out(32 * 4 * 4, classes) {}
  CHAINER_MEMBERS(Net, stem, c1, c2, out);
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::relu(stem(x)), 2);
    h = F::max_pooling_2d(F::relu(c1(h)), 2);
    return out(F::max_pooling_2d(F::relu(c2(h)), 2));
  }
};

/// Sums the gradients of layers that all ranks have, of which each rank computes a part.
struct SumOfRanks : optimizer::Hook {
  SumOfRanks(Communicator c, std::vector<Link*> l) : comm(std::move(c)), links(std::move(l)) {}
  std::string name() const override { return "SumOfRanks"; }
  bool call_for_each_param() const override { return false; }
  void operator()(Optimizer&) override {
    for (const Link* link : links)
      for (Parameter p : link->params()) p.set_grad(comm->allreduce(p.grad()));
  }
  using optimizer::Hook::operator();
  Communicator comm;
  std::vector<Link*> links;
};

}  // namespace

int main(int argc, char** argv) {
  return chainermn::run("train_parallel_convolution", [&] {
    examples::DistributedOptions o{.training = {.batchsize = 32, .epoch = 5, .seed = 0}};
    long drawn = 2000;
    examples::Options options("train_parallel_convolution",
                              "Trains a network whose channels are distributed over processes, on drawn pictures.");
    o.add_to(options);
    options.add("--drawn", "number of drawn pictures", drawn, 8);
    options.parse(argc, argv);
    const auto comm = chainermn::create_communicator(o.communicator);
    examples::introduce(comm);
    o.training.seed_random();  // the same on all ranks, for the layers that are not distributed

    AnyDataset train = examples::DrawnPictures(drawn, 4, 1), test = examples::DrawnPictures(drawn / 8, 4, 99);
    if (comm->rank() != 0) {
      train = chainermn::datasets::create_empty_dataset(train);
      test = chainermn::datasets::create_empty_dataset(test);
    }
    iterators::SerialIterator train_own(train, o.training.batchsize),
        test_own(test, o.training.batchsize, {.repeat = false, .shuffle = false});
    auto train_iter = chainermn::iterators::create_multi_node_iterator(train_own, comm);
    auto test_iter = chainermn::iterators::create_multi_node_iterator(test_own, comm);

    Net net(comm, 4);
    L::Classifier model(net);
    auto optimizer = optimizers::Adam().setup(model);
    optimizer.add_hook(SumOfRanks(comm, {&net.stem, &net.out}));
    // Every rank computes the same loss and differentiates its share of it; allgather's backward sums the shares, so a
    // rank's filters get the gradient of the loss.
    const auto share_of_loss = [&](const Variables& x) {
      return model(x[0], x[1]) / static_cast<double>(comm->size());
    };
    training::StandardUpdater updater(train_iter, optimizer, {.loss_func = share_of_loss});
    Trainer trainer(updater, o.training.stop(), {.out = o.training.out, .handle_signals = false});
    trainer.extend(extensions::Evaluator(test_iter, model), {.trigger = o.training.report()});
    examples::run_trainer(
        trainer, comm, o,
        {"epoch", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"});
  });
}

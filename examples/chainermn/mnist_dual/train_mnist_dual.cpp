// SPDX-License-Identifier: MIT
// Trains a multilayer perceptron whose layers are on two ranks (manual: "Example 1: Simple MLP").
//
//   mpiexec -n 2 build/release/examples/chainermn/mnist_dual/train_mnist_dual --model chain
//
// Rank 0 has the images, the first layer and the loss, rank 1 the layers in between. With more ranks, each pair of
// adjacent ranks is a replica of the model, and the replicas average gradients. --model hand calls send and recv,
// --model chain uses MultiNodeChainList.
#include "../../mnist/mlp.h"
#include "../common/training.h"

using namespace chainer;
namespace CF = chainermn::functions;
using chainermn::Communicator;

namespace {

struct First : Chain {
  L::Linear l1;
  explicit First(int64_t units) : l1(784, units) {}
  CHAINER_MEMBERS(First, l1);
  Variable forward(const Variable& x) { return F::relu(l1(x)); }
};
struct Identity : Chain {
  CHAINER_MEMBERS(Identity);
  Variable forward(const Variable& x) { return x; }
};
struct Between : Chain {
  L::Linear l2, l3;
  explicit Between(int64_t units) : l2(units, units), l3(units, 10) {}
  CHAINER_MEMBERS(Between, l2, l3);
  Variable forward(const Variable& h) { return l3(F::relu(l2(h))); }
};

// With send and recv.
struct Mlp0 : Chain {
  Communicator comm;
  First first;
  Mlp0(Communicator c, int64_t units) : comm(std::move(c)), first(units) {}
  CHAINER_MEMBERS(Mlp0, first);
  Variable forward(const Variable& x) {
    const Variable phi = CF::send(first(x), comm, 1);
    return CF::recv(comm, 1, {.delegate_variable = phi});
  }
};
struct Mlp1 : Chain {
  Communicator comm;
  Between between;
  Mlp1(Communicator c, int64_t units) : comm(std::move(c)), between(units) {}
  CHAINER_MEMBERS(Mlp1, between);
  Variable forward(const Variables&) { return CF::send(between(CF::recv(comm, 0)), comm, 0); }
};

// The same with MultiNodeChainList.
struct MlpChain0 : chainermn::MultiNodeChainList {
  MlpChain0(Communicator comm, int64_t units) : MultiNodeChainList(std::move(comm)) {
    add_link(First(units), {.rank_out = 1});
    add_link(Identity(), {.rank_in = 1});
  }
  CHAINER_LINK(MlpChain0);
};
struct MlpChain1 : chainermn::MultiNodeChainList {
  MlpChain1(Communicator comm, int64_t units) : MultiNodeChainList(std::move(comm)) {
    add_link(Between(units), {.rank_in = 0, .rank_out = 0});
  }
  CHAINER_LINK(MlpChain1);
};

}  // namespace

int main(int argc, char** argv) {
  return chainermn::run("train_mnist_dual", [&] {
    examples::DistributedOptions o{.training = {.batchsize = 100, .epoch = 20}};
    std::string dataset, kind = "chain";
    long unit = 100;
    examples::Options options("train_mnist_dual", "Trains a multilayer perceptron on pairs of processes.");
    o.add_to(options);
    options.add("--unit", "units of the hidden layers", unit, 1);
    options.add("--model", "chain or hand", kind);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    options.parse(argc, argv);
    if (kind != "chain" && kind != "hand") throw ValueError("--model is chain or hand, not '", kind, "'");
    const auto comm = chainermn::create_communicator(o.communicator);
    examples::introduce(comm);
    if (comm->size() % 2 != 0) throw ValueError("the number of ranks must be even, not ", comm->size());
    o.training.seed_random();
    const auto pair = comm->split(comm->rank() / 2, comm->rank());
    const auto same_part = comm->split(comm->rank() % 2, comm->rank());  // ranks with the same layers
    const bool first = pair->rank() == 0;

    // Only the first ranks of pairs read images; the others iterate over the same number of empty examples.
    auto [train, test] = load_digits(dataset);
    const auto shard = [&](const AnyDataset& d) -> AnyDataset {
      const auto [begin, end] = chainermn::shard_of(d.size(), same_part->rank(), same_part->size());
      const AnyDataset part = datasets::SubDataset(d, begin, end);
      return first ? part : chainermn::datasets::create_empty_dataset(part);
    };
    iterators::SerialIterator train_iter(shard(train), o.training.batchsize);
    iterators::SerialIterator test_iter(shard(test), o.training.batchsize, {.repeat = false, .shuffle = false});

    std::shared_ptr<Link> model;
    if (first && kind == "chain")
      model = std::make_shared<L::Classifier>(MlpChain0(pair, unit));
    else if (first)
      model = std::make_shared<L::Classifier>(Mlp0(pair, unit));
    else if (kind == "chain")
      model = std::make_shared<MlpChain1>(pair, unit);
    else
      model = std::make_shared<Mlp1>(pair, unit);
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), same_part, o.optimizer()).setup(model);
    // Empty examples make a batch of no arrays.
    const auto convert = [first](const Examples& batch, const std::optional<Device>& device) {
      return first ? concat_examples(batch, device) : Example(Arrays());
    };
    training::StandardUpdater updater(train_iter, optimizer, {.converter = convert});
    Trainer trainer(updater, o.training.stop(), {.out = o.training.out, .handle_signals = false});
    trainer.extend(chainermn::create_multi_node_evaluator(
                       extensions::Evaluator(test_iter, model, {.converter = convert}), same_part),
                   {.trigger = o.training.report()});
    examples::run_trainer(
        trainer, comm, o,
        {"epoch", "main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"});
  });
}

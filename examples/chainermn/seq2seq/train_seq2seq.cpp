// SPDX-License-Identifier: MIT
// Trains a sequence-to-sequence model whose encoder and decoder are on two ranks (manual: "Example 2: seq2seq").
//
//   mpiexec -n 2 build/release/examples/chainermn/seq2seq/train_seq2seq --epoch 5
//
// The task is to copy random sequences of up to 8 of 10 symbols. Rank 0 reads them and sends its LSTM's final states to
// rank 1, whose LSTM writes the copy. With more ranks, each pair of adjacent ranks is a replica of the model, and the
// replicas average gradients.
#include "../../seq2seq/seq2seq.h"
#include "../common/training.h"

using namespace chainer;
using chainermn::Communicator;

namespace {

constexpr int64_t kSymbols = 12;  // <UNK>, <EOS> and ten more

struct Encoder : Chain {
  L::EmbedID embed;
  chainermn::links::MultiNodeNStepRNN<L::NStepLSTM> rnn;
  Encoder(const Communicator& comm, int64_t units)
      : embed(kSymbols, units),
        rnn(chainermn::links::create_multi_node_n_step_rnn(L::NStepLSTM(1, units, units, 0.1), comm, {.rank_out = 1})) {
  }
  CHAINER_MEMBERS(Encoder, embed, rnn);
  Variable forward(const Variables& xs) {
    Variables turned;
    for (const Variable& x : xs) turned.push_back(Variable(flip(x.array(), 0), false));
    return rnn(sequence_embed(embed, turned)).delegate_variable;
  }
};

struct Decoder : Chain {
  L::EmbedID embed;
  chainermn::links::MultiNodeNStepRNN<L::NStepLSTM> rnn;
  L::Linear W;
  Decoder(const Communicator& comm, int64_t units)
      : embed(kSymbols, units),
        rnn(chainermn::links::create_multi_node_n_step_rnn(L::NStepLSTM(1, units, units, 0.1), comm, {.rank_in = 0})),
        W(units, kSymbols) {}
  CHAINER_MEMBERS(Decoder, embed, rnn, W);
  Variable forward(const Variables& ys) {
    const Variable eos(array({kEos}), false);
    Variables in, out;
    for (const Variable& y : ys) {
      in.push_back(F::concat({eos, y}, 0));
      out.push_back(F::concat({y, eos}, 0));
    }
    const Variable logits = W(F::concat(rnn(sequence_embed(embed, in)).ys, 0)), words = F::concat(out, 0);
    const Variable loss = F::softmax_cross_entropy(logits, words);
    report({{"loss", loss}, {"accuracy", F::accuracy(logits, words)}}, this);
    return loss;
  }
};

// Random sequences, the same on all ranks for a seed.
struct Sequences : Dataset {
  explicit Sequences(int64_t n, uint32_t seed) : count(n), first(seed) {}
  int64_t size() const override { return count; }
  Example get(int64_t i) const override {
    random::RandomState r(first + static_cast<uint32_t>(i));
    const int64_t length = r.randint(1, 9, {}).item<int64_t>();
    return r.randint(2, kSymbols, {length}, int32);
  }
  int64_t count;
  uint32_t first;
};

}  // namespace

int main(int argc, char** argv) {
  return chainermn::run("train_seq2seq", [&] {
    examples::DistributedOptions o{.training = {.batchsize = 64, .epoch = 5, .seed = 0}};
    long unit = 128, size = 10000;
    examples::Options options("train_seq2seq", "Trains an encoder and a decoder on pairs of processes.");
    o.add_to(options);
    options.add("--unit", "units of the LSTM layers", unit, 1);
    options.add("--size", "random sequences per epoch", size, 10);
    options.parse(argc, argv);
    const auto comm = chainermn::create_communicator(o.communicator);
    examples::introduce(comm);
    if (comm->size() % 2 != 0) throw ValueError("the number of ranks must be even, not ", comm->size());
    o.training.seed_random();
    const auto pair = comm->split(comm->rank() / 2, comm->rank());
    const auto same_part = comm->split(comm->rank() % 2, comm->rank());

    // Both ranks of a pair read the same sequences in the same order; since the task is to copy, they are sources and
    // targets.
    const auto [begin, end] = chainermn::shard_of(size, same_part->rank(), same_part->size());
    const AnyDataset part = datasets::SubDataset(Sequences(size, 1), begin, end);
    auto it = chainermn::iterators::create_synchronized_iterator(pair, part, o.training.batchsize);
    std::shared_ptr<Link> model;
    if (pair->rank() == 0)
      model = std::make_shared<Encoder>(pair, unit);
    else
      model = std::make_shared<Decoder>(pair, unit);
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), same_part, o.optimizer()).setup(model);
    const auto convert = [](const Examples& batch, const std::optional<Device>&) {
      Arrays all;
      for (const Example& e : batch) all.push_back(e[0]);
      return Example(all);
    };
    training::StandardUpdater updater(it, optimizer, {.converter = convert});
    Trainer trainer(updater, o.training.stop(), {.out = o.training.out, .handle_signals = false});
    // The loss is known on the second ranks only.
    examples::run_trainer(trainer, comm, o, {"epoch", "main/loss", "main/accuracy", "elapsed_time"}, 1);
  });
}

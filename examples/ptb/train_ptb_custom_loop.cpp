// SPDX-License-Identifier: MIT
// Trains the language model of train_ptb in a custom loop, without the trainer.
//
//   build/release/examples/ptb/train_ptb_custom_loop --epoch 39 --out result
//
// --data is as for train_ptb; with --data made the perplexity falls below 25 in one epoch with --unit 16 --bproplen 10.
// Writes the model to rnnlm.npz in --out.
#include <cmath>
#include <filesystem>

#include "../common/bptt.h"
#include "../common/corpus.h"
#include "../common/own_loop.h"
#include "rnn.h"

using namespace chainer;

namespace {

double evaluate(L::Classifier& model, const Array& words, const Device& device) {
  L::Classifier copy = model.copy();  // the same parameters, a separate state
  static_cast<RNNForLM&>(copy.predictor()).reset_state();
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  examples::ParallelSequentialIterator iterator(words, 1, false);
  double sum = 0;
  int64_t count = 0;
  while (const auto batch = iterator.try_next()) {
    auto [x, t] = concat_examples<2>(*batch, device);
    sum += copy(Variables{x, t}).item<double>();
    ++count;
  }
  return std::exp(sum / static_cast<double>(count));
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_ptb_custom_loop", [&] {
    std::string data, out = "result", resume, on = "@cpu";
    long batchsize = 20, bproplen = 35, epochs = 39, gradclip = 5, units = 650, interval = 100, seed = -1;
    examples::Options options("train_ptb_custom_loop", "Trains a recurrent language model in a manual loop.");
    options.add("--data", examples::kCorpusHelp, data);
    options.add("--batchsize", "positions of the text in a batch", batchsize, 1);
    options.add("--bproplen", "length of truncated backpropagation, in words", bproplen, 1);
    options.add("--epoch", "passes over the text", epochs, 1);
    options.add("--gradclip", "maximum norm of the gradients", gradclip, 1);
    options.add("--unit", "units of each LSTM layer", units, 1);
    options.add("--interval", "updates between lines of the report", interval, 1);
    options.add("--out", "folder for the model", out);
    options.add("--resume", "resume from this snapshot, with an initial state of the network", resume);
    examples::add_device(options, on);
    options.add("--seed", "seed of the random numbers; -1: taken from the system", seed, -1);
    options.parse(argc, argv);
    if (seed >= 0) random::seed(static_cast<uint32_t>(seed));
    std::filesystem::create_directories(out);

    const examples::Corpus corpus = examples::load_corpus(data);
    std::printf("#vocab = %lld\n", static_cast<long long>(corpus.vocabulary.size()));
    examples::ParallelSequentialIterator train_iter(corpus.train, batchsize);
    L::Classifier model(RNNForLM(corpus.vocabulary.size(), units));
    model.compute_accuracy = false;
    const Device device = get_device(on);
    model.to_device(device);
    auto optimizer = optimizers::SGD({.lr = 1.0}).setup(model);
    optimizer.add_hook(std::make_shared<optimizer_hooks::GradientClipping>(gradclip));

    double sum = 0;
    int64_t words = 0, updates = 0;
    examples::OwnLoop loop([&](Serializer& s) {
      model.serialize(*s.child("model"));
      optimizer.serialize(*s.child("optimizer"));
      train_iter.serialize(*s.child("iterator"));
      s("updates", updates);
    });
    loop.resume(resume);
    while (train_iter.epoch() < epochs) {
      loop.end_if_asked(out);
      Variable loss;
      bool epoch_ended = false;
      for (long i = 0; i < bproplen; ++i) {
        auto [x, t] = concat_examples<2>(train_iter.next(), device);
        const Variable step = model(Variables{x, t});
        loss = loss ? loss + step : step;
        epoch_ended |= train_iter.is_new_epoch();
      }
      sum += loss.item<double>();
      words += bproplen;
      model.cleargrads();
      loss.backward();
      loss.unchain_backward();
      optimizer.update();
      if (++updates % interval == 0) {
        std::printf("iteration: %lld\ntraining perplexity: %.3f\n", static_cast<long long>(updates),
                    std::exp(sum / static_cast<double>(words)));
        sum = 0, words = 0;
      }
      if (epoch_ended)
        std::printf("epoch: %lld\nvalidation perplexity: %.3f\n", static_cast<long long>(train_iter.epoch()),
                    evaluate(model, corpus.valid, device));
      std::fflush(stdout);
    }
    std::printf("test perplexity: %.3f\n", evaluate(model, corpus.test, device));
    serializers::save_npz(out + "/rnnlm.npz", model);
  });
}

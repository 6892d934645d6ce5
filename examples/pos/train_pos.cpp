// SPDX-License-Identifier: MIT
// Tags words with their parts of speech: a bidirectional LSTM whose scores a conditional random field decodes.
//
//   build/release/examples/pos/train_pos --epoch 5
//   build/release/examples/pos/train_pos --train tagged.txt --test tagged-test.txt
//
// Each line of the files is a sentence of words with tags: the/DT cat/NN sleeps/VB. Without files the program generates
// sentences in which the same word may be a noun or a verb; more than 0.99 of the test words are tagged correctly after
// five epochs. --resume continues an interrupted run from its newest snapshot.
#include <chainer/chainer.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "../common/corpus.h"
#include "../common/training.h"

using namespace chainer;

namespace {

struct Sentences : Dataset {  // words, tags
  std::vector<Example> items;
  int64_t size() const override { return static_cast<int64_t>(items.size()); }
  Example get(int64_t i) const override { return items[static_cast<std::size_t>(i)]; }
};

// Sorts a batch by decreasing length, as CRF1d requires.
Examples longest_first(Examples batch) {
  std::stable_sort(batch.begin(), batch.end(),
                   [](const Example& a, const Example& b) { return len(a[0]) > len(b[0]); });
  return batch;
}

struct Tagger : Chain {
  L::EmbedID embed;
  L::NStepBiLSTM lstm;
  L::Linear out;
  L::CRF1d crf;
  Tagger(int64_t n_vocab, int64_t n_tags, int64_t n_units)
      : embed(n_vocab, n_units), lstm(1, n_units, n_units, 0.0), out(2 * n_units, n_tags), crf(n_tags) {}
  CHAINER_MEMBERS(Tagger, embed, lstm, out, crf);

  // The scores of all words by position, and the sentences sorted by decreasing length.
  Variables scores(const Examples& batch) {
    Variables xs;
    for (const Example& e : batch) xs.push_back(embed(Variable(e[0].to_device(embed.W.array().device()), false)));
    Variables ys;
    for (const Variable& y : lstm(Variable(), Variable(), xs).ys) ys.push_back(out(y));
    return F::transpose_sequence(ys);
  }
  Variables tags(const Examples& batch) {
    Variables ts;
    for (const Example& e : batch) ts.push_back(Variable(e[1].to_device(embed.W.array().device()), false));
    return F::transpose_sequence(ts);
  }
};

struct TaggerUpdater : training::StandardUpdater {
  using StandardUpdater::StandardUpdater;
  void update_core() override {
    Optimizer& optimizer = get_optimizer("main");
    auto& model = static_cast<Tagger&>(optimizer.target());
    const Examples batch = longest_first(next_batch());
    const Variable loss = model.crf(model.scores(batch), model.tags(batch));
    report({{"loss", loss}}, model);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  }
};

// The share of correctly tagged words.
double accuracy(Tagger& model, const Sentences& all, long batchsize) {
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  iterators::SerialIterator batches(all, batchsize, {.repeat = false, .shuffle = false});
  int64_t right = 0, words = 0;
  while (const auto next = batches.try_next()) {
    const Examples batch = longest_first(*next);
    const auto best = model.crf.argmax(model.scores(batch)).ps;
    const Variables expected = model.tags(batch);
    for (std::size_t t = 0; t < best.size(); ++t) {
      right += chainer::sum(best[t] == expected[t].array()).item<int64_t>();
      words += len(expected[t]);
    }
  }
  return static_cast<double>(right) / static_cast<double>(words);
}

Sentences read_sentences(const std::string& file, examples::Vocabulary& words, examples::Vocabulary& tags, bool grow) {
  std::ifstream in(file);
  if (!in) throw ValueError("cannot read ", file);
  Sentences out;
  for (std::string line; std::getline(in, line);) {
    std::vector<int32_t> w, t;
    std::istringstream stream(line);
    for (std::string token; stream >> token;) {
      const auto slash = token.rfind('/');
      if (slash == std::string::npos || slash == 0 || slash + 1 == token.size())
        throw ValueError(file, ": '", token, "' is not a word/TAG");
      const std::string word = token.substr(0, slash);
      w.push_back(grow ? words.add(word) : words.has(word) ? words.number(word) : 0);
      t.push_back(grow ? tags.add(token.substr(slash + 1)) : tags.number(token.substr(slash + 1)));
    }
    if (!w.empty()) out.items.push_back({array(w), array(t)});
  }
  return out;
}

// "the fish can swim": some words are nouns after an article and verbs after a noun.
Sentences make_sentences(int64_t count, uint32_t seed, examples::Vocabulary& words, examples::Vocabulary& tags) {
  random::RandomState r(seed);
  const auto below = [&](int64_t n) { return static_cast<std::size_t>(r.randint(0, n, {}).item<int64_t>()); };
  const std::vector<std::string> both = {"fish", "plant", "run", "watch", "play"}, nouns = {"dog", "cat", "child"},
                                 adjectives = {"old", "small"}, articles = {"the", "a"};
  Sentences out;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int32_t> w, t;
    const auto add = [&](const std::string& word, const char* tag) {
      w.push_back(words.add(word)), t.push_back(tags.add(tag));
    };
    const auto phrase = [&] {
      add(articles[below(2)], "DT");
      if (below(2)) add(adjectives[below(2)], "JJ");
      below(2) ? add(both[below(5)], "NN") : add(nouns[below(3)], "NN");
    };
    phrase();
    add(both[below(5)], "VB");
    if (below(2)) phrase();
    out.items.push_back({array(w), array(t)});
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_pos", [&] {
    examples::TrainingOptions o{.batchsize = 30, .epoch = 5};
    std::string train_file, test_file;
    long units = 32, size = 600;
    examples::Options options("train_pos", "Tags words with their parts of speech.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--train", "file of tagged training sentences; by default generated sentences", train_file);
    options.add("--test", "file of tagged test sentences", test_file);
    options.add("--unit", "units of the LSTM in each direction", units, 1);
    options.add("--size", "number of generated sentences", size, 1);
    options.parse(argc, argv);
    if (train_file.empty() != test_file.empty()) throw ValueError("--train and --test must be given together");
    o.seed_random();

    examples::Vocabulary words, tags;
    words.add("<unk>");
    const bool given = !train_file.empty();
    const Sentences train =
        given ? read_sentences(train_file, words, tags, true) : make_sentences(size, 1, words, tags);
    const Sentences test = given ? read_sentences(test_file, words, tags, false) : make_sentences(100, 2, words, tags);
    if (train.items.empty() || test.items.empty()) throw ValueError("no sentences in --train or --test");
    std::printf("# of words: %lld, tags: %lld\n", static_cast<long long>(words.size()),
                static_cast<long long>(tags.size()));
    Tagger model(words.size(), tags.size(), units);
    auto optimizer = optimizers::Adam({.alpha = 0.01}).setup(model);
    iterators::SerialIterator train_iter(train, o.batchsize);
    TaggerUpdater updater(train_iter, optimizer, {.device = get_device(o.device)});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    trainer.extend(extensions::observe_value("validation/main/accuracy",
                                             [&](Trainer&) { return accuracy(model, test, o.batchsize); }),
                   {.trigger = o.report()});
    examples::run_trainer(trainer, o, {"epoch", "main/loss", "validation/main/accuracy", "elapsed_time"});
  });
}

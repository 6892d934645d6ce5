// Tags words with their parts of speech: a bidirectional LSTM whose scores a conditional random field decodes.
//
//   build/release/examples/pos/train_pos --epoch 5
//   build/release/examples/pos/train_pos --train tagged.txt --test tagged-test.txt
//
// The files hold a sentence a line, of words with their tags: the/DT cat/NN sleeps/VB. Without files the program makes
// sentences up in which the same word may be a noun or a verb; more than 0.99 of the test words are tagged right after
// five epochs.
#include <chainer/chainer.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "../common/corpus.h"
#include "../common/options.h"

using namespace chainer;

namespace {

struct Sentence {
  Array words, tags;
};

struct Tagger : Chain {
  L::EmbedID embed;
  L::NStepBiLSTM lstm;
  L::Linear out;
  L::CRF1d crf;
  Tagger(int64_t n_vocab, int64_t n_tags, int64_t n_units)
      : embed(n_vocab, n_units), lstm(1, n_units, n_units, 0.0), out(2 * n_units, n_tags), crf(n_tags) {}
  CHAINER_MEMBERS(Tagger, embed, lstm, out, crf);

  // The scores of all words, one time after the other, and the sentences in that order: the longest first.
  Variables scores(const std::vector<Sentence>& batch) {
    Variables xs;
    for (const Sentence& s : batch) xs.push_back(embed(Variable(s.words, false)));
    Variables ys;
    for (const Variable& y : lstm(Variable(), Variable(), xs).ys) ys.push_back(out(y));
    return F::transpose_sequence(ys);
  }
  Variable loss(const std::vector<Sentence>& batch) {
    Variables tags;
    for (const Sentence& s : batch) tags.push_back(Variable(s.tags, false));
    return crf(scores(batch), F::transpose_sequence(tags));
  }
};

std::vector<Sentence> read_sentences(const std::string& file, examples::Vocabulary& words, examples::Vocabulary& tags,
                                     bool grow) {
  std::ifstream in(file);
  if (!in) throw ValueError("cannot read ", file);
  std::vector<Sentence> out;
  for (std::string line; std::getline(in, line);) {
    std::vector<int32_t> w, t;
    std::istringstream stream(line);
    for (std::string token; stream >> token;) {
      const auto slash = token.rfind('/');
      if (slash == std::string::npos || slash == 0 || slash + 1 == token.size())
        throw ValueError(file, ": '", token, "' is no word/TAG");
      const std::string word = token.substr(0, slash);
      w.push_back(grow ? words.add(word) : words.has(word) ? words.number(word) : 0);
      t.push_back(grow ? tags.add(token.substr(slash + 1)) : tags.number(token.substr(slash + 1)));
    }
    if (!w.empty()) out.push_back({array(w), array(t)});
  }
  return out;
}

// "the fish can swim": some words are nouns behind an article and verbs behind a noun.
std::vector<Sentence> make_sentences(int64_t count, uint32_t seed, examples::Vocabulary& words,
                                     examples::Vocabulary& tags) {
  random::RandomState r(seed);
  const auto below = [&](int64_t n) { return static_cast<std::size_t>(r.randint(0, n, {}).item<int64_t>()); };
  const std::vector<std::string> both = {"fish", "plant", "run", "watch", "play"}, nouns = {"dog", "cat", "child"},
                                 adjectives = {"old", "small"}, articles = {"the", "a"};
  std::vector<Sentence> out;
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
    out.push_back({array(w), array(t)});
  }
  return out;
}

// Sentences of a batch, the longest first, as CRF1d takes them.
std::vector<std::vector<Sentence>> batches(const std::vector<Sentence>& all, const std::vector<int64_t>& order,
                                           long size) {
  std::vector<std::vector<Sentence>> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % static_cast<std::size_t>(size) == 0) out.emplace_back();
    out.back().push_back(all[static_cast<std::size_t>(order[i])]);
  }
  for (auto& batch : out)
    std::stable_sort(batch.begin(), batch.end(),
                     [](const Sentence& a, const Sentence& b) { return len(a.words) > len(b.words); });
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_pos", [&] {
    std::string train_file, test_file;
    long epochs = 5, units = 32, batchsize = 30, size = 600, seed = -1;
    examples::Options options("train_pos", "Tags words with their parts of speech.");
    options.add("--train", "file of tagged sentences to learn from; none makes sentences up", train_file);
    options.add("--test", "file of tagged sentences to test on", test_file);
    options.add("--epoch", "how often to go through the sentences", epochs, 1);
    options.add("--unit", "units of the LSTM in each direction", units, 1);
    options.add("--batchsize", "sentences a batch", batchsize, 1);
    options.add("--size", "sentences to make up", size, 1);
    options.add("--seed", "seed of the random numbers; -1 takes one from the system", seed, -1);
    options.parse(argc, argv);
    if (train_file.empty() != test_file.empty()) throw ValueError("--train and --test belong together");
    if (seed >= 0) random::seed(static_cast<uint32_t>(seed));

    examples::Vocabulary words, tags;
    words.add("<unk>");
    const bool given = !train_file.empty();
    const auto train = given ? read_sentences(train_file, words, tags, true) : make_sentences(size, 1, words, tags);
    const auto test = given ? read_sentences(test_file, words, tags, false) : make_sentences(100, 2, words, tags);
    if (train.empty() || test.empty()) throw ValueError("there are no sentences");
    std::printf("# of words: %lld, tags: %lld\n", static_cast<long long>(words.size()),
                static_cast<long long>(tags.size()));
    Tagger model(words.size(), tags.size(), units);
    auto optimizer = optimizers::Adam({.alpha = 0.01}).setup(model);
    for (long epoch = 1; epoch <= epochs; ++epoch) {
      double sum = 0;
      const auto order = random::permutation(static_cast<int64_t>(train.size())).to_vector<int64_t>();
      const auto parts = batches(train, order, batchsize);
      for (const auto& batch : parts) {
        const Variable loss = model.loss(batch);
        sum += loss.item<double>();
        model.cleargrads();
        loss.backward();
        optimizer.update();
      }
      const UsingConfig test_mode(&Config::train, false);
      const NoBackpropMode no_graph;
      int64_t right = 0, all = 0;
      const auto in_order = arange(static_cast<int64_t>(test.size())).to_vector<int64_t>();
      for (const auto& batch : batches(test, in_order, batchsize)) {
        const auto best = model.crf.argmax(model.scores(batch)).ps;
        Variables tags_of;
        for (const Sentence& s : batch) tags_of.push_back(Variable(s.tags, false));
        const Variables expected = F::transpose_sequence(tags_of);
        for (std::size_t t = 0; t < best.size(); ++t) {
          right += chainer::sum(best[t] == expected[t].array()).item<int64_t>();
          all += len(expected[t]);
        }
      }
      std::printf("epoch: %ld, loss: %.4f, accuracy: %.4f\n", epoch, sum / static_cast<double>(parts.size()),
                  static_cast<double>(right) / static_cast<double>(all));
      std::fflush(stdout);
    }
  });
}

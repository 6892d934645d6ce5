// SPDX-License-Identifier: MIT
// Learns word vectors with the trainer (manual: "Word2Vec: Obtain word embeddings").
//
//   build/release/examples/word2vec/train_word2vec --model skipgram --epoch 20
//   build/release/examples/word2vec/train_word2vec --data FOLDER_OF_PTB --out-type ns
//   echo would president | build/release/examples/word2vec/search
//
// The text is the Penn Treebank, from the cache or the network, or from a folder of ptb.train.txt, ptb.valid.txt and
// ptb.test.txt. With the valid part alone and --out-type ns, after 20 epochs the neighbours of "would" are could, will,
// can, may and might, those of "president" chairman, executive, chief and vice. With --data made the program generates
// sentences about animals and professions: the neighbours of "cat" are animals. Skip-gram or continuous bag of words,
// with hierarchical softmax (hsm), negative sampling (ns) or the softmax over all words (original). Writes
// word2vec.model into --out, for search. See --help for the options.
#include <algorithm>

#include "../common/corpus.h"
#include "../common/options.h"
#include "models.h"
#include "vectors.h"

using namespace chainer;

namespace {

struct Settings {
  std::string data, model = "skipgram", out_type = "hsm", out = "result", resume, device = "@cpu";
  long unit = 100, window = 5, batchsize = 1000, epoch = 20, negative = 5, seed = -1;
  bool test = false;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Options options("train_word2vec", "Learns word vectors.");
  options.add("--data", examples::kCorpusHelp, s.data);
  options.add("--unit", "length of the vectors", s.unit, 1);
  options.add("--window", "maximum number of context words on each side", s.window, 1);
  options.add("--batchsize", "center words per batch", s.batchsize, 1);
  options.add("--epoch", "passes over the text", s.epoch, 1);
  options.add("--model", "skipgram or cbow", s.model);
  options.add("--negative-size", "negative samples per word", s.negative, 1);
  options.add("--out-type", "hsm, ns or original", s.out_type);
  options.add("--out", "folder for the results", s.out);
  options.add("--resume", "resume from this snapshot", s.resume);
  options.add("--test", "the first 100 words only", s.test);
  examples::add_device(options, s.device);
  options.add("--seed", "seed of the random numbers; -1: taken from the system", s.seed, -1);
  options.parse(argc, argv);
  if (s.model != "skipgram" && s.model != "cbow") throw ValueError("--model is skipgram or cbow, not '", s.model, "'");
  return s;
}

// Center words in random order, each batch with windows of one random width.
class WindowIterator : public Iterator {
 public:
  WindowIterator(const Array& words, int64_t window, int64_t batch_size, bool repeat = true)
      : words_(words), window_(window), batch_size_(batch_size), repeat_(repeat) {
    if (len(words) <= 2 * window) throw ValueError("a text of ", len(words), " words is too short for the window");
    reset();
  }
  std::optional<Examples> try_next() override {
    if (!repeat_ && epoch_ > 0) return std::nullopt;
    previous_epoch_detail_ = epoch_detail();
    const int64_t begin = position_, end = std::min(begin + batch_size_, len(order_)),
                  width = random::randint(1, window_ + 1, {}).item<int64_t>();
    Array centers = order_[Slice(begin, end)];
    position_ = end;
    is_new_epoch_ = end == len(order_);
    if (is_new_epoch_) {
      ++epoch_;
      position_ = 0;
      order_ = shuffled();
    }
    const Array offsets = concatenate({arange(-width, 0), arange(1, width + 1)});
    const Array at = expand_dims(centers, 1) + expand_dims(offsets, 0);
    return Examples{Example{take(words_, centers), take(words_, at)}};
  }
  void reset() override {
    order_ = shuffled();
    position_ = epoch_ = 0;
    is_new_epoch_ = false;
    previous_epoch_detail_.reset();
  }
  void serialize(Serializer& s) override {
    s("position", position_);
    s("epoch", epoch_);
    s("order", order_);
  }
  int64_t batch_size() const override { return batch_size_; }
  int64_t epoch() const override { return epoch_; }
  double epoch_detail() const override {
    return static_cast<double>(epoch_) + static_cast<double>(position_) / static_cast<double>(len(order_));
  }
  std::optional<double> previous_epoch_detail() const override { return previous_epoch_detail_; }
  bool is_new_epoch() const override { return is_new_epoch_; }
  bool repeat() const override { return repeat_; }

 private:
  Array shuffled() const { return random::permutation(len(words_) - 2 * window_) + window_; }
  Array words_, order_;
  int64_t window_, batch_size_, position_ = 0, epoch_ = 0;
  bool repeat_, is_new_epoch_ = false;
  std::optional<double> previous_epoch_detail_;
};

// The iterator's only example is already a batch.
Example convert(const Examples& batch, const std::optional<Device>& device) {
  return {to_device(device, batch[0][0]), to_device(device, batch[0][1])};
}

Child make_loss(const Settings& s, const Array& words, int64_t n_vocab) {
  std::map<int64_t, double> counts;
  for (int64_t w = 0; w < n_vocab; ++w) counts[w] = 1e-3;
  for (int32_t w : words.to_vector<int32_t>()) counts[w] += 1;
  if (s.out_type == "original") return SoftmaxCrossEntropyLoss(s.unit, n_vocab);
  if (s.out_type == "hsm") {
    const L::Tree tree = L::BinaryHierarchicalSoftmax::create_huffman_tree(counts);
    return MeanLoss(L::BinaryHierarchicalSoftmax(s.unit, tree));
  }
  if (s.out_type == "ns") {
    std::vector<double> list;
    for (const auto& [word, n] : counts) list.push_back(n);
    return MeanLoss(L::NegativeSampling(s.unit, list, s.negative));
  }
  throw ValueError("--out-type is hsm, ns or original, not '", s.out_type, "'");
}

void train(const Settings& s) {
  examples::Corpus corpus = examples::load_corpus(s.data);
  if (s.test) corpus.train = corpus.train[Slice(0, 100)], corpus.valid = corpus.valid[Slice(0, 100)];
  const int64_t n_vocab = corpus.vocabulary.size();
  std::printf("n_vocab: %lld\ndata length: %lld\n", static_cast<long long>(n_vocab),
              static_cast<long long>(len(corpus.train)));
  std::fflush(stdout);

  EmbeddingModel model(n_vocab, s.unit, s.model == "cbow", make_loss(s, corpus.train, n_vocab));
  auto optimizer = optimizers::Adam().setup(model);
  WindowIterator train_iter(corpus.train, s.window, s.batchsize), val_iter(corpus.valid, s.window, s.batchsize, false);
  const Device device = get_device(s.device);
  training::StandardUpdater updater(train_iter, optimizer, {.converter = convert, .device = device});
  Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});
  trainer.extend(extensions::Evaluator(val_iter, model, {.converter = convert, .device = device}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(extensions::snapshot(), {.trigger = {s.epoch, "epoch"}});
  if (!s.resume.empty()) serializers::load_npz(s.resume, trainer);
  trainer.run();
  save_vectors(s.out + "/word2vec.model", corpus.vocabulary.words(), model.embed.W.array());
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_word2vec", [&] {
    const Settings s = parse(argc, argv);
    if (s.seed >= 0) random::seed(static_cast<uint32_t>(s.seed));
    train(s);
  });
}

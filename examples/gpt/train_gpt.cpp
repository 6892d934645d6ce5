// SPDX-License-Identifier: MIT
// Trains a small GPT on a text, and writes text of its own while it trains.
//
//   build/release/examples/gpt/train_gpt --out result
//   build/release/examples/gpt/train_gpt --text book.txt --vocabulary 2000 --layers 6 --size 384 --heads 6
//
// The text is cut into tokens by byte-level BPE, learnt from the text itself; --vocabulary 256 makes each byte a token.
// Without a file the program generates sentences of a small grammar, which it writes without mistakes after a few
// epochs. --out receives the tokenizer (tokenizer.json), snapshots and model.npz; --resume continues an interrupted
// run. With --checkpoint, layers are computed again during backward, for long sequences. See --help for the options.
#include <chainer/chainer.h>
#include <chainer/models/generate.h>
#include <chainer/tokenizers/tokenizer.h>

#include <fstream>
#include <iterator>

#include "../common/corpus.h"
#include "../common/training.h"

using namespace chainer;
using tokenizers::Tokenizer;

namespace {

// Windows of a text: their tokens, and the tokens one position later.
struct Windows : Dataset {
  Windows(Array tokens, int64_t length) : tokens(std::move(tokens)), length(length) {}
  int64_t size() const override { return (tokens.size() - 1) / length; }
  Example get(int64_t i) const override {
    const int64_t begin = i * length;
    return {tokens[Slice(begin, begin + length)], tokens[Slice(begin + 1, begin + length + 1)]};
  }
  Array tokens;
  int64_t length;
};

// The loss of a GPT, without the scores of all tokens.
struct LanguageModel : Chain {
  models::Gpt2 gpt;
  CHAINER_MEMBERS(LanguageModel, gpt);
  LanguageModel(const models::Gpt2Config& config, bool checkpoint) : gpt(config, {.checkpoint = checkpoint}) {}
  Variable forward(const Variable& x, const Variable& t) {
    const Variable loss = F::linear_cross_entropy(gpt.hidden(x), gpt.words.W, t);
    report({{"loss", loss}}, this);
    return loss;
  }
};

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  if (file.empty()) {
    const examples::Corpus corpus = examples::made_corpus();
    lines.emplace_back();
    for (const int64_t w : corpus.train.to_vector<int64_t>()) {
      const std::string& word = corpus.vocabulary.word(w);
      if (word == "<eos>")
        lines.back() += ".\n", lines.emplace_back();
      else
        lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
  }
  std::ifstream in(file);
  if (!in) throw ValueError("cannot read ", file);
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  return lines;
}

Array tokens_of(const Tokenizer& t, const std::vector<std::string>& lines) {
  std::vector<int32_t> all;
  for (const std::string& line : lines) {
    const std::vector<int32_t> ids = t.encode(line);
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return array(all);
}

// Returns a text that the model writes after the prompt.
std::string written(models::Gpt2& gpt, const Tokenizer& t, const std::string& prompt, int64_t tokens) {
  const models::GenerationOptions o{.max_new_tokens = tokens, .temperature = 0.8, .top_k = 40};
  return prompt + t.decode(models::generate(gpt, {t.encode(prompt)}, o)[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_gpt", [&] {
    examples::TrainingOptions o{.batchsize = 12, .epoch = 20};
    std::string file, prompt = "the";
    long vocabulary = 512, layers = 4, heads = 4, size = 128, positions = 64, length = 60;
    double alpha = 1e-3;
    bool checkpoint = false;
    examples::Options options("train_gpt", "Trains a small GPT and writes text.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--text", "file of the text; by default generated sentences", file);
    options.add("--vocabulary", "tokens of the tokenizer, at least 256", vocabulary, 256);
    options.add("--layers", "layers of the network", layers, 1);
    options.add("--heads", "heads of each attention", heads, 1);
    options.add("--size", "features of a token, a multiple of --heads", size, 1);
    options.add("--positions", "tokens that the network reads at once", positions, 2);
    options.add("--alpha", "the highest learning rate", alpha);
    options.add("--checkpoint", "compute layers again during backward, which needs less memory", checkpoint);
    options.add("--prompt", "beginning of the texts that are written", prompt);
    options.add("--length", "tokens of such a text", length, 1);
    options.parse(argc, argv);
    if (prompt.empty()) throw ValueError("--prompt must not be empty");
    o.seed_random();

    const std::vector<std::string> lines = lines_of(file);
    const Tokenizer tokenizer = Tokenizer::train_byte_level_bpe(lines, {.vocabulary = vocabulary});
    std::filesystem::create_directories(o.out);
    tokenizer.save(o.out + "/tokenizer.json");
    if (const auto n = static_cast<long>(tokenizer.encode(prompt).size()); n > positions)
      throw ValueError("--prompt has ", n, " tokens, more than --positions ", positions);
    const Array tokens = tokens_of(tokenizer, lines);
    const int64_t test_size = std::max<int64_t>(tokens.size() / 10, positions + 1);
    if (tokens.size() < 2 * test_size) throw ValueError("the text has ", tokens.size(), " tokens, too few to train on");
    const Windows train(tokens[Slice(0, tokens.size() - test_size)], positions),
        test(tokens[Slice(tokens.size() - test_size, std::nullopt)], positions);
    std::printf("# tokens: %lld, vocabulary: %lld\n", static_cast<long long>(tokens.size()),
                static_cast<long long>(tokenizer.size()));

    LanguageModel model({.vocab_size = tokenizer.size(),
                         .n_positions = positions,
                         .n_embd = size,
                         .n_layer = layers,
                         .n_head = heads,
                         .n_inner = 4 * size},
                        checkpoint);
    std::printf("# parameters: %lld\n", static_cast<long long>(model.count_params()));
    std::fflush(stdout);
    auto optimizer = optimizers::AdamW({.alpha = alpha, .weight_decay = 0.01}).setup(model);
    optimizer.add_hook(std::make_shared<optimizer_hooks::GradientClipping>(1.0));
    iterators::SerialIterator train_iter(train, o.batchsize);
    iterators::SerialIterator test_iter(test, o.batchsize, {.repeat = false, .shuffle = false});
    const Device device = get_device(o.device);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    const int64_t all = o.iterations ? o.iterations : (train.size() * o.epoch + o.batchsize - 1) / o.batchsize;
    trainer.extend(extensions::CosineShift("alpha", std::max<int64_t>(all, 2),
                                           {.init = alpha, .target = alpha / 10, .warmup = all / 20}));
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}), {.trigger = o.report()});
    trainer.extend([&](Trainer&) { std::printf("\n%s\n", written(model.gpt, tokenizer, prompt, length).c_str()); },
                   {.name = "writer", .trigger = o.report()});
    examples::run_trainer(trainer, o, {"epoch", "iteration", "main/loss", "validation/main/loss", "elapsed_time"});
    serializers::save_npz(o.out + "/model.npz", model);
  });
}

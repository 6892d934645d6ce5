// SPDX-License-Identifier: MIT
// Trains a recurrent language model on the Penn Treebank with the trainer (manual: "RNN Language Models").
//
//   build/release/examples/ptb/train_ptb --epoch 39 --out result
//   build/release/examples/ptb/train_ptb --data FOLDER_OF_PTB --unit 200 --batchsize 5 --bproplen 20 --epoch 4
//
// The text comes from the cache of datasets or the network, or from a folder of ptb.train.txt, ptb.valid.txt and
// ptb.test.txt. If the folder has no ptb.train.txt, the valid part is the training text: the second command then
// reaches a perplexity of about 300 on the test part. With --data made the program generates sentences of a small
// grammar, whose perplexity falls below 5 in two epochs with --unit 32 --bproplen 10. --resume SNAPSHOT continues an
// interrupted run with an initial state of the network. The model is written to --model for gentxt. See --help for the
// options.
#include <cmath>

#include "../common/bptt.h"
#include "../common/corpus.h"
#include "../common/options.h"
#include "../common/watching.h"
#include "rnn.h"

using namespace chainer;

namespace {

struct Settings {
  std::string data, out = "result", resume, model = "model.npz", device = "@cpu";
  long batchsize = 20, bproplen = 35, epoch = 39, gradclip = 5, unit = 650, interval = 0, seed = -1;
  bool test = false;
  examples::Watching watching;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Options options("train_ptb", "Trains a recurrent language model on the Penn Treebank.");
  options.add("--data", examples::kCorpusHelp, s.data);
  options.add("--batchsize", "positions of the text in a batch", s.batchsize, 1);
  options.add("--bproplen", "length of truncated backpropagation, in words", s.bproplen, 1);
  options.add("--epoch", "passes over the text", s.epoch, 1);
  options.add("--gradclip", "maximum norm of the gradients", s.gradclip, 1);
  options.add("--unit", "units of each LSTM layer", s.unit, 1);
  options.add("--interval", "iterations between lines of the report; 0: 500, or 10 with --test", s.interval, 0);
  options.add("--out", "folder for the results", s.out);
  options.add("--resume", "resume from this snapshot", s.resume);
  options.add("--model", "file for the trained model, in --out", s.model);
  options.add("--test", "use only the first 100 words of each part", s.test);
  s.watching.add_to(options);
  examples::add_device(options, s.device);
  options.add("--seed", "seed of the random numbers; -1: taken from the system", s.seed, -1);
  options.parse(argc, argv);
  s.watching.args = options.values();
  if (s.interval == 0) s.interval = s.test ? 10 : 500;
  return s;
}

void compute_perplexity(json::Object& result) {
  const auto put = [&](const char* from, const char* to) {
    for (std::size_t i = 0; i < result.size(); ++i)
      if (result[i].first == from) return result.emplace_back(to, std::exp(result[i].second.number())), void();
  };
  put("main/loss", "perplexity");
  put("validation/main/loss", "val_perplexity");
}

void train(const Settings& s) {
  examples::Corpus corpus = examples::load_corpus(s.data);
  if (s.test)
    for (Array* part : {&corpus.train, &corpus.valid, &corpus.test}) *part = (*part)[Slice(0, 100)];
  std::printf("#vocab = %lld\n", static_cast<long long>(corpus.vocabulary.size()));
  std::fflush(stdout);

  examples::ParallelSequentialIterator train_iter(corpus.train, s.batchsize), val_iter(corpus.valid, 1, false),
      test_iter(corpus.test, 1, false);

  L::Classifier model(RNNForLM(corpus.vocabulary.size(), s.unit));
  model.compute_accuracy = false;  // only the perplexity counts
  auto optimizer = optimizers::SGD({.lr = 1.0}).setup(model);
  optimizer.add_hook(std::make_shared<optimizer_hooks::GradientClipping>(s.gradclip));

  const Device device = get_device(s.device);
  examples::BPTTUpdater updater(train_iter, optimizer, s.bproplen, device);
  Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});
  L::Classifier eval_model = model.copy();  // the same parameters, a separate state
  auto& eval_rnn = static_cast<RNNForLM&>(eval_model.predictor());
  trainer.extend(extensions::Evaluator(
      val_iter, eval_model, {.device = device, .eval_hook = [&](extensions::Evaluator&) { eval_rnn.reset_state(); }}));
  trainer.extend(extensions::LogReport({.trigger = {s.interval, "iteration"}, .postprocess = compute_perplexity}));
  s.watching.extend(trainer, {"epoch", "iteration", "perplexity", "val_perplexity"}, {s.interval, "iteration"},
                    s.test ? 1 : 10);
  trainer.extend(extensions::snapshot());
  trainer.extend(extensions::snapshot_object(model, "model_iter_{.updater.iteration}"));
  if (!s.resume.empty()) serializers::load_npz(s.resume, trainer);
  trainer.run();

  eval_rnn.reset_state();
  const double loss = extensions::Evaluator(test_iter, eval_model, {.device = device}).run().at("main/loss");
  std::printf("test perplexity: %.4f\n", std::exp(loss));
  serializers::save_npz(s.out + "/" + s.model, model);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_ptb", [&] {
    const Settings s = parse(argc, argv);
    if (s.seed >= 0) random::seed(static_cast<uint32_t>(s.seed));
    train(s);
  });
}

// SPDX-License-Identifier: MIT
// Trains a sequence-to-sequence model with the trainer (manual: "Write a Sequence to Sequence (seq2seq) Model").
//
//   build/release/examples/seq2seq/train_seq2seq --task copy
//   build/release/examples/seq2seq/train_seq2seq --source SENTENCES --target TRANSLATIONS
//
// The first learns to copy (or, with --task reverse, to reverse) random sequences of up to 8 of 10 symbols: more than
// 0.99 of the validation sequences are entirely correct after twelve epochs of 20,000. The second reads two files of
// sentences, aligned line by line, makes vocabularies of the most frequent words, and uses the last tenth for
// validation. BLEU and a sample translation are reported each epoch. See --help for the options.
#include <chainer/chainer.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "../common/lists.h"
#include "../common/options.h"
#include "bleu.h"
#include "seq2seq.h"

using namespace chainer;

namespace {

struct Settings {
  std::string task = "copy", source, target, out = "result", resume, device = "@cpu";
  long batchsize = 64, epoch = 12, unit = 128, layer = 1, size = 20000, vocabulary = 40000, seed = -1;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Options options("train_seq2seq", "Trains a sequence-to-sequence model.");
  options.add("--task", "copy or reverse, if no files are given", s.task);
  options.add("--source", "file of sentences", s.source);
  options.add("--target", "file of their translations", s.target);
  options.add("--batchsize", "sentences per batch", s.batchsize, 1);
  options.add("--epoch", "passes over the sentences", s.epoch, 1);
  options.add("--unit", "units of the LSTM layers", s.unit, 1);
  options.add("--layer", "LSTM layers", s.layer, 1);
  options.add("--size", "random sequences per epoch", s.size, 10);
  options.add("--vocabulary", "maximum number of words of each language", s.vocabulary, 1);
  options.add("--out", "folder for the results", s.out);
  options.add("--resume", "resume from this snapshot", s.resume);
  examples::add_device(options, s.device);
  options.add("--seed", "seed of the random numbers; -1: taken from the system", s.seed, -1);
  options.parse(argc, argv);
  if (s.task != "reverse" && s.task != "copy") throw ValueError("--task is reverse or copy, not '", s.task, "'");
  return s;
}

// Sentences as word numbers, and the vocabularies.
struct Language {
  std::vector<std::vector<int32_t>> sentences;
  std::vector<std::string> words = {"<UNK>", "<EOS>"};
  std::string text(const std::vector<int32_t>& sentence) const {
    std::string out;
    for (int32_t w : sentence) out += (out.empty() ? "" : " ") + words[static_cast<std::size_t>(w)];
    return out;
  }
};

std::vector<std::vector<std::string>> read_lines(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw ValueError("cannot read ", file);
  std::vector<std::vector<std::string>> out;
  for (std::string line, word; std::getline(in, line);) {
    auto& words = out.emplace_back();
    for (std::istringstream stream(line); stream >> word;) words.push_back(word);
  }
  return out;
}

Language read_language(const std::string& file, long most) {
  const auto lines = read_lines(file);
  std::map<std::string, int64_t> counts;
  for (const auto& line : lines)
    for (const std::string& w : line) ++counts[w];
  std::vector<std::pair<int64_t, std::string>> by_count;
  for (const auto& [word, n] : counts) by_count.emplace_back(-n, word);
  std::sort(by_count.begin(), by_count.end());
  Language l;
  std::map<std::string, int32_t> numbers;
  for (std::size_t i = 0; i < by_count.size() && i < static_cast<std::size_t>(most); ++i) {
    numbers[by_count[i].second] = static_cast<int32_t>(l.words.size());
    l.words.push_back(by_count[i].second);
  }
  for (const auto& line : lines) {
    auto& sentence = l.sentences.emplace_back();
    for (const std::string& w : line) sentence.push_back(numbers.count(w) ? numbers[w] : kUnknown);
  }
  return l;
}

std::pair<Language, Language> make_task(const Settings& s) {
  random::RandomState r(5);
  Language from, to;
  for (int i = 0; i < 10; ++i) from.words.push_back(std::string(1, static_cast<char>('a' + i)));
  to.words = from.words;
  const long held_back = std::max(1L, s.size / 10);
  for (long i = 0; i < s.size + held_back; ++i) {
    const int64_t length = r.randint(1, 9, {}).item<int64_t>();
    const std::vector<int32_t> x = r.randint(2, 12, {length}).to_vector<int32_t>();
    from.sentences.push_back(x);
    to.sentences.push_back(s.task == "copy" ? x : std::vector<int32_t>(x.rbegin(), x.rend()));
  }
  return {from, to};
}

struct Pairs : Dataset {
  const Language *from, *to;
  std::size_t begin, end;
  Pairs(const Language& f, const Language& t, std::size_t b, std::size_t e) : from(&f), to(&t), begin(b), end(e) {}
  int64_t size() const override { return static_cast<int64_t>(end - begin); }
  Example get(int64_t i) const override {
    const std::size_t k = begin + static_cast<std::size_t>(i);
    return {array(from->sentences[k]), array(to->sentences[k])};
  }
};

// Translates the validation sentences: reports BLEU and the share of exactly correct translations, and prints the
// first.
class CalculateBleu : public training::Extension {
 public:
  CalculateBleu(Seq2seq& model, const Pairs& pairs) : model_(model), pairs_(pairs) {}
  training::Trigger trigger() const override { return {1, "epoch"}; }
  int priority() const override { return PRIORITY_WRITER; }
  void operator()(Trainer& trainer) override {
    std::vector<std::vector<int32_t>> references, translations;
    for (std::size_t at = pairs_.begin; at < pairs_.end; at += 100) {
      Variables xs;
      std::size_t longest = 0;
      for (std::size_t k = at; k < std::min(at + 100, pairs_.end); ++k) {
        xs.push_back(Variable(array(pairs_.from->sentences[k]).to_device(model_.W.W.array().device()), false));
        references.push_back(pairs_.to->sentences[k]);
        longest = std::max(longest, references.back().size());
      }
      for (auto& y : model_.translate(xs, static_cast<int64_t>(2 * longest + 10))) translations.push_back(std::move(y));
    }
    double right = 0;
    for (std::size_t i = 0; i < references.size(); ++i) right += references[i] == translations[i];
    std::printf("# source : %s\n#  result : %s\n#  expect : %s\n",
                pairs_.from->text(pairs_.from->sentences[pairs_.begin]).c_str(),
                pairs_.to->text(translations[0]).c_str(), pairs_.to->text(references[0]).c_str());
    trainer.observation.insert_or_assign("validation/main/bleu", corpus_bleu(references, translations));
    trainer.observation.insert_or_assign("validation/main/right", right / static_cast<double>(references.size()));
  }

 private:
  Seq2seq& model_;
  const Pairs pairs_;
};

void train(const Settings& s) {
  if (s.source.empty() != s.target.empty()) throw ValueError("--source and --target must be given together");
  auto [from, to] = s.source.empty()
                        ? make_task(s)
                        : std::pair(read_language(s.source, s.vocabulary), read_language(s.target, s.vocabulary));
  if (from.sentences.size() != to.sentences.size())
    throw ValueError(s.source, " has ", from.sentences.size(), " lines, ", s.target, " ", to.sentences.size());
  const std::size_t count = from.sentences.size(), train_count = count - std::max<std::size_t>(1, count / 11);
  if (train_count == 0) throw ValueError("at least two sentences are required");
  std::printf("Train data size: %zu\nSource vocabulary size: %zu\nTarget vocabulary size: %zu\n", train_count,
              from.words.size(), to.words.size());
  std::fflush(stdout);

  // Reads forwards if the task is to reverse, so that the first word written is the last word read.
  const bool backwards = !s.source.empty() || s.task == "copy";
  Seq2seq model(s.layer, static_cast<int64_t>(from.words.size()), static_cast<int64_t>(to.words.size()), s.unit,
                backwards);
  auto optimizer = optimizers::Adam().setup(model);
  optimizer.add_hook(std::make_shared<optimizer_hooks::GradientClipping>(5));
  iterators::SerialIterator train_iter(Pairs(from, to, 0, train_count), s.batchsize);
  const Device device = get_device(s.device);
  training::StandardUpdater updater(train_iter, optimizer,
                                    {.converter = examples::one_after_another, .device = device});
  Trainer trainer(updater, {s.epoch, "epoch"}, {.out = s.out});
  trainer.extend(CalculateBleu(model, Pairs(from, to, train_count, count)));
  trainer.extend(extensions::snapshot(), {.trigger = {s.epoch, "epoch"}});
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "main/perp", "validation/main/bleu", "validation/main/right", "elapsed_time"}));
  if (!s.resume.empty()) serializers::load_npz(s.resume, trainer);
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_seq2seq", [&] {
    const Settings s = parse(argc, argv);
    if (s.seed >= 0) random::seed(static_cast<uint32_t>(s.seed));
    train(s);
  });
}

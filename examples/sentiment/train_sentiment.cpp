// SPDX-License-Identifier: MIT
// Classifies phrases by their parse trees: a recursive network, or a tree LSTM.
//
//   build/release/examples/sentiment/train_sentiment --model tree_lstm --epoch 10
//   build/release/examples/sentiment/train_sentiment --train train.txt --test test.txt
//
// Each line of the files is a tree in the format of the Stanford Sentiment Treebank, (3 (2 good) (2 film)), with labels
// from 0 to 4. Without files the program generates trees: words are good, bad or neutral, "not" inverts the following
// phrase, and the label of a phrase is its sum; the tree LSTM labels more than 0.95 of the test phrases correctly after
// ten epochs. --resume continues an interrupted run from its newest snapshot.
#include <chainer/chainer.h>

#include <algorithm>
#include <fstream>

#include "../common/corpus.h"
#include "../common/training.h"

using namespace chainer;

namespace {

struct Tree {
  int32_t label = 0, word = -1;
  std::vector<Tree> children;
};

// (LABEL WORD) or (LABEL TREE TREE)
class TreeReader {
 public:
  TreeReader(std::string text, examples::Vocabulary& v, bool grow) : text_(std::move(text)), words_(v), grow_(grow) {}
  Tree read() {
    take('(');
    Tree t;
    const std::string label = token();
    if (label.size() != 1 || label[0] < '0' || label[0] > '4') wrong("a label from 0 to 4");
    t.label = label[0] - '0';
    skip();
    if (peek() == '(') {
      while (peek() == '(') {
        t.children.push_back(read());
        skip();
      }
      if (t.children.size() != 2) wrong("two phrases");
    } else {
      const std::string word = token();
      if (word.empty()) wrong("a word");
      t.word = grow_ ? words_.add(word) : words_.has(word) ? words_.number(word) : 0;
    }
    skip();
    take(')');
    return t;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (peek() == ' ') ++at_;
  }
  void take(char c) {
    if (peek() != c) wrong(std::string("'") + c + "'");
    ++at_;
  }
  std::string token() {
    std::string out;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '(' && text_[at_] != ')') out += text_[at_++];
    return out;
  }
  [[noreturn]] void wrong(const std::string& expected) const {
    throw ValueError("expected ", expected, " at character ", at_ + 1, " of: ", text_);
  }
  std::string text_;
  std::size_t at_ = 0;
  examples::Vocabulary& words_;
  bool grow_;
};

std::vector<Tree> read_trees(const std::string& file, examples::Vocabulary& v, bool grow) {
  std::ifstream in(file);
  if (!in) throw ValueError("cannot read ", file);
  std::vector<Tree> out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.push_back(TreeReader(line, v, grow).read());
  return out;
}

// A phrase of `length` words whose sentiment is `sum`.
Tree make_tree(int64_t length, int& sum, examples::Vocabulary& v, random::RandomState& r) {
  const auto below = [&](int64_t n) { return r.randint(0, n, {}).item<int64_t>(); };
  Tree t;
  if (length == 1) {
    static const char* const kWords[3][3] = {
        {"bad", "dull", "awful"}, {"film", "plot", "it"}, {"good", "fine", "great"}};
    const int64_t kind = below(3);
    sum = static_cast<int>(kind) - 1;
    t.word = v.add(kWords[kind][below(3)]);
  } else if (below(4) == 0) {
    int none = 0;
    Tree turn;
    turn.word = v.add("not"), turn.label = 2;
    t.children = {turn, make_tree(length - 1, none, v, r)};
    sum = -none;
  } else {
    const int64_t left = 1 + below(length - 1);
    int a = 0, b = 0;
    t.children = {make_tree(left, a, v, r), make_tree(length - left, b, v, r)};
    sum = a + b;
  }
  t.label = std::clamp(sum, -2, 2) + 2;
  return t;
}

std::vector<Tree> make_trees(int64_t count, uint32_t seed, examples::Vocabulary& v) {
  random::RandomState r(seed);
  std::vector<Tree> out;
  for (int64_t i = 0; i < count; ++i) {
    int sum = 0;
    out.push_back(make_tree(r.randint(2, 9, {}).item<int64_t>(), sum, v, r));
  }
  return out;
}

// Computes the state of a phrase from its word, or from the states of its parts.
struct Model : Chain {
  L::EmbedID embed;
  std::optional<L::Linear> l;
  std::optional<L::NaryTreeLSTM> tree_lstm;
  L::Linear w;
  Model(int64_t n_vocab, int64_t n_units, int64_t n_label, bool lstm) : embed(n_vocab, n_units), w(n_units, n_label) {
    if (lstm)
      tree_lstm.emplace(n_units, n_units);
    else
      l.emplace(n_units * 2, n_units);
  }
  CHAINER_MEMBERS(Model, embed, l, tree_lstm, w);
  Variables leaf(int32_t word) {
    const Variable x = embed(Variable(array({word}).to_device(embed.W.array().device()), false));
    return l ? Variables{x} : (*tree_lstm)(Variable(), Variable(), Variable(), Variable(), x);
  }
  Variables node(const Variables& left, const Variables& right) {
    if (l) return {F::tanh((*l)(F::concat({left[0], right[0]})))};
    return (*tree_lstm)(left[0], right[0], left[1], right[1], Variable());
  }
};

struct Scores {
  int64_t right = 0, all = 0, right_roots = 0, roots = 0;
  // The shares of correct labels.
  double of_phrases() const { return static_cast<double>(right) / static_cast<double>(all); }
  double of_sentences() const { return static_cast<double>(right_roots) / static_cast<double>(roots); }
};

// Collects the states and labels of all phrases of a tree, the root last.
Variables traverse(Model& model, const Tree& t, Variables& states, std::vector<int32_t>& labels) {
  Variables state;
  if (t.children.empty()) {
    state = model.leaf(t.word);
  } else {
    const Variables left = traverse(model, t.children[0], states, labels),
                    right = traverse(model, t.children[1], states, labels);
    state = model.node(left, right);
  }
  states.push_back(state.back());
  labels.push_back(t.label);
  return state;
}

Variable loss_of(Model& model, const Tree& t, Scores& scores) {
  Variables states;
  std::vector<int32_t> labels;
  traverse(model, t, states, labels);
  const Variable y = model.w(F::concat(states, 0));
  const std::vector<int64_t> best = argmax(y.array(), 1).to_vector<int64_t>();
  for (std::size_t i = 0; i < best.size(); ++i) scores.right += best[i] == labels[i];
  scores.all += static_cast<int64_t>(best.size());
  scores.right_roots += best.back() == labels.back();
  ++scores.roots;
  return F::softmax_cross_entropy(y, array(labels).to_device(y.device())) * static_cast<double>(labels.size());
}

// Trains on trees, which an iterator selects by index.
struct TreeUpdater : training::StandardUpdater {
  TreeUpdater(training::NamedKept<Iterator> numbers, training::NamedKept<Optimizer> optimizer,
              const std::vector<Tree>& all, const Device& device)
      : StandardUpdater(std::move(numbers), std::move(optimizer), {.device = device}), trees(all) {}
  void update_core() override {
    Optimizer& optimizer = get_optimizer("main");
    auto& model = static_cast<Model&>(optimizer.target());
    Scores scores;
    Variable loss;
    for (const Example& e : next_batch()) {
      const Variable l = loss_of(model, trees[static_cast<std::size_t>(e[0].item<int64_t>())], scores);
      loss = loss ? loss + l : l;
    }
    report({{"loss", loss}, {"phrases", scores.of_phrases()}, {"sentences", scores.of_sentences()}}, model);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  }
  const std::vector<Tree>& trees;
};

Scores test_of(Model& model, const std::vector<Tree>& trees) {
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  Scores scores;
  for (const Tree& t : trees) (void)loss_of(model, t, scores);
  return scores;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("train_sentiment", [&] {
    examples::TrainingOptions o{.batchsize = 25};
    std::string train_file, test_file, kind = "tree_lstm";
    long units = 30, size = 500;
    examples::Options options("train_sentiment", "Classifies phrases by their parse trees.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--train", "file of training trees; by default generated trees", train_file);
    options.add("--test", "file of test trees", test_file);
    options.add("--model", "tree_lstm or recursive", kind);
    options.add("--unit", "units of a phrase", units, 1);
    options.add("--size", "number of generated trees", size, 1);
    options.parse(argc, argv);
    if (kind != "tree_lstm" && kind != "recursive")
      throw ValueError("--model is tree_lstm or recursive, not '", kind, "'");
    if (train_file.empty() != test_file.empty()) throw ValueError("--train and --test must be given together");
    o.seed_random();

    examples::Vocabulary vocabulary;
    vocabulary.add("<unk>");
    const bool given = !train_file.empty();
    const std::vector<Tree> train = given ? read_trees(train_file, vocabulary, true) : make_trees(size, 1, vocabulary);
    const std::vector<Tree> test = given ? read_trees(test_file, vocabulary, false) : make_trees(100, 2, vocabulary);
    if (train.empty() || test.empty()) throw ValueError("no trees in --train or --test");
    Model model(vocabulary.size(), units, 5, kind == "tree_lstm");
    auto optimizer = optimizers::AdaGrad({.lr = 0.1}).setup(model);
    optimizer.add_hook(std::make_shared<optimizer_hooks::WeightDecay>(0.0001));
    iterators::SerialIterator numbers(datasets::TupleDataset(arange(static_cast<int64_t>(train.size()))), o.batchsize);
    TreeUpdater updater(numbers, optimizer, train, get_device(o.device));
    Trainer trainer(updater, o.stop(), {.out = o.out});
    trainer.extend(
        [&](Trainer& t) {
          const Scores scores = test_of(model, test);
          t.observation.insert_or_assign("validation/main/phrases", scores.of_phrases());
          t.observation.insert_or_assign("validation/main/sentences", scores.of_sentences());
        },
        {.name = "test", .trigger = o.report(), .priority = PRIORITY_WRITER});
    examples::run_trainer(trainer, o,
                          {"epoch", "main/loss", "main/phrases", "main/sentences", "validation/main/phrases",
                           "validation/main/sentences", "elapsed_time"});
  });
}

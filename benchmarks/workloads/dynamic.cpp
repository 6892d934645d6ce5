// SPDX-License-Identifier: MIT
// Networks whose graph depends on the data, one example at a time (the four tasks of Neubig et al., "On-the-fly
// Operation Batching", in their sizes): a language model of one LSTM layer, a bidirectional LSTM tagger, the same with
// rare words spelled by characters, and a tree LSTM. Adam.
#include <algorithm>

#include "../workload.h"

namespace bench {
using namespace chainer;

namespace {
constexpr int64_t kWords = 10000, kWordUnits = 128, kTags = 10, kSentence = 25, kCharacters = 60, kLongest = 12;
}  // namespace

// 64 and 128 units, 16 sentences of 25 words, one step per call.
struct LanguageModel : Chain {
  L::EmbedID embed{kWords, 64};
  L::LSTM lstm{64, 128};
  L::Linear out{128, kWords};
  CHAINER_MEMBERS(LanguageModel, embed, lstm, out);
};

Step dynamic_language_model() {
  auto model = std::make_shared<LanguageModel>();
  const Array words = labels(kWords, {kSentence + 1, 16});
  Step s = training(model, [=] {
    model->lstm.reset_state();
    Variable loss;
    for (int64_t k = 0; k < kSentence; ++k) {
      const Variable y = model->out(model->lstm(model->embed(words[k])));
      const Variable step = F::softmax_cross_entropy(y, words[k + 1]);
      loss = loss ? loss + step : step;
    }
    return loss;
  });
  s.inputs = {{"words", words}};
  return s;
}

// 50 units in each direction, a hidden layer of 32, one sentence of 25 words.
struct Tagger : Chain {
  L::EmbedID embed{kWords, kWordUnits};
  L::NStepBiLSTM lstm{1, kWordUnits, 50, 0.0};
  L::Linear hidden{100, 32}, out{32, kTags};
  CHAINER_MEMBERS(Tagger, embed, lstm, hidden, out);
  Variable loss(const Variable& x, const Array& tags) {
    const Variable y = lstm(Variable(), Variable(), Variables{x}).ys[0];
    return F::softmax_cross_entropy(out(F::tanh(hidden(y))), tags) * static_cast<double>(len(tags));
  }
};

Step dynamic_tagger() {
  auto model = std::make_shared<Tagger>();
  const Array words = labels(kWords, {kSentence}), tags = labels(kTags, {kSentence});
  Step s = training(model, [=] { return model->loss(model->embed(words), tags); });
  s.inputs = {{"words", words}, {"tags", tags}};
  return s;
}

// Words from number 1000 on are spelled: the last states of a bidirectional LSTM of 20 units over characters.
struct CharacterTagger : Tagger {
  static constexpr int32_t kCommon = 1000;
  L::EmbedID embed_characters{kCharacters, 20};
  L::NStepBiLSTM spell{1, 20, kWordUnits / 2, 0.0};
  CHAINER_MEMBERS(CharacterTagger, embed, lstm, hidden, out, embed_characters, spell);
};

Step dynamic_tagger_characters() {
  auto model = std::make_shared<CharacterTagger>();
  const Array words = labels(2000, {kSentence}), tags = labels(kTags, {kSentence});
  const Array characters = labels(kCharacters, {kSentence, kLongest});
  const Array spelling = random::randint(2, kLongest + 1, {kSentence}).astype(int32);
  Step s = training(model, [=] {
    const std::vector<int32_t> w = words.to_vector<int32_t>(), n = spelling.to_vector<int32_t>();
    Variables spelt, rows(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (w[i] < CharacterTagger::kCommon)
        rows[i] = model->embed(words[Slice(at, at + 1)]);
      else
        spelt.push_back(model->embed_characters(characters[at][Slice(0, n[i])]));
    }
    // (1 layer x 2 directions, words, units), reshaped to one row per word
    const Variable ends = F::reshape(F::transpose(model->spell(Variable(), Variable(), spelt).hy, {1, 0, 2}),
                                     {static_cast<int64_t>(spelt.size()), kWordUnits});
    int64_t next = 0;
    for (Variable& row : rows)
      if (!row) row = ends[Slice(next, next + 1)], ++next;
    return model->loss(F::concat(rows, 0), tags);
  });
  s.inputs = {{"words", words}, {"tags", tags}, {"characters", characters}, {"spelling", spelling}};
  return s;
}

// 128 units, a random binary tree of 20 words, a loss at each node.
struct TreeModel : Chain {
  L::EmbedID embed{kWords, kWordUnits};
  L::NaryTreeLSTM tree{kWordUnits, 128, 2};
  L::Linear out{128, 5};
  CHAINER_MEMBERS(TreeModel, embed, tree, out);
};

Step dynamic_tree() {
  auto model = std::make_shared<TreeModel>();
  model->to_device(device);
  // Rows of left child, right child, word and label, children before parents; -1 is none.
  std::vector<int32_t> rows, open;
  const auto below = [](int64_t n) { return random::randint(0, n, {}).item<int32_t>(); };
  int32_t count = 0;
  const auto add = [&](int32_t left, int32_t right, int32_t word) {
    for (int32_t v : {left, right, word, below(5)}) rows.push_back(v);
    open.push_back(count++);
  };
  for (int i = 0; i < 20; ++i) add(-1, -1, below(kWords));
  while (open.size() > 1) {
    const auto at = static_cast<std::size_t>(below(static_cast<int64_t>(open.size()) - 1));
    const int32_t left = open[at], right = open[at + 1];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at), open.begin() + static_cast<std::ptrdiff_t>(at) + 2);
    add(left, right, -1);
    std::rotate(open.begin() + static_cast<std::ptrdiff_t>(at), open.end() - 1, open.end());
  }
  Step s = training(model, [=] {
    std::vector<Variables> states;
    Variable loss;
    for (std::size_t i = 0; i < rows.size(); i += 4) {
      const auto state = [&](int32_t node, std::size_t which) {
        return node < 0 ? Variable() : states[static_cast<std::size_t>(node)][which];
      };
      const Variable x = rows[i + 2] < 0 ? Variable() : model->embed(array({rows[i + 2]}).to_device(device));
      states.push_back(
          x ? model->tree(Variable(), Variable(), Variable(), Variable(), x)
            : model->tree(state(rows[i], 0), state(rows[i + 1], 0), state(rows[i], 1), state(rows[i + 1], 1), x));
      const Variable step =
          F::softmax_cross_entropy(model->out(states.back()[1]), array({rows[i + 3]}).to_device(device));
      loss = loss ? loss + step : step;
    }
    return loss;
  });
  s.inputs = {{"nodes", array(rows, {static_cast<int64_t>(rows.size()) / 4, 4})}};
  return s;
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// The model of the seq2seq example: an encoder reads a sequence, a decoder writes another.
#pragma once
#include <chainer/chainer.h>

#include <algorithm>
#include <cmath>

/// Numbers of the end of a sequence and of words outside the vocabulary.
inline constexpr int32_t kEos = 1, kUnknown = 0;

/// Embeds the words of several sequences in one lookup.
inline chainer::Variables sequence_embed(chainer::L::EmbedID& embed, const chainer::Variables& xs) {
  std::vector<int64_t> sections;
  int64_t at = 0;
  for (std::size_t i = 0; i + 1 < xs.size(); ++i) sections.push_back(at += chainer::len(xs[i]));
  return chainer::F::split_axis(embed(chainer::F::concat(xs, 0)), sections, 0);
}

struct Seq2seq : chainer::Chain {
  chainer::L::EmbedID embed_x, embed_y;
  chainer::L::NStepLSTM encoder, decoder;
  chainer::L::Linear W;
  /// `backwards`: sources are read from the end, because the words read last are remembered best and should correspond
  /// to the words written first (Sutskever et al., arXiv:1409.3215).
  Seq2seq(int64_t n_layers, int64_t n_source_vocab, int64_t n_target_vocab, int64_t n_units, bool backwards)
      : embed_x(n_source_vocab, n_units),
        embed_y(n_target_vocab, n_units),
        encoder(n_layers, n_units, n_units, 0.1),
        decoder(n_layers, n_units, n_units, 0.1),
        W(n_units, n_target_vocab),
        backwards_(backwards) {}
  CHAINER_MEMBERS(Seq2seq, embed_x, embed_y, encoder, decoder, W);

  /// The arguments are the sources followed by the same number of targets. Returns the loss per pair.
  chainer::Variable forward(const chainer::Variables& pairs) {
    using namespace chainer;
    const auto batch = static_cast<std::ptrdiff_t>(pairs.size() / 2);
    const Variable eos(array({kEos}).to_device(pairs[0].device()), false);
    Variables xs, ys_in, ys_out;
    for (auto x = pairs.begin(); x != pairs.begin() + batch; ++x) {
      const Variable& y = x[batch];
      xs.push_back(in_order(*x));
      ys_in.push_back(F::concat({eos, y}, 0));
      ys_out.push_back(F::concat({y, eos}, 0));
    }
    const auto state = encoder(Variable(), Variable(), sequence_embed(embed_x, xs));
    const auto out = decoder(state.hy, state.cy, sequence_embed(embed_y, ys_in));
    // One matrix product for all words.
    const Variable words = F::concat(ys_out, 0);
    const Variable loss = F::sum(F::softmax_cross_entropy(W(F::concat(out.ys, 0)), words, {.reduce = Reduction::no})) /
                          static_cast<double>(batch);
    const double total = loss.item<double>() * static_cast<double>(batch);
    report({{"loss", loss}, {"perp", std::exp(total / static_cast<double>(words.size()))}}, this);
    return loss;
  }

  /// Returns the greedy translation of each source, up to the end of the sequence.
  std::vector<std::vector<int32_t>> translate(const chainer::Variables& sources, int64_t max_length = 100) {
    using namespace chainer;
    const NoBackpropMode no_graph;
    const UsingConfig test_mode(&Config::train, false);
    Variables xs;
    for (const Variable& x : sources) xs.push_back(in_order(x));
    auto state = encoder(Variable(), Variable(), sequence_embed(embed_x, xs));
    const auto batch = static_cast<int64_t>(sources.size());
    Array y = full({batch}, kEos, int32, sources[0].device());
    std::vector<std::vector<int32_t>> out(sources.size());
    std::vector<bool> ended(sources.size());
    for (int64_t i = 0; i < max_length && std::find(ended.begin(), ended.end(), false) != ended.end(); ++i) {
      state = decoder(state.hy, state.cy, F::split_axis(embed_y(y), batch, 0));
      y = argmax(W(F::concat(state.ys, 0)).array(), 1).astype(int32);
      const std::vector<int32_t> words = y.to_vector<int32_t>();
      for (std::size_t k = 0; k < words.size(); ++k) {
        ended[k] = ended[k] || words[k] == kEos;
        if (!ended[k]) out[k].push_back(words[k]);
      }
    }
    return out;
  }

 private:
  chainer::Array in_order(const chainer::Variable& x) const {
    return backwards_ ? chainer::flip(x.array(), 0) : x.array();
  }
  bool backwards_;
};

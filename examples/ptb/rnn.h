// SPDX-License-Identifier: MIT
// The language model of the PTB examples: embedding, two layers of LSTM, scores for the next word.
#pragma once
#include <chainer/chainer.h>

struct RNNForLM : chainer::Chain {
  chainer::L::EmbedID embed;
  chainer::L::LSTM l1, l2;
  chainer::L::Linear l3;
  RNNForLM(int64_t n_vocab, int64_t n_units)
      : embed(n_vocab, n_units), l1(n_units, n_units), l2(n_units, n_units), l3(n_units, n_vocab) {
    for (chainer::Parameter& p : params()) {
      chainer::Array a = p.array();
      a.set(chainer::ellipsis, chainer::random::uniform(-0.1, 0.1, a.shape(), a.dtype()));
    }
  }
  CHAINER_MEMBERS(RNNForLM, embed, l1, l2, l3);
  void reset_state() {
    l1.reset_state();
    l2.reset_state();
  }
  chainer::Variable forward(const chainer::Variable& x) {
    namespace F = chainer::F;
    const chainer::Variable h1 = l1(F::dropout(embed(x)));
    const chainer::Variable h2 = l2(F::dropout(h1));
    return l3(F::dropout(h2));
  }
};

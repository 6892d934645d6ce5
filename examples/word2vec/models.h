// SPDX-License-Identifier: MIT
// The models of the word2vec example (manual: "Word2Vec: Obtain word embeddings").
#pragma once
#include <chainer/chainer.h>

/// Predicts each context word from the center word, or with `cbow` the center word from the mean of its context.
/// `loss_func(h, t)` is the loss of vectors h (n, units) for words t (n).
struct EmbeddingModel : chainer::Chain {
  chainer::L::EmbedID embed;
  chainer::Child loss_func;
  bool cbow;
  EmbeddingModel(int64_t n_vocab, int64_t n_units, bool cbow, chainer::Child loss)
      : embed(n_vocab, n_units, {.initialW = chainer::initializers::Uniform(1.0 / static_cast<double>(n_units))}),
        loss_func(std::move(loss)),
        cbow(cbow) {}
  CHAINER_MEMBERS(EmbeddingModel, embed, loss_func);

  /// The loss of center words x (n) and contexts (n, k).
  chainer::Variable forward(const chainer::Variable& x, const chainer::Variable& contexts) {
    using namespace chainer;
    const int64_t n = contexts.shape()[0], k = contexts.shape()[1];
    const Variable e = embed(contexts);
    Variable loss;
    if (cbow) {
      loss = loss_func->call(Variables{F::sum(e, 1) / static_cast<double>(k), x})[0];
    } else {
      const Array t = broadcast_to(expand_dims(x.array(), 1), {n, k}).reshape({-1});
      loss = loss_func->call(Variables{F::reshape(e, {n * k, e.shape()[2]}), t})[0];
    }
    report({{"loss", loss}}, this);
    return loss;
  }
};

/// A linear layer and the softmax over all words.
struct SoftmaxCrossEntropyLoss : chainer::Chain {
  chainer::L::Linear out;
  SoftmaxCrossEntropyLoss(int64_t n_in, int64_t n_out) : out(n_in, n_out, {.initialW = 0}) {}
  CHAINER_MEMBERS(SoftmaxCrossEntropyLoss, out);
  chainer::Variable forward(const chainer::Variable& h, const chainer::Variable& t) {
    return chainer::F::softmax_cross_entropy(out(h), t);
  }
};

/// Converts a link whose loss is a sum to the mean.
struct MeanLoss : chainer::Chain {
  chainer::Child loss;
  explicit MeanLoss(chainer::Child l) : loss(std::move(l)) {}
  CHAINER_MEMBERS(MeanLoss, loss);
  chainer::Variable forward(const chainer::Variable& h, const chainer::Variable& t) {
    return loss->call(chainer::Variables{h, t})[0] / static_cast<double>(chainer::len(h));
  }
};

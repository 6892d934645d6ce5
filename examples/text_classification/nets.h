// SPDX-License-Identifier: MIT
// The encoders of the text classification example, and the classifier on them.
#pragma once
#include <chainer/chainer.h>

#include <algorithm>

/// Maps a batch of texts to vectors (n, units).
struct Encoder : chainer::Chain {
  virtual chainer::Variable encode(const chainer::Variables& texts) = 0;
};

/// Embeds the words of all texts in one lookup.
inline chainer::Variables embed_texts(chainer::L::EmbedID& embed, const chainer::Variables& texts) {
  std::vector<int64_t> ends;
  int64_t at = 0;
  for (std::size_t i = 0; i + 1 < texts.size(); ++i) ends.push_back(at += chainer::len(texts[i]));
  return chainer::F::split_axis(embed(chainer::F::concat(texts, 0)), ends, 0);
}

/// The last state of an LSTM over the words.
struct RNNEncoder : Encoder {
  chainer::L::EmbedID embed;
  chainer::L::NStepLSTM lstm;
  RNNEncoder(int64_t n_layers, int64_t n_vocab, int64_t n_units, double dropout)
      : embed(n_vocab, n_units, {.initialW = chainer::initializers::Uniform(0.25)}),
        lstm(n_layers, n_units, n_units, dropout),
        dropout_(dropout) {}
  CHAINER_MEMBERS(RNNEncoder, embed, lstm);
  chainer::Variable encode(const chainer::Variables& texts) override {
    chainer::Variables xs;
    for (const chainer::Variable& x : embed_texts(embed, texts)) xs.push_back(chainer::F::dropout(x, dropout_));
    const chainer::Variable hy = lstm(chainer::Variable(), chainer::Variable(), xs).hy;
    return hy[-1];
  }
  chainer::Variable forward(const chainer::Variables& texts) { return encode(texts); }

 private:
  double dropout_;
};

/// The mean of the word vectors.
struct BOWEncoder : Encoder {
  chainer::L::EmbedID embed;
  BOWEncoder(int64_t n_vocab, int64_t n_units, double dropout)
      : embed(n_vocab, n_units, {.initialW = chainer::initializers::Uniform(0.25)}), dropout_(dropout) {}
  CHAINER_MEMBERS(BOWEncoder, embed);
  chainer::Variable encode(const chainer::Variables& texts) override {
    chainer::Variables rows;
    for (const chainer::Variable& x : embed_texts(embed, texts))
      rows.push_back(chainer::F::sum(x, 0, {.keepdims = true}) / static_cast<double>(std::max<int64_t>(1, len(x))));
    return chainer::F::dropout(chainer::F::concat(rows, 0), dropout_);
  }
  chainer::Variable forward(const chainer::Variables& texts) { return encode(texts); }

 private:
  double dropout_;
};

/// Convolutions over three, four and five words, max pooling over the text, and a linear layer (Kim, arXiv:1408.5882).
/// Texts of a batch are padded to one length with zero vectors.
struct CNNEncoder : Encoder {
  chainer::L::EmbedID embed;
  chainer::L::Convolution2D cnn_w3, cnn_w4, cnn_w5;
  chainer::L::Linear mlp;
  CNNEncoder(int64_t n_vocab, int64_t n_units, double dropout)
      : embed(n_vocab, n_units, {.initialW = chainer::initializers::Uniform(0.25), .ignore_label = -1}),
        cnn_w3(n_units, channels(n_units), {3, 1}, {.pad = {2, 0}, .nobias = true}),
        cnn_w4(n_units, channels(n_units), {4, 1}, {.pad = {3, 0}, .nobias = true}),
        cnn_w5(n_units, channels(n_units), {5, 1}, {.pad = {4, 0}, .nobias = true}),
        mlp(3 * channels(n_units), n_units),
        dropout_(dropout) {}
  CHAINER_MEMBERS(CNNEncoder, embed, cnn_w3, cnn_w4, cnn_w5, mlp);
  chainer::Variable encode(const chainer::Variables& texts) override {
    using namespace chainer;
    Variable x = embed(F::pad_sequence(texts, {.padding = -1}));              // (n, words, units)
    x = F::expand_dims(F::transpose(F::dropout(x, dropout_), {0, 2, 1}), 3);  // (n, units, words, 1)
    const auto largest = [&x](L::Convolution2D& convolution) { return F::max(convolution(x), {2, 3}); };
    const Variable h = F::concat({largest(cnn_w3), largest(cnn_w4), largest(cnn_w5)}, 1);
    return F::relu(mlp(F::dropout(F::relu(h), dropout_)));
  }
  chainer::Variable forward(const chainer::Variables& texts) { return encode(texts); }

 private:
  static int64_t channels(int64_t n_units) { return std::max<int64_t>(1, n_units / 3); }
  double dropout_;
};

/// A linear layer on an encoder. Arguments: the texts, followed by the same number of labels.
struct TextClassifier : chainer::Chain {
  chainer::Child encoder;
  chainer::L::Linear output;
  TextClassifier(chainer::Child e, int64_t n_units, int64_t n_class)
      : encoder(std::move(e)), output(n_units, n_class) {}
  CHAINER_MEMBERS(TextClassifier, encoder, output);
  chainer::Variable predict(const chainer::Variables& texts) {
    return output(static_cast<Encoder&>(*encoder).encode(texts));
  }
  chainer::Variable forward(const chainer::Variables& args) {
    using namespace chainer;
    const auto middle = args.begin() + static_cast<std::ptrdiff_t>(args.size() / 2);
    const Variable y = predict(Variables(args.begin(), middle));
    const Variable t = F::concat(Variables(middle, args.end()), 0);
    const Variable loss = F::softmax_cross_entropy(y, t);
    report({{"loss", loss}, {"accuracy", F::accuracy(y, t)}}, this);
    return loss;
  }
};

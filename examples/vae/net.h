// SPDX-License-Identifier: MIT
// A variational autoencoder of digits (Kingma & Welling, arXiv:1312.6114): the encoder computes a distribution over the
// latent variables, the decoder a distribution over pictures.
#pragma once
#include <chainer/chainer.h>

#include <tuple>

/// Maps pictures (N, n_in) to the mean and the logarithm of the variance of their latent variables (N, n_latent).
struct Encoder : chainer::Chain {
  chainer::L::Linear linear, mu, ln_var;
  Encoder(int64_t n_in, int64_t n_latent, int64_t n_hidden)
      : linear(n_in, n_hidden), mu(n_hidden, n_latent), ln_var(n_hidden, n_latent) {}
  CHAINER_MEMBERS(Encoder, linear, mu, ln_var);
  std::tuple<chainer::Variable, chainer::Variable> encode(const chainer::Variable& x) {
    const chainer::Variable h = chainer::F::tanh(linear(x));
    return {mu(h), ln_var(h)};
  }
};

/// Maps latent variables (N, n_latent) to the logits of pixels (N, n_in).
struct Decoder : chainer::Chain {
  chainer::L::Linear linear, output;
  Decoder(int64_t n_in, int64_t n_latent, int64_t n_hidden) : linear(n_latent, n_hidden), output(n_hidden, n_in) {}
  CHAINER_MEMBERS(Decoder, linear, output);
  chainer::Variable forward(const chainer::Variable& z) { return output(chainer::F::tanh(linear(z))); }
};

/// The loss: the negative evidence lower bound, with the divergence from N(0, 1) times `beta` and the mean over `k`
/// samples.
struct Vae : chainer::Chain {
  Encoder encoder;
  Decoder decoder;
  double beta;
  int64_t k;
  Vae(int64_t n_in, int64_t n_latent, int64_t n_hidden, double b, int64_t draws)
      : encoder(n_in, n_latent, n_hidden), decoder(n_in, n_latent, n_hidden), beta(b), k(draws) {}
  CHAINER_MEMBERS(Vae, encoder, decoder);

  chainer::Variable forward(const chainer::Variable& x) {
    using namespace chainer;
    const auto [mu, ln_var] = encoder.encode(x);
    const double n = static_cast<double>(x.shape()[0]);
    Variable reconstruction;
    for (int64_t i = 0; i < k; ++i) {
      const Variable loss = F::bernoulli_nll(x, decoder(F::gaussian(mu, ln_var))) / (static_cast<double>(k) * n);
      reconstruction = reconstruction ? reconstruction + loss : loss;
    }
    const Variable divergence = F::gaussian_kl_divergence(mu, ln_var) / n;
    const Variable loss = reconstruction + beta * divergence;
    report({{"reconstr", reconstruction}, {"kl_penalty", divergence}, {"loss", loss}}, this);
    return loss;
  }
  /// Returns reconstructions of pictures.
  chainer::Variable reconstruct(const chainer::Variable& x) {
    return chainer::F::sigmoid(decoder(std::get<0>(encoder.encode(x))));
  }
};

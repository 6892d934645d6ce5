// SPDX-License-Identifier: MIT
// A training step of DCGAN.
#pragma once
#include <utility>

#include "net.h"

/// One step for both networks: the discriminator learns to detect generated pictures, the generator to avoid detection.
struct DcganUpdater : chainer::training::StandardUpdater {
  DcganUpdater(chainer::training::NamedKept<chainer::Iterator> iterator,
               chainer::training::NamedKept<chainer::Optimizer> optimizers, Generator& g, Discriminator& d,
               const chainer::Device& device = {})
      : StandardUpdater(std::move(iterator), std::move(optimizers), {.device = device}), gen(g), dis(d), on(device) {}

  void update_core() override {
    using namespace chainer;
    const Example batch = convert(next_batch());
    const Variable x_real(batch[0], false);
    const int64_t n = x_real.shape()[0];
    const Variable y_real = dis(x_real);
    Variable x_fake = gen(gen.make_hidden(n).to_device(on));
    const Variable y_fake = dis(x_fake);

    const Variable loss_dis = (F::sum(F::softplus(-y_real)) + F::sum(F::softplus(y_fake))) / static_cast<double>(n);
    report({{"loss", loss_dis}}, &dis);
    const Variable loss_gen = F::sum(F::softplus(-y_fake)) / static_cast<double>(n);
    report({{"loss", loss_gen}}, &gen);
    gen.cleargrads();
    loss_gen.backward();
    get_optimizer("gen").update();
    // The discriminator's gradients end at the pictures, because the generator does not need them and its weights have
    // changed.
    x_fake.unchain();
    dis.cleargrads();
    loss_dis.backward();
    get_optimizer("dis").update();
  }
  Generator& gen;
  Discriminator& dis;
  chainer::Device on;
};

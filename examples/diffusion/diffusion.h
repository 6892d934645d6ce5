// SPDX-License-Identifier: MIT
// A denoising diffusion model (Ho et al., arXiv:2006.11239): noise is added to a picture step by step, and a network
// learns to find it. Subtracted step by step from noise alone, it leaves a new picture.
#pragma once
#include <vector>

#include "net.h"

/// Called, returns the loss of pictures (N, 1, height, width) with values in [0, 1].
struct Diffusion : chainer::Chain {
  UNet net;
  std::vector<double> beta,
      kept;  // of each step: the variance of its noise; how much of the picture's variance is left
  /// The variances grow linearly. With fewer than 1000 steps they are larger, so that noise alone is left at the end.
  Diffusion(int64_t channels, int64_t steps) : net(channels) {
    const double scale = 1000.0 / static_cast<double>(steps);
    double product = 1;
    for (int64_t i = 0; i < steps; ++i) {
      const double part = steps == 1 ? 1 : static_cast<double>(i) / static_cast<double>(steps - 1);
      beta.push_back(std::min(scale * (1e-4 + (0.02 - 1e-4) * part), 0.999));
      kept.push_back(product *= 1 - beta.back());
    }
  }
  CHAINER_MEMBERS(Diffusion, net);

  chainer::Variable forward(const chainer::Variable& x) {
    using namespace chainer;
    const int64_t n = x.shape()[0], steps = static_cast<int64_t>(beta.size());
    const Array at = random::randint(0, steps, {n});
    Array signal({n, 1, 1, 1}, float32), spread({n, 1, 1, 1}, float32);
    for (int64_t i = 0; i < n; ++i) {
      const double left = kept[static_cast<std::size_t>(at[i].item<int64_t>())];
      signal.set({i, 0, 0, 0}, std::sqrt(left)), spread.set({i, 0, 0, 0}, std::sqrt(1 - left));
    }
    const auto on = [&](const Array& a) { return Variable(a.to_device(x.device()), false); };
    const Variable noise = on(random::normal(0, 1, x.shape(), float32));
    const Variable noisy = (x * 2 - 1) * on(signal) + noise * on(spread);
    const Variable loss = F::mean_squared_error(net(noisy, on(at.astype(float32))), noise);
    report({{"loss", loss}}, this);
    return loss;
  }

  /// Returns new pictures of a shape, with the numbers of a generator of their own.
  chainer::Array sample(const chainer::Shape& shape, uint32_t seed, const chainer::Device& device) {
    using namespace chainer;
    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    random::RandomState draw(seed);
    const auto noise = [&] { return draw.normal(0, 1, shape, float32).to_device(device); };
    Array x = noise();
    for (std::size_t i = beta.size(); i-- > 0;) {
      const double before = i ? kept[i - 1] : 1;
      const Array found = net(x, full({shape[0]}, static_cast<double>(i), float32, device)).array();
      // The picture that the network sees, within the range of pictures, and the mean of the step before this one.
      const Array picture = clip((x - found * std::sqrt(1 - kept[i])) / std::sqrt(kept[i]), -1, 1);
      x = picture * (std::sqrt(before) * beta[i] / (1 - kept[i])) +
          x * (std::sqrt(1 - beta[i]) * (1 - before) / (1 - kept[i]));
      if (i) x = x + noise() * std::sqrt(beta[i] * (1 - before) / (1 - kept[i]));
    }
    return clip((x + 1) * 0.5, 0, 1).to_device(Device());
  }
};

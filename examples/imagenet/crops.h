// SPDX-License-Identifier: MIT
// Images for the networks of this folder.
#pragma once
#include <chainer/chainer.h>

namespace imagenet {

/// Square crops of images (3, height, width) with values from 0 to 255: at a random position and flipped at random, or
/// from the center; minus the mean image (128 without one), divided by 255. Uses example_random(), so that the crops do
/// not depend on the number of workers.
class Crops : public chainer::Dataset {
 public:
  Crops(chainer::AnyDataset images, chainer::Array mean, int64_t size, bool random)
      : images_(std::move(images)), mean_(std::move(mean)), size_(size), random_(random) {}
  int64_t size() const override { return images_.size(); }
  chainer::Example get(int64_t i) const override {
    using namespace chainer;
    const Example e = images_[i];
    Array x = e[0];
    const Shape& s = x.shape();
    if (mean_ && mean_.shape() != s)
      throw ValueError("image ", i, " has shape ", s, ", the mean image ", mean_.shape());
    if (s[0] != 3 || s[1] < size_ || s[2] < size_)
      throw ValueError("image ", i, " has shape ", s, ": three channels of at least ", size_, " x ", size_,
                       " are needed");
    dataset::ExampleRandom& r = dataset::example_random();
    const auto from = [&](int64_t length) {
      const int64_t room = length - size_;
      return random_ ? r.below(room + 1) : room / 2;
    };
    const int64_t top = from(s[1]), left = from(s[2]);
    const Slice rows(top, top + size_), columns(left, left + size_);
    x = x[{Slice(), rows, columns}];
    x = mean_ ? x - mean_[{Slice(), rows, columns}] : x - 128.f;
    if (random_ && r.below(2)) x = chainer::flip(x, 2);
    return {(x / 255.f).copy(), e[1]};
  }

 private:
  chainer::AnyDataset images_;
  chainer::Array mean_;
  int64_t size_;
  bool random_;
};

}  // namespace imagenet

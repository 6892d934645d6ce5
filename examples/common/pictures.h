// SPDX-License-Identifier: MIT
// Small colour pictures for the examples: CIFAR, a list of files, or drawn pictures.
#pragma once
#include <chainer/chainer.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "chainer/core/system/file.h"
#include "chainer/datasets/image.h"

namespace examples {

/// Draws pictures (3, size, size) with values in [0, scale] and int32 labels of `classes` classes: a disc, a ring, a
/// bar or a checkerboard in one of several colours, at random positions on a random background. A seed always gives the
/// same pictures.
class DrawnPictures : public chainer::Dataset {
 public:
  DrawnPictures(int64_t count, int64_t classes, uint32_t seed, double scale = 1, int64_t size = 32)
      : count_(count), classes_(classes), size_(size), seed_(seed), scale_(scale) {}
  int64_t size() const override { return count_; }
  chainer::Example get(int64_t i) const override {
    using namespace chainer;
    random::RandomState r(seed_ + static_cast<uint32_t>(i) * 2654435761u);
    const Array numbers = r.uniform(0, 1, {16});
    const double* u = numbers.data<double>();
    const int64_t label = i % classes_, shape = label % 4, colour = label / 4 % 8;
    const double n = static_cast<double>(size_), cx = n * (0.35 + 0.3 * u[0]), cy = n * (0.35 + 0.3 * u[1]),
                 radius = n * (0.2 + 0.12 * u[2]), angle = u[3] * M_PI;
    const Array noise = r.normal(0, 0.03, {3, size_, size_});
    Array pixels({3, size_, size_});
    for (int64_t c = 0; c < 3; ++c)
      for (int64_t y = 0; y < size_; ++y)
        for (int64_t x = 0; x < size_; ++x) {
          const double dx = static_cast<double>(x) - cx, dy = static_cast<double>(y) - cy, d = std::hypot(dx, dy);
          const double along = dx * std::cos(angle) + dy * std::sin(angle),
                       across = dy * std::cos(angle) - dx * std::sin(angle);
          const bool inside =
              shape == 0   ? d < radius
              : shape == 1 ? d < radius && d > radius * 0.55
              : shape == 2 ? std::abs(along) < radius * 1.2 && std::abs(across) < radius * 0.35
                           : std::abs(along) < radius && std::abs(across) < radius && (along > 0) == (across > 0);
          const double base = 0.15 + 0.3 * u[4 + c] + 0.2 * (static_cast<double>(y) / n) * u[7];
          const double ink = (colour >> c & 1) ? 0.35 + 0.1 * u[8 + c] : 0.85 + 0.15 * u[8 + c];
          const int64_t at = (c * size_ + y) * size_ + x;
          const double v = (inside ? ink : base) + noise.data<double>()[at];
          pixels.mutable_data<float>()[at] = static_cast<float>(scale_ * std::min(1.0, std::max(0.0, v)));
        }
    return {pixels, array(static_cast<int32_t>(label))};
  }

 private:
  int64_t count_, classes_, size_;
  uint32_t seed_;
  double scale_;
};

/// Returns the dataset cifar10, cifar100 or drawn. The name of a folder reads the files listed in its train.txt and
/// test.txt, each line a path below the folder and a label. An empty name selects CIFAR-10 from the cache or the
/// network, or drawn pictures if it is not available; a given name never falls back.
struct Pictures {
  chainer::datasets::TrainTest data;
  int64_t classes;
};
inline Pictures load_pictures(const std::string& name, double scale = 1) {
  using namespace chainer;
  const auto drawn = [&] {
    return Pictures{{DrawnPictures(5000, 10, 1, scale), DrawnPictures(1000, 10, 99, scale)}, 10};
  };
  if (name == "drawn") return drawn();
  if (name == "cifar100") return {datasets::get_cifar100({.scale = scale}), 100};
  if (name == "cifar10") return {datasets::get_cifar10({.scale = scale}), 10};
  if (!name.empty()) {
    const auto read = [&](const char* list) {
      const datasets::LabeledImageDataset files(name + "/" + list, {.root = name, .dtype = float32});
      return datasets::TransformDataset(files, [scale](const Example& e) {
        return Example{e[0] * (scale / 255), e[1]};
      });
    };
    return {{read("train.txt"), read("test.txt")}, 10};
  }
  try {
    return {datasets::get_cifar10({.scale = scale}), 10};
  } catch (const FileError& e) {
    std::fprintf(stderr, "CIFAR-10 is not available (%s): using pictures drawn by this program\n", e.what());
    return drawn();
  }
}

}  // namespace examples

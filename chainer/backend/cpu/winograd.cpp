// Winograd's algorithm: each tile of 6x6 pixels, and each filter, is transformed (kernels/winograd.cpp); what was a
// convolution is 36 products of matrices then, of tiles by channels with channels by results. Every sum has one order,
// whatever number of threads shares the work.
#include "chainer/backend/cpu/winograd.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "chainer/array/derived.h"
#include "chainer/array/order.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/kernels/winograd_table.h"
#include "chainer/backend/cpu/floats.h"
#include "chainer/backend/cpu/panels.h"
#include "chainer/core/error.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kTaps = 9;
// Tiles of a block, whose transformed pixels are multiplied while they are in a cache.
constexpr int64_t kBlock = 32;
// Floats of transformed pixels that are there at a time, where threads share them.
constexpr int64_t kMost = int64_t(1) << 22;

// Matrices lie so far apart that the same row of all 36 falls into different sets of a cache.
int64_t spread(int64_t floats) { return (floats + 1023) / 1024 * 1024 + 80; }

// Rows of all columns; `group` columns lie beside each other, then come the next row's.
class Rows {
 public:
  Rows(int64_t columns, int64_t rows, int64_t group) {
    const int64_t lanes = panel_kernels().lanes;
    // (Lengths that are a power of two would bring a column's elements into one set of a cache.)
    const int64_t step = group == columns ? columns + 16 : group;
    for (int64_t c = 0; c < columns; c += lanes) {
      base_.push_back(c / group * group * rows + c % group);
      step_.push_back(step);
    }
    apart_ = spread(std::max(step, columns) * rows);
  }
  int64_t step() const { return step_[0]; }
  VectorOrder order() const { return {base_.data(), step_.data()}; }
  int64_t apart() const { return apart_; }

 private:
  int64_t apart_;
  std::vector<int64_t> base_, step_;
};

// Images with channels last, and the tiles of results on them.
struct Tiles {
  int64_t lines, columns, of_image, count;
  explicit Tiles(const Shape& results)
      : lines((results[2] + kTileOut - 1) / kTileOut),
        columns((results[3] + kTileOut - 1) / kTileOut),
        of_image(lines * columns),
        count(results[0] * of_image) {}
  int64_t image(int64_t t) const { return t / of_image; }
  int64_t y(int64_t t) const { return t % of_image / columns * kTileOut; }
  int64_t x(int64_t t) const { return t % columns * kTileOut; }
};

// An array (N, C, h, w) whose channels lie beside each other.
struct Images {
  explicit Images(const Array& a)
      : array(a.strides()[1] == 1 ? a : channels_to_front(channels_to_end(a).contiguous())),
        data(array.data<float>()),
        shape(array.shape()),
        step(array.strides()),
        none(static_cast<std::size_t>(a.shape()[1])) {}
  // The pixels of a square with its upper left corner at (y, x): zeros where there are none.
  template <int side>
  void pixels(int64_t image, int64_t y, int64_t x, const float** to) const {
    const float* const corner = data + image * step[0] + y * step[2] + x * step[3];
    for (int64_t i = 0; i < side; ++i)
      for (int64_t j = 0; j < side; ++j) {
        const bool inside = y + i >= 0 && y + i < shape[2] && x + j >= 0 && x + j < shape[3];
        *to++ = inside ? corner + i * step[2] + j * step[3] : none.data();
      }
  }
  int64_t vectors() const { return shape[1] / panel_kernels().lanes; }

  Array array;
  const float* data;
  Shape shape;
  Strides step;
  std::vector<float> none;
};

// Filters (K, C, 3, 3) as 36 matrices of `inner` rows, in panels of `columns`: channels by results, or for the gradient
// by the image results by channels, turned around.
void transform_filters(const Array& W, bool gradient, const Panels& panels, float* to) {
  const WinogradKernels& k = winograd_kernels();
  const int64_t lanes = panel_kernels().lanes, columns = W.shape()[gradient ? 1 : 0],
                inner = W.shape()[gradient ? 0 : 1];
  const int64_t column_step = gradient ? kTaps : inner * kTaps, inner_step = gradient ? columns * kTaps : kTaps;
  const VectorOrder order = panels.order();
  const int64_t run = gradient ? 1 : 16;  // filters that lie behind each other
  const auto* from = W.data<float>();
  parallel_ranges(columns / lanes, W.size() * 4, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> turned(static_cast<std::size_t>(run * kTaps * lanes));
    for (int64_t v = begin; v < end; ++v)
      for (int64_t i = 0; i < inner; i += run) {
        const int64_t count = std::min(run, inner - i);
        kernels().transpose[sizeof(float)](turned.data(), lanes, from + v * lanes * column_step + i * inner_step,
                                           column_step, lanes, count * kTaps);
        for (int64_t j = 0; j < count; ++j)
          k.filter(turned.data() + j * kTaps * lanes, gradient, to + order.base[v] + (i + j) * order.step[v],
                   spread(panels.size()));
      }
  });
}

class Product {
 public:
  Product(const Array& a, const Array& W, bool gradient, int64_t pad_y, int64_t pad_x, const Array& bias, Array& out,
          bool accumulate)
      : in_(a),
        out_(out),
        bias_(bias ? bias.contiguous() : bias),
        gradient_(gradient),
        accumulate_(accumulate),
        pad_y_(pad_y),
        pad_x_(pad_x),
        inner_(a.shape()[1]),
        columns_(out.shape()[1]),
        tiles_(out.shape()),
        panels_(columns_, inner_),
        panels_apart_(spread(panels_.size())),
        rows_(inner_, kBlock, inner_),
        filters_(derived_form(W, uint64_t(0x77) << 56 | gradient, kTileProducts * panels_apart_ * sizeof(float),
                              [&](void* to) { transform_filters(W, gradient, panels_, static_cast<float*>(to)); })),
        to_(out.mutable_data<float>()) {}

  void run() const {
    const int64_t blocks = (tiles_.count + kBlock - 1) / kBlock, size = kTileProducts * rows_.apart();
    const int64_t work = tiles_.count * inner_ * columns_;  // an eighth of the multiplications at most
    if (blocks >= 4 * thread_count()) {
      parallel_ranges(blocks, work, 1, [&](int64_t begin, int64_t end) {
        const Floats pixels(size), products(kTileProducts * products_apart());
        for (int64_t b = begin; b < end; ++b) {
          transform(b, pixels.data());
          for (int64_t p = 0; p < panels_.count(); ++p) multiply(b, p, pixels.data(), products.data());
        }
      });
      return;
    }
    const int64_t together = std::max<int64_t>(1, std::min(blocks, kMost / size));
    const Floats pixels(together * size);
    for (int64_t first = 0; first < blocks; first += together) {
      const int64_t count = std::min(together, blocks - first);
      parallel_ranges(count, work, 1, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) transform(first + b, pixels.data() + b * size);
      });
      parallel_ranges(count * panels_.count(), work, 1, [&](int64_t begin, int64_t end) {
        const Floats products(kTileProducts * products_apart());
        for (int64_t i = begin; i < end; ++i)
          multiply(first + i % count, i / count, pixels.data() + i % count * size, products.data());
      });
    }
  }

 private:
  static int64_t products_apart() { return spread(kBlock * panel_kernels().vectors * panel_kernels().lanes); }

  void transform(int64_t block, float* to) const {
    const int64_t first = block * kBlock, count = std::min(kBlock, tiles_.count - first);
    const float* pixel[kTileProducts];
    for (int64_t r = 0; r < count; ++r) {
      const int64_t t = first + r;
      in_.pixels<kTile>(tiles_.image(t), tiles_.y(t) - pad_y_, tiles_.x(t) - pad_x_, pixel);
      winograd_kernels().image(pixel, in_.vectors(), to, rows_.apart(), rows_.order(), r);
    }
  }

  void multiply(int64_t block, int64_t panel, const float* pixels, float* products) const {
    const int64_t lanes = panel_kernels().lanes, first = block * kBlock, count = std::min(kBlock, tiles_.count - first),
                  apart = products_apart();
    const auto* filters = static_cast<const float*>(filters_->block.data) + panels_.at(panel);
    const int64_t vectors = panels_.vectors(panel), width = vectors * lanes, column = panels_.first(panel) * lanes;
    for (int64_t i = 0; i < kTileProducts; ++i)
      panel_kernels().product({.a = pixels + i * rows_.apart(),
                               .a_row = rows_.step(),
                               .a_inner = 1,
                               .b = filters + i * panels_apart_,
                               .out = products + i * apart,
                               .out_row = width,
                               .rows = count,
                               .inner = inner_,
                               .vectors = vectors,
                               .add = false});
    const Strides step = out_.strides();
    const Shape& shape = out_.shape();
    for (int64_t r = 0; r < count; ++r) {
      const int64_t t = first + r, y = tiles_.y(t), x = tiles_.x(t);
      winograd_kernels().result(
          products + r * width, apart, vectors,
          {to_ + tiles_.image(t) * step[0] + y * step[2] + x * step[3] + column, step[2], step[3], shape[2] - y,
           shape[3] - x, bias_ ? bias_.data<float>() + column : nullptr, accumulate_});
    }
  }

  const Images in_;
  Array& out_;
  const Array bias_;
  const bool gradient_, accumulate_;
  const int64_t pad_y_, pad_x_, inner_, columns_;
  const Tiles tiles_;
  const Panels panels_;  // of filters
  const int64_t panels_apart_;
  const Rows rows_;  // of transformed tiles
  const std::shared_ptr<const DerivedForm> filters_;
  float* const to_;
};

// Products of results' gradients by images: of each step of rows and panel of channels the 36 sums over all tiles, then
// the filters that they make.
class FilterGradient {
 public:
  FilterGradient(const Array& x, const Array& gy, int64_t pad_y, int64_t pad_x, Array& out, bool accumulate)
      : x_(x),
        gy_(gy),
        accumulate_(accumulate),
        pad_y_(pad_y),
        pad_x_(pad_x),
        tiles_(gy.shape()),
        most_(std::clamp<int64_t>(kMost / (kTileProducts * (x.shape()[1] + gy.shape()[1])), 64, 1024)),
        together_(std::min(tiles_.count, most_)),
        panels_(x.shape()[1], together_),
        panels_apart_(spread(panels_.size())),
        rows_(gy.shape()[1], together_, kStrip),
        to_(out.mutable_data<float>()) {}

  void run() const {
    const int64_t channels = x_.shape[1], results = gy_.shape[1];
    const int64_t work = tiles_.count * channels * results;
    const Floats pixels(kTileProducts * panels_apart_), gradients(kTileProducts * rows_.apart());
    const int64_t strips = results / kStrip, units = strips * panels_.count();
    const bool once = together_ == tiles_.count;
    const Floats sums(once ? 1 : units * unit_size());
    for (int64_t first = 0; first < tiles_.count; first += together_) {
      const int64_t count = std::min(together_, tiles_.count - first);
      parallel_ranges(count, work, 8, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) transform(first + r, r, pixels.data(), gradients.data());
      });
      parallel_ranges(units, work, 1, [&](int64_t begin, int64_t end) {
        const Floats own(once ? unit_size() : 1);
        for (int64_t u = begin; u < end; ++u) {
          float* const sum = once ? own.data() : sums.data() + u * unit_size();
          multiply(u % strips, u / strips, count, first > 0, pixels.data(), gradients.data(), sum);
          if (first + count == tiles_.count) finish(u % strips, u / strips, sum);
        }
      });
    }
  }

 private:
  static constexpr int64_t kStrip = 16;  // results whose filters are computed together
  static int64_t sums_apart() { return kStrip * panel_kernels().vectors * panel_kernels().lanes + 16; }
  static int64_t unit_size() { return kTileProducts * sums_apart(); }

  void transform(int64_t tile, int64_t row, float* pixels, float* gradients) const {
    const float* pixel[kTileProducts];
    const int64_t image = tiles_.image(tile), y = tiles_.y(tile), x = tiles_.x(tile);
    x_.pixels<kTile>(image, y - pad_y_, x - pad_x_, pixel);
    winograd_kernels().image(pixel, x_.vectors(), pixels, panels_apart_, panels_.order(), row);
    gy_.pixels<kTileOut>(image, y, x, pixel);
    winograd_kernels().gradient(pixel, gy_.vectors(), gradients, rows_.apart(), rows_.order(), row);
  }

  void multiply(int64_t strip, int64_t panel, int64_t count, bool add, const float* pixels, const float* gradients,
                float* sum) const {
    for (int64_t i = 0; i < kTileProducts; ++i)
      panel_kernels().product({.a = gradients + i * rows_.apart() + strip * kStrip * together_,
                               .a_row = 1,
                               .a_inner = kStrip,
                               .b = pixels + i * panels_apart_ + panels_.at(panel),
                               .out = sum + i * sums_apart(),
                               .out_row = panels_.vectors(panel) * panel_kernels().lanes,
                               .rows = kStrip,
                               .inner = count,
                               .vectors = panels_.vectors(panel),
                               .add = add});
  }

  void finish(int64_t strip, int64_t panel, const float* sum) const {
    const WinogradKernels& k = winograd_kernels();
    const int64_t lanes = panel_kernels().lanes;
    std::vector<float> taps(static_cast<std::size_t>(2 * kTaps * lanes));
    float* const turned = taps.data() + kTaps * lanes;
    for (int64_t r = 0; r < kStrip; ++r)
      for (int64_t v = 0; v < panels_.vectors(panel); ++v) {
        k.filter_gradient(sum + (r * panels_.vectors(panel) + v) * lanes, sums_apart(), taps.data());
        float* const to = to_ + ((strip * kStrip + r) * x_.shape[1] + (panels_.first(panel) + v) * lanes) * kTaps;
        kernels().transpose[sizeof(float)](accumulate_ ? turned : to, kTaps, taps.data(), lanes, kTaps, lanes);
        if (accumulate_)
          for (int64_t i = 0; i < kTaps * lanes; ++i) to[i] += turned[i];
      }
  }

  const Images x_, gy_;
  const bool accumulate_;
  const int64_t pad_y_, pad_x_;
  const Tiles tiles_;
  const int64_t most_, together_;
  const Panels panels_;  // of transformed images
  const int64_t panels_apart_;
  const Rows rows_;  // of transformed gradients
  float* const to_;
};

}  // namespace

bool suits_winograd(const ConvolutionPlan& plan, const Shape& filters, const Shape& results) {
  static const bool wanted = [] {
    const char* variable = std::getenv("CHAINER_CONVOLUTION");
    const std::string_view choice = variable ? variable : "";
    if (!choice.empty() && choice != "direct")
      throw ValueError("CHAINER_CONVOLUTION must be direct, or not set, not '", choice, "'");
    return choice.empty();
  }();
  if (!wanted || results.ndim() != 4 || plan.groups != 1) return false;
  for (int d = 0; d < 2; ++d)
    if (filters[d + 2] != 3 || plan.stride[d] != 1 || plan.dilate[d] != 1 || plan.pad[d] > 1) return false;
  for (int d = 0; d < 2; ++d)
    if (filters[d] < 32 || filters[d] % 16 != 0) return false;
  // Parts of tiles that lie outside are computed in vain, and a few tiles do not pay for the filters' transforms.
  const int64_t tiles = Tiles(results).count;
  return tiles >= 16 && 16 * 3 * tiles <= 4 * results[0] * results[2] * results[3];
}

void winograd_convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b,
                          const Array& bias, Array& out, bool accumulate) {
  const int64_t y = plan.pad[0], x = plan.pad[1];
  switch (op) {
    case Convolution::forward: return Product(a, b.contiguous(), false, y, x, bias, out, accumulate).run();
    case Convolution::backward_data: return Product(a, b.contiguous(), true, 2 - y, 2 - x, bias, out, accumulate).run();
    case Convolution::backward_weights: return FilterGradient(a, b, y, x, out, accumulate).run();
  }
}

}  // namespace chainer::cpu

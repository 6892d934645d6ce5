// SPDX-License-Identifier: MIT
// Winograd's algorithm: each tile of the images, and each filter, is transformed (kernels/winograd.cpp). The
// convolution then becomes 36 matrix products (25 for filters of 4x4 with stride two) of tiles by channels with
// channels by results. Every sum has a fixed order, for any number of threads.
#include "chainer/backend/cpu/convolution/winograd.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "chainer/array/derived.h"
#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/products/panels.h"
#include "chainer/backend/cpu/convolution/winograd_tiles.h"
#include "chainer/core/error.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// The tiles per block; their transformed pixels are multiplied while they are in cache.
constexpr int64_t kTilesOfBlock = 32;
// The least number of channels and of results: if they fill vectors, and if copies are padded for one and two steps.
constexpr int64_t kLeastChannels = 32, kLeastPadded = 20, kLeastPadded2 = 64;
// The limit in floats for transformed pixels in memory when threads share them.
constexpr int64_t kMost = int64_t(1) << 22;

// Packs the filters (K, C, ...) as matrices in panels of results, with one row per phase and channel. For the gradient
// with respect to the images, each phase has matrices of its own, in panels of channels with one row per result, and
// the filters are rotated by 180 degrees.
void transform_filters(const Array& W, const WinogradForm& form, bool gradient, const Panels& panels, float* to) {
  const int64_t lanes = panel_kernels().lanes, results = W.shape()[0], channels = W.shape()[1],
                r = form.transforms.taps;
  const int64_t columns = gradient ? channels : results, inner = gradient ? results : channels;
  const int64_t taps = form.filter * form.filter, column_step = gradient ? taps : channels * taps,
                inner_step = gradient ? channels * taps : taps;
  const int64_t run = gradient ? 1 : 16;  // consecutive filters
  const int64_t apart = spread(panels.size());
  const PanelOrder lies(panels);
  const VectorOrder order = lies.from(0);
  const int64_t item = item_size(W.dtype());
  const auto* from = static_cast<const char*>(W.raw());
  const LoadKernel widen = item == 2 ? kernels().load[kF32][static_cast<int>(W.dtype())] : nullptr;
  parallel_ranges(columns / lanes, W.size() * 4, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> turned(static_cast<std::size_t>(run * taps * lanes));
    std::vector<uint16_t> narrow(widen ? turned.size() : 0);
    const float* tap[9];
    for (int64_t v = begin; v < end; ++v)
      for (int64_t i = 0; i < inner; i += run) {
        const int64_t count = std::min(run, inner - i);
        if (gradient)  // each filter is elsewhere in memory, so that the processor cannot predict the next address
          for (int64_t l = 0; l < lanes * taps; l += 16)
            __builtin_prefetch(from + (v * lanes * column_step + (i + 4) * inner_step + l) * item);
        kernels().transpose[item](widen ? static_cast<void*>(narrow.data()) : turned.data(), lanes,
                                  from + (v * lanes * column_step + i * inner_step) * item, column_step, lanes,
                                  count * taps);
        if (widen) widen(turned.data(), narrow.data(), 1, lanes * count * taps);
        for (int64_t phase = 0; phase < form.phases; ++phase)
          for (int64_t j = 0; j < count; ++j) {
            for (int64_t k = 0; k < r * r; ++k) {
              const int64_t of_phase = gradient ? r * r - 1 - k : k;
              tap[k] = turned.data() + (j * taps + form.tap(phase, of_phase / r, of_phase % r)) * lanes;
            }
            const int64_t row = i + j + (gradient ? 0 : phase * inner);
            form.transforms.filter(
                tap, to + order.base[v] + row * order.step[v] + (gradient ? phase * form.products * apart : 0), apart);
          }
      }
  });
}

// Applies the program that follows a convolution to finished rows of tiles: while they are in cache, if one thread
// computes a row; at the end, for rows computed by two threads.
class Followed {
 public:
  Followed(const Stretch& then, const Tiles& tiles, const Shape& out)
      : then_(then), tiles_(tiles), lines_(out[2]), of_line_(out[3] * out[1]) {
    if (then) done_.assign(static_cast<std::size_t>(rows()), 0);
  }
  /// Returns the first row whose tiles begin at `tile` or later.
  int64_t first(int64_t tile) const { return (tile + tiles_.columns - 1) / tiles_.columns; }
  /// Processes rows from `row` on, up to tile `end`; returns the next row.
  int64_t run(int64_t row, int64_t end) {
    if (!then_) return row;
    for (; row < rows() && (row + 1) * tiles_.columns <= end; ++row) run(row);
    return row;
  }
  void finish() {
    for (std::size_t row = 0; row < done_.size(); ++row)
      if (!done_[row]) run(static_cast<int64_t>(row));
  }

 private:
  int64_t rows() const { return tiles_.count / tiles_.columns; }
  void run(int64_t row) {
    const int64_t tile = row * tiles_.columns, y = tiles_.y(tile), count = std::min<int64_t>(kTileOut, lines_ - y);
    const int64_t begin = (tiles_.image(tile) * lines_ + y) * of_line_;
    then_(begin, begin + count * of_line_);
    done_[static_cast<std::size_t>(row)] = 1;
  }

  const Stretch& then_;
  const Tiles& tiles_;
  const int64_t lines_, of_line_;
  std::vector<char> done_;
};

// A forward convolution; or the gradient with respect to images, where each phase is a convolution of the gradient with
// respect to the results.
class Product {
 public:
  Product(const ConvolutionPlan& plan, const Array& a, const Array& W, bool gradient, const Array& bias, Array& out,
          bool accumulate, const Stretch& then)
      : plan_(plan),
        form_(plan),
        in_(a),
        out_(out),
        bias_(bias ? bias.astype(float32, false).contiguous() : bias),
        gradient_(gradient),
        accumulate_(accumulate),
        inner_(a.shape()[1] * (gradient ? 1 : form_.phases)),
        panels_(out.shape()[1], inner_),
        panels_apart_(spread(panels_.size())),
        rows_(inner_, kTilesOfBlock, inner_),
        filters_(derived_form(
            W, uint64_t(0x77) << 56 | gradient,
            static_cast<std::size_t>(form_.products * panels_apart_ * (gradient ? form_.phases : 1)) * sizeof(float),
            [&](void* to) { transform_filters(W, form_, gradient, panels_, static_cast<float*>(to)); })),
        then_(then),
        to_(static_cast<char*>(out.mutable_raw())) {}

  void run() const {
    if (!gradient_) return run_part({0, 0, 1, 0, tiles_of(0, 0, 1)});
    for (int64_t y = 0; y < form_.stride; ++y)
      for (int64_t x = 0; x < form_.stride; ++x) {
        const int64_t phase = (y + plan_.pad[0]) % form_.stride * form_.stride + (x + plan_.pad[1]) % form_.stride;
        run_part({y, x, form_.stride, phase, tiles_of(y, x, form_.stride)});
      }
  }

 private:
  // The results (y, x), every `step`-th from there along both axes, for the filters of one phase.
  struct Part {
    int64_t y, x, step, phase;
    Tiles tiles;
  };
  Tiles tiles_of(int64_t y, int64_t x, int64_t step) const {
    const Shape& s = out_.shape();
    return {s[0], (s[2] - y + step - 1) / step, (s[3] - x + step - 1) / step};
  }

  void run_part(const Part& part) const {
    const int64_t blocks = (part.tiles.count + kTilesOfBlock - 1) / kTilesOfBlock,
                  size = form_.products * rows_.apart();
    const int64_t work = part.tiles.count * inner_ * out_.shape()[1];
    if (blocks >= 4 * thread_count()) {
      Followed followed(then_, part.tiles, out_.shape());
      parallel_ranges(blocks, work, 1, [&](int64_t begin, int64_t end) {
        const ScratchBuffer pixels(size), products(form_.products * products_apart());
        int64_t row = followed.first(begin * kTilesOfBlock);
        for (int64_t b = begin; b < end; ++b) {
          transform(part, b, pixels.data());
          for (int64_t p = 0; p < panels_.count(); ++p) multiply(part, b, p, pixels.data(), products.data());
          row = followed.run(row, (b + 1) * kTilesOfBlock);
        }
      });
      followed.finish();
      return;
    }
    const int64_t together = std::max<int64_t>(1, std::min(blocks, kMost / size));
    const ScratchBuffer pixels(together * size);
    for (int64_t first = 0; first < blocks; first += together) {
      const int64_t count = std::min(together, blocks - first);
      parallel_ranges(count, work, 1, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) transform(part, first + b, pixels.data() + b * size);
      });
      parallel_ranges(count * panels_.count(), work, 1, [&](int64_t begin, int64_t end) {
        const ScratchBuffer products(form_.products * products_apart());
        for (int64_t i = begin; i < end; ++i)
          multiply(part, first + i % count, i / count, pixels.data() + i % count * size, products.data());
      });
    }
    if (then_) parallel_ranges(out_.size(), out_.size(), 1024, then_);
  }

  static int64_t products_apart() { return spread(kTilesOfBlock * panel_kernels().vectors * panel_kernels().lanes); }

  void transform(const Part& part, int64_t block, float* to) const {
    const int64_t first = block * kTilesOfBlock, count = std::min(kTilesOfBlock, part.tiles.count - first),
                  stride = form_.stride;
    const void* pixel[kTileMost * kTileMost];
    for (int64_t r = 0; r < count; ++r) {
      const int64_t t = first + r, image = part.tiles.image(t), y = part.tiles.y(t), x = part.tiles.x(t);
      const int64_t side = form_.transforms.side, taps = form_.transforms.taps;
      if (gradient_) {
        in_.pixels(side, 1, image, y + (part.y + plan_.pad[0]) / stride - taps + 1,
                   x + (part.x + plan_.pad[1]) / stride - taps + 1, pixel);
        form_.transforms.image[in_.kernel()](pixel, in_.vectors(), to, rows_.apart(), rows_.order(), r);
        continue;
      }
      for (int64_t phase = 0; phase < form_.phases; ++phase) {
        in_.pixels(side, stride, image, y * stride - plan_.pad[0] + phase / stride,
                   x * stride - plan_.pad[1] + phase % stride, pixel);
        form_.transforms.image[in_.kernel()](pixel, in_.vectors(), to, rows_.apart(),
                                             rows_.order(phase * in_.channels()), r);
      }
    }
  }

  void multiply(const Part& part, int64_t block, int64_t panel, const float* pixels, float* products) const {
    const Tiles& tiles = part.tiles;
    const int64_t lanes = panel_kernels().lanes, apart = products_apart();
    const int64_t first = block * kTilesOfBlock, count = std::min(kTilesOfBlock, tiles.count - first);
    const int64_t vectors = panels_.vectors(panel), width = vectors * lanes, column = panels_.column(panel);
    const float* const filters = static_cast<const float*>(filters_->block.data) +
                                 part.phase * form_.products * panels_apart_ + panels_.at(panel);
    for (int64_t i = 0; i < form_.products; ++i)
      panel_kernels().product({.a = pixels + i * rows_.apart(),
                               .a_row = rows_.step(),
                               .a_inner = 1,
                               .b = filters + i * panels_apart_,
                               .out = products + i * apart,
                               .out_row = width,
                               .rows = count,
                               .inner = inner_,
                               .vectors = vectors,
                               .columns = panels_.columns(panel),
                               .add = false});
    const Strides step = out_.strides();
    const int64_t item = item_size(out_.dtype());
    const Shape& shape = out_.shape();
    for (int64_t r = 0; r < count; ++r) {
      const int64_t t = first + r, y = part.y + tiles.y(t) * part.step, x = part.x + tiles.x(t) * part.step;
      form_.transforms.result[element_kernel(out_)](
          products + r * width, apart, vectors,
          {.out = to_ + (tiles.image(t) * step[0] + y * step[2] + x * step[3] + column) * item,
           .line = step[2] * part.step,
           .pixel = step[3] * part.step,
           .lines = (shape[2] - y + part.step - 1) / part.step,
           .pixels = (shape[3] - x + part.step - 1) / part.step,
           .bias = bias_ ? bias_.data<float>() + column : nullptr,
           .add = accumulate_});
    }
  }

  const ConvolutionPlan& plan_;
  const WinogradForm form_;
  const TileImages in_;
  Array& out_;
  const Array bias_;
  const bool gradient_, accumulate_;
  const int64_t inner_;
  const Panels panels_;  // of filters
  const int64_t panels_apart_;
  const TileRows rows_;  // of transformed tiles
  const std::shared_ptr<const DerivedForm> filters_;
  const Stretch& then_;
  char* const to_;
};

}  // namespace

bool suits_winograd(const ConvolutionPlan& plan, const Shape& filters, const Shape& results) {
  static const bool wanted = [] {
    const char* variable = std::getenv("CHAINER_CONVOLUTION");
    const std::string_view choice = variable ? variable : "";
    if (!choice.empty() && choice != "direct")
      throw ValueError("CHAINER_CONVOLUTION must be direct or unset, not '", choice, "'");
    return choice.empty();
  }();
  if (!wanted || !plan.winograd || results.ndim() != 4 || plan.groups != 1) return false;
  const int64_t stride = plan.stride[0], side = stride == 1 ? 3 : 4;
  if (stride > 2) return false;
  for (int d = 0; d < 2; ++d)
    if (filters[d + 2] != side || plan.stride[d] != stride || plan.dilate[d] != 1 || plan.pad[d] > 1) return false;
  for (int d = 0; d < 2; ++d)
    if (filters[d] < (filters[d] % kWinogradLanes == 0 ? kLeastChannels : stride == 1 ? kLeastPadded : kLeastPadded2))
      return false;
  // Parts of tiles outside of the image are wasted, and a few tiles do not pay for the filters' transforms.
  const int64_t tiles = Tiles(results[0], results[2], results[3]).count;
  return tiles >= 16 && 16 * 3 * tiles <= 4 * results[0] * results[2] * results[3];
}

void winograd_convolution(const ConvolutionCall& call, const Stretch& then) {
  const Shape& filters = call.filters().shape();
  if (filters[0] % kWinogradLanes || filters[1] % kWinogradLanes) return winograd_padded(call, then);
  if (call.op == Convolution::backward_weights)
    return winograd_filter_gradient(call.plan, call.a, call.b, call.out, call.accumulate);
  Product(call.plan, call.a, call.b.contiguous(), call.op == Convolution::backward_data, call.bias, call.out,
          call.accumulate, then)
      .run();
}

}  // namespace chainer::cpu

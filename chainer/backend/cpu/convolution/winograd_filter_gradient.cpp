// SPDX-License-Identifier: MIT
// The gradient with respect to the filters: products of transformed gradients with transformed images.
#include <algorithm>
#include <vector>

#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/products/panels.h"
#include "chainer/backend/cpu/convolution/winograd.h"
#include "chainer/backend/cpu/convolution/winograd_tiles.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// The limit in floats for transformed tiles in memory; the number of results whose filters are computed together.
constexpr int64_t kMostFloats = int64_t(1) << 22, kStrip = 16;

// For each strip of results and panel of channels: the sums over all tiles, one run of tiles after another, then the
// filters from these sums. Sums have a fixed order, for any number of threads.
class FilterGradient {
 public:
  FilterGradient(const ConvolutionPlan& plan, const Array& x, const Array& gy, Array& out, bool accumulate)
      : plan_(plan),
        form_(plan),
        x_(x),
        gy_(gy),
        accumulate_(accumulate),
        channels_(form_.phases * x.shape()[1]),
        tiles_(gy.shape()[0], gy.shape()[2], gy.shape()[3]),
        run_(std::min(tiles_.count,
                      std::clamp<int64_t>(kMostFloats / (form_.products * (channels_ + gy.shape()[1])), 64, 1024))),
        panels_(channels_, run_),
        order_(panels_),
        panels_apart_(spread(panels_.size())),
        rows_(gy.shape()[1], run_, kStrip),
        to_(out.mutable_data<float>()) {}

  void run() const {
    const int64_t strips = gy_.channels() / kStrip, units = strips * panels_.count();
    const int64_t work = tiles_.count * channels_ * gy_.channels();
    const ScratchBuffer pixels(form_.products * panels_apart_), gradients(form_.products * rows_.apart());
    const bool once = run_ == tiles_.count;
    const ScratchBuffer sums(once ? 1 : units * unit_size());
    for (int64_t first = 0; first < tiles_.count; first += run_) {
      const int64_t count = std::min(run_, tiles_.count - first);
      parallel_ranges(count, work, 8, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) transform(first + r, r, pixels.data(), gradients.data());
      });
      parallel_ranges(units, work, 1, [&](int64_t begin, int64_t end) {
        const ScratchBuffer own(once ? unit_size() : 1);
        for (int64_t u = begin; u < end; ++u) {
          float* const sum = once ? own.data() : sums.data() + u * unit_size();
          multiply(u % strips, u / strips, count, first > 0, pixels.data(), gradients.data(), sum);
          if (first + count == tiles_.count) finish(u % strips, u / strips, sum);
        }
      });
    }
  }

 private:
  static int64_t sums_apart() { return kStrip * panel_kernels().vectors * panel_kernels().lanes + 16; }
  int64_t unit_size() const { return form_.products * sums_apart(); }

  void transform(int64_t tile, int64_t row, float* pixels, float* gradients) const {
    const void* pixel[kTileMost * kTileMost];
    const int64_t image = tiles_.image(tile), y = tiles_.y(tile), x = tiles_.x(tile), stride = form_.stride;
    for (int64_t phase = 0; phase < form_.phases; ++phase) {
      x_.pixels(form_.transforms.side, stride, image, y * stride - plan_.pad[0] + phase / stride,
                x * stride - plan_.pad[1] + phase % stride, pixel);
      form_.transforms.image[x_.kernel()](pixel, x_.vectors(), pixels, panels_apart_, order_.from(phase * x_.vectors()),
                                          row);
    }
    gy_.pixels(kTileOut, 1, image, y, x, pixel);
    form_.transforms.gradient[gy_.kernel()](pixel, gy_.vectors(), gradients, rows_.apart(), rows_.order(), row);
  }

  void multiply(int64_t strip, int64_t panel, int64_t count, bool add, const float* pixels, const float* gradients,
                float* sum) const {
    for (int64_t i = 0; i < form_.products; ++i)
      panel_kernels().product({.a = gradients + i * rows_.apart() + strip * kStrip * run_,
                               .a_row = 1,
                               .a_inner = kStrip,
                               .b = pixels + i * panels_apart_ + panels_.at(panel),
                               .out = sum + i * sums_apart(),
                               .out_row = panels_.vectors(panel) * panel_kernels().lanes,
                               .rows = kStrip,
                               .inner = count,
                               .vectors = panels_.vectors(panel),
                               .columns = panels_.columns(panel),
                               .add = add});
  }

  void finish(int64_t strip, int64_t panel, const float* sum) const {
    const int64_t lanes = panel_kernels().lanes, r = form_.transforms.taps, taps = r * r;
    const int64_t of_filter = form_.filter * form_.filter;
    const bool direct = form_.stride == 1 && !accumulate_;
    std::vector<float> both(static_cast<std::size_t>(2 * taps * lanes));
    float* const turned = both.data() + taps * lanes;
    for (int64_t row = 0; row < kStrip; ++row)
      for (int64_t v = 0; v < panels_.vectors(panel); ++v) {
        form_.transforms.filter_gradient(sum + (row * panels_.vectors(panel) + v) * lanes, sums_apart(), both.data());
        const int64_t channel = (panels_.first(panel) + v) * lanes, phase = channel / x_.channels();
        float* const to = to_ + ((strip * kStrip + row) * x_.channels() + channel % x_.channels()) * of_filter;
        kernels().transpose[sizeof(float)](direct ? to : turned, taps, both.data(), lanes, taps, lanes);
        if (direct) continue;
        for (int64_t i = 0; i < taps; ++i) {
          float* const tap = to + form_.tap(phase, i / r, i % r);
          for (int64_t l = 0; l < lanes; ++l)
            tap[l * of_filter] = turned[l * taps + i] + (accumulate_ ? tap[l * of_filter] : 0);
        }
      }
  }

  const ConvolutionPlan& plan_;
  const WinogradForm form_;
  const TileImages x_, gy_;
  const bool accumulate_;
  const int64_t channels_;  // of all phases
  const Tiles tiles_;
  const int64_t run_;    // tiles in memory at a time
  const Panels panels_;  // of transformed images
  const PanelOrder order_;
  const int64_t panels_apart_;
  const TileRows rows_;  // of transformed gradients
  float* const to_;
};

}  // namespace

void winograd_filter_gradient(const ConvolutionPlan& plan, const Array& x, const Array& gy, Array& out,
                              bool accumulate) {
  if (out.dtype() == float32) return FilterGradient(plan, x, gy, out, accumulate).run();
  Array wide = accumulate ? out.astype(float32) : Array(out.shape(), float32, out.device());
  FilterGradient(plan, x, gy, wide, accumulate).run();
  copy_elements(wide, out);
}

}  // namespace chainer::cpu

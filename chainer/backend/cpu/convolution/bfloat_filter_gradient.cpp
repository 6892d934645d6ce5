// SPDX-License-Identifier: MIT
// The gradient with respect to filters, one product for each tap: the transposed gradients of the results times the
// images' pixels under the tap, in parts of the pixels that stay in the second-level cache. The kernels need pairs of
// pixels, so each part of the images is packed twice: for even offsets of a tap and for odd ones.
#include <algorithm>
#include <cstring>

#include "chainer/backend/cpu/convolution/bfloat_convolution.h"
#include "chainer/backend/cpu/convolution/bfloat_grid.h"
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/products/blocks.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kPixelsOfPart = 1024;  // multiplied at a time
constexpr int64_t kSide = 128;           // filters and channels of a task, whose sums stay in the cache
constexpr int64_t kPixelsOfPiece = 8192, kMostPieces = 8, kMostSums = int64_t(1) << 22;

// A tap: the offsets of its phase and within the phase, in rows of the grid, and its number among those of the filters.
struct PhaseTap {
  int64_t phase, in_phase, number;
};

class BfloatFilterGradient {
 public:
  BfloatFilterGradient(const BfloatGrid& grid, const Array& gy, const Shape& filters, std::vector<PhaseTap> of_filters)
      : grid_(grid),
        filters_(filters[0]),
        channels_(filters[1]),
        gradients_(static_cast<const uint16_t*>(gy.raw())),
        lines_(gy.shape()[1]),
        pixels_(gy.shape()[2]),
        taps_(std::move(of_filters)),
        size_(taps() * filters_ * channels_),
        pieces_(std::max<int64_t>(1, std::min({grid.rows() / kPixelsOfPiece, kMostPieces, kMostSums / size_}))),
        sums_(pieces_ * size_) {}

  // With `add`, adds to `out`, which is float32 then.
  void run(Array& out, bool add) {
    const int64_t groups = blocks_of(filters_, kSide) * blocks_of(channels_, kSide),
                  parts = blocks_of(grid_.rows(), kPixelsOfPart);
    parallel(static_cast<int>(pieces_ * groups), grid_.rows() * size_ / 64, [&](int i) {
      const int64_t piece = i / groups, group = i % groups, across = blocks_of(channels_, kSide);
      Task(*this, group / across * kSide, group % across * kSide)
          .run(parts * piece / pieces_, parts * (piece + 1) / pieces_, sums_.data() + piece * size_);
    });
    // Sums are in the order (tap, filter, channel).
    const bool wide = out.dtype() == float32;
    auto* const narrow = wide ? nullptr : static_cast<uint16_t*>(out.mutable_raw());
    float* const to = wide ? out.mutable_data<float>() : nullptr;
    const int64_t matrix = filters_ * channels_, count = taps();
    parallel_ranges(matrix, size_ * pieces_, 64, [&](int64_t begin, int64_t end) {
      for (int64_t t = 0; t < count; ++t) {
        float* const sum = sums_.data() + t * matrix;
        for (int64_t p = 1; p < pieces_; ++p)
          for (int64_t i = begin; i < end; ++i) sum[i] += sum[p * size_ + i];
        if (wide) {
          for (int64_t i = begin; i < end; ++i) to[i * count + t] = add ? to[i * count + t] + sum[i] : sum[i];
          continue;
        }
        for (int64_t from = begin; from < end; from += 64) {
          uint16_t rounded[64];
          const int64_t n = std::min<int64_t>(64, end - from);
          bfloat_kernels()->round(rounded, sum + from, n);
          for (int64_t i = 0; i < n; ++i) narrow[(from + i) * count + t] = rounded[i];
        }
      }
    });
  }

 private:
  int64_t taps() const { return static_cast<int64_t>(taps_.size()); }

  // The gradient of some filters and channels, for a part of the pixels at a time.
  class Task {
   public:
    Task(const BfloatFilterGradient& all, int64_t filter, int64_t channel)
        : all_(all),
          filter_(filter),
          filters_(std::min(kSide, all.filters_ - filter)),
          channel_(channel),
          channels_(std::min(kSide, all.channels_ - channel)),
          panel_(blocks_of(kPixelsOfPart + all.grid_.reach() + 1, kBfloatInner) * kBfloatInner * kBfloatColumns),
          gradients_(kPixelsOfPart * kSide / 2),
          packed_(2 * blocks_of(channels_, kBfloatColumns) * panel_ / 2),
          sums_(all.taps() * kSide * kSide) {}

    void run(int64_t first, int64_t end, float* to) {
      for (int64_t part = first; part < end; ++part) add(part * kPixelsOfPart, part == first);
      for (int64_t t = 0; t < all_.taps(); ++t)
        for (int64_t k = 0; k < filters_; ++k) {
          float* const row = to + (t * all_.filters_ + filter_ + k) * all_.channels_ + channel_;
          const float* const sum = sums_.data() + (t * kSide + k) * kSide;
          first < end ? std::copy_n(sum, channels_, row) : std::fill_n(row, channels_, 0.f);
        }
    }

   private:
    uint16_t* packed(int64_t odd) const {
      return reinterpret_cast<uint16_t*>(packed_.data()) + odd * blocks_of(channels_, kBfloatColumns) * panel_;
    }
    void add(int64_t row, bool start) {
      const int64_t rows = std::min(kPixelsOfPart, all_.grid_.rows() - row), steps = blocks_of(rows, kBfloatInner);
      pack_gradients(row, rows);
      // (Reads to the end of the last block; gradients after the last row are zeros.)
      const int64_t step = all_.grid_.channels(), images = steps * kBfloatInner + all_.grid_.reach();
      const int64_t panels = blocks_of(channels_, kBfloatColumns);
      int64_t phase = -1;
      for (int64_t t = 0; t < all_.taps(); ++t) {
        const PhaseTap tap = all_.taps_[static_cast<std::size_t>(t)];
        const int64_t offset = tap.in_phase;
        if (phase != tap.phase) {
          phase = tap.phase;
          const uint16_t* const x = all_.grid_.data() + (phase + row) * step + channel_;
          for (int64_t odd = 0; odd < 2; ++odd)
            bfloat_kernels()->pack(packed(odd), panel_, x + odd * step, step, images - odd, channels_);
        }
        for (int64_t k = 0; k < filters_; k += kBfloatRows)
          bfloat_kernels()->product({.a = reinterpret_cast<const uint16_t*>(gradients_.data()) + k * kPixelsOfPart,
                                     .a_row = kBfloatInner,
                                     .a_step = kBfloatRows * kBfloatInner,
                                     .offsets = kOneSegment,
                                     .segments = 1,
                                     .steps = steps,
                                     .few_rows = filters_ - k <= kBfloatRows / 2,
                                     .b = packed(offset % 2) + offset / 2 * 2 * kBfloatColumns,
                                     .b_panel = panel_,
                                     .panels = panels,
                                     .narrow = channels_ - (panels - 1) * kBfloatColumns <= kBfloatColumns / 2,
                                     .sums = sums_.data() + (tap.number * kSide + k) * kSide,
                                     .sums_row = kSide,
                                     .start = start});
      }
    }
    // The gradients of a part in blocks of 32 filters and 32 pixels, with zeros where there is no result.
    void pack_gradients(int64_t row, int64_t rows) {
      uint16_t pixels[kBfloatInner * kSide];
      auto* const to = reinterpret_cast<uint16_t*>(gradients_.data());
      for (int64_t l = 0; l < rows; l += kBfloatInner) {
        std::memset(pixels, 0, sizeof pixels);
        all_.grid_.each_result(
            row + l, row + std::min(rows, l + kBfloatInner), [&](int64_t at, int64_t n, int64_t y, int64_t x) {
              std::memcpy(pixels + (at - row - l) * kSide,
                          all_.gradients_ + ((n * all_.lines_ + y) * all_.pixels_ + x) * all_.filters_ + filter_,
                          static_cast<std::size_t>(filters_) * sizeof(uint16_t));
            });
        for (int64_t k = 0; k < filters_; k += kBfloatRows)
          kernels().transpose[2](to + k * kPixelsOfPart + l * kBfloatRows, kBfloatInner, pixels + k, kSide,
                                 kBfloatInner, kBfloatRows);
      }
    }

    const BfloatFilterGradient& all_;
    const int64_t filter_, filters_, channel_, channels_, panel_;
    const ScratchBuffer gradients_, packed_, sums_;
  };

  const BfloatGrid& grid_;
  const int64_t filters_, channels_;
  const uint16_t* const gradients_;
  const int64_t lines_, pixels_;
  const std::vector<PhaseTap> taps_;
  const int64_t size_, pieces_;
  const ScratchBuffer sums_;
};

}  // namespace

void bfloat_filter_gradient(const ConvolutionCall& call) {
  const ConvolutionPlan& p = call.plan;
  const Array x = channels_to_end(call.a).contiguous(), gy = channels_to_end(call.b).contiguous();
  const Shape &w = call.out.shape(), &in = x.shape(), &o = gy.shape();
  std::vector<int64_t> ty, tx;
  for (int64_t i = 0; i < w[2]; ++i) ty.push_back(i * p.dilate[0]);
  for (int64_t j = 0; j < w[3]; ++j) tx.push_back(j * p.dilate[1]);
  const BfloatGrid grid(x, {in[1], o[1], p.stride[0], p.pad[0], ty}, {in[2], o[2], p.stride[1], p.pad[1], tx});
  std::vector<PhaseTap> taps;
  for (int64_t i : ty)
    for (int64_t j : tx)
      taps.push_back({grid.phase_offset(i, j), grid.offset_in_phase(i, j), static_cast<int64_t>(taps.size())});
  std::stable_sort(taps.begin(), taps.end(), [](const PhaseTap& a, const PhaseTap& b) { return a.phase < b.phase; });
  BfloatFilterGradient(grid, gy, w, std::move(taps)).run(call.out, call.accumulate);
}

}  // namespace chainer::cpu

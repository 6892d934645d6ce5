// SPDX-License-Identifier: MIT
// A convolution is a product whose first matrix has the images' pixels as rows and one segment of the inner axis for
// each tap of the filters, at an offset of the pixel (bfloat_grid.h). Gradients with respect to images are convolutions
// of the results' gradients, one for each phase of the stride.
#include "chainer/backend/cpu/convolution/bfloat_convolution.h"

#include <algorithm>
#include <cstring>

#include "chainer/backend/cpu/convolution/bfloat_grid.h"
#include "chainer/backend/cpu/convolution/winograd.h"
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/products/bfloat_product.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

constexpr int64_t kCached = int64_t(1) << 20;  // bytes of filters that stay in the second-level cache

// The filters (K, C, kh, kw) as matrices (K, C), one for each tap.
class FilterMatrices {
 public:
  explicit FilterMatrices(const Array& filters)
      : rows_(filters.shape()[0]), columns_(filters.shape()[1]), memory_((filters.size() + 1) / 2) {
    const int64_t taps = filters.shape()[2] * filters.shape()[3], size = rows_ * columns_;
    const auto* const from = static_cast<const uint16_t*>(filters.raw());
    auto* const to = reinterpret_cast<uint16_t*>(memory_.data());
    parallel_ranges(size, filters.size(), 64, [&](int64_t begin, int64_t end) {
      for (int64_t t = 0; t < taps; ++t)
        for (int64_t i = begin; i < end; ++i) to[t * size + i] = from[i * taps + t];
    });
  }
  const uint16_t* at(int64_t tap) const {
    return reinterpret_cast<const uint16_t*>(memory_.data()) + tap * rows_ * columns_;
  }

 private:
  int64_t rows_, columns_;
  ScratchBuffer memory_;
};

// A tap: its offset in the grid, in rows, and its number among those of the filters.
struct Tap {
  int64_t offset, number;
};

// The results of a grid: result (n, y, x) is pixel (n, y * step + first) of the array, likewise in x.
struct Target {
  Array& out;  // (N, H, W, channels), contiguous
  int64_t step_y, first_y, step_x, first_x;
  const uint16_t* bias;

  uint16_t* pixel(int64_t n, int64_t y, int64_t x) const {
    const Shape& s = out.shape();
    return static_cast<uint16_t*>(const_cast<void*>(out.raw())) +
           ((n * s[1] + y * step_y + first_y) * s[2] + x * step_x + first_x) * s[3];
  }
};

// Computes the results of a grid.
class PixelProduct {
 public:
  // The columns are the filters' second axis if they are `turned`, else their first.
  PixelProduct(const BfloatGrid& grid, const std::vector<Tap>& taps, const FilterMatrices& filters,
               int64_t rows_of_filters, int64_t columns_of_filters, bool turned, const Target& target)
      : grid_(grid),
        target_(target),
        columns_(turned ? columns_of_filters : rows_of_filters),
        panels_(blocks_of(columns_, kBfloatColumns)),
        panel_size_(static_cast<int64_t>(taps.size()) * grid.channels() * kBfloatColumns),
        packed_(panels_ * panel_size_ / 2) {
    for (const Tap& t : taps) offsets_.push_back(t.offset * grid.channels());
    const int64_t inner = turned ? rows_of_filters : columns_of_filters;
    auto* const to = reinterpret_cast<uint16_t*>(packed_.data());
    parallel_ranges(panels_, columns_ * inner * static_cast<int64_t>(taps.size()), 1, [&](int64_t begin, int64_t end) {
      for (std::size_t t = 0; t < taps.size(); ++t)
        pack_bfloat_panels({filters.at(taps[t].number), columns_of_filters, !turned}, begin * kBfloatColumns,
                           std::min(columns_, end * kBfloatColumns), 0, inner, panel_size_,
                           to + begin * panel_size_ + static_cast<int64_t>(t) * grid.channels() * kBfloatColumns);
    });
  }

  void run() const {
    const int64_t blocks = blocks_of(grid_.rows(), kBfloatRows);
    const int64_t width =
        std::clamp<int64_t>(kCached / std::max<int64_t>(1, panel_size_ * 2), 1, std::min(panels_, kMostPanels));
    const int64_t groups = blocks_of(panels_, width);
    parallel_ranges(groups * blocks, grid_.rows() * columns_ * panel_size_ / (kBfloatColumns * 64), 1,
                    [&](int64_t begin, int64_t end) {
                      const ScratchBuffer sums(kBfloatRows * kMostPanels * kBfloatColumns);
                      for (int64_t i = begin; i < end; ++i)
                        block(i % blocks * kBfloatRows, i / blocks * width, width, sums.data());
                    });
  }

 private:
  static constexpr int64_t kMostPanels = 4;  // whose sums stay in the first-level cache

  void block(int64_t row, int64_t panel, int64_t width, float* sums) const {
    const int64_t rows = std::min(kBfloatRows, grid_.rows() - row), panels = std::min(width, panels_ - panel);
    const int64_t column = panel * kBfloatColumns, columns = std::min(panels * kBfloatColumns, columns_ - column);
    bfloat_kernels()->product({.a = grid_.data() + row * grid_.channels(),
                               .a_row = grid_.channels(),
                               .a_step = kBfloatInner,
                               .offsets = offsets_.data(),
                               .segments = static_cast<int64_t>(offsets_.size()),
                               .steps = grid_.channels() / kBfloatInner,
                               .few_rows = rows <= kBfloatRows / 2,
                               .b = reinterpret_cast<const uint16_t*>(packed_.data()) + panel * panel_size_,
                               .b_panel = panel_size_,
                               .panels = panels,
                               .narrow = columns - (panels - 1) * kBfloatColumns <= kBfloatColumns / 2,
                               .sums = sums,
                               .sums_row = kMostPanels * kBfloatColumns,
                               .start = true});
    float bias[kMostPanels * kBfloatColumns];
    if (target_.bias) kernels().load[kF32][static_cast<int>(bfloat16)](bias, target_.bias + column, 1, columns);
    grid_.each_result(row, row + rows, [&](int64_t at, int64_t n, int64_t y, int64_t x) {
      float* const line = sums + (at - row) * kMostPanels * kBfloatColumns;
      if (target_.bias)
        for (int64_t j = 0; j < columns; ++j) line[j] += bias[j];
      bfloat_kernels()->round(target_.pixel(n, y, x) + column, line, columns);
    });
  }

  const BfloatGrid& grid_;
  const Target& target_;
  std::vector<int64_t> offsets_;
  int64_t columns_, panels_, panel_size_;
  ScratchBuffer packed_;
};

int64_t row_offset(const BfloatGrid& grid, int64_t ty, int64_t tx) {
  return grid.phase_offset(ty, tx) + grid.offset_in_phase(ty, tx);
}
std::vector<int64_t> positions(int64_t taps, int64_t dilate) {
  std::vector<int64_t> out;
  for (int64_t t = 0; t < taps; ++t) out.push_back(t * dilate);
  return out;
}

void forward(const ConvolutionCall& call, Array& out) {
  const ConvolutionPlan& p = call.plan;
  const Array x = channels_to_end(call.a).contiguous(), W = call.b.contiguous();
  const Array bias = call.bias ? call.bias.contiguous() : Array();
  const Shape &w = W.shape(), &in = x.shape(), &o = out.shape();
  const BfloatGrid grid(x, {in[1], o[1], p.stride[0], p.pad[0], positions(w[2], p.dilate[0])},
                        {in[2], o[2], p.stride[1], p.pad[1], positions(w[3], p.dilate[1])});
  std::vector<Tap> taps;
  for (int64_t i = 0; i < w[2]; ++i)
    for (int64_t j = 0; j < w[3]; ++j)
      taps.push_back({row_offset(grid, i * p.dilate[0], j * p.dilate[1]), i * w[3] + j});
  const Target target{out, 1, 0, 1, 0, bias ? static_cast<const uint16_t*>(bias.raw()) : nullptr};
  PixelProduct(grid, taps, FilterMatrices(W), w[0], w[1], false, target).run();
}

// Position y of a phase is pixel y * stride + first. It is read by result y + base - m through tap q + stride * m, for
// each m (with dilation, if the stride divides the tap's distance from the pixel).
struct PhaseAxis {
  PhaseAxis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilate, int64_t pad, int64_t first)
      : length(std::max<int64_t>(0, (in - first + stride - 1) / stride)) {
    for (int64_t k = 0; k < kernel; ++k)
      if ((first + pad - k * dilate) % stride == 0) {
        numbers.push_back(k);
        reads.push_back((first + pad - k * dilate) / stride);
      }
    if (!reads.empty()) lowest = *std::min_element(reads.begin(), reads.end());
    for (int64_t& r : reads) r -= lowest;
    results = out;
  }
  GridAxis axis() const { return {results, length, 1, -lowest, reads}; }
  int64_t length, results = 0, lowest = 0;
  std::vector<int64_t> numbers, reads;
};

void backward_data(const ConvolutionCall& call, Array& out) {
  const ConvolutionPlan& p = call.plan;
  const Array y = channels_to_end(call.a).contiguous(), W = call.b.contiguous();
  const Array bias = call.bias ? call.bias.contiguous() : Array();
  const Shape &w = W.shape(), &in = out.shape(), &o = y.shape();
  const FilterMatrices filters(W);
  for (int64_t fy = 0; fy < p.stride[0]; ++fy)
    for (int64_t fx = 0; fx < p.stride[1]; ++fx) {
      const PhaseAxis py(in[1], o[1], w[2], p.stride[0], p.dilate[0], p.pad[0], fy);
      const PhaseAxis px(in[2], o[2], w[3], p.stride[1], p.dilate[1], p.pad[1], fx);
      if (py.length == 0 || px.length == 0) continue;
      std::vector<Tap> taps;
      const BfloatGrid grid(y, py.axis(), px.axis());
      for (std::size_t i = 0; i < py.reads.size(); ++i)
        for (std::size_t j = 0; j < px.reads.size(); ++j)
          taps.push_back({row_offset(grid, py.reads[i], px.reads[j]), py.numbers[i] * w[3] + px.numbers[j]});
      const Target target{out,         p.stride[0], fy,
                          p.stride[1], fx,          bias ? static_cast<const uint16_t*>(bias.raw()) : nullptr};
      PixelProduct(grid, taps, filters, w[0], w[1], true, target).run();
    }
}

bool is_one_pixel(const ConvolutionPlan& p, const Shape& filters) {
  for (int d = 0; d < 2; ++d)
    if (filters[d + 2] != 1 || p.stride[d] != 1 || p.pad[d] != 0) return false;
  return true;
}

// Filters of one element: a product of matrices as they are in memory.
void one_pixel(const ConvolutionCall& call, Array& out) {
  const Array from = channels_to_end(call.a).contiguous(), W = call.b.contiguous();
  const bool forward = call.op == Convolution::forward;
  const int64_t k = from.shape()[3], n = out.shape()[3];
  if (call.bias) {
    out.fill(0);
    out += call.bias;
  }
  multiply_bfloat({.m = out.size() / n,
                   .n = n,
                   .k = k,
                   .a = static_cast<const uint16_t*>(from.raw()),
                   .lda = k,
                   .ta = false,
                   .b = static_cast<const uint16_t*>(W.raw()),
                   .ldb = W.shape()[1],
                   .tb = forward,
                   .c = out.mutable_raw(),
                   .ldc = n,
                   .alpha = 1,
                   .beta = call.bias ? 1.f : 0.f});
}

}  // namespace

bool suits_bfloat(const ConvolutionCall& call) {
  constexpr int64_t kFewChannels = 16;
  const Shape& w = call.filters().shape();
  const Array& out = call.out;
  const bool wide = out.dtype() == float32;  // possible for gradients with respect to filters
  if (call.a.dtype() != bfloat16 || !bfloat_kernels() || w.ndim() != 4 || call.plan.groups != 1 ||
      (call.accumulate && !wide) || std::min(w[0], w[1]) < kFewChannels || call.a.size() == 0 || call.b.size() == 0 ||
      out.size() == 0)
    return false;
  if (!(call.op == Convolution::backward_weights ? out : channels_to_end(out)).is_contiguous()) return false;
  // Where tiles are missing, a product takes half of float32's time, and Winograd's algorithm less.
  return bfloat_kernels()->tiles || !suits_winograd(call.plan, w, call.results().shape());
}

void bfloat_convolution(const ConvolutionCall& call) {
  if (call.op == Convolution::backward_weights) return bfloat_filter_gradient(call);
  Array out = channels_to_end(call.out);
  out.mutable_raw();
  if (is_one_pixel(call.plan, call.b.shape())) return one_pixel(call, out);
  call.op == Convolution::forward ? forward(call, out) : backward_data(call, out);
}

}  // namespace chainer::cpu

// SPDX-License-Identifier: MIT
// A convolution is a product whose first matrix has the images' pixels as rows and one segment of the inner axis for
// each tap of the filters, at an offset of the pixel (bfloat_grid.h). Gradients with respect to images are convolutions
// of the results' gradients, one for each phase of the stride.
#include "chainer/backend/cpu/convolution/bfloat_convolution.h"

#include <algorithm>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/convolution/bfloat_grid_product.h"
#include "chainer/backend/cpu/convolution/winograd.h"
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/products/bfloat_product.h"

namespace chainer::cpu {
namespace {

uint16_t* bits(Array& a) { return static_cast<uint16_t*>(a.mutable_raw()); }
// (nullptr if there is no array)
const uint16_t* bits(const Array& a) { return a ? static_cast<const uint16_t*>(a.raw()) : nullptr; }
Array dense_bias(const ConvolutionCall& call) { return call.bias ? call.bias.contiguous() : Array(); }

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
  const Array bias = dense_bias(call);
  const Shape &w = W.shape(), &in = x.shape(), &o = out.shape();
  const BfloatGrid grid(x, {in[1], o[1], p.stride[0], p.pad[0], positions(w[2], p.dilate[0])},
                        {in[2], o[2], p.stride[1], p.pad[1], positions(w[3], p.dilate[1])});
  std::vector<GridTap> taps;
  for (int64_t i = 0; i < w[2]; ++i)
    for (int64_t j = 0; j < w[3]; ++j)
      taps.push_back({row_offset(grid, i * p.dilate[0], j * p.dilate[1]), i * w[3] + j});
  multiply_grid(grid, taps, FilterMatrices(W), false,
                {.to = bits(out),
                 .lines = o[1],
                 .pixels = o[2],
                 .channels = o[3],
                 .step_y = 1,
                 .first_y = 0,
                 .step_x = 1,
                 .first_x = 0,
                 .bias = bits(bias)});
}

// The pixels y * stride + first of an image, one for each y, along an axis. Tap k of the filters adds to pixel y what
// belongs to result y + (first + pad - k * dilate) / stride, if this is an integer: a convolution of stride one.
struct PhaseAxis {
  PhaseAxis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilate, int64_t pad, int64_t first)
      : length(std::max<int64_t>(0, (in - first + stride - 1) / stride)), results(out) {
    for (int64_t k = 0; k < kernel; ++k)
      if (const int64_t distance = first + pad - k * dilate; distance % stride == 0) {
        numbers.push_back(k);
        reads.push_back(distance / stride);
      }
    if (!reads.empty()) lowest = *std::min_element(reads.begin(), reads.end());
    for (int64_t& r : reads) r -= lowest;
  }
  GridAxis axis() const { return {results, length, 1, -lowest, reads}; }
  int64_t length, results, lowest = 0;
  std::vector<int64_t> numbers, reads;  // the taps, and the position that each reads, from `lowest` on
};

void backward_data(const ConvolutionCall& call, Array& out) {
  const ConvolutionPlan& p = call.plan;
  const Array y = channels_to_end(call.a).contiguous(), W = call.b.contiguous();
  const Array bias = dense_bias(call);
  const Shape &w = W.shape(), &in = out.shape(), &o = y.shape();
  const FilterMatrices filters(W);
  for (int64_t fy = 0; fy < p.stride[0]; ++fy)
    for (int64_t fx = 0; fx < p.stride[1]; ++fx) {
      const PhaseAxis py(in[1], o[1], w[2], p.stride[0], p.dilate[0], p.pad[0], fy);
      const PhaseAxis px(in[2], o[2], w[3], p.stride[1], p.dilate[1], p.pad[1], fx);
      if (py.length == 0 || px.length == 0) continue;
      std::vector<GridTap> taps;
      const BfloatGrid grid(y, py.axis(), px.axis());
      for (std::size_t i = 0; i < py.reads.size(); ++i)
        for (std::size_t j = 0; j < px.reads.size(); ++j)
          taps.push_back({row_offset(grid, py.reads[i], px.reads[j]), py.numbers[i] * w[3] + px.numbers[j]});
      multiply_grid(grid, taps, filters, true,
                    {.to = bits(out),
                     .lines = in[1],
                     .pixels = in[2],
                     .channels = in[3],
                     .step_y = p.stride[0],
                     .first_y = fy,
                     .step_x = p.stride[1],
                     .first_x = fx,
                     .bias = bits(bias)});
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
                   .dtype = bfloat16,
                   .a = bits(from),
                   .lda = k,
                   .ta = false,
                   .b = bits(W),
                   .ldb = W.shape()[1],
                   .tb = forward,
                   .c_dtype = out.dtype(),
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
  if (bfloat_kernels()->tiles) return true;
  // In small images most products are those of zeros around them, except in float32's gradients by patches.
  const Shape& results = call.results().shape();
  if (call.op != Convolution::forward && results[2] * results[3] <= kFewResults && w[2] * w[3] > 1) return false;
  // AVX512-BF16 at most halves the time of float32's multiplications, Winograd's algorithm leaves a quarter of them.
  return !suits_winograd(call.plan, w, results);
}

void bfloat_convolution(const ConvolutionCall& call) {
  if (call.op == Convolution::backward_weights) return bfloat_filter_gradient(call);
  Array out = channels_to_end(call.out);
  out.mutable_raw();
  if (is_one_pixel(call.plan, call.b.shape())) return one_pixel(call, out);
  call.op == Convolution::forward ? forward(call, out) : backward_data(call, out);
}

}  // namespace chainer::cpu

// SPDX-License-Identifier: MIT
// Rearranges images into the order that kernels/few_channels.cpp reads, a strip of lines or one image at a time, so
// that the data stays in cache.
#include "chainer/backend/cpu/convolution/few_channels.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "chainer/backend/cpu/loops/scratch_buffer.h"
#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// Limits measured against oneDNN on a Zen 4 core. oneDNN's vectors hold the channels of one pixel, so few channels cost
// as much as eight; the vectors here are nearly full, but sums of windows go through memory.
constexpr int64_t kMostChannels = 8, kMostRead = 4;
constexpr int64_t kStripFloats = 1 << 15, kPlaneFloats = 1 << 16;

// The number of vectors for a line of a window.
int64_t vectors_of(int64_t floats) { return (floats + kFewLanes - 1) / kFewLanes; }

void forward(const ConvolutionPlan& plan, const Array& x, const Array& W, const Array& bias, Array& out,
             const Stretch& then) {
  const Array filters = W.contiguous(), added = bias ? bias.contiguous() : bias;
  const int64_t images = x.shape()[0], channels = x.shape()[1], in_lines = x.shape()[2], in_columns = x.shape()[3];
  const int64_t results = W.shape()[0], rows = W.shape()[2], columns = W.shape()[3];
  const int64_t lines = out.shape()[2], pixels = out.shape()[3], lanes = few_vectors(results) * kFewLanes;

  const int64_t taps = channels * rows * columns;
  std::vector<float> weights(static_cast<std::size_t>((taps + 1) * lanes));
  float* const biases = weights.data() + taps * lanes;
  for (int64_t l = 0, result = 0; l < lanes; ++l, result = result + 1 == results ? 0 : result + 1) {
    const float* const filter = filters.data<float>() + result * taps;
    for (int64_t i = 0; i < taps; ++i) weights[static_cast<std::size_t>(i * lanes + l)] = filter[i];
    biases[l] = added ? added.data<float>()[result] : 0;
  }

  const int64_t line_step = (pixels + columns - 1) * results + kFewLanes;
  const int64_t strip = std::clamp<int64_t>(kStripFloats / (line_step * channels) - rows + 1, 1, lines);
  const int64_t strips = (lines + strip - 1) / strip, channel_step = (strip + rows - 1) * line_step;
  const auto* from = x.data<float>();
  const Strides step = x.strides();
  float* const to = out.mutable_data<float>();
  const int64_t work = out.size() * channels * rows * columns / kFewLanes;
  parallel_ranges(images * strips, work, 1, [&](int64_t begin, int64_t end) {
    const ScratchBuffer spread(channels * channel_step);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / strips, first = i % strips * strip, count = std::min(strip, lines - first);
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t r = 0; r < count + rows - 1; ++r) {
          float* const line = spread.data() + c * channel_step + r * line_step;
          const int64_t y = first + r - plan.pad[0], before = plan.pad[1];
          const bool inside = y >= 0 && y < in_lines;
          const int64_t there = inside ? std::min(in_columns, pixels + columns - 1 - before) : 0;
          const float* pixel = from + image * step[0] + c * step[1] + y * step[2];
          if (inside) image_kernels().few_spread(line + before * results, pixel, there, step[3], results);
          std::fill(line, line + before * results, 0.0f);
          std::fill(line + (before + there) * results, line + line_step, 0.0f);
        }
      const int64_t place = (image * lines + first) * pixels * results;
      image_kernels().few_forward({spread.data(), weights.data(), biases, to + place, channels, channel_step, line_step,
                                   rows, columns, results, few_vectors(results), count, pixels * results});
      if (then) then(place, place + count * pixels * results);
    }
  });
}

void gradient(const ConvolutionPlan& plan, const Array& gy_given, const Array& W, const Array& bias, Array& out,
              bool accumulate) {
  const Array gy = channels_to_end(gy_given).contiguous(), filters = W.contiguous(),
              added = bias ? bias.contiguous() : bias;
  const int64_t images = out.shape()[0], channels = out.shape()[1], in_lines = out.shape()[2],
                in_columns = out.shape()[3];
  const int64_t results = W.shape()[0], rows = W.shape()[2], columns = W.shape()[3];
  const int64_t lines = gy.shape()[1], pixels = gy.shape()[2];
  const int64_t lanes = vectors_of(columns * channels) * kFewLanes;

  std::vector<float> weights(static_cast<std::size_t>(results * rows * lanes));
  const float* w = filters.data<float>();
  for (int64_t k = 0; k < results; ++k)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t y = 0; y < rows; ++y)
        for (int64_t x = 0; x < columns; ++x)
          weights[static_cast<std::size_t>((k * rows + y) * lanes + x * channels + c)] = *w++;

  const int64_t there_lines = lines + rows - 1, there_columns = pixels + columns - 1;
  const int64_t plane_step = there_columns * channels + lanes;
  float* const to = out.mutable_data<float>();
  const int64_t work = gy.size() * rows * lanes / kFewLanes;
  parallel_ranges(images, work, 1, [&](int64_t begin, int64_t end) {
    const ScratchBuffer plane(there_lines * plane_step);
    for (int64_t i = begin; i < end; ++i) {
      std::memset(plane.data(), 0, static_cast<std::size_t>(there_lines * plane_step) * sizeof(float));
      image_kernels().few_gradient({gy.data<float>() + i * lines * pixels * results, weights.data(), plane.data(),
                                    plane_step, results, rows, columns, channels, lines, pixels});
      for (int64_t y = 0; y < in_lines; ++y) {
        float* const line = to + (i * in_lines + y) * in_columns * channels;
        const int64_t at = y + plan.pad[0];
        const float* sums = plane.data() + at * plane_step + plan.pad[1] * channels;
        const int64_t there = at < there_lines ? std::min(in_columns, there_columns - plan.pad[1]) * channels : 0;
        if (!accumulate) std::memset(line, 0, static_cast<std::size_t>(in_columns * channels) * sizeof(float));
        for (int64_t l = 0; l < there; ++l) line[l] += sums[l];
        if (added)
          for (int64_t p = 0, l = 0; p < in_columns; ++p)
            for (int64_t c = 0; c < channels; ++c, ++l) line[l] += added.data<float>()[c];
      }
    }
  });
}

}  // namespace

bool few_channels_convolution(const ConvolutionCall& call, const Stretch& then) {
  const ConvolutionPlan& plan = call.plan;
  const Array &a = call.a, &b = call.b;
  Array& out = call.out;
  if (call.op == Convolution::backward_weights || out.ndim() != 4 || plan.groups != 1 ||
      !channels_to_end(out).is_contiguous() || a.dtype() != float32 || b.dtype() != float32)
    return false;
  const Shape& filters = b.shape();
  const int64_t channels = out.shape()[1], rows = filters[2], columns = filters[3];
  for (int d = 0; d < 2; ++d)
    if (plan.stride[d] != 1 || plan.dilate[d] != 1 || plan.pad[d] >= filters[d + 2]) return false;
  const ImageKernels& k = image_kernels();
  if (call.op == Convolution::forward) {
    const int64_t line = out.shape()[3] * channels;
    const int64_t strip = rows * a.shape()[1] * (out.shape()[3] + columns) * channels;
    if (!k.few_forward || call.accumulate || channels > (rows * columns < 25 ? 4 : 6) || a.shape()[1] > kMostRead ||
        rows * columns < 9 || line < 3 * kFewLanes || strip > kStripFloats)
      return false;
    forward(plan, a, b, call.bias, out, then);
    return true;
  }
  const int64_t vectors = vectors_of(columns * channels);
  const int64_t plane = (a.shape()[2] + rows - 1) * ((a.shape()[3] + columns - 1) * channels + vectors * kFewLanes);
  if (!k.few_gradient || channels > kMostChannels || vectors > 2 || vectors * 3 >= columns * 2 ||
      plane > kPlaneFloats || filters[0] < 16)
    return false;
  gradient(plan, a, b, call.bias, out, call.accumulate);
  return true;
}

}  // namespace chainer::cpu

// SPDX-License-Identifier: MIT
#include "chainer/array/host_kernels/quantized_matrix.h"

#include <algorithm>
#include <cmath>

#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

int64_t groups_of(int64_t columns, int64_t group) { return (columns + group - 1) / group; }

float squares(const float* x, int64_t n, float scale, float most) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float d = std::clamp(std::nearbyint(x[i] / scale), -most, most) * scale - x[i];
    sum += d * d;
  }
  return sum;
}

float scale_of(const float* x, int64_t n, float most, bool search, const char* what) {
  float top = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) throw ValueError(what, ": a weight is ", x[i], ", expected finite numbers");
    top = std::max(top, std::abs(x[i]));
  }
  const float largest = top / most;
  if (!(largest > 0) || !search) return largest;
  float best = largest, least = squares(x, n, largest, most);
  for (int step = 1; step < 10; ++step) {
    const float scale = largest * (1 - 0.05f * static_cast<float>(step));
    if (!(scale > 0)) break;
    if (const float s = squares(x, n, scale, most); s < least) least = s, best = scale;
  }
  return best;
}

}  // namespace

QuantizedMatrix quantized_matrix(const Array& W, int bits, int64_t group, bool search, const char* what) {
  if (W.ndim() != 2) throw ValueError(what, ": expected a matrix, got shape ", W.shape());
  if (bits != 4 && bits != 8) throw ValueError(what, ": weights have 4 or 8 bits, not ", bits);
  if (group < 8 || group % 8) throw ValueError(what, ": a group has a positive multiple of 8 elements, not ", group);
  const Array w = W.astype(float32, false).contiguous();
  const int64_t rows = w.shape(0), columns = w.shape(1), groups = groups_of(columns, group);
  const int64_t bytes = bits == 4 ? (columns + 1) / 2 : columns;
  QuantizedMatrix q{bits, group, columns, Array({rows, bytes}, bits == 4 ? uint8 : int8),
                    Array({rows, groups}, float32)};
  const float most = bits == 4 ? 7 : 127;
  const float* const from = w.data<float>();
  auto* const to = static_cast<uint8_t*>(q.values.mutable_raw());
  float* const scales = q.scales.mutable_data<float>();
  cpu::parallel_ranges(rows, w.size() * (search ? 32 : 2), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (bits == 4) std::fill_n(to + i * bytes, bytes, uint8_t(0x88));
      for (int64_t g = 0; g < groups; ++g) {
        const int64_t first = g * group, n = std::min(group, columns - first);
        const float* const x = from + i * columns + first;
        const float scale = scales[i * groups + g] = scale_of(x, n, most, search, what);
        for (int64_t l = 0; l < n; ++l) {
          const float v = scale > 0 ? std::clamp(std::nearbyint(x[l] / scale), -most, most) : 0;
          const int number = static_cast<int>(v);
          if (bits == 8) {
            to[i * bytes + first + l] = static_cast<uint8_t>(number);
            continue;
          }
          uint8_t& byte = to[i * bytes + (first + l) / 2];
          byte = static_cast<uint8_t>(l % 2 ? (byte & 15) | (number + 8) << 4 : (byte & 0xf0) | (number + 8));
        }
      }
    }
  });
  return q;
}

Array to_float(const QuantizedMatrix& q, const Array& index) {
  const int64_t columns = q.columns, groups = groups_of(columns, q.group), bytes = q.values.shape(1);
  const int64_t rows = index ? index.size() : q.rows();
  Array out({rows, columns}, float32);
  const Array values = q.values.contiguous(), scales = q.scales.contiguous();
  const Array chosen = index ? index.contiguous() : Array();
  const auto* const from = static_cast<const uint8_t*>(values.raw());
  const float* const scale = scales.data<float>();
  const int64_t* const at = index ? chosen.data<int64_t>() : nullptr;
  float* const to = out.mutable_data<float>();
  cpu::parallel_ranges(rows, out.size(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = at ? at[i] : i;
      const uint8_t* const b = from + row * bytes;
      float* const y = to + i * columns;
      for (int64_t g = 0; g < groups; ++g) {
        const float s = scale[row * groups + g];
        const int64_t first = g * q.group, end_of_group = std::min(columns, first + q.group);
        if (q.bits == 8) {
          for (int64_t l = first; l < end_of_group; ++l) y[l] = s * static_cast<float>(static_cast<int8_t>(b[l]));
          continue;
        }
        // (A group begins with a whole byte.)
        for (int64_t l = first / 2; l < end_of_group / 2; ++l) {
          y[2 * l] = s * static_cast<float>((b[l] & 15) - 8);
          y[2 * l + 1] = s * static_cast<float>((b[l] >> 4) - 8);
        }
        if (end_of_group % 2) y[end_of_group - 1] = s * static_cast<float>((b[end_of_group / 2] & 15) - 8);
      }
    }
  });
  return out;
}

}  // namespace chainer::host_kernels

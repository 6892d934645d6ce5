// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "chainer/array/recording/step.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/quantized_linear.h"

namespace chainer::functions {

Variable quantized_rows(const Variable& x, const QuantizedMatrix& W, std::optional<int64_t> ignore) {
  if (CompositeRecorder::current || kind(x.dtype()) != 'i') {
    const Array wide = host_kernels::to_float(W.on_host()).to_device(x.device());
    return embed_id(x, Variable(wide, false), {.ignore_label = ignore});
  }
  const Array ids = x.array().to_device(Device()).astype(int64, false).ravel();
  const QuantizedMatrix here = W.on_host();
  Array rows({ids.size(), W.columns}, float32);
  const Array in[] = {ids, here.values, here.scales};
  recording::step(
      "quantized_rows", in, {&rows, 1},
      [bits = W.bits, group = W.group, columns = W.columns, ignore](std::span<const Array> i, std::span<Array> out) {
        const QuantizedMatrix q{bits, group, columns, i[1], i[2]};
        Array id = i[0].copy();  // 0 for ignored ids
        const int64_t n = id.size();
        int64_t* const p = id.mutable_data<int64_t>();
        std::vector<int64_t> ignored;
        for (int64_t k = 0; k < n; ++k) {
          if (ignore && p[k] == *ignore)
            ignored.push_back(k), p[k] = 0;
          else if (p[k] < 0 || p[k] >= q.rows())
            throw IndexError("embed_id: id ", p[k], " at position ", k, " is outside the vocabulary of ", q.rows());
        }
        const Array numbers = host_kernels::to_float(q, id);
        float* const y = out[0].mutable_data<float>();
        std::copy_n(numbers.data<float>(), numbers.size(), y);
        for (const int64_t k : ignored) std::fill_n(y + k * columns, columns, 0.f);
      });
  Shape shape = x.shape();
  shape.push_back(W.columns);
  return Variable(rows.reshape(shape).to_device(x.device()), false);
}

}  // namespace chainer::functions

// SPDX-License-Identifier: MIT
// Elementwise operations on integers of eight bits.
#include "chainer/array/order.h"
#include "chainer/array/recording/step.h"
#include "chainer/backend/cpu/quantized/results.h"
#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

constexpr int64_t kBlock = 4096;  // elements of a task

// The memory order of an array; empty if its elements are not adjacent.
Dims order_of(const Array& x) { return is_dense(x.body()) ? memory_order(x) : Dims(); }
Array dense(const Array& x, const Dims& order) { return order.empty() ? x.contiguous() : in_order(x, order); }
const uint8_t* bytes(const Array& x) { return static_cast<const uint8_t*>(x.raw()); }
uint8_t* bytes(Array& x) { return static_cast<uint8_t*>(x.mutable_raw()); }

using OfPair = void (*)(const cpu::Int8Pair&, const uint8_t*, const uint8_t*, uint8_t*, int64_t);
Array combine(const char* name, OfPair kernel, const Array& a, const Quantization& of_a, const Array& b,
              const Quantization& of_b, const QuantizedResult& result) {
  const Dims order = is_dense(a.body()) ? memory_order(a) : order_of(b);
  Array out = empty_in_order(a.shape(), result.to->dtype, Device(), order, name);
  if (out.size() == 0) return out;
  cpu::Int8Output o{};
  cpu::set_limits(result, o);
  const cpu::Int8Pair pair{static_cast<float>(of_a.zero),
                           of_a.scale,
                           static_cast<float>(of_b.zero),
                           of_b.scale,
                           result.to->scale,
                           o.zero,
                           o.low,
                           o.high,
                           of_a.dtype == int8,
                           of_b.dtype == int8};
  const Array in[] = {a, b};
  recording::step(
      name, in, {&out, 1},
      [=](std::span<const Array> i, std::span<Array> y) {
        const Array x = dense(i[0], order), z = dense(i[1], order);
        const auto *p = bytes(x), *q = bytes(z);
        auto* const to = bytes(y[0]);
        cpu::parallel_ranges(x.size(), x.size(), kBlock, [&](int64_t begin, int64_t end) {
          kernel(pair, p + begin, q + begin, to + begin, end - begin);
        });
      },
      true);
  return out;
}

}  // namespace

Array quantized_add(const Array& a, const Quantization& of_a, const Array& b, const Quantization& of_b,
                    const QuantizedResult& result) {
  return combine("quantized_add", cpu::int8_loops().add, a, of_a, b, of_b, result);
}
Array quantized_multiply(const Array& a, const Quantization& of_a, const Array& b, const Quantization& of_b,
                         const QuantizedResult& result) {
  return combine("quantized_multiply", cpu::int8_loops().multiply, a, of_a, b, of_b, result);
}

Array quantized_look_up(const Array& x, const Array& table) {
  const Dims order = order_of(x);
  Array out = empty_in_order(x.shape(), table.dtype(), Device(), order, "quantized_look_up");
  if (out.size() == 0) return out;
  const Array in[] = {x, table};
  recording::step(
      "quantized_look_up", in, {&out, 1},
      [=](std::span<const Array> i, std::span<Array> y) {
        const Array from = dense(i[0], order), all = i[1].contiguous();
        const auto *p = bytes(from), *numbers = bytes(all);
        auto* const to = bytes(y[0]);
        cpu::parallel_ranges(from.size(), from.size() / 4, kBlock, [&](int64_t begin, int64_t end) {
          cpu::int8_loops().look_up(numbers, p + begin, to + begin, end - begin);
        });
      },
      true);
  return out;
}

Array quantize(const Array& x, const Quantization& to) {
  const Dims order = order_of(x);
  Array out = empty_in_order(x.shape(), to.dtype, Device(), order, "quantize");
  if (out.size() == 0) return out;
  recording::step(
      "quantize", {&x, 1}, {&out, 1},
      [=](std::span<const Array> i, std::span<Array> y) {
        const Array from = dense(i[0], order);
        const float* const p = from.data<float>();
        auto* const q = bytes(y[0]);
        cpu::parallel_ranges(from.size(), from.size(), kBlock, [&](int64_t begin, int64_t end) {
          cpu::int8_loops().quantize(p + begin, to.scale, static_cast<float>(to.zero), static_cast<float>(to.lowest()),
                                     static_cast<float>(to.highest()), q + begin, end - begin);
        });
      },
      true);
  return out;
}

}  // namespace chainer::host_kernels

// SPDX-License-Identifier: MIT
// Products of numbers of eight bits by all kernels of this processor, compared with sums in int64.
#include <chainer/chainer.h>

#include <cmath>

#include "chainer/backend/cpu/products/int8_product.h"
#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace {

// Numbers of all sizes, the extreme ones often.
template <class T>
std::vector<T> drawn(random::RandomState& draw, int64_t n) {
  const Array a = draw.randint(0, 300, {n});
  std::vector<T> out;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = a.data<int64_t>()[i];
    out.push_back(static_cast<T>(v < 256 ? v : v % 2 ? 127 : std::is_signed_v<T> ? 128 : 255));
  }
  return out;
}
std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

struct Case {
  Case(random::RandomState& draw, int64_t rows, int64_t inner, int64_t columns)
      : m(rows),
        panels(inner, columns),
        a(drawn<uint8_t>(draw, rows * panels.row())),
        b(drawn<int8_t>(draw, columns * inner)),
        packed(at(panels.bytes())) {
    cpu::pack_int8(panels, b.data(), inner, packed.data());
  }
  int64_t sum(int64_t i, int64_t j) const {
    int64_t s = 0;
    for (int64_t l = 0; l < panels.inner; ++l) s += int64_t(a[at(i * panels.row() + l)]) * b[at(j * panels.inner + l)];
    return s;
  }
  int64_t m;
  cpu::Int8Panels panels;
  std::vector<uint8_t> a;
  std::vector<int8_t> b;
  std::vector<int8_t> packed;
};

}  // namespace

TEST(int8_kernels_give_exact_sums) {
  random::RandomState draw(3);
  int count = 0;
  const cpu::Int8Kernels* const kernels = cpu::all_int8_kernels(count);
  EXPECT(kernels[0].name == cpu::int8_kernels().name);
  for (int64_t size = 1; size <= 74; ++size) {
    // The last ones are long sums.
    const Case c(draw, 1 + size % 32, size > 70 ? 1024 + (size - 71) * 300 : size * 3 % 211 + 1, size);
    for (int64_t j = 0; j < size; ++j) {
      int64_t s = 0;
      for (int64_t l = 0; l < c.panels.inner; ++l) s += c.b[at(j * c.panels.inner + l)];
      EXPECT_EQ(c.panels.sums(c.packed.data())[j], s);
    }
    for (int k = 0; k < count; ++k) {
      const int64_t step = c.panels.padded() + 3;
      std::vector<int32_t> sums(at(33 * step), 7);
      kernels[k].product({.a = c.a.data(),
                          .a_row = c.panels.row(),
                          .rows = c.m,
                          .b = c.packed.data(),
                          .b_panel = c.panels.size(),
                          .panels = c.panels.count,
                          .steps = c.panels.steps,
                          .inner = c.panels.inner,
                          .sums = sums.data(),
                          .sums_row = step});
      bool exact = true;
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < size; ++j) exact = exact && sums[at(i * step + j)] == c.sum(i, j);
      if (!exact) std::printf("kernel %s, size %d\n", kernels[k].name, static_cast<int>(size));
      EXPECT(exact);
      EXPECT_EQ(sums[at(c.m * step)], 7);
    }
  }
}

TEST(int8_products_of_all_kinds_of_results) {
  random::RandomState draw(4);
  const int before = cpu::thread_count();
  for (const int64_t m : {1, 2, 31, 33, 70, 261})
    for (const int64_t n : {1, 16, 65, 300})
      for (const int64_t k : {1, 64, 131}) {
        const Case c(draw, m, k, n);
        std::vector<int32_t> offset(at(c.panels.padded()));
        std::vector<float> scale(at(c.panels.padded()));
        for (int64_t j = 0; j < n; ++j)
          offset[at(j)] = static_cast<int32_t>(j * 100 - 1000), scale[at(j)] = 0.0001f * static_cast<float>(1 + j % 3);
        for (const int threads : {1, 3}) {
          cpu::set_thread_count(threads);
          std::vector<int32_t> sums(at(m * n));
          std::vector<float> floats(at(m * n));
          std::vector<uint8_t> bytes(at(m * n));
          cpu::Int8Output o{cpu::Int8Output::sums, sums.data(), n, offset.data(), scale.data(), 100, 3, 250};
          cpu::multiply_int8(c.panels, c.a.data(), c.panels.row(), m, c.packed.data(), o);
          o.kind = cpu::Int8Output::floats, o.out = floats.data();
          const auto copy = [](const void* from, int64_t first, int64_t count, uint8_t* to) {
            const Case& of = *static_cast<const Case*>(from);
            std::copy_n(of.a.data() + first * of.panels.row(), count * of.panels.row(), to);
          };
          cpu::multiply_int8_rows(c.panels, m, copy, &c, c.packed.data(), o);
          o.kind = cpu::Int8Output::bytes, o.out = bytes.data();
          cpu::multiply_int8_rows(c.panels, m, copy, &c, c.packed.data(), o);
          bool same = true;
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              const int64_t s = c.sum(i, j) + offset[at(j)];
              const float v = static_cast<float>(s) * scale[at(j)];
              same = same && sums[at(i * n + j)] == s && floats[at(i * n + j)] == std::clamp(v, 3.f, 250.f) &&
                     bytes[at(i * n + j)] == std::clamp(std::nearbyint(v) + 100, 3.f, 250.f);
            }
          EXPECT(same);
        }
        cpu::set_thread_count(before);
      }
}

// SPDX-License-Identifier: MIT
#include "chainer/array/positions.h"

#include <algorithm>
#include <numeric>

#include "chainer/array/backend.h"

namespace chainer {
namespace {

Arrays positions_here(const Array& mask) {
  const std::vector<uint8_t> m = mask.to_vector<uint8_t>();
  const int64_t count = std::count_if(m.begin(), m.end(), [](uint8_t v) { return v != 0; });
  Arrays out;
  std::vector<int64_t*> p;
  for (int i = 0; i < mask.ndim(); ++i) {
    out.push_back(Array(Shape{count}, int64));
    p.push_back(out.back().mutable_data<int64_t>());
  }
  int64_t at = 0;
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (!m[i]) continue;
    auto rest = static_cast<int64_t>(i);
    for (int d = mask.ndim() - 1; d >= 0; --d) {
      p[static_cast<std::size_t>(d)][at] = rest % mask.shape()[d];
      rest /= mask.shape()[d];
    }
    ++at;
  }
  return out;
}

// Each true element is written to the place that its running count gives, the others to one place more.
Array flat_positions_there(const Array& mask) {
  Backend& backend = mask.device().backend();
  const int64_t n = mask.size();
  if (n == 0) return Array(Shape{0}, int64, mask.device());
  const Array counted = mask.contiguous().reshape({n}).astype(int64);
  Array places(Shape{n}, int64, mask.device());
  backend.scan(Scan::cumsum, counted, 0, places);
  const auto count = places[{n - 1}].item<int64_t>();
  places += -(count + 1);
  places *= counted;
  places += count;
  Array found(Shape{count + 1}, int64, mask.device());
  backend.scatter_rows(found, places, positions_below(n, mask.device()), false);
  return found[{Slice(0, count)}];
}

}  // namespace

Array positions_below(int64_t n, const Device& device) {
  Array out(Shape{n}, int64, device);
  if (n == 0) return out;
  if (device.is_host()) {
    std::iota(out.mutable_data<int64_t>(), out.mutable_data<int64_t>() + n, int64_t(0));
    return out;
  }
  Array ones(Shape{n}, int64, device);
  ones.fill(1);
  device.backend().scan(Scan::cumsum, ones, 0, out);
  out += -1;
  return out;
}

Arrays nonzero_positions(const Array& mask) {
  if (mask.device().is_host()) return positions_here(mask);
  Array rest = flat_positions_there(mask);
  Arrays out(static_cast<std::size_t>(mask.ndim()));
  const auto with = [&](Elementwise op, int64_t length) {
    const Array by = constant(length, int64, mask.device());
    const Array all(ArrayBody::view(by.body_ref(), rest.shape(), Strides{0}, 0));
    const Array* const operands[] = {&rest, &all};
    Array made(rest.shape(), int64, mask.device());
    if (made.size()) mask.device().backend().elementwise(op, operands, made, int64);
    return made;
  };
  for (int d = mask.ndim() - 1; d >= 0; --d) {
    const int64_t length = std::max<int64_t>(mask.shape()[d], 1);
    out[static_cast<std::size_t>(d)] = d ? with(Elementwise::remainder, length) : rest;
    if (d) rest = with(Elementwise::floor_divide, length);
  }
  return out;
}

}  // namespace chainer

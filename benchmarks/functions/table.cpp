// SPDX-License-Identifier: MIT
#include "table.h"

#include <cstdlib>

#include "../../tests/functions/rows/unary.h"

namespace bench {

Array Input::make() const {
  // Drawing numbers is sequential and slow, so a part is repeated.
  const int64_t n = shape.product(), drawn = std::min<int64_t>(n, 1 << 18);
  if (kind == Kind::permutation) return random::permutation(n);
  const Array some = kind == Kind::normal ? random::randn({drawn}, float32)
                     : kind == Kind::uniform
                         ? random::uniform(low, high, {drawn}, float32)
                         : random::randint(static_cast<int64_t>(low), static_cast<int64_t>(high), {drawn}, int64);
  if (n <= drawn) return some.reshape(shape);
  return tile(some, {(n + drawn - 1) / drawn})[{Slice(0, n)}].reshape(shape).copy();
}

Inputs several(int64_t count, const Input& i) { return Inputs(static_cast<std::size_t>(count), i); }

Row& Row::data_only() {
  inputs = [of = inputs](const Size& s) {
    Inputs in = of(s);
    for (Input& i : in) i.gradient = false;
    return in;
  };
  return backward = false, *this;
}

const std::vector<Size>& sizes() {
  static const std::vector<Size> s = {
      {"64", 64, {8, 8}, {1, 4, 16}, {1, 4, 4, 4}, {1, 1, 4, 4, 4}},
      {"cache", 262144, {512, 512}, {8, 32, 1024}, {8, 32, 32, 32}, {8, 8, 16, 16, 16}},
      {"10M", 10000000, {10000, 1000}, {152, 64, 1024}, {38, 64, 64, 64}, {38, 64, 16, 16, 16}},
  };
  return s;
}

Size size_of(const std::string& name) {
  for (const Size& s : sizes())
    if (s.name == name) return s;
  const std::size_t colon = name.find(':');
  const std::string axis = name.substr(0, colon);
  const int64_t n = colon < name.size() ? std::atoll(name.c_str() + colon + 1) : 0;
  if (n < 1) throw ValueError("bench_functions: no size named ", name);
  if (axis == "rows") return {name, n * 64, {n, 64}, {n, 8, 64}, {n, 8, 8, 8}, {n, 4, 4, 4, 4}};
  if (axis == "columns") return {name, 64 * n, {64, n}, {8, n, 64}, {8, n, 8, 8}, {8, n, 4, 4, 4}};
  if (axis == "sides") return {name, n * n, {n, n}, {8, 8, n}, {4, 8, n, n}, {2, 4, n, n, n}};
  throw ValueError("bench_functions: no size named ", name);
}

const Table& table() {
  static const Table all = [] {
    Table t;
    for (auto* chapter : {activation, array_manipulation, connection, convolution, recurrent, evaluation, loss,
                          sequence_loss, math, linear_algebra, math_elementwise, noise, normalization, pooling})
      chapter(t);
    for (const ::table::Unary& u : ::table::unary_functions()) {
      if (u.options.torch.empty()) continue;
      Row& row = t.unary(u.name, u.options.torch, u.function, u.options.timed.first, u.options.timed.second);
      if (!u.options.differentiable) row.data_only();
    }
    for (const char* name : {"send", "recv", "pseudo_connect", "bcast", "gather", "scatter", "alltoall", "allgather"})
      t.absent(name, "between processes: bench_mn_collectives");
    return t;
  }();
  return all;
}

}  // namespace bench

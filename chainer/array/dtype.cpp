// SPDX-License-Identifier: MIT
#include "chainer/array/dtype.h"

#include <algorithm>

namespace chainer {
namespace {

struct Row {
  std::string_view name;
  char kind;
};
constexpr Row kRows[kDtypeCount] = {{"bool", 'b'},    {"int8", 'i'},    {"int16", 'i'},   {"int32", 'i'},
                                    {"int64", 'i'},   {"uint8", 'u'},   {"float16", 'f'}, {"float32", 'f'},
                                    {"float64", 'f'}, {"bfloat16", 'f'}};
const Row& row(Dtype d) { return kRows[static_cast<int>(d)]; }

}  // namespace

std::string_view name(Dtype d) { return row(d).name; }
std::string to_string(Dtype d) { return std::string(name(d)); }
char kind(Dtype d) { return row(d).kind; }

Dtype parse_dtype(std::string_view s) {
  for (int i = 0; i < kDtypeCount; ++i)
    if (kRows[i].name == s) return static_cast<Dtype>(i);
  std::string_view code = s;
  if (!code.empty() && std::string_view("<>|=").find(code[0]) != code.npos) code.remove_prefix(1);
  if (code.size() == 2) {
    for (int i = 0; i < kDtypeCount; ++i) {
      const Dtype d = static_cast<Dtype>(i);
      const Row& r = row(d);
      if (r.name != "bfloat16" && r.kind == code[0] && item_size(d) == code[1] - '0') return d;
    }
  }
  throw TypeError("unknown dtype: '", s,
                  "' (expected one of bool, int8, int16, int32, int64, uint8, float16, float32, "
                  "float64, bfloat16)");
}

std::string type_code(Dtype d) {
  if (d == Dtype::bfloat16) throw DtypeError("NumPy's formats do not support bfloat16: cast to float32 first");
  const Row& r = row(d);
  return text(item_size(d) == 1 ? '|' : '<', r.kind, item_size(d));
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  if (a == Dtype::bool_) return b;
  if (b == Dtype::bool_) return a;
  const bool fa = is_floating(a), fb = is_floating(b);
  if (fa && fb) {
    if (item_size(a) == 2 && item_size(b) == 2) return Dtype::float32;  // float16 with bfloat16
    return item_size(a) > item_size(b) ? a : b;
  }
  if (fa || fb) {
    const Dtype f = fa ? a : b, i = fa ? b : a;
    const Dtype needed = item_size(i) == 1 ? f : item_size(i) == 2 ? Dtype::float32 : Dtype::float64;
    return item_size(needed) > item_size(f) ? needed : f;
  }
  if (a == Dtype::uint8 || b == Dtype::uint8) {  // unsigned with signed: wide enough for both
    const Dtype i = a == Dtype::uint8 ? b : a;
    return i == Dtype::int8 ? Dtype::int16 : i;
  }
  return item_size(a) > item_size(b) ? a : b;
}

Dtype promote_with_integer(Dtype d, int64_t value) {
  for (const Dtype i : {d, promote(d, Dtype::int8), promote(d, Dtype::int16), promote(d, Dtype::int32)}) {
    const int bits = static_cast<int>(8 * item_size(i)) - (kind(i) == 'i');
    if (bits >= 63 || (value < (int64_t{1} << bits) && value >= (kind(i) == 'i' ? -(int64_t{1} << bits) : 0))) return i;
  }
  return Dtype::int64;
}

void detail::unsupported(Dtype d, std::string_view operation) {
  throw DtypeError(operation, ": dtype ", d, " is not supported");
}

}  // namespace chainer

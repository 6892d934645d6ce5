// SPDX-License-Identifier: MIT
// Data types: names, sizes, kinds, NumPy's promotion, and the dispatch on data types.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "chainer/array/half.h"
#include "chainer/core/error.h"

namespace chainer {

/// The data types of elements. The names are also constants: float32 is Dtype::float32.
enum class Dtype : uint8_t { bool_, int8, int16, int32, int64, uint8, float16, float32, float64, bfloat16 };
inline constexpr int kDtypeCount = 10;

inline constexpr Dtype bool_ = Dtype::bool_, int8 = Dtype::int8, int16 = Dtype::int16, int32 = Dtype::int32,
                       int64 = Dtype::int64, uint8 = Dtype::uint8, float16 = Dtype::float16, float32 = Dtype::float32,
                       float64 = Dtype::float64, bfloat16 = Dtype::bfloat16;

/// Returns the dtype that stores T: bool, the fixed-width integers, Float16, BFloat16, float, double.
template <class T>
constexpr Dtype dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return Dtype::bool_;
  else if constexpr (std::is_same_v<U, uint8_t>)
    return Dtype::uint8;
  else if constexpr (std::is_same_v<U, Float16>)
    return Dtype::float16;
  else if constexpr (std::is_same_v<U, BFloat16>)
    return Dtype::bfloat16;
  else if constexpr (std::is_same_v<U, float>)
    return Dtype::float32;
  else if constexpr (std::is_same_v<U, double>)
    return Dtype::float64;
  else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>)
    return sizeof(U) == 1 ? Dtype::int8 : sizeof(U) == 2 ? Dtype::int16 : sizeof(U) == 4 ? Dtype::int32 : Dtype::int64;
  else if constexpr (std::is_integral_v<U>)
    return Dtype::int64;  // wider unsigned values are stored as int64
  else
    static_assert(!sizeof(U), "no dtype stores this type");
}

/// Returns the bytes of an element.
inline int64_t item_size(Dtype d) {
  constexpr uint8_t kBytes[kDtypeCount] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2};
  return kBytes[static_cast<int>(d)];
}
/// Returns NumPy's name: "float32", "bool", ...
std::string_view name(Dtype d);
std::string to_string(Dtype d);
/// Returns NumPy's kind letter: b (bool), i (signed), u (unsigned), f (floating).
char kind(Dtype d);
inline bool is_floating(Dtype d) { return d >= Dtype::float16; }
/// Parses a name or NumPy's short code ("f4", "<f4", "float32"). Throws TypeError for any other text.
Dtype parse_dtype(std::string_view text);
/// Returns NumPy's array-interface code in this machine's byte order: "<f4", "|b1". Throws DtypeError for bfloat16.
std::string type_code(Dtype d);
/// Returns NumPy's promotion of two dtypes. bfloat16 promotes like float16; both together give float32.
Dtype promote(Dtype a, Dtype b);
/// Returns the dtype of an operation on the integer dtype d and an integer: d if it can hold the value.
Dtype promote_with_integer(Dtype d, int64_t value);

/// Lists of types for visit().
struct AllTypes;
struct FloatingTypes;  // float16, bfloat16, float32, float64
struct IntegerTypes;   // int8 ... int64, uint8
struct NumberTypes;    // all but bool

namespace detail {
template <class List, class T>
constexpr bool in_list() {
  constexpr bool floating = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16> || std::is_floating_point_v<T>;
  if constexpr (std::is_same_v<List, AllTypes>)
    return true;
  else if constexpr (std::is_same_v<List, FloatingTypes>)
    return floating;
  else if constexpr (std::is_same_v<List, IntegerTypes>)
    return !floating && !std::is_same_v<T, bool>;
  else
    return !std::is_same_v<T, bool>;
}
[[noreturn]] void unsupported(Dtype d, std::string_view operation);
}  // namespace detail

/// Calls f.template operator()<T>() with the C++ type of `d`. Throws DtypeError naming `operation` if the list lacks
/// `d`.
template <class List = AllTypes, class F>
decltype(auto) visit(Dtype d, std::string_view operation, F&& f) {
#define CHAINER_CASE(D, T)                                                       \
  case Dtype::D:                                                                 \
    if constexpr (detail::in_list<List, T>()) return f.template operator()<T>(); \
    break;
  switch (d) {
    CHAINER_CASE(float32, float)
    CHAINER_CASE(float64, double)
    CHAINER_CASE(float16, Float16)
    CHAINER_CASE(bfloat16, BFloat16)
    CHAINER_CASE(int64, int64_t)
    CHAINER_CASE(int32, int32_t)
    CHAINER_CASE(int16, int16_t)
    CHAINER_CASE(int8, int8_t)
    CHAINER_CASE(uint8, uint8_t)
    CHAINER_CASE(bool_, bool)
  }
#undef CHAINER_CASE
  detail::unsupported(d, operation);
}

}  // namespace chainer

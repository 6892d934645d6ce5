// SPDX-License-Identifier: MIT
// User-defined kernels: a scalar formula as a generic lambda becomes one vectorised loop with broadcasting, for all
// dtypes and layouts (manual: "Write an elementwise kernel function").
#pragma once
#include <array>
#include <span>
#include <tuple>
#include <type_traits>

#include "chainer/array/array.h"
#include "chainer/array/operations/block_function.h"
#include "chainer/core/ivdep.h"

namespace chainer {
namespace detail {

constexpr int kMostOperands = 8;
/// Broadcasts, allocates the outputs and runs the loops. `masks` has true for results that are bool.
Arrays run_kernel(const BlockFunction& f, std::span<const Array* const> in, std::span<const bool> masks);
Array run_reduction(const BlockFunction& map, const BlockFold& fold, Scalar identity, std::span<const Array* const> in,
                    const Axes& axes, bool keepdims);

template <class R>
struct Results {
  using types = std::tuple<R>;
};
template <class... R>
struct Results<std::tuple<R...>> {
  using types = std::tuple<R...>;
};
template <class F, class T, std::size_t>
using Repeated = T;

// One loop: bool results are stored as bytes, others as T.
template <class F, class T, std::size_t... I, std::size_t... O>
void block_loop(const F& f, void* const* out, const void* const* in, int64_t n, std::index_sequence<I...>,
                std::index_sequence<O...>) {
  using R = std::invoke_result_t<F, Repeated<F, T, I>...>;
  using Types = typename Results<R>::types;
  const std::tuple<Repeated<F, const T*, I>...> x{static_cast<const T*>(in[I])...};
  const auto store = [&]<std::size_t K>(std::integral_constant<std::size_t, K>, int64_t i, const auto& value) {
    if constexpr (std::is_same_v<std::tuple_element_t<K, Types>, bool>)
      static_cast<uint8_t*>(out[K])[i] = value;
    else
      static_cast<T*>(out[K])[i] = static_cast<T>(value);
  };
  CHAINER_IVDEP
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<Types, std::tuple<R>>) {
      store(std::integral_constant<std::size_t, 0>(), i, f(std::get<I>(x)[i]...));
    } else {
      const R r = f(std::get<I>(x)[i]...);
      (store(std::integral_constant<std::size_t, O>(), i, std::get<O>(r)), ...);
    }
  }
}

template <class F, class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<F, Repeated<F, T, I>...>;
}

template <class T, class F, class Inputs, class Outputs>
BlockFunction::Loop loop_for(Inputs, Outputs) {
  if constexpr (takes<F, T>(Inputs()))
    return [](const void* f, void* const* out, const void* const* in, int64_t n) {
      block_loop<F, T>(*static_cast<const F*>(f), out, in, n, Inputs(), Outputs());
    };
  else
    return nullptr;
}

template <class F, std::size_t... I>
auto result_of(std::index_sequence<I...>) {
  return std::type_identity<typename Results<std::invoke_result_t<F, Repeated<F, double, I>...>>::types>();
}

template <std::size_t Inputs, class F>
struct Kernel {
  using In = std::make_index_sequence<Inputs>;
  using Types = typename decltype(result_of<F>(In()))::type;
  static constexpr std::size_t kOutputs = std::tuple_size_v<Types>;
  static BlockFunction function(const F& f) {
    using Out = std::make_index_sequence<kOutputs>;
    return {{loop_for<float, F>(In(), Out()), loop_for<double, F>(In(), Out()), loop_for<int64_t, F>(In(), Out())}, &f};
  }
};

template <class T, class C>
void fold_loop(const void* combine, void* block, int64_t n) {
  const C& c = *static_cast<const C*>(combine);
  T* x = static_cast<T*>(block);
  while (n > 1) {  // combines halves: a fixed tree, and loops that vectorise
    const int64_t half = (n + 1) / 2;
    CHAINER_IVDEP
    for (int64_t i = 0; i < n - half; ++i) x[i] = static_cast<T>(c(x[i], x[i + half]));
    n = half;
  }
}
template <class T, class C>
void join(const void* combine, void* total, const void* part) {
  T& t = *static_cast<T*>(total);
  t = static_cast<T>((*static_cast<const C*>(combine))(t, *static_cast<const T*>(part)));
}

}  // namespace detail

/// The results of a formula that returns a tuple of N values: auto [a, b] = elementwise(...), by index, or as Arrays.
template <std::size_t N>
struct KernelResults : std::array<Array, N> {
  operator Arrays() const { return Arrays(this->begin(), this->end()); }
};

/// Applies a formula to every element of the operands, which are broadcast and promoted to one dtype. 16-bit types are
/// computed in float32, integers and bool in int64. The result has the promoted dtype (int64 for bool), or bool if the
/// formula returns bool; a formula that returns a std::tuple gives as many arrays (KernelResults). Not deferred.
/// kernel::exp() and the other functions of kernel_math.h vectorise, std::exp() does not. Throws DimensionError if the
/// shapes cannot be broadcast, DtypeError if the formula cannot be called with the dtype, DeviceError for operands on
/// two devices.
///   elementwise([](auto a, auto b) { return a > 0 ? a : b * b; }, array({-1.f, 2.f}), array({3.f, 4.f}))  // [9, 2]
template <class F, std::same_as<Array>... A>
auto elementwise(const F& formula, const A&... operands) {
  static_assert(sizeof...(A) >= 1 && sizeof...(A) <= detail::kMostOperands, "one to eight operands");
  using Kernel = detail::Kernel<sizeof...(A), F>;
  const Array* const in[] = {&operands...};
  return [&]<class... R>(std::type_identity<std::tuple<R...>>) {
    constexpr bool masks[] = {std::is_same_v<R, bool>...};
    Arrays out = detail::run_kernel(Kernel::function(formula), in, masks);
    const auto results = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return KernelResults<sizeof...(R)>{{std::move(out[I])...}};
    };
    if constexpr (sizeof...(R) == 1)
      return Array(std::move(out[0]));
    else
      return results(std::index_sequence_for<R...>());
  }(std::type_identity<typename Kernel::Types>());
}

/// Options of reduce().
struct ReduceOptions {
  Axes axis = {};  ///< all by default
  bool keepdims = false;
};
/// Applies `map` to every element, and combines the results over the axes with `combine`, which must be associative and
/// commutative; `identity` is the result for no elements. The order of combination is a fixed tree that does not depend
/// on the number of threads. Throws as elementwise(), and IndexError for an axis out of range.
///   reduce([](auto x) { return x * x; }, [](auto a, auto b) { return a + b; }, 0, array({3.f, 4.f}))  // 25
template <class Map, class Combine>
Array reduce(const Map& map, const Combine& combine, Scalar identity, const Array& x, const ReduceOptions& o = {}) {
  using Kernel = detail::Kernel<1, Map>;
  static_assert(Kernel::kOutputs == 1 && !std::is_same_v<std::tuple_element_t<0, typename Kernel::Types>, bool>,
                "map must return one number");
  const Array* const in[] = {&x};
  using detail::fold_loop;
  using detail::join;
  const BlockFold fold{{fold_loop<float, Combine>, fold_loop<double, Combine>, fold_loop<int64_t, Combine>},
                       {join<float, Combine>, join<double, Combine>, join<int64_t, Combine>},
                       &combine};
  return detail::run_reduction(Kernel::function(map), fold, identity, in, o.axis, o.keepdims);
}

}  // namespace chainer

template <std::size_t N>
struct std::tuple_size<chainer::KernelResults<N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t I, std::size_t N>
struct std::tuple_element<I, chainer::KernelResults<N>> : std::type_identity<chainer::Array> {};

// SPDX-License-Identifier: MIT
// static_code() marks code, other than functions and links, that a replay must run.
#pragma once
#include <functional>
#include <type_traits>

#include "chainer/array/array.h"
#include "chainer/array/recording/step.h"

namespace chainer {

namespace static_graphs {
Arrays run_code(const std::function<Arrays(const Arrays&, Arrays&)>& f, const Arrays& inputs, Arrays outputs);
}  // namespace static_graphs

/// The result of static_code().
template <class F>
class StaticCode {
 public:
  explicit StaticCode(F f) : function_(std::move(f)) {}
  /// Calls the function with these arrays, now and in each replay. The returned arrays are new ones. Throws
  /// RuntimeError if their number, shapes or dtypes change.
  Arrays operator()(const Arrays& inputs = {}, const Arrays& outputs = {}) const {
    return static_graphs::run_code(
        [f = function_](const Arrays& in, Arrays& out) -> Arrays {
          if constexpr (std::is_invocable_v<const F&>) {
            return returned([&] { return f(); });
          } else if constexpr (std::is_invocable_v<const F&, const Arrays&>) {
            return returned([&] { return f(in); });
          } else {
            return returned([&] { return f(in, out); });
          }
        },
        inputs, outputs);
  }

 private:
  template <class G>
  static Arrays returned(G&& g) {
    using Result = decltype(g());
    if constexpr (std::is_void_v<Result>) {
      g();
      return {};
    } else if constexpr (std::is_convertible_v<Result, Array>) {
      return {Array(g())};
    } else {
      return g();
    }
  }
  F function_;
};

/// Marks code that is neither a function nor a link, so that each replay of a static chain runs it. The code is called
/// with a list of arrays to read and a list of existing arrays to write, with the first list only, or without
/// arguments. It may return new arrays, of the same shapes each time. Outside of static chains it is an ordinary
/// function.
///
///   const auto print = static_code([](const Arrays& in) { std::printf("%s\n", repr(in[0]).c_str()); });
///   auto f = static_graph([&](const Variable& x) {
///     const Variable y = F::sum(x);
///     print({y.array()});
///     return y * 2;
///   });
///   f(array({1.f, 2.f})).item<float>()  // 6.f
template <class F>
StaticCode<F> static_code(F f) {
  return StaticCode<F>(std::move(f));
}

}  // namespace chainer

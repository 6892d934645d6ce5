// SPDX-License-Identifier: MIT
// Arguments and results of static chains: converts variables, and lists and tuples of variables, to one list.
#pragma once
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "chainer/autograd/parameter.h"
#include "chainer/autograd/variable.h"

namespace chainer::static_graphs {

template <class T>
concept IsVariable = std::is_same_v<T, Variable>;
template <class T>
concept IsTuple = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept IsRange = !IsVariable<T> && !IsTuple<T> && requires(T & t) {
  t.begin() != t.end();
  *t.begin();
  t.size();
};

template <class T>
constexpr bool is_static() {
  if constexpr (IsVariable<T>) {
    return true;
  } else if constexpr (IsTuple<T>) {
    return []<std::size_t... i>(std::index_sequence<i...>) { return (is_static<std::tuple_element_t<i, T>>() && ...); }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (IsRange<T>) {
    return is_static<std::remove_cvref_t<decltype(*std::declval<T&>().begin())>>();
  } else {
    return false;
  }
}

/// The type of a converted argument: arrays and parameters become variables.
template <class T>
using Taken = std::conditional_t<std::is_same_v<T, Array> || std::is_same_v<T, Parameter>, Variable, T>;

template <class T>
Taken<T> taken(const T& t) {
  if constexpr (std::is_same_v<T, Array>)
    return Variable(t, false);
  else if constexpr (std::is_same_v<T, Parameter>)
    return t.variable();
  else
    return t;
}

/// Calls f for each variable, in order, and length(n) for each list of n elements.
template <class T, class F, class Length>
void each(T& t, F&& f, Length&& length) {
  using Plain = std::remove_const_t<T>;
  if constexpr (IsVariable<Plain>) {
    f(t);
  } else if constexpr (IsTuple<Plain>) {
    std::apply([&](auto&... e) { (each(e, f, length), ...); }, t);
  } else {
    length(static_cast<int64_t>(t.size()));
    for (auto& e : t) each(e, f, length);
  }
}
template <class T>
Variables flat(const T& t, std::vector<int64_t>& nesting) {
  Variables out;
  each(
      t, [&](const Variable& v) { out.push_back(v); }, [&](int64_t n) { nesting.push_back(n); });
  return out;
}
/// Replaces the variables in t, in order.
template <class T>
void fill(T& t, const Variables& with) {
  std::size_t next = 0;
  each(
      t, [&](Variable& v) { v = next < with.size() ? with[next++] : Variable(); }, [](int64_t) {});
}

}  // namespace chainer::static_graphs

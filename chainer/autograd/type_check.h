// SPDX-License-Identifier: MIT
// Type checks whose messages show the failed condition as written, and the actual values.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// A function was called with unsuitable inputs. The message has the function, `Expect:` and `Actual:`.
class InvalidType : public TypeError {
 public:
  InvalidType(const std::string& expected, const std::string& actual, const std::string& head = {});
  const std::string& expect() const { return expect_; }
  const std::string& actual() const { return actual_; }

 private:
  std::string expect_, actual_;
};

namespace type_check {

namespace detail {
// Texts are made only in a second run, after a condition failed; the first run compares plain values.
inline constinit thread_local bool is_recording = false;
inline bool recording() { return is_recording; }
struct Text;  // a text and the priority of its outermost operator
using TextRef = std::shared_ptr<const Text>;
TextRef named(std::string text, int priority = 100);
TextRef joined(const TextRef& a, std::string_view op, int priority, const TextRef& b);
const std::string& text_of(const TextRef& t);
[[noreturn]] void fail(const TextRef& expect, const std::string& actual);
}  // namespace detail

/// An integer property of the input types, or an expression of such, with its text.
class Expr {
 public:
  template <std::integral T>
  Expr(T v) : Expr(static_cast<int64_t>(v), detail::recording() ? detail::named(std::to_string(v)) : nullptr) {}
  Expr(int64_t v, detail::TextRef t) : value(v), text(std::move(t)) {}
  int64_t eval() const { return value; }
  int64_t value;
  detail::TextRef text;
};
#define CHAINER_TYPE_OPERATOR(OP, PRIORITY)                                                                     \
  inline Expr operator OP(const Expr& a, const Expr& b) {                                                       \
    return {a.value OP b.value, detail::recording() ? detail::joined(a.text, #OP, PRIORITY, b.text) : nullptr}; \
  }
CHAINER_TYPE_OPERATOR(+, 4)
CHAINER_TYPE_OPERATOR(-, 4)
CHAINER_TYPE_OPERATOR(*, 5)
CHAINER_TYPE_OPERATOR(/, 5)
CHAINER_TYPE_OPERATOR(%, 5)
#undef CHAINER_TYPE_OPERATOR

/// A condition with the texts of both sides.
struct Condition {
  bool holds;
  detail::TextRef text;
  std::string actual;
  explicit operator bool() const = delete;  // pass it to expect()
};
#define CHAINER_TYPE_COMPARISON(OP, INVERSE)                            \
  inline Condition operator OP(const Expr& a, const Expr& b) {          \
    if (!detail::recording()) return {a.value OP b.value, nullptr, {}}; \
    return {a.value OP b.value, detail::joined(a.text, #OP, 1, b.text), \
            chainer::text(a.value, " " #INVERSE " ", b.value)};         \
  }
CHAINER_TYPE_COMPARISON(==, !=)
CHAINER_TYPE_COMPARISON(!=, ==)
CHAINER_TYPE_COMPARISON(<, >=)
CHAINER_TYPE_COMPARISON(<=, >)
CHAINER_TYPE_COMPARISON(>, <=)
CHAINER_TYPE_COMPARISON(>=, <)
#undef CHAINER_TYPE_COMPARISON

/// The kind of a dtype: b, i, u or f.
struct KindExpr {
  char value;
  detail::TextRef text;
};
Condition operator==(const KindExpr& a, char b);
Condition operator!=(const KindExpr& a, char b);

struct DtypeExpr {
  Dtype value;
  detail::TextRef text;
  KindExpr kind() const;
};
Condition compare_dtypes(const DtypeExpr& a, const DtypeExpr& b);
inline Condition operator==(const DtypeExpr& a, const DtypeExpr& b) {
  if (!detail::recording()) [[likely]]
    return {a.value == b.value, nullptr, {}};
  return compare_dtypes(a, b);
}
Condition operator==(const DtypeExpr& a, Dtype b);
Condition operator!=(const DtypeExpr& a, Dtype b);

struct ShapeExpr {
  Shape value;
  detail::TextRef text;
  /// Returns the length of one axis; a negative index counts from the end. The check fails if the axis does not exist.
  Expr operator[](int64_t i) const;
  /// Returns the lengths of a range of axes, with optional ends as in a slice.
  ShapeExpr slice(std::optional<int64_t> from, std::optional<int64_t> to = {}) const;
};
Condition operator==(const ShapeExpr& a, const ShapeExpr& b);
Condition operator==(const ShapeExpr& a, const Shape& b);

class TypeInfos;

/// The type of one input.
class TypeInfo {
 public:
  TypeInfo(const Array& a, const TypeInfos& all, std::size_t i) : array_(&a), all_(&all), index_(i) {}
  Expr ndim() const;
  Expr size() const;
  DtypeExpr dtype() const { return {array_->dtype(), detail::recording() ? member(".dtype()") : nullptr}; }
  ShapeExpr shape() const;
  Expr shape(int64_t axis) const { return shape()[axis]; }
  const Array& array() const { return *array_; }

 private:
  detail::TextRef member(std::string_view m) const;
  const Array* array_;
  const TypeInfos* all_;
  std::size_t index_;
};

/// The types of all inputs. Messages call them in_types[i], unless names() sets other names.
class TypeInfos {
 public:
  explicit TypeInfos(const Arrays& arrays) : arrays_(&arrays) {}
  /// Returns the number of inputs, as an expression.
  Expr size() const;
  std::size_t count() const { return arrays_->size(); }
  TypeInfo operator[](int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    if (at >= arrays_->size()) [[unlikely]]
      missing(i);
    return TypeInfo((*arrays_)[at], *this, at);
  }
  /// Returns the name of input i in messages.
  std::string name(std::size_t i) const;
  /// Sets the names of the arguments in messages.
  const TypeInfos& names(std::initializer_list<const char*> names) const {
    if (detail::recording()) names_ = Names(names.begin(), names.end());  // the list is destroyed after the call
    return *this;
  }

 private:
  [[noreturn]] void missing(int64_t i) const;
  const Arrays* arrays_;
  using Names = SmallVector<const char*, 4>;
  mutable Names names_;
};

inline void expect(const Condition& c) {
  if (!c.holds) [[unlikely]]
    detail::fail(c.text, c.actual);
}
template <class... C>
void expect(const Condition& first, const Condition& second, const C&... rest) {
  expect(first);
  expect(second, rest...);
}
/// Returns a constant with a name for messages.
Expr make_variable(int64_t value, const std::string& name);
/// Returns the product of a shape.
Expr prod(const ShapeExpr& s);
/// Expects that all shapes can be broadcast together.
void expect_broadcast_shapes(std::initializer_list<ShapeExpr> shapes);
inline void expect_broadcast_shapes(const TypeInfo& a, const TypeInfo& b) {
  if (a.array().shape() != b.array().shape()) expect_broadcast_shapes({a.shape(), b.shape()});
}
/// Frequent conditions as one call each.
inline void expect_floating(const TypeInfo& t) {
  if (!is_floating(t.array().dtype())) [[unlikely]]
    expect(t.dtype().kind() == 'f');
}
void wrong_argument_count(const TypeInfos& t, int64_t count);
inline void expect_argument_count(const TypeInfos& t, int64_t count) {
  if (static_cast<int64_t>(t.count()) != count) [[unlikely]]
    wrong_argument_count(t, count);
}

/// Runs a check that failed again, with texts, and throws InvalidType.
void run(const std::string& label, const Arrays& in, void (*check)(const void*, const TypeInfos&), const void* object);
struct Failed {};  // thrown by the first run only

/// Returns true if failed checks explain the condition (config().type_check). Checks are done in any case, because
/// kernels rely on them.
bool wanted();
/// Throws the TypeError of a failed check without an explanation; it names the function, dtypes and shapes.
[[noreturn]] void refuse(const std::string& label, const Arrays& in);
/// Checks the inputs of a function that is composed of others: calls f(TypeInfos), which uses expect(). Throws
/// InvalidType, or TypeError if wanted() is false.
template <class F>
void check(const char* label, const Arrays& in, F&& f) {
  try {
    f(TypeInfos(in));
  } catch (const Failed&) {
    if (!wanted()) refuse(label, in);
    run(
        label, in, [](const void* o, const TypeInfos& t) { (*static_cast<const std::remove_reference_t<F>*>(o))(t); },
        &f);
  }
}

}  // namespace type_check
}  // namespace chainer

// Type checking with messages that show the condition as it was written and the values that broke it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// A function was called with inputs it cannot take. The text carries the function, `Expect:` and `Actual:`.
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
// Texts are only made in a second run, after a condition failed: the first one compares plain values.
inline constinit thread_local bool is_recording = false;
inline bool recording() { return is_recording; }
struct Text;  // text with the priority of its outermost operator
using TextRef = std::shared_ptr<const Text>;
TextRef named(std::string text, int priority = 100);
TextRef joined(const TextRef& a, std::string_view op, int priority, const TextRef& b);
const std::string& text_of(const TextRef& t);
[[noreturn]] void fail(const TextRef& expect, const std::string& actual);
}  // namespace detail

/// An integer of the inputs' types, or computed from them; remembers how.
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

/// A condition on values; kept with both sides' texts.
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

/// The kind letter of a dtype: b, i, u or f.
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
  /// One length; a negative index counts from the end. Beyond the shape the check fails with a message.
  Expr operator[](int64_t i) const;
  /// Entries from..to, either end optional as in a slice.
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

/// The types of all inputs. Named in_types[i] in messages unless names() says better.
class TypeInfos {
 public:
  explicit TypeInfos(const Arrays& arrays) : arrays_(&arrays) {}
  /// The number of inputs, as an expression.
  Expr size() const;
  std::size_t count() const { return arrays_->size(); }
  TypeInfo operator[](int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    if (at >= arrays_->size()) [[unlikely]]
      missing(i);
    return TypeInfo((*arrays_)[at], *this, at);
  }
  /// How messages call input i.
  std::string name(std::size_t i) const;
  /// The argument names used in messages.
  const TypeInfos& names(std::initializer_list<const char*> names) const {
    if (detail::recording()) names_ = Names(names.begin(), names.end());  // the list itself ends with the call
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
/// A constant with a name in messages.
Expr make_variable(int64_t value, const std::string& name);
/// The product of a shape.
Expr prod(const ShapeExpr& s);
/// All shapes broadcast together.
void expect_broadcast_shapes(std::initializer_list<ShapeExpr> shapes);
inline void expect_broadcast_shapes(const TypeInfo& a, const TypeInfo& b) {
  if (a.array().shape() != b.array().shape()) expect_broadcast_shapes({a.shape(), b.shape()});
}
/// The common conditions, in one call each.
inline void expect_floating(const TypeInfo& t) {
  if (!is_floating(t.array().dtype())) [[unlikely]]
    expect(t.dtype().kind() == 'f');
}
void wrong_argument_count(const TypeInfos& t, int64_t count);
inline void expect_argument_count(const TypeInfos& t, int64_t count) {
  if (static_cast<int64_t>(t.count()) != count) [[unlikely]]
    wrong_argument_count(t, count);
}

/// Runs a check without texts; if it fails, runs it again with them and throws InvalidType.
void run(const std::string& label, const Arrays& in, void (*check)(const void*, const TypeInfos&), const void* object);
struct Failed {};  // thrown by the first run only

/// Whether the configuration wants messages that explain a failed check. The conditions are tested in any case: kernels
/// trust them.
bool wanted();
/// What a failed check throws otherwise: a TypeError that names the function, dtypes and shapes.
[[noreturn]] void refuse(const std::string& label, const Arrays& in);
/// The check of a function that is made of others: f(TypeInfos) with expect().
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

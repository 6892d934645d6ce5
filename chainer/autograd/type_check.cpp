// SPDX-License-Identifier: MIT
#include "chainer/autograd/type_check.h"

#include <algorithm>
#include <memory>

#include "chainer/autograd/config.h"

namespace chainer {

InvalidType::InvalidType(const std::string& expected, const std::string& actual, const std::string& head)
    : TypeError(head, head.empty() ? "\n" : "\n\n", "Expect: ", expected, "\nActual: ", actual),
      expect_(expected),
      actual_(actual) {}

namespace type_check {
namespace detail {
namespace {
std::string& head() {
  thread_local const std::unique_ptr<std::string> text = std::make_unique<std::string>();
  return *text;
}
}  // namespace

struct Text {
  std::string text;
  int priority;
};

TextRef named(std::string t, int priority) { return std::make_shared<const Text>(Text{std::move(t), priority}); }
const std::string& text_of(const TextRef& t) { return t->text; }
TextRef joined(const TextRef& a, std::string_view op, int priority, const TextRef& b) {
  const auto side = [&](const TextRef& t, bool right) {
    const bool parentheses = right ? t->priority <= priority : t->priority < priority;
    return parentheses ? "(" + t->text + ")" : t->text;
  };
  return named(chainer::text(side(a, false), " ", op, " ", side(b, true)), priority);
}
void fail(const TextRef& expect, const std::string& actual) {
  if (!is_recording) throw Failed{};
  throw InvalidType(text_of(expect), actual, head());
}

namespace {
std::string letter(char kind) { return std::string("'") + kind + "'"; }
TextRef literal(std::string t) { return is_recording ? named(std::move(t)) : nullptr; }
TextRef member_of(const TextRef& t, std::string_view m) {
  return is_recording ? named(chainer::text(t->text, m)) : nullptr;
}
template <class A, class B>
Condition compare(bool holds, const TextRef& a, const char* op, const char* inverse, const TextRef& b, const A& x,
                  const B& y) {
  if (!is_recording) return {holds, nullptr, {}};
  return {holds, joined(a, op, 1, b), chainer::text(x, " ", inverse, " ", y)};
}
}  // namespace
}  // namespace detail

using detail::compare;
using detail::letter;
using detail::literal;
using detail::member_of;

Condition operator==(const KindExpr& a, char b) {
  return compare(a.value == b, a.text, "==", "!=", literal(letter(b)), letter(a.value), letter(b));
}
Condition operator!=(const KindExpr& a, char b) {
  return compare(a.value != b, a.text, "!=", "==", literal(letter(b)), letter(a.value), letter(b));
}
KindExpr DtypeExpr::kind() const { return {chainer::kind(value), member_of(text, ".kind()")}; }
Condition compare_dtypes(const DtypeExpr& a, const DtypeExpr& b) {
  return compare(a.value == b.value, a.text, "==", "!=", b.text, a.value, b.value);
}
Condition operator==(const DtypeExpr& a, Dtype b) {
  return compare(a.value == b, a.text, "==", "!=", literal(to_string(b)), a.value, b);
}
Condition operator!=(const DtypeExpr& a, Dtype b) {
  return compare(a.value != b, a.text, "!=", "==", literal(to_string(b)), a.value, b);
}
Condition operator==(const ShapeExpr& a, const ShapeExpr& b) {
  return compare(a.value == b.value, a.text, "==", "!=", b.text, a.value, b.value);
}
Condition operator==(const ShapeExpr& a, const Shape& b) {
  return compare(a.value == b, a.text, "==", "!=", literal(to_string(b)), a.value, b);
}

Expr ShapeExpr::operator[](int64_t i) const {
  const int n = value.ndim();
  if (i < -n || i >= n)
    detail::fail(literal(chainer::text(detail::recording() ? detail::text_of(text) : "", " has an entry ", i)),
                 chainer::text("shape ", value));
  return {value[i < 0 ? i + n : i], member_of(text, chainer::text("[", i, "]"))};
}

ShapeExpr ShapeExpr::slice(std::optional<int64_t> from, std::optional<int64_t> to) const {
  const auto bound = [&](std::optional<int64_t> v, int64_t otherwise) {
    const int64_t n = value.ndim(), x = v.value_or(otherwise);
    return std::clamp<int64_t>(x < 0 ? x + n : x, 0, n);
  };
  const int64_t a = bound(from, 0), b = std::max(a, bound(to, value.ndim()));
  const auto end_text = [](std::optional<int64_t> v) { return v ? std::to_string(*v) : std::string(); };
  return {Shape(value.begin() + a, value.begin() + b),
          member_of(text, chainer::text("[", end_text(from), ":", end_text(to), "]"))};
}

detail::TextRef TypeInfo::member(std::string_view m) const {
  return detail::recording() ? detail::named(all_->name(index_) + std::string(m)) : nullptr;
}
Expr TypeInfo::ndim() const { return {array_->ndim(), member(".ndim()")}; }
Expr TypeInfo::size() const { return {array_->size(), member(".size()")}; }
ShapeExpr TypeInfo::shape() const { return {array_->shape(), member(".shape()")}; }

Expr TypeInfos::size() const { return {static_cast<int64_t>(arrays_->size()), literal("in_types.size")}; }
void TypeInfos::missing(int64_t i) const {
  detail::fail(literal(text("in_types.size > ", i)), text(arrays_->size(), " <= ", i));
}
std::string TypeInfos::name(std::size_t i) const {
  return i < names_.size() ? std::string(names_[i]) : text("in_types[", i, "]");
}

Expr make_variable(int64_t value, const std::string& name) { return {value, literal(name)}; }
Expr prod(const ShapeExpr& s) {
  return {s.value.product(), detail::recording() ? detail::named("prod(" + detail::text_of(s.text) + ")") : nullptr};
}

void expect_broadcast_shapes(std::initializer_list<ShapeExpr> shapes) {
  Shape all;
  try {
    for (const ShapeExpr& s : shapes) all = broadcast_shapes(all, s.value);
  } catch (const DimensionError&) {
    std::string names, values;
    for (const ShapeExpr& s : shapes) {
      if (detail::recording()) names += (names.empty() ? "" : ", ") + detail::text_of(s.text);
      values += (values.empty() ? "" : ", ") + to_string(s.value);
    }
    detail::fail(literal("each shape of " + names + " can be broadcast together"), values);
  }
}

void wrong_argument_count(const TypeInfos& t, int64_t count) {
  detail::fail(literal(text(count, " argument(s)")), text(t.count(), " argument(s)"));
}

void run(const std::string& label, const Arrays& in, void (*check)(const void*, const TypeInfos&), const void* object) {
  struct Scope {
    ~Scope() { detail::is_recording = false; }
  } scope;
  detail::is_recording = true;
  detail::head() = text("Invalid operation is performed in: ", label, " (Forward)");
  check(object, TypeInfos(in));
}

bool wanted() { return config().type_check; }
void refuse(const std::string& label, const Arrays& in) {
  std::string shapes;
  for (const Array& a : in) shapes += text(shapes.empty() ? "" : ", ", a.dtype(), " ", a.shape());
  throw TypeError(label, ": inputs ", shapes, " are invalid; config.type_check = true explains why");
}

}  // namespace type_check
}  // namespace chainer

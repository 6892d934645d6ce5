// SPDX-License-Identifier: MIT
// Members of JSON objects, with defaults for missing ones and null.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "chainer/core/error.h"
#include "chainer/core/json.h"

namespace chainer::json {

inline bool is_null(const Value* v) { return !v || std::holds_alternative<std::nullptr_t>(v->data); }

/// All throw ValueError, which names the member, for a member of another type.
inline std::string text_of(const Value& object, std::string_view name, std::string_view otherwise = "") {
  const Value* v = object.find(name);
  if (is_null(v)) return std::string(otherwise);
  if (!v->string()) throw ValueError("'", name, "' must be text, not ", dump(*v).substr(0, 80));
  return *v->string();
}
inline bool is_true(const Value& object, std::string_view name, bool otherwise = false) {
  const Value* v = object.find(name);
  if (is_null(v)) return otherwise;
  const bool* b = std::get_if<bool>(&v->data);
  if (!b) throw ValueError("'", name, "' must be true or false, not ", dump(*v).substr(0, 80));
  return *b;
}
inline int64_t integer_of(const Value& object, std::string_view name, int64_t otherwise) {
  const Value* v = object.find(name);
  if (is_null(v)) return otherwise;
  const int64_t* i = std::get_if<int64_t>(&v->data);
  if (!i) throw ValueError("'", name, "' must be an integer, not ", dump(*v).substr(0, 80));
  return *i;
}
inline double number_of(const Value& object, std::string_view name, double otherwise) {
  const Value* v = object.find(name);
  if (is_null(v)) return otherwise;
  if (!v->is_number()) throw ValueError("'", name, "' must be a number, not ", dump(*v).substr(0, 80));
  return v->number();
}
inline const List& list_of(const Value& object, std::string_view name) {
  const Value* v = object.find(name);
  if (!v || !v->list()) throw ValueError("'", name, "' must be a list");
  return *v->list();
}

}  // namespace chainer::json

// SPDX-License-Identifier: MIT
// Members of the objects of a tokenizer.json, with defaults for missing ones and null.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "chainer/core/error.h"
#include "chainer/core/json.h"

namespace chainer::tokenizers {

inline bool is_null(const json::Value* v) { return !v || std::holds_alternative<std::nullptr_t>(v->data); }

/// All throw ValueError, which names the member, for a member of another type.
inline std::string text_of(const json::Value& object, std::string_view name, std::string_view otherwise = "") {
  const json::Value* v = object.find(name);
  if (is_null(v)) return std::string(otherwise);
  if (!v->string()) throw ValueError("'", name, "' must be text, not ", json::dump(*v).substr(0, 80));
  return *v->string();
}
inline bool is_true(const json::Value& object, std::string_view name, bool otherwise = false) {
  const json::Value* v = object.find(name);
  if (is_null(v)) return otherwise;
  const bool* b = std::get_if<bool>(&v->data);
  if (!b) throw ValueError("'", name, "' must be true or false, not ", json::dump(*v).substr(0, 80));
  return *b;
}
inline int64_t integer_of(const json::Value& object, std::string_view name, int64_t otherwise) {
  const json::Value* v = object.find(name);
  if (is_null(v)) return otherwise;
  const int64_t* i = std::get_if<int64_t>(&v->data);
  if (!i) throw ValueError("'", name, "' must be an integer, not ", json::dump(*v).substr(0, 80));
  return *i;
}
inline const json::List& list_of(const json::Value& object, std::string_view name) {
  const json::Value* v = object.find(name);
  if (!v || !v->list()) throw ValueError("'", name, "' must be a list");
  return *v->list();
}

}  // namespace chainer::tokenizers

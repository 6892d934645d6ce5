// SPDX-License-Identifier: MIT
// A JSON reader and writer for logs and for saved states of the trainer.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace chainer::json {

struct Value;
using List = std::vector<Value>;
/// Members in the order of the text.
using Object = std::vector<std::pair<std::string, Value>>;

struct Value {
  std::variant<std::nullptr_t, bool, int64_t, double, std::string, List, Object> data = nullptr;
  Value() = default;
  Value(bool v) : data(v) {}
  Value(int64_t v) : data(v) {}
  Value(int v) : data(static_cast<int64_t>(v)) {}
  Value(double v) : data(v) {}
  Value(std::string v) : data(std::move(v)) {}
  Value(const char* v) : data(std::string(v)) {}
  Value(List v) : data(std::move(v)) {}
  Value(Object v) : data(std::move(v)) {}

  bool is_number() const { return std::holds_alternative<double>(data) || std::holds_alternative<int64_t>(data); }
  double number() const;
  const std::string* string() const { return std::get_if<std::string>(&data); }
  const List* list() const { return std::get_if<List>(&data); }
  List* list() { return std::get_if<List>(&data); }
  const Object* object() const { return std::get_if<Object>(&data); }
  Object* object() { return std::get_if<Object>(&data); }
  /// Returns the member of this object, or nullptr if there is none or if this is not an object.
  const Value* find(std::string_view key) const;
  /// Sets a member of this object. An existing member keeps its position.
  void set(std::string_view key, Value v);
};

/// Writes a value as Python's json.dumps does: numbers in their shortest form, NaN and Infinity by name. An indent of 0
/// writes a single line.
std::string dump(const Value& v, int indent = 0);
/// Parses JSON text; NaN and Infinity are accepted. Throws ValueError with the position of a syntax error.
Value parse(std::string_view text);

}  // namespace chainer::json

// JSON, as logs and states of the trainer need it.
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
/// Members in the order they stand in the text.
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
  /// An object's member, or nullptr.
  const Value* find(std::string_view key) const;
  /// Sets an object's member, keeping its place if it is there.
  void set(std::string_view key, Value v);
};

/// Text as Python's json writes it: numbers in shortest form, NaN and Infinity by name; indent 0 means one line.
std::string dump(const Value& v, int indent = 0);
/// Throws ValueError with the position for anything that is not JSON (NaN and Infinity are taken).
Value parse(std::string_view text);

}  // namespace chainer::json

// SPDX-License-Identifier: MIT
// Values sent between processes by the _obj methods of a communicator.
#pragma once
#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/datasets/dataset.h"

namespace chainer::mn {

class Object;
using ObjectList = std::vector<Object>;
using ObjectMap = std::map<std::string, Object>;

/// None, a bool, an integer, a number, a string, an array, a list or a map of such values.
///
/// Encoding (encode(), decode()): the bytes "CMO1", then one value. A value is a byte for its kind, and its content,
/// with all integers in eight bytes, little-endian:
/// 0 none; 1 bool: a byte, 0 or 1; 2 integer: two's complement; 3 number: IEEE 754 binary64;
/// 4 string: its length in bytes, its bytes; 5 array: the length of the name of its dtype and the name (float32, ...),
/// the number of axes, their lengths, the elements in C order, little-endian; 6 list: its length, its values;
/// 7 map: its length, and for each entry in ascending order of keys the key (a length, its bytes) and the value;
/// 8 an array that is none.
class Object {
 public:
  Object() = default;
  Object(std::same_as<bool> auto v) : value_(v) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Object(T v) : value_(static_cast<int64_t>(v)) {}
  template <std::floating_point T>
  Object(T v) : value_(static_cast<double>(v)) {}
  Object(std::string v) : value_(std::move(v)) {}
  Object(const char* v) : value_(std::string(v)) {}
  Object(Array v) : value_(std::move(v)) {}
  Object(ObjectList v) : value_(std::move(v)) {}
  Object(ObjectMap v) : value_(std::move(v)) {}

  bool is_none() const { return value_.index() == 0; }
  /// Return the value. Throw TypeError if it is of another kind; to_number() also accepts integers.
  bool to_bool() const { return get<bool>("a boolean"); }
  int64_t to_int() const { return get<int64_t>("an integer"); }
  double to_number() const;
  const std::string& to_text() const { return get<std::string>("a string"); }
  const Array& to_array() const { return get<Array>("an array"); }
  const ObjectList& to_list() const { return get<ObjectList>("a list"); }
  const ObjectMap& to_map() const { return get<ObjectMap>("a map"); }
  /// Returns the value of a key. Throws KeyError if there is none.
  const Object& operator[](const std::string& key) const;
  /// Returns "an integer", "a list of 3", "an array of float32 (2, 3)", ...
  std::string kind() const;
  /// Returns true if kinds and values are equal; arrays are compared by dtype, shape and bytes.
  bool operator==(const Object& o) const;
  const auto& variant() const { return value_; }

 private:
  template <class T>
  const T& get(const char* wanted) const {
    if (const T* v = std::get_if<T>(&value_)) return *v;
    wrong_kind(wanted);
  }
  [[noreturn]] void wrong_kind(const char* wanted) const;
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, ObjectList, ObjectMap> value_;
};

/// Adds values for allreduce_obj(): numbers, arrays, strings and lists (concatenated). Throws TypeError for other
/// kinds.
Object add(const Object& a, const Object& b);

/// Returns the bytes of a value. Throws ValueError for values nested deeper than 64.
std::string encode(const Object& value);
/// Returns the value of bytes. Throws ValueError, naming the position, for bytes that encode() cannot return (a length
/// past the end, an unknown kind or dtype, a negative length, nesting deeper than 64, trailing bytes).
Object decode(std::string_view bytes);

/// Convert an example of a dataset to a value, and back.
Object to_object(const Example& e);
Example to_example(const Object& o);

}  // namespace chainer::mn

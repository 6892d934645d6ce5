// Values that travel between processes: what the _obj methods of a communicator carry.
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

/// None, a truth value, an integer, a number, a text, an array, a list or a map of such values.
///
/// Encoding (encode(), decode()): the bytes "CMO1", then one value. A value is a byte that names its kind, and its
/// content, with all integers in eight bytes, the lowest first:
/// 0 none; 1 truth value: a byte, 0 or 1; 2 integer: two's complement; 3 number: IEEE 754 binary64;
/// 4 text: its length in bytes, its bytes; 5 array: the length of its dtype's name and that name (float32, ...), the
/// number of its axes, their lengths, its elements in C order, the lowest byte first; 6 list: its length, its values;
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
  /// The value; TypeError if it is of another kind. to_number() takes integers too.
  bool to_bool() const { return get<bool>("a truth value"); }
  int64_t to_int() const { return get<int64_t>("an integer"); }
  double to_number() const;
  const std::string& to_text() const { return get<std::string>("a text"); }
  const Array& to_array() const { return get<Array>("an array"); }
  const ObjectList& to_list() const { return get<ObjectList>("a list"); }
  const ObjectMap& to_map() const { return get<ObjectMap>("a map"); }
  /// The value of a key; KeyError if there is none.
  const Object& operator[](const std::string& key) const;
  /// "an integer", "a list of 3", "an array of float32 (2, 3)", ...
  std::string kind() const;
  /// Equal kinds and values; arrays by dtype, shape and bytes.
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

/// The sum that allreduce_obj takes: of numbers, of arrays, of texts and of lists (one behind the other); TypeError for
/// any other pair of kinds.
Object add(const Object& a, const Object& b);

/// The bytes of a value. Values nested deeper than 64 are a ValueError.
std::string encode(const Object& value);
/// The value of these bytes. Bytes that encode() cannot have made (a length beyond the end, an unknown kind or dtype, a
/// negative length, deeper nesting than 64, something behind the end) are a ValueError that names the place.
Object decode(std::string_view bytes);

/// An example of a dataset as a value, and back.
Object to_object(const Example& e);
Example to_example(const Object& o);

}  // namespace chainer::mn

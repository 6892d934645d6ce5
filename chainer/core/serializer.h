// SPDX-License-Identifier: MIT
// The interface by which objects save and load themselves: one serialize() method for both directions.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "chainer/core/error.h"

namespace chainer {

class Array;

/// Saves or loads named values. An object's serialize() calls s("name", member) for each of its values: saving writes
/// the value, loading replaces it. Nested objects receive *s.child("name").
///
/// Loading fills arrays in place, or sets them if they are empty. A stored None leaves the value unchanged. A missing
/// name is a KeyError if the serializer is strict; otherwise the value is unchanged.
class Serializer {
 public:
  virtual ~Serializer() = default;
  virtual bool is_loading() const = 0;
  /// Returns the serializer of a nested object, as Python's serializer[key].
  virtual std::unique_ptr<Serializer> child(std::string_view key) = 0;
  /// Returns true when saving; when loading, returns true if the name is stored.
  virtual bool contains(std::string_view key) const = 0;

  virtual void array(std::string_view key, Array& value) = 0;
  virtual void integer(std::string_view key, int64_t& value) = 0;
  virtual void number(std::string_view key, double& value) = 0;
  virtual void flag(std::string_view key, bool& value) = 0;
  virtual void string(std::string_view key, std::string& value) = 0;

  /// Saves or loads a number of steps, examples or epochs. Throws ValueError when loading a negative value or one above
  /// 2^53, so that later increments cannot overflow.
  void count(std::string_view key, int64_t& value) {
    integer(key, value);
    if (value < 0 || value > (int64_t(1) << 53))
      throw ValueError("'", key, "': ", value, " is out of range for a count");
  }

  /// Saves or loads a value of any supported type: an Array, a bool, a number, a string, or an object with a
  /// serialize() method. Throws ValueError if a loaded integer does not fit in T.
  template <class T>
  void operator()(std::string_view key, T& value) {
    if constexpr (std::same_as<T, Array>) {
      array(key, value);
    } else if constexpr (std::same_as<T, bool>) {
      flag(key, value);
    } else if constexpr (std::integral<T>) {
      auto v = static_cast<int64_t>(value);
      integer(key, v);
      if (!std::in_range<T>(v)) throw ValueError("'", key, "': ", v, " is out of range for the loaded type");
      value = static_cast<T>(v);
    } else if constexpr (std::floating_point<T>) {
      auto v = static_cast<double>(value);
      number(key, v);
      value = static_cast<T>(v);
    } else if constexpr (std::same_as<T, std::string>) {
      string(key, value);
    } else {
      value.serialize(*child(key));
    }
  }
};

}  // namespace chainer

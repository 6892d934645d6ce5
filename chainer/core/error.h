// SPDX-License-Identifier: MIT
// Exceptions: one hierarchy; messages are joined from values.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace chainer {

namespace detail {
// Functions, since messages are joined in hundreds of places.
void put_text(std::string& out, std::string_view s);
void put_number(std::string& out, double v);
void put_number(std::string& out, int64_t v);
void put_number(std::string& out, uint64_t v);
template <class T>
void put(std::string& out, const T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    put_text(out, v ? "true" : "false");
  } else if constexpr (std::is_same_v<T, char>) {
    put_text(out, {&v, 1});
  } else if constexpr (std::is_floating_point_v<T>) {
    put_number(out, static_cast<double>(v));
  } else if constexpr (std::is_integral_v<T>) {
    put_number(out, static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(v));
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    put_text(out, v);
  } else {
    put_text(out, to_string(v));  // found by argument-dependent lookup: Shape, Dtype, Device, ...
  }
}
}  // namespace detail

/// Joins values into one string: strings unchanged, numbers in their shortest form, other types by their to_string().
template <class... A>
std::string text(const A&... parts) {
  std::string out;
  (detail::put(out, parts), ...);
  return out;
}

/// Base class of all exceptions thrown by this library (standard containers may also throw std::bad_alloc). The
/// constructor joins its arguments (see text()). An error that passes through a link's call gets a last line in its
/// message that names the link.
class Error : public std::runtime_error {
 public:
  template <class... A>
  requires(sizeof...(A) > 0 &&
           !(std::is_base_of_v<Error, std::remove_cvref_t<A>> || ...)) explicit Error(const A&... parts)
      : std::runtime_error(text(parts...)) {}
  const char* what() const noexcept override { return located_ ? located_->c_str() : std::runtime_error::what(); }
  /// Returns the innermost object passed to locate(); nullptr before the first call.
  const void* origin() const { return origin_; }
  /// Records where the error happened. `origin` is the innermost object it passed through; `place` is appended to the
  /// message as its last line and replaces an earlier place.
  void locate(const void* origin, const std::string& place);

 private:
  std::shared_ptr<const std::string> located_;  // shared: a copy of an exception must not throw
  const void* origin_ = nullptr;
};

/// An argument of the wrong kind: mixed kinds of arrays, an unsuitable data type.
class TypeError : public Error {
 public:
  using Error::Error;
};
/// An argument of the right type whose value is invalid.
class ValueError : public Error {
 public:
  using Error::Error;
};
/// Incompatible shapes.
class DimensionError : public ValueError {
 public:
  using ValueError::ValueError;
};
/// A data type that an operation does not support.
class DtypeError : public TypeError {
 public:
  using TypeError::TypeError;
};
/// An index or label out of range.
class IndexError : public Error {
 public:
  using Error::Error;
};
/// A name that does not exist, or that exists already.
class KeyError : public Error {
 public:
  using Error::Error;
};
/// A device that does not exist or does not hold the array.
class DeviceError : public Error {
 public:
  using Error::Error;
};
/// An object used in a way that its state does not allow.
class RuntimeError : public Error {
 public:
  using Error::Error;
};
/// A file that cannot be read, written or parsed.
class FileError : public Error {
 public:
  using Error::Error;
};
/// A file that the system could not provide (no permission, no memory, no free descriptor, a failing disk). The file's
/// contents may be valid.
class FileAccessError : public FileError {
 public:
  using FileError::FileError;
};
/// A declared member function that a subclass must define.
class NotImplementedError : public Error {
 public:
  using Error::Error;
};

/// A feature that was left out of this build.
class MissingPartError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// An allocation failed. The message names the operation, the shape and the numbers of bytes wanted, in use and cached.
/// Not derived from std::bad_alloc, because that class and Error both have a std::exception base.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// Suggests the names most similar to one that was not found, for messages: " (did you mean 'train'?)"; empty if none
/// is similar.
std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names);

/// Prints a warning on standard error, once per distinct text and process.
void warn(const std::string& message);
/// Returns the number of warnings given so far, for tests.
int64_t warning_count();

}  // namespace chainer

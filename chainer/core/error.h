// Errors: one hierarchy, built from values that print themselves.
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
std::string number_text(double v);
template <class T>
void put(std::string& out, const T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    out += v ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    out += v;
  } else if constexpr (std::is_floating_point_v<T>) {
    out += number_text(v);
  } else if constexpr (std::is_integral_v<T>) {
    out += std::to_string(v);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    out += std::string_view(v);
  } else {
    out += to_string(v);  // found by argument-dependent lookup: Shape, Dtype, Device, ...
  }
}
}  // namespace detail

/// Joins values into one text: strings as they are, numbers in their shortest form, the rest by its own to_string().
template <class... A>
std::string text(const A&... parts) {
  std::string out;
  (detail::put(out, parts), ...);
  return out;
}

/// Base of everything this library throws. (Containers of the standard library throw std::bad_alloc beside it.) The
/// constructor joins its arguments (see text()). Where an error passes a link on its way out, the message gets a last
/// line that says where the link is.
class Error : public std::runtime_error {
 public:
  template <class... A>
  requires(sizeof...(A) > 0 &&
           !(std::is_base_of_v<Error, std::remove_cvref_t<A>> || ...)) explicit Error(const A&... parts)
      : std::runtime_error(text(parts...)) {}
  const char* what() const noexcept override { return located_ ? located_->c_str() : std::runtime_error::what(); }
  /// The innermost object that locate() was told of; nullptr before.
  const void* origin() const { return origin_; }
  /// Says where the error happened: `origin` is the object it passed first, `place` the line at the message's end,
  /// which replaces an earlier one.
  void locate(const void* origin, const std::string& place);

 private:
  std::shared_ptr<const std::string> located_;  // shared: a copy of an exception must not throw
  const void* origin_ = nullptr;
};

/// An argument of the wrong kind: array kinds mixed, a dtype that does not fit.
class TypeError : public Error {
 public:
  using Error::Error;
};
/// An argument of the right kind with a value that makes no sense.
class ValueError : public Error {
 public:
  using Error::Error;
};
/// Shapes that do not fit together.
class DimensionError : public ValueError {
 public:
  using ValueError::ValueError;
};
/// A dtype that an operation does not support.
class DtypeError : public TypeError {
 public:
  using TypeError::TypeError;
};
/// An index or a label outside its range.
class IndexError : public Error {
 public:
  using Error::Error;
};
/// A name that is not there, or is there already.
class KeyError : public Error {
 public:
  using Error::Error;
};
/// A device that does not exist or does not hold the array.
class DeviceError : public Error {
 public:
  using Error::Error;
};
/// An object used in a way its state forbids.
class RuntimeError : public Error {
 public:
  using Error::Error;
};
/// A file that cannot be read, written or understood.
class FileError : public Error {
 public:
  using Error::Error;
};
/// A call that a class declares and a subclass must define.
class NotImplementedError : public Error {
 public:
  using Error::Error;
};

/// Something that this build was made without.
class MissingPartError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Memory that is not there: names the operation, the shape and the bytes wanted, in use and cached. (It is no
/// std::bad_alloc: a class cannot be that and an Error, for both have a std::exception inside.)
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// The names most like one that was not found, for messages: " (did you mean 'train'?)"; empty where none is alike.
std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names);

/// Prints a warning on standard error, once per distinct text and process.
void warn(const std::string& message);
/// The number of warnings given so far, for tests.
int64_t warning_count();

}  // namespace chainer

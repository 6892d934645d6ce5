// SPDX-License-Identifier: MIT
#include "chainer/iterators/example_error.h"

#include <new>
#include <typeinfo>

#include "chainer/core/error.h"

namespace chainer::iterators {
namespace {

// Tries derived classes before their bases.
template <class F>
int with_classes(F&& f) {
  int kind = 0;
  const bool found = f.template operator()<DimensionError>(++kind) || f.template operator()<DtypeError>(++kind) ||
                     f.template operator()<MissingPartError>(++kind) || f.template operator()<ValueError>(++kind) ||
                     f.template operator()<TypeError>(++kind) || f.template operator()<IndexError>(++kind) ||
                     f.template operator()<KeyError>(++kind) || f.template operator()<DeviceError>(++kind) ||
                     f.template operator()<FileAccessError>(++kind) || f.template operator()<FileError>(++kind) ||
                     f.template operator()<MemoryError>(++kind) || f.template operator()<NotImplementedError>(++kind) ||
                     f.template operator()<RuntimeError>(++kind);
  return found ? kind : 0;
}

}  // namespace

int error_kind(std::string& message) {
  try {
    throw;
  } catch (const Error& e) {
    message = e.what();
    return with_classes([&]<class T>(int) { return dynamic_cast<const T*>(&e) != nullptr; });
  } catch (const std::exception& e) { message = e.what(); } catch (...) {
    message = "an exception that is no std::exception";
  }
  return 0;
}

std::exception_ptr make_error(int wanted, const std::string& message) {
  std::exception_ptr out = std::make_exception_ptr(Error(message));
  with_classes([&]<class T>(int kind) {
    if (kind == wanted) out = std::make_exception_ptr(T(message));
    return kind == wanted;
  });
  return out;
}

std::exception_ptr example_error(int64_t index) {
  try {
    throw;
  } catch (Error& e) {
    // An object of a class that users derived is kept, since only they can make another one.
    std::string message;
    const int kind = error_kind(message);
    const bool known = with_classes([&]<class T>(int) { return typeid(e) == typeid(T); }) != 0;
    if (known || typeid(e) == typeid(Error)) return make_error(kind, text("example ", index, ": ", message));
    e.locate(nullptr, text("in example ", index));
    return std::current_exception();
  } catch (const std::bad_alloc&) { return std::current_exception(); } catch (...) {
    std::string message;
    (void)error_kind(message);
    try {
      std::throw_with_nested(Error("example ", index, ": ", message));
    } catch (...) { return std::current_exception(); }
  }
}

}  // namespace chainer::iterators

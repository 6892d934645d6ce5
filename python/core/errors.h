// SPDX-License-Identifier: MIT
// Converts the library's errors to Python's.
#pragma once
#include <exception>

#include "python/core/bridge.h"

namespace chainer::python {

/// Sets Python's error from the current exception: the release's InvalidType, or built-in classes. Rethrows exceptions
/// that are not the library's.
void raise_in_python(const std::exception_ptr& p);

/// Returns the new reference computed by f(), or nullptr with Python's error set if f throws. For slots of types, which
/// nanobind does not guard.
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f();
  } catch (nb::python_error& e) { e.restore(); } catch (...) {
    try {
      raise_in_python(std::current_exception());
    } catch (const std::exception& e) { PyErr_SetString(PyExc_RuntimeError, e.what()); }
  }
  return nullptr;
}

}  // namespace chainer::python

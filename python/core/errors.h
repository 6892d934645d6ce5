// The library's errors as Python's.
#pragma once
#include <exception>

#include "python/core/bridge.h"

namespace chainer::python {

/// Sets Python's error from the exception that is being handled: the release's InvalidType, built-in classes for the
/// others. Rethrows what is not the library's.
void raise_in_python(const std::exception_ptr& p);

/// The new reference that f() computes; nullptr with Python's error set where it throws. For slots of types, which
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

#include "python/core/errors.h"

#include "chainer/autograd/type_check.h"

namespace chainer::python {

void raise_in_python(const std::exception_ptr& p) {
  try {
    std::rethrow_exception(p);
  } catch (const InvalidType& e) {
    try {
      const nb::object c = nb::module_::import_("chainer.utils.type_check").attr("InvalidType");
      PyErr_SetObject(c.ptr(), c(e.expect(), e.actual(), e.what()).ptr());
    } catch (nb::python_error& failed) { failed.restore(); }
  } catch (const TypeError& e) { PyErr_SetString(PyExc_TypeError, e.what()); } catch (const IndexError& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const KeyError& e) { PyErr_SetString(PyExc_KeyError, e.what()); } catch (const NotImplementedError& e) {
    PyErr_SetString(PyExc_NotImplementedError, e.what());
  } catch (const ValueError& e) { PyErr_SetString(PyExc_ValueError, e.what()); } catch (const MemoryError& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (const FileError& e) { PyErr_SetString(PyExc_OSError, e.what()); } catch (const Error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) { raise_in_python(p); });
}

}  // namespace chainer::python

// SPDX-License-Identifier: MIT
// The operators of Variable as slots of its type.
#include "python/core/operators.h"

#include "chainer/functions/functions.h"
#include "python/core/casters.h"
#include "python/core/device_array.h"
#include "python/core/errors.h"

namespace chainer::python {
namespace {

using Binary = Variable (*)(const Variable&, const Variable&);
using Right = Variable (*)(const Variable&, Scalar);
using Left = Variable (*)(Scalar, const Variable&);

// An ndarray in an operation with a variable takes the variable's dtype, like numbers.
void take_dtype(In& array, const Variable& beside) {
  if (array.own && beside && array.own.dtype() != beside.dtype())
    array.own = Variable(array.own.array().astype(beside.dtype()), false);
}

PyObject* operate(PyObject* a, PyObject* b, Binary both, Right right, Left left) {
  return guarded([&]() -> PyObject* {
    const Variable *x = as_variable(a), *y = as_variable(b);
    Scalar s(0);
    if (x && y) return wrap(both(*x, *y));
    if (!is_array(x ? b : a)) {
      if (x && load_scalar(b, s)) return wrap(right(*x, s));
      if (y && load_scalar(a, s)) return wrap(left(s, *y));
      Py_RETURN_NOTIMPLEMENTED;
    }
    if (!x && !y) Py_RETURN_NOTIMPLEMENTED;
    In array;
    array.own = from_array(x ? b : a);  // a TypeError says what is wrong with it, where NumPy would find another way
    take_dtype(array, x ? *x : *y);
    return wrap(x ? both(*x, array.own) : both(array.own, *y));
  });
}
#define CHAINER_OPERATOR(NAME, VV, VS, SV)                                         \
  PyObject* NAME(PyObject* a, PyObject* b) {                                       \
    return operate(                                                                \
        a, b, [](const Variable& x, const Variable& y) -> Variable { return VV; }, \
        [](const Variable& x, Scalar y) -> Variable { return VS; },                \
        [](Scalar x, const Variable& y) -> Variable { return SV; });               \
  }
CHAINER_OPERATOR(add, x + y, x + y, x + y)
CHAINER_OPERATOR(subtract, x - y, x - y, x - y)
CHAINER_OPERATOR(multiply, x* y, x* y, x* y)
CHAINER_OPERATOR(divide, x / y, x / y, x / y)
CHAINER_OPERATOR(floor_div, floor_divide(x, y), floor_divide(x, y), floor_divide(x, y))
#undef CHAINER_OPERATOR

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return operate(
      a, b, [](const Variable& x, const Variable& y) -> Variable { return pow(x, y); },
      [](const Variable& x, Scalar y) -> Variable { return pow(x, y); },
      [](Scalar x, const Variable& y) -> Variable { return pow(x, y); });
}
PyObject* matmul(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    In p, q;
    if (!load(a, p) || !load(b, q)) Py_RETURN_NOTIMPLEMENTED;
    if (p.p) take_dtype(q, *p.p);
    if (q.p) take_dtype(p, *q.p);
    return wrap(F::matmul(p.get(), q.get()));
  });
}
PyObject* negative(PyObject* a) {
  return guarded([&] { return wrap(-*as_variable(a)); });
}
PyObject* absolute(PyObject* a) {
  return guarded([&] { return wrap(F::absolute(*as_variable(a))); });
}
int truth(PyObject*) {
  PyErr_SetString(PyExc_NotImplementedError, "a Variable is not convertible to bool: use its array");
  return -1;
}
PyObject* compare(PyObject*, PyObject*, int) {
  PyErr_SetString(PyExc_NotImplementedError, "Variables cannot be compared: compare their arrays");
  return nullptr;
}
PyObject* item(PyObject* a, PyObject* index) {
  return guarded([&] { return wrap(F::get_item(*as_variable(a), load_indices(index))); });
}
// For iteration, which requests items until one is out of range.
PyObject* item_at(PyObject* a, Py_ssize_t i) {
  return guarded([&]() -> PyObject* {
    const Variable& v = *as_variable(a);
    if (!v || v.ndim() == 0) throw TypeError("a Variable without axes has no items");
    if (i < 0 || i >= v.shape()[0]) {
      PyErr_SetString(PyExc_IndexError, "index out of range");
      return nullptr;
    }
    return wrap(F::get_item(v, {Index(static_cast<int64_t>(i))}));
  });
}
Py_ssize_t length(PyObject* a) {
  const Variable& v = *as_variable(a);
  if (!v || v.ndim() == 0) {
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
  }
  return v.shape()[0];
}

// A list of ints is an array of indices; any other list stands for the tuple of its items, as in the release.
bool is_list_of_ints(PyObject* list) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i)
    if (!PyLong_Check(PyList_GET_ITEM(list, i))) return false;
  return true;
}

void load_index(PyObject* o, Indices& out) {
  if (o == Py_None) return out.push_back(newaxis);
  if (const Array* a = as_device_array(o)) return out.push_back(*a);
  if (o == Py_Ellipsis) return out.push_back(ellipsis);
  if (PySlice_Check(o)) {
    const auto number = [](PyObject* n) -> std::optional<int64_t> {
      if (n == Py_None) return std::nullopt;
      const nb::object k = nb::steal(PyNumber_Index(n));
      if (!k.is_valid()) throw nb::python_error();
      return PyLong_AsLongLong(k.ptr());
    };
    const auto* s = reinterpret_cast<PySliceObject*>(o);
    return out.push_back(Slice(number(s->start), number(s->stop), number(s->step).value_or(1)));
  }
  const bool list = PyList_Check(o) || PyTuple_Check(o);
  if (!PyBool_Check(o) && !list && !PyRange_Check(o) && !is_ndarray(o)) {
    if (const nb::object k = nb::steal(PyNumber_Index(o)); k.is_valid())
      return out.push_back(static_cast<int64_t>(PyLong_AsLongLong(k.ptr())));
    PyErr_Clear();
    if (const Variable* v = as_variable(o)) return out.push_back(v->array());
    throw IndexError("only integers, slices, Ellipsis, None, integer and boolean arrays are indices, not ",
                     nb::cast<std::string>(nb::str(nb::handle(o).type())));
  }
  nb::object array = nb::borrow(o);
  if (!is_ndarray(o)) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    array = numpy.attr("array")(array);
    if (nb::len(nb::object(array.attr("shape"))) && nb::cast<int64_t>(array.attr("size")) == 0)
      array = array.attr("astype")(numpy.attr("int64"));
  }
  out.push_back(from_numpy(array.ptr()));
}

}  // namespace

Indices load_indices(PyObject* o) {
  Indices out;
  if (PyTuple_Check(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i) load_index(PyTuple_GET_ITEM(o, i), out);
  } else if (PyList_Check(o) && !is_list_of_ints(o)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) load_index(PyList_GET_ITEM(o, i), out);
  } else {
    load_index(o, out);
  }
  return out;
}

template <class F>
static void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}
const PyType_Slot* variable_slots() {
  static const PyType_Slot slots[] = {{Py_nb_add, slot(add)},
                                      {Py_nb_subtract, slot(subtract)},
                                      {Py_nb_multiply, slot(multiply)},
                                      {Py_nb_true_divide, slot(divide)},
                                      {Py_nb_floor_divide, slot(floor_div)},
                                      {Py_nb_power, slot(power)},
                                      {Py_nb_matrix_multiply, slot(matmul)},
                                      {Py_nb_negative, slot(negative)},
                                      {Py_nb_absolute, slot(absolute)},
                                      {Py_nb_bool, slot(truth)},
                                      {Py_tp_richcompare, slot(compare)},
                                      {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                                      {Py_mp_subscript, slot(item)},
                                      {Py_mp_length, slot(length)},
                                      {Py_sq_item, slot(item_at)},
                                      {Py_sq_length, slot(length)},
                                      {Py_tp_traverse, slot(variable_traverse)},
                                      {Py_tp_clear, slot(variable_clear)},
                                      {0, nullptr}};
  return slots;
}

}  // namespace chainer::python

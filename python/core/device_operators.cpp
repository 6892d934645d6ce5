// SPDX-License-Identifier: MIT
// The operators of arrays on devices as slots of their type.
#include "chainer/array/index.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "python/core/device_array.h"
#include "python/core/errors.h"
#include "python/core/operators.h"

namespace chainer::python {
namespace {

// Returns nothing where Python should ask the other operand.
std::optional<Array> computed(Elementwise op, PyObject* a, PyObject* b) {
  Operand x, y;
  if (!load(a, x) || !load(b, y)) return std::nullopt;
  if (x.array && y.array) return binary(op, *x.array, *y.array);
  return x.array ? binary(op, *x.array, y.number) : binary(op, x.number, *y.array);
}

template <Elementwise op>
PyObject* operate(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const std::optional<Array> y = computed(op, a, b);
    if (!y) Py_RETURN_NOTIMPLEMENTED;
    return to_numpy(*y);
  });
}
// The elements of `a` are replaced, so other names and views see the result.
template <Elementwise op>
PyObject* operate_in_place(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    Operand y;
    if (!load(b, y)) Py_RETURN_NOTIMPLEMENTED;
    Array& x = *as_device_array(a);
    if constexpr (op == Elementwise::add)
      y.array ? x += * y.array : x += y.number;
    else if constexpr (op == Elementwise::subtract)
      y.array ? x -= * y.array : x -= y.number;
    else if constexpr (op == Elementwise::multiply)
      y.array ? x *= * y.array : x *= y.number;
    else if constexpr (op == Elementwise::divide)
      y.array ? x /= * y.array : x /= y.number;
    else
      x.set({ellipsis}, y.array ? binary(op, x, *y.array) : binary(op, x, y.number));
    return Py_NewRef(a);
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return operate<Elementwise::power>(a, b);
}
PyObject* power_in_place(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return operate_in_place<Elementwise::power>(a, b);
}
PyObject* multiply_matrices(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const Array *x = as_device_array(a), *y = as_device_array(b);
    if (!x || !y) Py_RETURN_NOTIMPLEMENTED;
    return to_numpy(matmul(*x, *y));
  });
}
template <Elementwise op>
PyObject* apply(PyObject* a) {
  return guarded([&] { return to_numpy(unary(op, *as_device_array(a))); });
}
PyObject* compare(PyObject* a, PyObject* b, int how) {
  constexpr Elementwise kOps[] = {Elementwise::less,      Elementwise::less_equal, Elementwise::equal,
                                  Elementwise::not_equal, Elementwise::greater,    Elementwise::greater_equal};
  return guarded([&]() -> PyObject* {
    const std::optional<Array> y = computed(kOps[how], a, b);  // in the order of Py_LT ... Py_GE
    if (!y) Py_RETURN_NOTIMPLEMENTED;
    return to_numpy(*y);
  });
}

// As guarded(), for slots that return a number.
template <class F>
int guarded_number(F&& f) noexcept {
  int result = -1;
  const nb::object done = nb::steal(guarded([&] {
    result = f();
    return Py_NewRef(Py_None);
  }));
  return done.is_valid() ? result : -1;
}
int truth(PyObject* a) {
  return guarded_number([&] {
    const Array& x = *as_device_array(a);
    if (x.size() != 1)
      throw ValueError("the truth value of an array of ", x.size(), " elements is ambiguous: use a.any() or a.all()");
    return static_cast<int>(x.scalar().to_bool());
  });
}
PyObject* to_int(PyObject* a) {
  return guarded([&] {
    const Scalar s = as_device_array(a)->scalar();
    return s.kind() == 'f' ? PyLong_FromDouble(s.to_double()) : PyLong_FromLongLong(s.to_int());
  });
}
PyObject* to_float(PyObject* a) {
  return guarded([&] { return PyFloat_FromDouble(as_device_array(a)->scalar().to_double()); });
}
PyObject* to_index(PyObject* a) {
  return guarded([&] {
    const Array& x = *as_device_array(a);
    if (x.ndim() != 0 || is_floating(x.dtype()) || x.dtype() == Dtype::bool_)
      throw TypeError("only integer arrays without axes can be an index, not an array of shape ", x.shape(), " of ",
                      x.dtype());
    return PyLong_FromLongLong(x.scalar().to_int());
  });
}

PyObject* item(PyObject* a, PyObject* index) {
  return guarded([&] { return to_numpy(get_item(*as_device_array(a), load_indices(index))); });
}
int set_items(PyObject* a, PyObject* index, PyObject* value) {
  return guarded_number([&] {
    if (!value) throw TypeError("elements of an array cannot be deleted");
    Array& x = *as_device_array(a);
    Operand y;
    Array given;
    if (load(value, y)) {
      given = y.array ? *y.array : full({}, y.number, y.number.promoted_with(x.dtype()));
    } else if (is_ndarray(value)) {
      given = from_numpy(value);
    } else {
      const nb::object made = nb::module_::import_("numpy").attr("asarray")(nb::handle(value));
      given = from_numpy(made.ptr());
    }
    set_item(x, load_indices(index), given.to_device(x.device()));
    return 0;
  });
}
PyObject* item_at(PyObject* a, Py_ssize_t i) {
  return guarded([&]() -> PyObject* {
    const Array& x = *as_device_array(a);
    if (x.ndim() == 0) throw TypeError("an array without axes has no items");
    if (i < 0 || i >= x.shape()[0]) {
      PyErr_SetString(PyExc_IndexError, "index out of range");
      return nullptr;
    }
    return to_numpy(x[static_cast<int64_t>(i)]);
  });
}
Py_ssize_t length(PyObject* a) {
  const Array& x = *as_device_array(a);
  if (x.ndim() > 0) return x.shape()[0];
  PyErr_SetString(PyExc_TypeError, "len() of unsized object");
  return -1;
}

template <class F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

const PyType_Slot* device_array_slots() {
  static const PyType_Slot slots[] = {{Py_nb_add, slot(operate<Elementwise::add>)},
                                      {Py_nb_subtract, slot(operate<Elementwise::subtract>)},
                                      {Py_nb_multiply, slot(operate<Elementwise::multiply>)},
                                      {Py_nb_true_divide, slot(operate<Elementwise::divide>)},
                                      {Py_nb_floor_divide, slot(operate<Elementwise::floor_divide>)},
                                      {Py_nb_remainder, slot(operate<Elementwise::remainder>)},
                                      {Py_nb_power, slot(power)},
                                      {Py_nb_inplace_add, slot(operate_in_place<Elementwise::add>)},
                                      {Py_nb_inplace_subtract, slot(operate_in_place<Elementwise::subtract>)},
                                      {Py_nb_inplace_multiply, slot(operate_in_place<Elementwise::multiply>)},
                                      {Py_nb_inplace_true_divide, slot(operate_in_place<Elementwise::divide>)},
                                      {Py_nb_inplace_floor_divide, slot(operate_in_place<Elementwise::floor_divide>)},
                                      {Py_nb_inplace_remainder, slot(operate_in_place<Elementwise::remainder>)},
                                      {Py_nb_inplace_power, slot(power_in_place)},
                                      {Py_nb_matrix_multiply, slot(multiply_matrices)},
                                      {Py_nb_negative, slot(apply<Elementwise::negative>)},
                                      {Py_nb_positive, slot(apply<Elementwise::copy>)},
                                      {Py_nb_absolute, slot(apply<Elementwise::absolute>)},
                                      {Py_nb_bool, slot(truth)},
                                      {Py_nb_int, slot(to_int)},
                                      {Py_nb_float, slot(to_float)},
                                      {Py_nb_index, slot(to_index)},
                                      {Py_tp_richcompare, slot(compare)},
                                      {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                                      {Py_mp_subscript, slot(item)},
                                      {Py_mp_ass_subscript, slot(set_items)},
                                      {Py_mp_length, slot(length)},
                                      {Py_sq_item, slot(item_at)},
                                      {Py_sq_length, slot(length)},
                                      {0, nullptr}};
  return slots;
}

}  // namespace chainer::python

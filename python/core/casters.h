// SPDX-License-Identifier: MIT
// Conversions of arguments and results between Python and the types of the functions' signatures.
#pragma once
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "chainer/array/index.h"
#include "chainer/array/per_axis.h"
#include "chainer/routines/im2col.h"
#include "python/core/bridge.h"

namespace chainer::python {

template <class D>
bool load_dims(PyObject* o, D& d) noexcept {
  const auto append = [&d](PyObject* e) {
    PyObject* k = PyNumber_Index(e);
    if (!k) return PyErr_Clear(), false;
    const long long v = PyLong_AsLongLong(k);
    Py_DECREF(k);
    if (v == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
    d.push_back(v);
    return true;
  };
  if (PyIndex_Check(o) && !PySequence_Check(o)) return append(o);
  if (is_ndarray(o) && PyObject_Length(o) < 0) return PyErr_Clear(), append(o);
  PyObject* s = PySequence_Fast(o, "");
  if (!s) return PyErr_Clear(), false;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(s);
  bool good = true;
  if constexpr (std::is_base_of_v<Dims, D>) good = n <= kMaxNdim;
  for (Py_ssize_t i = 0; good && i < n; ++i) good = append(PySequence_Fast_GET_ITEM(s, i));
  Py_DECREF(s);
  return good;
}

/// A tuple of numbers, a new reference.
inline PyObject* int_tuple(const Dims& d) {
  PyObject* t = PyTuple_New(static_cast<Py_ssize_t>(d.size()));
  for (int i = 0; i < d.ndim(); ++i) PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(d[i]));
  return t;
}
/// A number or a list of them.
struct IntList {
  std::vector<int64_t> v;
  operator const std::vector<int64_t>&() const { return v; }
};
/// Axes, which may also be a list.
struct AnyAxes : Axes {
  using Axes::Axes;
};
/// A boolean, by Python's truth value.
struct Flag {
  bool v = false;
  operator bool() const { return v; }
};
/// A name of an enumeration's value. An unknown name raises a ValueError when the value is read.
template <class E>
struct Word {
  std::string text;
  operator E() const;
};

}  // namespace chainer::python

namespace nanobind::detail {
namespace cp = chainer::python;

#define CHAINER_CASTER(TYPE, NAME, LOAD, GIVE)                                 \
  template <>                                                                  \
  struct type_caster<TYPE> {                                                   \
    NB_TYPE_CASTER(TYPE, const_name(NAME))                                     \
    bool from_python(handle src, uint8_t, cleanup_list*) noexcept { LOAD }     \
    static handle from_cpp(const TYPE& v, rv_policy, cleanup_list*) noexcept { \
      (void)v;                                                                 \
      GIVE                                                                     \
    }                                                                          \
  };

CHAINER_CASTER(cp::In, "Variable", return cp::load(src.ptr(), value);, return none().release();)
CHAINER_CASTER(chainer::Variable, "Variable", cp::In in; if (!cp::load(src.ptr(), in)) return false; value = in.get();
               return true;, return cp::wrap(v);)
CHAINER_CASTER(chainer::Array, "numpy.ndarray", cp::In in; if (!cp::load(src.ptr(), in)) return false;
               value = in.get().array(); return true;, return cp::to_numpy(v);)
CHAINER_CASTER(cp::IntList, "int | tuple", return cp::load_dims(src.ptr(), value.v);, return none().release();)
CHAINER_CASTER(cp::Flag, "bool", const int truth = PyObject_IsTrue(src.ptr()); if (truth < 0) PyErr_Clear();
               value.v = truth > 0; return truth >= 0;, return PyBool_FromLong(v.v);)
CHAINER_CASTER(chainer::Dims, "tuple", return cp::load_dims(src.ptr(), value);, return cp::int_tuple(v);)
CHAINER_CASTER(chainer::Shape, "tuple", return cp::load_dims(src.ptr(), value);, return cp::int_tuple(v);)
// (A list of axes is a TypeError, as in the release.)
CHAINER_CASTER(chainer::Axes, "int | tuple | None", if (src.is_none()) return true; chainer::Dims d;
               if (PyList_Check(src.ptr()) || !cp::load_dims(src.ptr(), d)) return false; value = chainer::Axes(d);
               return true;, return v.given() ? cp::int_tuple(v.list()) : none().release().ptr();)
CHAINER_CASTER(cp::AnyAxes, "int | tuple | None", if (src.is_none()) return true; chainer::Dims d;
               if (!cp::load_dims(src.ptr(), d)) return false; value = cp::AnyAxes(d); return true;
               , return none().release();)
CHAINER_CASTER(chainer::PerAxis, "int | tuple | None", if (src.is_none()) return true; chainer::Dims d;
               if (!cp::load_dims(src.ptr(), d)) return false;
               value = PySequence_Check(src.ptr()) ? chainer::PerAxis(d) : chainer::PerAxis(d[0]); return true;
               , return none().release();)
CHAINER_CASTER(
    chainer::Dtype, "numpy.dtype",
    try {
      value = cp::dtype_from_python(src.ptr());
      return true;
    } catch (const std::exception&) {
      PyErr_Clear();
      return false;
    },
    return cp::dtype_to_python(v);)

template <>
struct type_caster<chainer::IntPair> {
  static constexpr auto Name = const_name("int | tuple");
  template <typename T>
  using Cast = chainer::IntPair;
  template <typename T>
  static constexpr bool can_cast() {
    return true;
  }
  chainer::IntPair value{0};
  explicit operator chainer::IntPair() { return value; }
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    chainer::Dims d;
    if (!cp::load_dims(src.ptr(), d) || d.ndim() < 1 || d.ndim() > 2) return false;
    value = d.ndim() == 1 ? chainer::IntPair(d[0]) : chainer::IntPair(d[0], d[1]);
    return true;
  }
  static handle from_cpp(const chainer::IntPair& p, rv_policy, cleanup_list*) noexcept {
    return nb::make_tuple(p.h, p.w).release();
  }
};

template <>
struct type_caster<chainer::Variables> {
  NB_TYPE_CASTER(chainer::Variables, const_name("tuple"))
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    if (src.is_none()) return true;
    PyObject* s = PySequence_Fast(src.ptr(), "");
    if (!s) return PyErr_Clear(), false;
    bool good = true;
    for (Py_ssize_t i = 0; good && i < PySequence_Fast_GET_SIZE(s); ++i) {
      cp::In in;
      good = cp::load(PySequence_Fast_GET_ITEM(s, i), in);
      if (good) value.push_back(in.get());
    }
    Py_DECREF(s);
    return good;
  }
  static handle from_cpp(const chainer::Variables& vs, rv_policy, cleanup_list*) noexcept {
    PyObject* t = PyTuple_New(static_cast<Py_ssize_t>(vs.size()));
    for (std::size_t i = 0; i < vs.size(); ++i) PyTuple_SET_ITEM(t, static_cast<Py_ssize_t>(i), cp::wrap(vs[i]));
    return t;
  }
};
template <>
struct type_caster<chainer::Arrays> {
  NB_TYPE_CASTER(chainer::Arrays, const_name("tuple"))
  bool from_python(handle, uint8_t, cleanup_list*) noexcept { return false; }
  static handle from_cpp(const chainer::Arrays& as, rv_policy, cleanup_list*) noexcept {
    PyObject* t = PyTuple_New(static_cast<Py_ssize_t>(as.size()));
    for (std::size_t i = 0; i < as.size(); ++i) PyTuple_SET_ITEM(t, static_cast<Py_ssize_t>(i), cp::to_numpy(as[i]));
    return t;
  }
};
template <class E>
struct type_caster<cp::Word<E>> {
  NB_TYPE_CASTER(cp::Word<E>, const_name("str"))
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept {
    PyObject* s = PyUnicode_Check(src.ptr()) ? Py_NewRef(src.ptr()) : PyObject_Repr(src.ptr());
    const char* text = s ? PyUnicode_AsUTF8(s) : nullptr;
    if (text) value.text = text;
    Py_XDECREF(s);
    return text != nullptr;
  }
  static handle from_cpp(const cp::Word<E>& v, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_FromString(v.text.c_str());
  }
};
#undef CHAINER_CASTER
}  // namespace nanobind::detail

// SPDX-License-Identifier: MIT
// Arrays whose memory NumPy and the library share. NumPy's C interface is used by this source only.
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <mutex>
#include <unordered_map>
#include <vector>

#include "chainer/array/external.h"
#include "python/core/device_array.h"
#include "python/core/python_link.h"

namespace chainer::python {
namespace {

constexpr int kNumpyTypes[kDtypeCount] = {NPY_BOOL,  NPY_INT8,    NPY_INT16,   NPY_INT32,   NPY_INT64,
                                          NPY_UINT8, NPY_FLOAT16, NPY_FLOAT32, NPY_FLOAT64, -1};
// The number of ml_dtypes' bfloat16, which NumPy does not have; -1 without that package. Imported when a type of a
// package is first seen.
int bfloat16_of_numpy() {
  static const int type = [] {
    PyObject* const module = PyImport_ImportModule("ml_dtypes");
    PyObject* const scalar = module ? PyObject_GetAttrString(module, "bfloat16") : nullptr;
    PyArray_Descr* descr = nullptr;
    const bool found = scalar && PyArray_DescrConverter(scalar, &descr) && descr->type_num >= NPY_USERDEF;
    const int number = found ? descr->type_num : -1;
    PyErr_Clear();
    Py_XDECREF(descr), Py_XDECREF(scalar), Py_XDECREF(module);
    return number;
  }();
  return type;
}
int dtype_of_numpy(int type) {
  if (type >= NPY_USERDEF) return type == bfloat16_of_numpy() ? static_cast<int>(Dtype::bfloat16) : -1;
  switch (type) {
    case NPY_BOOL: return static_cast<int>(Dtype::bool_);
    case NPY_BYTE: return static_cast<int>(Dtype::int8);
    case NPY_SHORT: return static_cast<int>(Dtype::int16);
    case NPY_INT: return static_cast<int>(Dtype::int32);
    case NPY_LONG:
    case NPY_LONGLONG: return static_cast<int>(Dtype::int64);
    case NPY_UBYTE: return static_cast<int>(Dtype::uint8);
    case NPY_HALF: return static_cast<int>(Dtype::float16);
    case NPY_FLOAT: return static_cast<int>(Dtype::float32);
    case NPY_DOUBLE: return static_cast<int>(Dtype::float64);
    default: return -1;
  }
}

// The ndarrays that refer to memory of the library: body -> ndarray, borrowed; the ndarray's capsule holds the body.
// Accessed only with the interpreter's lock.
std::unordered_map<const ArrayBody*, PyObject*> shown;
// The number of ndarrays that refer to an owner's memory. The destruction of the last one removes the mark that makes
// computations on this memory eager.
std::unordered_map<const ArrayBody*, int> looks;

// The ndarrays of Pinned objects, and their arrays.
std::unordered_map<const PyObject*, const Array*> pinned;

std::mutex late_mutex;
std::vector<PyObject*> late;
std::atomic<bool> any_late{false};

void capsule_gone(PyObject* capsule) {
  auto* body = static_cast<ArrayBody*>(PyCapsule_GetPointer(capsule, nullptr));
  shown.erase(body);
  ArrayBody& owner = body->owner();
  if (const auto it = looks.find(&owner); it != looks.end() && --it->second == 0) {
    looks.erase(it);
    owner.unmark(ArrayBody::kShared);
  }
  const Ref<ArrayBody> gone(body, Ref<ArrayBody>::Adopt{});
}

// The owner of an array in an ndarray's memory.
struct Held {
  PyObject* ndarray;
  void operator()() const { give_up(ndarray); }
};
PyObject* origin(const ArrayBody& body) {
  if (!body.marked(ArrayBody::kExternal)) return nullptr;
  const Held* held = static_cast<const ExternalBody&>(body).release.target<Held>();
  return held ? held->ndarray : nullptr;
}

bool has_layout_of(const Array& a, PyArrayObject* ndarray) {
  if (a.body().data != PyArray_DATA(ndarray) || a.ndim() != PyArray_NDIM(ndarray)) return false;
  if (static_cast<int>(a.dtype()) != dtype_of_numpy(PyArray_TYPE(ndarray))) return false;
  const Strides strides = a.strides();
  for (int d = 0; d < a.ndim(); ++d)
    if (a.shape()[d] != PyArray_DIM(ndarray, d) || strides[d] * item_size(a.dtype()) != PyArray_STRIDE(ndarray, d))
      return false;
  return is_writable(a) == static_cast<bool>(PyArray_ISWRITEABLE(ndarray));
}

// Whether a class is numpy.ma.MaskedArray or derived from it. (It is looked up where it was imported.)
bool is_masked(PyTypeObject* type) {
  PyObject* const modules = PyImport_GetModuleDict();
  PyObject* const ma = PyDict_GetItemString(modules, "numpy.ma");
  if (!ma) return false;
  const nb::object masked = nb::getattr(nb::handle(ma), "MaskedArray", nb::none());
  return PyType_Check(masked.ptr()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(masked.ptr()));
}

Array converted(PyArrayObject* a, int type) {
  PyArray_Descr* descr = PyArray_DescrFromType(type);
  nb::object copy = nb::steal(PyArray_FromArray(
      a, descr, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSURECOPY));
  if (!copy.is_valid()) throw nb::python_error();
  return from_numpy(copy.ptr());
}

}  // namespace

PyTypeObject* ndarray_type = nullptr;

void import_numpy() {
  if (_import_array() < 0) throw nb::python_error();
  ndarray_type = &PyArray_Type;
}
bool is_ndarray(PyObject* o) { return PyArray_Check(o); }
int64_t exposed() { return static_cast<int64_t>(shown.size()); }
bool is_shared(const Array& a) { return has_owner_outside(a); }

void give_up(PyObject* o) {
  if (PyGILState_Check()) {
    Py_DECREF(o);
    return;
  }
  const std::lock_guard lock(late_mutex);
  late.push_back(o);
  any_late.store(true, std::memory_order_release);
}
void give_back() {
  if (!any_late.load(std::memory_order_acquire)) return;
  std::vector<PyObject*> all;
  {
    const std::lock_guard lock(late_mutex);
    all.swap(late);
    any_late.store(false, std::memory_order_release);
  }
  for (PyObject* o : all) Py_DECREF(o);
}

PyObject* to_numpy(const Array& a) {
  if (!a) Py_RETURN_NONE;
  if (a.dtype() == Dtype::bfloat16) return to_numpy(a.astype(Dtype::float32));
  ArrayBody& body = a.body();
  if (!body.device.is_host()) [[unlikely]]
    return wrap_device_array(a);
  if (PyObject* from = origin(body)) return Py_NewRef(from);
  if (const auto it = shown.find(&body); it != shown.end()) return Py_NewRef(it->second);
  give_back();
  ArrayBody& owner = body.owner();
  // Memory marked by another owner stays marked when the last ndarray is destroyed.
  const bool marked = owner.marked(ArrayBody::kShared);
  share_memory(a);
  if (const auto it = looks.find(&owner); it != looks.end())
    ++it->second;
  else if (!marked && !owner.marked(ArrayBody::kExternal))
    looks[&owner] = 1;
  npy_intp shape[kMaxNdim], strides[kMaxNdim];
  const int64_t width = item_size(a.dtype());
  const Strides s = a.strides();
  for (int i = 0; i < a.ndim(); ++i) shape[i] = a.shape()[i], strides[i] = s[i] * width;
  const int flags = is_writable(a) ? NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED : NPY_ARRAY_ALIGNED;
  void* data = a.size() ? const_cast<void*>(a.raw()) : static_cast<void*>(&body);
  PyObject* capsule = PyCapsule_New(Ref<ArrayBody>(&body).release(), nullptr, capsule_gone);
  PyObject* array = PyArray_New(&PyArray_Type, a.ndim(), shape, kNumpyTypes[static_cast<int>(a.dtype())], strides, data,
                                0, flags, nullptr);
  if (!array || !capsule) throw nb::python_error();
  PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), capsule);
  PyArray_UpdateFlags(reinterpret_cast<PyArrayObject*>(array), NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
  shown[&body] = array;
  return array;
}

Array from_numpy(PyObject* o) {
  auto* a = reinterpret_cast<PyArrayObject*>(o);
  if (PyObject* base = PyArray_BASE(a); base && PyCapsule_CheckExact(base) && !PyCapsule_GetName(base)) {
    auto* body = static_cast<ArrayBody*>(PyCapsule_GetPointer(base, nullptr));
    if (const auto it = shown.find(body); it != shown.end() && it->second == o) return Array(Ref<ArrayBody>(body));
    PyErr_Clear();
  }
  if (!pinned.empty()) [[unlikely]]
    if (const auto it = pinned.find(o); it != pinned.end() && *it->second && has_layout_of(*it->second, a))
      return *it->second;
  if (!PyArray_CheckExact(o) && is_masked(Py_TYPE(o)))
    throw TypeError("a masked array has no counterpart: its mask would be lost. Give a.filled(value), or a.data");
  const int d = dtype_of_numpy(PyArray_TYPE(a));
  if (d < 0) {
    switch (PyArray_TYPE(a)) {
      case NPY_USHORT: return converted(a, NPY_INT32);
      case NPY_UINT:
      case NPY_ULONG:
      case NPY_ULONGLONG: return converted(a, NPY_INT64);
      default:
        throw TypeError("no dtype for an ndarray of ",
                        nb::cast<std::string>(nb::str(nb::handle(reinterpret_cast<PyObject*>(PyArray_DESCR(a))))));
    }
  }
  const int n = PyArray_NDIM(a);
  const auto dtype = static_cast<Dtype>(d);
  const int64_t width = item_size(dtype);
  bool plain = !PyArray_ISBYTESWAPPED(a) && PyArray_ISALIGNED(a);
  for (int i = 0; i < n; ++i) plain = plain && PyArray_STRIDE(a, i) % width == 0;
  if (!plain) return converted(a, PyArray_TYPE(a));
  ExternalOptions options{.writable = static_cast<bool>(PyArray_ISWRITEABLE(a)), .shared = true};
  const Shape shape(PyArray_DIMS(a), PyArray_DIMS(a) + n);
  if (!PyArray_IS_C_CONTIGUOUS(a)) {
    Strides s;
    for (int i = 0; i < n; ++i) s.push_back(PyArray_STRIDE(a, i) / width);
    options.strides = s;
  }
  Array out = external_array(PyArray_DATA(a), shape, dtype, Held{o}, options);
  Py_INCREF(o);
  return out;
}

Pinned::Pinned(nb::object ndarray) : ndarray_(std::move(ndarray)), array_(from_numpy(ndarray_.ptr())) {
  pinned.try_emplace(ndarray_.ptr(), &array_);
}
Pinned::~Pinned() {
  if (const auto it = pinned.find(ndarray_.ptr()); it != pinned.end() && it->second == &array_) pinned.erase(it);
}
Array& Pinned::array() {
  if (!array_.is(from_numpy(ndarray_.ptr()))) array_ = from_numpy(ndarray_.ptr());
  return array_;
}

PyObject* dtype_to_python(Dtype d) {
  const int type = d == Dtype::bfloat16 ? NPY_FLOAT32 : kNumpyTypes[static_cast<int>(d)];
  return reinterpret_cast<PyObject*>(PyArray_DescrFromType(type));
}
Dtype dtype_from_python(PyObject* o) {
  if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, "bfloat16") == 0) return Dtype::bfloat16;
  PyArray_Descr* descr = nullptr;
  if (!PyArray_DescrConverter(o, &descr)) throw nb::python_error();
  const int d = dtype_of_numpy(descr->type_num);
  Py_DECREF(descr);
  if (d < 0) throw TypeError("no dtype ", nb::cast<std::string>(nb::str(nb::handle(o))));
  return static_cast<Dtype>(d);
}

bool load(PyObject* o, In& in) noexcept {
  if (!PyArray_CheckExact(o)) {
    if ((in.p = as_variable(o))) return true;
    if (o == Py_None) return true;
  }
  try {
    if (PyArray_Check(o)) {
      in.own = from_numpy(o);
      return true;
    }
    if (PyArray_CheckScalar(o)) {
      nb::object a = nb::steal(PyArray_FromScalar(o, nullptr));
      in.own = from_numpy(a.ptr()).copy();
      return true;
    }
    if (const Array* a = as_device_array(o)) {
      in.own = *a;
      return true;
    }
  } catch (const std::exception&) { PyErr_Clear(); }
  return false;
}

bool load_scalar(PyObject* o, Scalar& s) noexcept {
  if (PyBool_Check(o)) return s = Scalar(o == Py_True), true;
  if (PyFloat_Check(o)) return s = Scalar(PyFloat_AS_DOUBLE(o)), true;
  if (PyLong_Check(o) || PyArray_IsScalar(o, Integer) || PyArray_IsScalar(o, Bool)) {
    const long long v = PyArray_IsScalar(o, Bool) ? PyObject_IsTrue(o) : PyLong_AsLongLong(o);
    if (v == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      const double f = PyLong_AsDouble(o);
      return PyErr_Occurred() ? (PyErr_Clear(), false) : (s = Scalar(f), true);
    }
    return s = Scalar(static_cast<int64_t>(v)), true;
  }
  if (PyArray_IsScalar(o, Floating)) {
    nb::object f = nb::steal(PyNumber_Float(o));
    if (!f.is_valid()) return PyErr_Clear(), false;
    return s = Scalar(PyFloat_AS_DOUBLE(f.ptr())), true;
  }
  return false;
}

}  // namespace chainer::python

// SPDX-License-Identifier: MIT
// Common declarations of the Python module: conversion of arrays and variables.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "chainer/array/array.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/variable.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace chainer::python {

void import_numpy();
/// Returns a new reference to the ndarray of an array: the ndarray it came from, or an ndarray on its memory, the same
/// object as long as it is referenced. Until the last such ndarray is destroyed, computations on this memory are not
/// deferred. None for an empty array, an object of device_array.h for an array on a device.
PyObject* to_numpy(const Array& a);
bool is_ndarray(PyObject* o);
/// Returns an array on the memory of an ndarray, which it keeps alive, or the library's array if the ndarray refers to
/// one. Copies an ndarray whose dtype or layout has no counterpart if a wider integer can represent its values;
/// otherwise raises a TypeError.
Array from_numpy(PyObject* ndarray);
/// Returns the number of the library's arrays with ndarrays.
int64_t exposed();
/// Returns true if code outside the library may write to the array's memory.
bool is_shared(const Array& a);
/// Releases a reference, deferred if this thread does not hold the interpreter's lock.
void give_up(PyObject* o);
/// Releases the references that were deferred for lack of the interpreter's lock.
void give_back();
PyObject* dtype_to_python(Dtype d);
/// Returns the dtype of an argument of numpy.dtype(), or raises a Python exception.
Dtype dtype_from_python(PyObject* o);

/// The content of a Python Variable. Variables that Python code may look up by node are registered.
struct Handle {
  Variable v;
  PyObject* self = nullptr;
  VariableNode* known = nullptr;
  PyObject* relay = nullptr;  // owned while the garbage is collected (cycles.cpp)
  Handle *next = first, *previous = nullptr;
  static inline Handle* first = nullptr;  // of all that there are
  Handle() { enter(); }
  explicit Handle(Variable variable) : v(std::move(variable)) { enter(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();

 private:
  void enter() {
    if (next) next->previous = this;
    first = this;
  }
};
extern PyTypeObject *variable_type, *ndarray_type;
/// The offset of the Handle in a Python Variable, the same for all objects of the class itself.
extern std::ptrdiff_t handle_distance;

inline Handle* as_handle(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  if (type == variable_type) return reinterpret_cast<Handle*>(reinterpret_cast<char*>(o) + handle_distance);
  if (type == ndarray_type || type == &PyFloat_Type || !PyType_IsSubtype(type, variable_type)) return nullptr;
  return nb::inst_ptr<Handle>(nb::handle(o));
}
inline const Variable* as_variable(PyObject* o) {
  const Handle* h = as_handle(o);
  return h ? &h->v : nullptr;
}
/// Registers this Python object, so that known() finds it by its node.
void remember(PyObject* variable);
/// Returns a new Python object for a variable; None for an empty variable.
PyObject* wrap(Variable v);
/// Returns the Python object that holds this node's variable, or a new one.
PyObject* known(Variable v);
/// Returns the Python object that holds this node's variable, borrowed, or nullptr.
PyObject* living(const VariableNode* n);
/// "(2, 5), float32"
std::string label_of(const Shape& shape, Dtype dtype);
/// Returns the Python objects of nodes, the same objects as long as they are referenced; None for nullptr.
PyObject* wrap_node(VariableNode* n);
PyObject* wrap_function(FunctionNode* f);
/// Returns the Python object of a function written in Python as a borrowed reference, or nullptr.
PyObject* python_function(FunctionNode* f);
/// Returns the node of a Python function, an old-style function or a function of the library; otherwise an empty
/// reference.
Ref<FunctionNode> as_function(PyObject* o);

/// An argument that is a variable, an ndarray, a NumPy number or None.
struct In {
  const Variable* p = nullptr;
  Variable own;
  const Variable& get() const { return p ? *p : own; }
  operator const Variable&() const { return get(); }
};
bool load(PyObject* o, In& in) noexcept;
/// A NumPy number or a Python number.
bool load_scalar(PyObject* o, Scalar& s) noexcept;

/// A scope that releases the interpreter's lock if the computation is long enough.
class Unlocked {
 public:
  explicit Unlocked(const Variable& v) : Unlocked(v && v.size() >= 32768) {}
  explicit Unlocked(const Variables& v) : Unlocked(!v.empty() && v[0] && v[0].size() >= 32768) {}
  explicit Unlocked(bool go) {
    if (!go) return;
    ++count;
    state_ = PyEval_SaveThread();
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    if (!state_) return;
    PyEval_RestoreThread(state_);
    --count;
  }
  /// How many there are of all threads.
  static std::atomic<int> count;

 private:
  PyThreadState* state_ = nullptr;
};

void bind_variable(nb::module_& m);
void bind_nodes(nb::module_& m);
void bind_hooks(nb::module_& m);
void bind_config(nb::module_& m);
void bind_updates(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_adapters(nb::module_& m);
void bind_cycles(nb::module_& m);
int variable_traverse(PyObject* self, visitproc visit, void* arg);
int variable_clear(PyObject* self);

}  // namespace chainer::python

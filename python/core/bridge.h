// What the sources of the Python module share: arrays and variables on both sides.
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
/// The ndarray of an array: the one it came from, or one on its memory, the same one while somebody holds it. From here
/// on until the last such ndarray is gone nothing on this memory is put off. A new reference; None for no array.
PyObject* to_numpy(const Array& a);
bool is_ndarray(PyObject* o);
/// An array on the memory of an ndarray, which it holds; the array itself if the ndarray shows one of ours. An ndarray
/// whose dtype or layout has no counterpart is copied where a wider integer holds its values; else it is a TypeError.
Array from_numpy(PyObject* ndarray);
/// How many of the library's arrays Python looks at.
int64_t exposed();
/// Whether others than the library may write to the array's memory.
bool is_shared(const Array& a);
/// Gives up a reference, later if this thread does not hold the interpreter's lock.
void give_up(PyObject* o);
/// Gives back what died without the interpreter's lock.
void give_back();
PyObject* dtype_to_python(Dtype d);
/// The dtype of what numpy.dtype() takes; a Python exception otherwise.
Dtype dtype_from_python(PyObject* o);

/// What a Python Variable holds. A variable that Python code may ask for again by its node is known by it.
struct Handle {
  Variable v;
  PyObject* self = nullptr;
  VariableNode* known = nullptr;
  Handle() = default;
  explicit Handle(Variable variable) : v(std::move(variable)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();
};
extern PyTypeObject *variable_type, *ndarray_type;
/// From a Python Variable to its Handle: the same distance for all objects of the class itself.
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
/// Lets known() find this Python object by its node.
void remember(PyObject* variable);
/// A new Python object around a variable; None for none.
PyObject* wrap(Variable v);
/// The Python object that holds this node's variable, or a new one.
PyObject* known(Variable v);
/// The Python object that holds this node's variable, or None.
PyObject* known_or_none(const VariableNode* n);
/// "(2, 5), float32"
std::string label_of(const Shape& shape, Dtype dtype);
/// The Python objects of nodes, the same ones while somebody holds them; None for nullptr.
PyObject* wrap_node(VariableNode* n);
PyObject* wrap_function(FunctionNode* f);
/// The Python object of a function written in Python, borrowed, or nullptr.
PyObject* python_function(FunctionNode* f);
/// The node behind a Python function, an old-style one or one of the library's; none otherwise.
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

/// Without the interpreter's lock while it lives, where the computation is long enough.
class Unlocked {
 public:
  explicit Unlocked(const Variable& v) : Unlocked(v && v.size() >= 32768) {}
  explicit Unlocked(const Variables& v) : Unlocked(!v.empty() && v[0] && v[0].size() >= 32768) {}
  explicit Unlocked(bool go) : state_(go ? PyEval_SaveThread() : nullptr) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    if (state_) PyEval_RestoreThread(state_);
  }

 private:
  PyThreadState* state_;
};

void bind_variable(nb::module_& m);
void bind_nodes(nb::module_& m);
void bind_hooks(nb::module_& m);
void bind_config(nb::module_& m);
void bind_updates(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_adapters(nb::module_& m);

}  // namespace chainer::python

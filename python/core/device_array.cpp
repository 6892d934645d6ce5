// SPDX-License-Identifier: MIT
// The class chainer.backends.cuda.ndarray. Its methods that call routines are Python
// (chainer/backends/device_arrays/_methods.py).
#include "python/core/device_array.h"

#include <unordered_map>

#include "chainer/array/external.h"
#include "chainer/array/host.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "python/core/casters.h"

namespace chainer::python {

PyTypeObject* device_array_type = nullptr;

namespace {

// The objects by the body of their array, borrowed. Accessed only with the interpreter's lock.
std::unordered_map<const ArrayBody*, PyObject*> objects;

struct DeviceArray {
  explicit DeviceArray(Array array) : a(std::move(array)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    if (const auto it = objects.find(&a.body()); it != objects.end() && it->second == self) objects.erase(it);
  }
  Array a;
  PyObject* self = nullptr;
};

// Waits for the device without the interpreter's lock.
Array fetched(const Array& a) {
  const nb::gil_scoped_release unlocked;
  Array host = to_host(a);
  (void)host.raw();
  return host;
}

nb::tuple strides_of(const DeviceArray& x) {
  Dims bytes;
  for (const int64_t s : x.a.strides()) bytes.push_back(s * item_size(x.a.dtype()));
  return nb::steal<nb::tuple>(int_tuple(bytes));
}

Shape shape_argument(nb::handle o) {
  Shape shape;
  if (!load_dims(o.ptr(), shape))
    throw TypeError("a shape is an integer or a tuple of integers, not ", nb::cast<std::string>(nb::repr(o)));
  return shape;
}

}  // namespace

Array* as_device_array(PyObject* o) {
  return Py_TYPE(o) == device_array_type ? &nb::inst_ptr<DeviceArray>(nb::handle(o))->a : nullptr;
}

PyObject* wrap_device_array(const Array& a) {
  if (const auto it = objects.find(&a.body()); it != objects.end() && Py_REFCNT(it->second) > 0)
    return Py_NewRef(it->second);
  PyObject* o = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(device_array_type))).release().ptr();
  auto* x = new (nb::inst_ptr<DeviceArray>(nb::handle(o))) DeviceArray(a);
  nb::inst_mark_ready(nb::handle(o));
  x->self = o;
  objects[&a.body()] = o;
  return o;
}

Array from_array(PyObject* o) {
  const Array* a = as_device_array(o);
  return a ? *a : from_numpy(o);
}

Device device_of_new_arrays() { return gpu_device(); }

Array Operand::get() const {
  if (array) return *array;
  const Dtype dtype = number.kind() == 'f' ? float64 : number.kind() == 'b' ? bool_ : int64;
  return full({}, number, dtype, device_of_new_arrays());
}

bool load(PyObject* o, Operand& operand) noexcept {
  operand.array = as_device_array(o);
  return operand.array || load_scalar(o, operand.number);
}

Operand operand(std::string_view operation, nb::handle o) {
  Operand x;
  if (!load(o.ptr(), x))
    throw TypeError(operation, ": the operands must be arrays on a device or numbers, not ",
                    nb::cast<std::string>(nb::str(o.type())), "; asarray(a) copies a NumPy array to the device");
  return x;
}
Array array_operand(std::string_view operation, nb::handle o) { return operand(operation, o).get(); }

void bind_device_arrays(nb::module_& m) {
  auto c = nb::class_<DeviceArray>(m, "ndarray", nb::type_slots(device_array_slots()), nb::is_weak_referenceable(),
                                   nb::is_final());
  device_array_type = reinterpret_cast<PyTypeObject*>(c.ptr());
  c.def(
      "__init__",
      [](nb::pointer_and_handle<DeviceArray> made, nb::handle shape, nb::handle dtype) {
        const Dtype d = dtype.is_none() ? float64 : dtype_from_python(dtype.ptr());
        auto* x = new (made.p) DeviceArray(empty(shape_argument(shape), d, device_of_new_arrays()));
        x->self = made.h.ptr();
        objects[&x->a.body()] = x->self;
      },
      "shape"_a, "dtype"_a.none() = nb::none(), "An array on the current device with undefined elements.");
  c.def_prop_ro("shape", [](const DeviceArray& x) { return nb::steal(int_tuple(x.a.shape())); });
  c.def_prop_ro("ndim", [](const DeviceArray& x) { return x.a.ndim(); });
  c.def_prop_ro("size", [](const DeviceArray& x) { return x.a.size(); });
  c.def_prop_ro("nbytes", [](const DeviceArray& x) { return x.a.nbytes(); });
  c.def_prop_ro("itemsize", [](const DeviceArray& x) { return item_size(x.a.dtype()); });
  c.def_prop_ro("dtype", [](const DeviceArray& x) { return nb::steal(dtype_to_python(x.a.dtype())); });
  c.def_prop_ro("strides", strides_of);
  c.def_prop_ro("_device_id", [](const DeviceArray& x) { return x.a.device().index(); });
  c.def_prop_ro("_device_name", [](const DeviceArray& x) { return x.a.device().name(); });
  c.def_prop_ro("_is_contiguous", [](const DeviceArray& x) { return x.a.is_contiguous(); });
  c.def_prop_ro("_is_writable", [](const DeviceArray& x) { return is_writable(x.a); });
  c.def(
      "_get", [](const DeviceArray& x) { return fetched(x.a); }, "Returns a copy in the host's memory.");
  c.def("_item", [](const DeviceArray& x) -> nb::object {
    const Scalar s = fetched(x.a).scalar();
    if (s.kind() == 'f') return nb::float_(s.to_double());
    return s.kind() == 'b' ? nb::object(nb::bool_(s.to_bool())) : nb::object(nb::int_(s.to_int()));
  });
  c.def(
      "fill",
      [](DeviceArray& x, nb::handle value) {
        const Operand v = operand("fill", value);
        x.a.fill(v.array ? v.array->scalar() : v.number);
      },
      "value"_a, "Sets all elements to a number.");
  c.def("_copy", [](const DeviceArray& x) { return x.a.copy(); });
  c.def("_contiguous", [](const DeviceArray& x) { return x.a.contiguous(); });
  c.def("_astype", [](const DeviceArray& x, Dtype dtype, bool copy) { return x.a.astype(dtype, copy); });
  c.def("_reshape", [](const DeviceArray& x, nb::handle shape) { return x.a.reshape(shape_argument(shape)); });
  c.def(
      "_transpose", [](const DeviceArray& x, const AnyAxes& axes) { return x.a.transpose(axes); },
      nb::arg("axes").none());
  c.def("_to_device", [](const DeviceArray& x, int id) {
    const nb::gil_scoped_release unlocked;
    return x.a.to_device(get_device(id));
  });
}

}  // namespace chainer::python

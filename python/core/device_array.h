// SPDX-License-Identifier: MIT
// Arrays of devices in Python: the class chainer.backends.cuda.ndarray, and arguments of the routines on them.
#pragma once
#include "python/core/bridge.h"

namespace chainer::python {

extern PyTypeObject* device_array_type;

/// Returns the array of a Python object of the class ndarray, or nullptr for other objects.
Array* as_device_array(PyObject* o);
/// Returns a new reference to the object of an array on a device, the same object as long as it is referenced.
PyObject* wrap_device_array(const Array& a);
/// Returns true for an ndarray of NumPy or of a device.
inline bool is_array(PyObject* o) { return is_ndarray(o) || as_device_array(o); }
/// Returns the array of an ndarray of NumPy (as from_numpy()) or of a device.
Array from_array(PyObject* o);
/// Returns the device that new arrays are on: the thread's current one, by default the one with number 0.
Device device_of_new_arrays();

/// An argument of a routine: an array on a device, or a number.
struct Operand {
  const Array* array = nullptr;
  Scalar number{0};
  /// Returns the array, or the number as an array without axes on the current device.
  Array get() const;
};
/// Returns false for an object that is neither.
bool load(PyObject* o, Operand& operand) noexcept;
/// Returns the operand, or throws a TypeError naming `operation`.
Operand operand(std::string_view operation, nb::handle o);
/// As operand(); numbers are arrays without axes.
Array array_operand(std::string_view operation, nb::handle o);

const PyType_Slot* device_array_slots();
void bind_device_arrays(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_device_routines(nb::module_& m);
void bind_device_exchange(nb::module_& m);
void bind_device_groups(nb::module_& m);
void bind_text_kernels(nb::module_& m);

}  // namespace chainer::python

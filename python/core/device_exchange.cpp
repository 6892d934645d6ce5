// SPDX-License-Identifier: MIT
// Arrays on devices to and from other libraries: DLPack's capsules, and addresses for __cuda_array_interface__.
#include "chainer/array/external.h"
#include "chainer/backend/devices.h"
#include "chainer/backend/stream.h"
#include "chainer/interop/dlpack.h"
#include "python/core/casters.h"
#include "python/core/device_array.h"

namespace chainer::python {
namespace {

constexpr const char *kName = "dltensor", *kVersioned = "dltensor_versioned";

// The destructor of a capsule that no consumer took.
template <class Managed>
void drop(PyObject* capsule) {
  const char* const name = PyCapsule_GetName(capsule);
  if (!name || (std::string_view(name) != kName && std::string_view(name) != kVersioned)) return;
  auto* const t = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  t->deleter(t);
}

nb::object to_capsule(nb::handle o, bool versioned, bool copy, std::optional<int64_t> stream) {
  const Array a = array_operand("__dlpack__", o);
  const ToDlpackOptions options{.copy = copy, .stream = stream};
  if (versioned)
    return nb::steal(PyCapsule_New(to_dlpack(a, options), kVersioned, drop<dlpack::ManagedTensorVersioned>));
  return nb::steal(PyCapsule_New(to_dlpack_unversioned(a, options), kName, drop<dlpack::ManagedTensor>));
}

Array from_capsule(nb::handle capsule) {
  PyObject* const o = capsule.ptr();
  if (PyCapsule_IsValid(o, kVersioned)) {
    auto* t = static_cast<dlpack::ManagedTensorVersioned*>(PyCapsule_GetPointer(o, kVersioned));
    PyCapsule_SetName(o, "used_dltensor_versioned");
    return from_dlpack(t);
  }
  if (!PyCapsule_IsValid(o, kName)) throw ValueError("from_dlpack: the object is not an unused capsule of DLPack");
  auto* t = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(o, kName));
  PyCapsule_SetName(o, "used_dltensor");
  return from_dlpack(t);
}

// An array at an address of a device; `owner` stays alive as long as the array.
Array from_address(uintptr_t address, const Shape& shape, Dtype dtype, nb::handle strides, bool writable, int id,
                   nb::handle owner) {
  ExternalOptions options{.writable = writable, .shared = true};
  if (Dims s; !strides.is_none() && load_dims(strides.ptr(), s)) {
    for (int64_t& bytes : s) bytes /= item_size(dtype);
    options.strides = Strides(s.begin(), s.end());
  }
  const Device device = get_device(id);
  PyObject* const held = Py_NewRef(owner.ptr());
  const Array a = external_array(
      reinterpret_cast<void*>(address), shape, dtype, [held] { give_up(held); }, options);
  a.body().device = device;
  return a;
}

}  // namespace

void bind_device_exchange(nb::module_& m) {
  m.def("to_capsule", to_capsule, "a"_a, "versioned"_a, "copy"_a, "stream"_a.none());
  m.def("from_capsule", from_capsule, "capsule"_a);
  m.def("from_address", from_address, "address"_a, "shape"_a, "dtype"_a, "strides"_a.none(), "writable"_a, "device"_a,
        "owner"_a);
  // Returns the address of the elements; the memory may be used by others from here on. With `wait`, their computation
  // has finished; otherwise it is ordered before later work of the device's stream and of CUDA's default stream.
  m.def(
      "address",
      [](nb::handle o, bool wait) {
        const Array a = array_operand("address", o);
        share_memory(a);
        wait ? a.device().synchronize() : let_stream_wait(a.device(), 1);
        return reinterpret_cast<uintptr_t>(a.raw());
      },
      "a"_a, "wait"_a = true);
  m.def(
      "stream", [](int device) { return backends::cuda::Stream(get_device(device)).ptr(); }, "device"_a);
  m.def(
      "wait_for", [](int device, uintptr_t stream) { backends::cuda::Stream(get_device(device)).wait_for(stream); },
      "device"_a, "stream"_a);
}

}  // namespace chainer::python

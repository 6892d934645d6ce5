// SPDX-License-Identifier: MIT
#include "chainer/interop/dlpack.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

#include "chainer/array/external.h"
#include "chainer/backend/devices.h"

namespace chainer {
namespace {

static_assert(sizeof(dlpack::Tensor) == 48 && offsetof(dlpack::Tensor, shape) == 24, "the layout of DLPack's DLTensor");
static_assert(sizeof(dlpack::ManagedTensorVersioned) == 80 &&
              offsetof(dlpack::ManagedTensorVersioned, dl_tensor) == 32);

Dtype dtype_from(const dlpack::DataType& t) {
  const auto fail = [&] {
    throw TypeError("from_dlpack: no dtype for DLPack's type code ", static_cast<int>(t.code), " with ",
                    static_cast<int>(t.bits), " bits and ", t.lanes, " lane(s)");
  };
  if (t.lanes != 1) fail();
  if (t.code == dlpack::kBool && t.bits == 8) return Dtype::bool_;
  if (t.code == dlpack::kUInt && t.bits == 8) return uint8;
  if (t.code == dlpack::kBfloat && t.bits == 16) return bfloat16;
  if (t.code == dlpack::kFloat && t.bits == 16) return float16;
  if (t.code == dlpack::kFloat && t.bits == 32) return float32;
  if (t.code == dlpack::kFloat && t.bits == 64) return float64;
  if (t.code == dlpack::kInt && t.bits == 8) return Dtype::int8;
  if (t.code == dlpack::kInt && t.bits == 16) return Dtype::int16;
  if (t.code == dlpack::kInt && t.bits == 32) return int32;
  if (t.code != dlpack::kInt || t.bits != 64) fail();
  return int64;
}

dlpack::DataType type_of(Dtype d) {
  const auto bits = static_cast<uint8_t>(8 * item_size(d));
  if (d == Dtype::bool_) return {dlpack::kBool, bits, 1};
  if (d == bfloat16) return {dlpack::kBfloat, bits, 1};
  return {kind(d) == 'f' ? dlpack::kFloat : kind(d) == 'u' ? dlpack::kUInt : dlpack::kInt, bits, 1};
}

// Checks a tensor. `release` is called when the memory is no longer needed, or if anything throws.
Array adopt(const dlpack::Tensor& t, bool writable, std::function<void()> release) {
  struct Guard {
    std::function<void()>* release;
    ~Guard() {
      if (release) (*release)();
    }
  } guard{&release};
  const bool on_host = t.device.device_type == dlpack::kCPU || t.device.device_type == dlpack::kCUDAHost;
  if (!on_host && t.device.device_type != dlpack::kCUDA)
    throw DeviceError("from_dlpack: the tensor is on a device of DLPack's type ", t.device.device_type,
                      ", expected the host or a CUDA device: copy it with its library first");
  const Device device = on_host ? Device() : get_device(t.device.device_id);
  const Dtype dtype = dtype_from(t.dtype);
  if (t.ndim < 0 || t.ndim > kMaxNdim)
    throw ValueError("from_dlpack: the number of axes must be from 0 to ", kMaxNdim, ", not ", t.ndim);
  if (t.ndim > 0 && !t.shape) throw ValueError("from_dlpack: the tensor has ", t.ndim, " axes but no shape");
  const Shape shape(t.shape, t.shape + t.ndim);
  for (int64_t n : shape)
    if (n < 0) throw ValueError("from_dlpack: shape ", shape, " has a negative length");
  ExternalOptions options{.writable = writable, .shared = true};
  if (t.ndim > 0 && t.strides) options.strides = Strides(t.strides, t.strides + t.ndim);
  const int64_t size = checked_size(shape, item_size(dtype), "from_dlpack");
  if (size && !t.data) throw ValueError("from_dlpack: a tensor of shape ", shape, " has no data");
  char* data = size ? static_cast<char*>(t.data) + t.byte_offset : nullptr;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(item_size(dtype)) == 0;
  if (!on_host || (aligned && dtype != Dtype::bool_)) {
    guard.release = nullptr;
    const Array a = external_array(data, shape, dtype, std::move(release), options);
    a.body().device = device;
    return a;
  }
  // Unaligned elements, and booleans that may have other bytes than 0 and 1, are copied one by one.
  const Strides strides = options.strides.value_or(contiguous_strides(shape));
  Array out(shape, dtype);
  auto* to = static_cast<char*>(out.mutable_raw());
  const int64_t width = item_size(dtype);
  Dims at = Dims::filled(shape.ndim(), 0);
  for (int64_t i = 0; i < size; ++i, to += width) {
    int64_t from = 0;
    for (int d = 0; d < shape.ndim(); ++d) from += at[d] * strides[d];
    std::copy_n(data + from * width, width, to);
    if (dtype == Dtype::bool_) *to = *to != 0;
    for (int d = shape.ndim() - 1; d >= 0 && ++at[d] == shape[d]; --d) at[d] = 0;
  }
  return out;
}

constexpr int64_t kDefaultStream = 1, kNoStream = -1;

// An exported tensor and the array that it keeps alive.
template <class Managed>
struct Export {
  Managed managed{};
  Array array;
  Dims shape, strides;
  bool in_default_stream = false;  // the consumer's work
  ~Export() {
    if (!in_default_stream) return;
    try {
      wait_for_stream(array.device(), kDefaultStream);
    } catch (...) {}  // the next call for the device throws its error
  }
};

// Returns true for a device that get_device() finds by its number.
bool has_number(const Device& device) {
  try {
    return device == get_device(device.index());
  } catch (const DeviceError&) { return false; }
}

template <class Managed>
Managed* exported(const Array& a, const ToDlpackOptions& options) {
  const Device device = a.device();
  if (!device.is_host() && !has_number(device))
    throw DeviceError("to_dlpack: the array must be on the host or a CUDA device, not ", device);
  if (options.stream && (device.is_host() || *options.stream == 0 || *options.stream < kNoStream))
    throw ValueError("to_dlpack: the stream must be ",
                     device.is_host() ? "absent for an array on the host"
                                      : "a handle of CUDA, 1 or 2 for its default streams, or -1 for none",
                     ", not ", *options.stream);
  auto e = std::make_unique<Export<Managed>>();
  e->array = options.copy ? a.copy() : a;
  if (!options.copy) share_memory(a);
  e->shape = a.shape();
  e->strides = e->array.strides();
  e->managed.dl_tensor = {.data = a.size() ? const_cast<void*>(e->array.raw()) : nullptr,
                          .device = {device.is_host() ? dlpack::kCPU : dlpack::kCUDA, device.index()},
                          .ndim = a.ndim(),
                          .dtype = type_of(a.dtype()),
                          .shape = e->shape.begin(),
                          .strides = e->strides.begin(),
                          .byte_offset = 0};
  if (!device.is_host()) {
    if (!options.stream)
      device.synchronize();
    else if (*options.stream != kNoStream)
      let_stream_wait(device, static_cast<std::uintptr_t>(*options.stream));
    e->in_default_stream = options.stream.value_or(kDefaultStream) == kDefaultStream;
  }
  e->managed.manager_ctx = e.get();
  e->managed.deleter = [](Managed* self) { delete static_cast<Export<Managed>*>(self->manager_ctx); };
  return &e.release()->managed;
}

template <class Managed>
std::function<void()> deleter_of(Managed* m) {
  return [m] {
    if (m->deleter) m->deleter(m);
  };
}

}  // namespace

Array from_dlpack(dlpack::ManagedTensorVersioned* t) {
  if (!t) throw ValueError("from_dlpack: there is no tensor");
  if (t->version.major != dlpack::kVersion.major) {
    const uint32_t major = t->version.major, minor = t->version.minor;
    deleter_of(t)();
    throw RuntimeError("from_dlpack: the tensor has DLPack's version ", major, ".", minor, ", expected version ",
                       dlpack::kVersion.major);
  }
  return adopt(t->dl_tensor, !(t->flags & dlpack::kReadOnly), deleter_of(t));
}
Array from_dlpack(dlpack::ManagedTensor* t) {
  if (!t) throw ValueError("from_dlpack: there is no tensor");
  return adopt(t->dl_tensor, true, deleter_of(t));
}

dlpack::ManagedTensorVersioned* to_dlpack(const Array& a, const ToDlpackOptions& options) {
  const bool writable = options.copy || is_writable(a);
  auto* t = exported<dlpack::ManagedTensorVersioned>(a, options);
  t->version = dlpack::kVersion;
  t->flags = (writable ? 0 : dlpack::kReadOnly) | (options.copy ? dlpack::kIsCopied : 0);
  return t;
}
dlpack::ManagedTensor* to_dlpack_unversioned(const Array& a, const ToDlpackOptions& options) {
  if (!options.copy && !is_writable(a))
    throw ValueError("to_dlpack_unversioned: the array is read-only, which this version of DLPack cannot express: ",
                     "pass a copy");
  return exported<dlpack::ManagedTensor>(a, options);
}

}  // namespace chainer

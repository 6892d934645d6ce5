// SPDX-License-Identifier: MIT
// Exchange of arrays in memory with other libraries, by the structures of DLPack 1.x (https://dmlc.github.io/dlpack).
#pragma once
#include <cstdint>
#include <optional>

#include "chainer/array/array.h"

namespace chainer {

/// DLPack's structures, with the layout of its C header: pointers to both can be converted.
namespace dlpack {

struct Version {
  uint32_t major, minor;
};
enum DeviceType : int32_t { kCPU = 1, kCUDA = 2, kCUDAHost = 3 };
struct Device {
  int32_t device_type;  ///< DeviceType, or another number of the standard
  int32_t device_id;
};
enum DataTypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaqueHandle = 3,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6
};
struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  ///< in elements; null means C order without gaps
  uint64_t byte_offset;
};
/// The struct used before DLPack 1.0 (in Python: a capsule named "dltensor").
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};
constexpr uint64_t kReadOnly = 1, kIsCopied = 2;
/// The struct used since DLPack 1.0 (in Python: a capsule named "dltensor_versioned").
struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;  ///< kReadOnly, kIsCopied
  Tensor dl_tensor;
};
/// The version written by to_dlpack(). Newer minor versions can be read.
inline constexpr Version kVersion = {1, 0};

}  // namespace dlpack

/// Returns an array on the producer's memory. The tensor's deleter is called when the last array on this memory is
/// destroyed, or at once if this function throws. (Code that takes the pointer from a Python capsule must rename the
/// capsule to "used_dltensor" or "used_dltensor_versioned".) Because the producer may write to the memory, computations
/// on it are not deferred. Work of the producer on memory of a CUDA device must have finished, or the device's stream
/// must wait for it: backends::cuda::Stream::wait_for(), or Stream::ptr() given to the producer. If the flag kReadOnly
/// is set, writing to the array is a ValueError. Unaligned elements are copied. Throws TypeError for a dtype that this
/// library lacks (unsigned integers of more than 8 bits, complex numbers, several lanes), DeviceError for memory of a
/// device other than CUDA's, RuntimeError for another major version, ValueError for an invalid tensor.
Array from_dlpack(dlpack::ManagedTensorVersioned* tensor);
Array from_dlpack(dlpack::ManagedTensor* tensor);

/// Options of to_dlpack().
struct ToDlpackOptions {
  bool copy = false;  ///< export a copy, marked by the flag kIsCopied
  /// The consumer's stream, for an array on a CUDA device: CUDA's handle, or 1 or 2 for CUDA's default streams (legacy
  /// and of the thread); its later work runs after the work on the array. -1: the consumer needs no order. By default
  /// this call waits for the device.
  std::optional<int64_t> stream = {};
};
/// Returns a tensor with the array's elements and strides for a consumer, which must call the deleter once. The tensor
/// keeps the memory alive. From here on, computations on this memory are not deferred, because the consumer may write
/// to it. When the consumer calls the deleter, its work on the memory of a CUDA device must have finished, or be in
/// CUDA's legacy default stream, for which the device then waits unless `stream` is another one. Throws DeviceError for
/// an array on another device, ValueError for a stream of 0 or below -1, or of an array on the host.
///   from_dlpack(to_dlpack(array({1.f, 2.f})))  // [1, 2]
dlpack::ManagedTensorVersioned* to_dlpack(const Array& a, const ToDlpackOptions& options = {});
/// As to_dlpack(), for consumers of unversioned tensors. These have no flag for read-only memory: throws ValueError for
/// a read-only array, unless it is copied.
dlpack::ManagedTensor* to_dlpack_unversioned(const Array& a, const ToDlpackOptions& options = {});

}  // namespace chainer

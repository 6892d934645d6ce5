// Arrays exchanged in memory with other libraries: the structures of DLPack 1.x (https://dmlc.github.io/dlpack).
#pragma once
#include <cstdint>

#include "chainer/array/array.h"

namespace chainer {

/// DLPack's structures, laid out as its C header has them: a pointer to one of these is a pointer to one of those.
namespace dlpack {

struct Version {
  uint32_t major, minor;
};
enum DeviceType : int32_t { kCPU = 1, kCUDA = 2, kCUDAHost = 3 };
struct Device {
  int32_t device_type;  ///< DeviceType, or another of the standard's numbers
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
  int64_t* strides;  ///< in elements; none stands for C order without gaps
  uint64_t byte_offset;
};
/// What producers before version 1 hand over (in Python: a capsule named "dltensor").
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};
constexpr uint64_t kReadOnly = 1, kIsCopied = 2;
/// What producers since version 1 hand over (in Python: a capsule named "dltensor_versioned").
struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;  ///< kReadOnly, kIsCopied
  Tensor dl_tensor;
};
/// The version that to_dlpack() writes. Newer minor versions are read, too.
inline constexpr Version kVersion = {1, 0};

}  // namespace dlpack

/// An array on the producer's memory; its deleter is called when the last array on it is gone, or now if this throws.
/// (Who takes the pointer out of a Python capsule renames that, to "used_dltensor" or "used_dltensor_versioned".) The
/// producer may go on writing to the memory: computations on it are not put off. With the flag kReadOnly, writing to
/// the array is a ValueError. Elements that are not aligned are copied. TypeError for a dtype that this library lacks
/// (unsigned integers of more than 8 bits, complex numbers, several lanes), DeviceError for memory of a device,
/// RuntimeError for another major version, ValueError for a tensor that makes no sense.
Array from_dlpack(dlpack::ManagedTensorVersioned* tensor);
Array from_dlpack(dlpack::ManagedTensor* tensor);

/// Options of to_dlpack().
struct ToDlpackOptions {
  bool copy = false;  ///< hand over a copy, which the flag kIsCopied tells
};
/// The array for a consumer, who calls the deleter once. It keeps the memory alive, shares the elements, and has the
/// array's strides; from here on, computations on this memory are not put off, for the consumer may write to it.
dlpack::ManagedTensorVersioned* to_dlpack(const Array& a, const ToDlpackOptions& options = {});
/// The same for consumers that know no version. They cannot be told that memory must not be written to: such arrays are
/// a ValueError, unless copied.
dlpack::ManagedTensor* to_dlpack_unversioned(const Array& a, const ToDlpackOptions& options = {});

}  // namespace chainer

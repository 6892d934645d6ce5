// SPDX-License-Identifier: MIT
// The functions of NVIDIA's library for sums over devices of several processes that the backend calls; opened at run
// time and not needed to build.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "chainer/array/dtype.h"
#include "chainer/backend/cuda/libcuda.h"

namespace chainer::cuda {

/// A key of a group, which the library passes by value.
struct NcclKey {
  char bytes[128];
};

// X(member, name in the library, result, parameters)
#define CHAINER_NCCL(X)                                                                                     \
  X(version, ncclGetVersion, int, (int* version))                                                           \
  X(make_key, ncclGetUniqueId, int, (NcclKey * key))                                                        \
  X(join, ncclCommInitRank, int, (void** group, int size, NcclKey key, int rank))                           \
  X(abort, ncclCommAbort, int, (void* group))                                                               \
  X(leave, ncclCommDestroy, int, (void* group))                                                             \
  X(failure, ncclCommGetAsyncError, int, (void* group, int* result))                                        \
  X(all_reduce, ncclAllReduce, int,                                                                         \
    (const void* from, void* to, std::size_t count, int type, int operation, void* group, CuHandle stream)) \
  X(error_text, ncclGetErrorString, const char*, (int result))

/// The library, which is used by all devices of a process. Calls throw DeviceError with the library's text.
class Nccl {
 public:
  /// Opens CHAINER_NCCL_LIBRARY, or libnccl.so.2. Returns null if there is none, or if the variable is "none".
  static std::shared_ptr<const Nccl> open();
  /// Returns "NCCL 2.28.3 (libnccl.so.2)", the version and the name with which it is opened; empty if there is none.
  static std::string description();

  std::string make_key() const;
  /// Joins a group with the device whose context is current. Waits for the others.
  void* join(const std::string& key, int rank, int size) const;
  /// Leaves a group; after a failure ends what its sums still wait for.
  void leave(void* group, bool failed) const noexcept;
  /// Throws if a sum of the group has failed.
  void check(void* group) const;
  /// Replaces elements of a floating type by their sums, in the order of the stream.
  void sum(void* group, void* data, int64_t count, Dtype dtype, CuHandle stream) const;

 private:
  struct Functions {
#define X(MEMBER, NAME, RESULT, PARAMETERS) RESULT(*MEMBER) PARAMETERS = nullptr;
    CHAINER_NCCL(X)
#undef X
  };
  void expect_success(int result, const char* call) const;
  Functions f_;
};

}  // namespace chainer::cuda

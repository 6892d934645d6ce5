// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/nccl.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "chainer/backend/cuda/libraries.h"
#include "chainer/core/error.h"

namespace chainer::cuda {
namespace {

// The library's constants.
constexpr int kNcclInProgress = 7, kNcclSum = 0;
int nccl_type(Dtype d) {
  switch (d) {
    case Dtype::float16: return 6;
    case Dtype::float32: return 7;
    case Dtype::float64: return 8;
    case Dtype::bfloat16: return 9;
    default: throw DtypeError("sum over devices: the dtype must be floating, not ", d);
  }
}

}  // namespace

std::shared_ptr<const Nccl> Nccl::open() {
  return open_library("CHAINER_NCCL_LIBRARY", {"libnccl.so.2"},
                      [](void* library, const std::string&) -> std::shared_ptr<const Nccl> {
                        auto made = std::make_shared<Nccl>();
                        bool all = true;
#define X(MEMBER, NAME, RESULT, PARAMETERS) all = find_function(library, #NAME, made->f_.MEMBER) && all;
                        CHAINER_NCCL(X)
#undef X
                        return all ? made : nullptr;
                      });
}
std::string Nccl::description() {
  const auto found = open_library("CHAINER_NCCL_LIBRARY", {"libnccl.so.2"},
                                  [](void* library, const std::string& path) -> std::optional<std::string> {
                                    int (*version)(int*) = nullptr;
                                    int v = 0;
                                    if (!find_function(library, "ncclGetVersion", version) || version(&v) != 0)
                                      return {};
                                    return text("NCCL ", v / 10000, ".", v / 100 % 100, ".", v % 100, " (", path, ")");
                                  });
  return found.value_or("");
}

void Nccl::expect_success(int r, const char* call) const {
  if (r != 0 && r != kNcclInProgress) throw DeviceError(call, ": ", f_.error_text(r));
}

std::string Nccl::make_key() const {
  NcclKey key{};
  expect_success(f_.make_key(&key), "ncclGetUniqueId");
  return {key.bytes, sizeof key.bytes};
}
void* Nccl::join(const std::string& key, int rank, int size) const {
  NcclKey k{};
  std::memcpy(k.bytes, key.data(), std::min(key.size(), sizeof k.bytes));
  void* group = nullptr;
  expect_success(f_.join(&group, size, k, rank), "ncclCommInitRank");
  return group;
}
void Nccl::leave(void* group, bool failed) const noexcept { (failed ? f_.abort : f_.leave)(group); }
void Nccl::check(void* group) const {
  int result = 0;
  expect_success(f_.failure(group, &result), "ncclCommGetAsyncError");
  expect_success(result, "ncclAllReduce");
}
void Nccl::sum(void* group, void* data, int64_t count, Dtype dtype, CuHandle stream) const {
  const auto n = static_cast<std::size_t>(count);
  expect_success(f_.all_reduce(data, data, n, nccl_type(dtype), kNcclSum, group, stream), "ncclAllReduce");
}

}  // namespace chainer::cuda

// SPDX-License-Identifier: MIT
// A library in the place of NVIDIA's for sums over devices: it adds in host memory, in the order of ranks, by MPI. All
// ranks join each group.
#define OMPI_SKIP_MPICXX 1  // their functions would need another library
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "chainer/array/half.h"
#include "chainer/backend/cuda/nccl.h"

using namespace chainer::cuda;

namespace {

struct Group {
  MPI_Comm ranks;
  int size;
};
int64_t sums[10] = {};  // by type
int failing = 0;

template <class T>
void add(const std::vector<char>& all, void* to, std::size_t count, int size) {
  const T* from = reinterpret_cast<const T*>(all.data());
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int r = 0; r < size; ++r) sum += static_cast<double>(from[static_cast<std::size_t>(r) * count + i]);
    static_cast<T*>(to)[i] = static_cast<T>(static_cast<float>(sum));
    if constexpr (sizeof(T) == 8) static_cast<T*>(to)[i] = sum;
  }
}

}  // namespace

extern "C" {

// What tests ask of this library.
int64_t fake_sums(int type) { return sums[type]; }
void fake_fail(int result) { failing = result; }

int ncclGetVersion(int* version) { return *version = 22803, 0; }
int ncclGetUniqueId(NcclKey* key) {
  static int made = 0;
  std::memset(key->bytes, 0, sizeof key->bytes);
  key->bytes[0] = 'k', key->bytes[5] = static_cast<char>(++made);
  return 0;
}
int ncclCommInitRank(void** group, int size, NcclKey key, int rank) {
  auto* made = new Group{MPI_COMM_NULL, size};
  MPI_Comm_split(MPI_COMM_WORLD, key.bytes[0] == 'k' ? 1 : 2, rank, &made->ranks);
  int joined = 0;
  MPI_Comm_size(made->ranks, &joined);
  *group = made;
  return joined == size ? 0 : 5;
}
int ncclCommAbort(void* group) { return delete static_cast<Group*>(group), 0; }
int ncclCommDestroy(void* group) { return delete static_cast<Group*>(group), 0; }
int ncclCommGetAsyncError(void*, int* result) { return *result = failing, 0; }
int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int operation, void* group, void*) {
  const auto& g = *static_cast<Group*>(group);
  const std::size_t bytes = count * (type == 8 ? 8 : type == 7 ? 4 : 2);
  if (operation != 0 || type < 6 || type > 9) return 4;
  ++sums[type];
  std::vector<char> all(bytes * static_cast<std::size_t>(g.size));
  MPI_Allgather(from, static_cast<int>(bytes), MPI_BYTE, all.data(), static_cast<int>(bytes), MPI_BYTE, g.ranks);
  switch (type) {
    case 6: add<chainer::Float16>(all, to, count, g.size); break;
    case 7: add<float>(all, to, count, g.size); break;
    case 8: add<double>(all, to, count, g.size); break;
    default: add<chainer::BFloat16>(all, to, count, g.size); break;
  }
  return 0;
}
const char* ncclGetErrorString(int) { return "as it was told"; }

}  // extern "C"

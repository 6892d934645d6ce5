// SPDX-License-Identifier: MIT
// A C interface to DLPack for tests/interop/numpy_dlpack.py: export and import of arrays.
#include <chainer/chainer.h>

#include <cstring>

using namespace chainer;

namespace {
thread_local std::string message;
Array kept;

template <class F>
auto guarded(F f) -> decltype(f()) {
  try {
    message.clear();
    return f();
  } catch (const std::exception& e) {
    message = e.what();
    return {};
  }
}
}  // namespace

extern "C" {
/// Returns the message of the last exception; empty if the last call succeeded.
const char* bridge_error() { return message.c_str(); }
/// Returns arange(6) of a dtype as (2, 3), transposed, as a versioned or an unversioned tensor.
void* bridge_make(const char* dtype, int versioned) {
  return guarded([&]() -> void* {
    const Array a = arange(6).astype(parse_dtype(dtype)).reshape({2, 3}).T();
    if (versioned) return to_dlpack(a);
    return to_dlpack_unversioned(a);
  });
}
/// Imports a tensor and keeps its array. Returns the sum of its elements.
double bridge_take(void* tensor, int versioned) {
  return guarded([&] {
    kept = versioned ? from_dlpack(static_cast<dlpack::ManagedTensorVersioned*>(tensor))
                     : from_dlpack(static_cast<dlpack::ManagedTensor*>(tensor));
    return sum(kept.astype(float64)).item<double>();
  });
}
/// Adds one to the kept array. Returns true if it is writable.
int bridge_add_one() {
  return guarded([&] {
    kept += kept.dtype() == Dtype::bool_ ? 0 : 1;
    return 1;
  });
}
double bridge_sum() {
  return guarded([&] { return sum(kept.astype(float64)).item<double>(); });
}
void bridge_forget() { kept = Array(); }
}

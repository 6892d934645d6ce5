// SPDX-License-Identifier: MIT
// Memory that only this backend can access.
#pragma once
#include <cstddef>

namespace chainer::reference {

/// Returns memory of `bytes` bytes, filled with ones (NaN for floating-point types), at an address that cannot be
/// accessed; nullptr if there is no memory. `size_class` is passed back on release.
void* allocate_closed(std::size_t bytes, int* size_class);
void release_closed(void* address, int size_class);
/// Returns the address where the elements can be accessed. Called only by this backend.
void* opened(const void* address);

}  // namespace chainer::reference

// Memory that only this backend can reach.
#pragma once
#include <cstddef>

namespace chainer::reference {

/// Memory of `bytes`, full of ones (NaN as a floating number), at an address where nothing can be read or written;
/// nullptr where there is no room. `size_class` goes back with it.
void* allocate_closed(std::size_t bytes, int* size_class);
void release_closed(void* address, int size_class);
/// Where the elements at such an address can be read and written. Only entries of this backend call it.
void* opened(const void* address);

}  // namespace chainer::reference

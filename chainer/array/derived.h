// SPDX-License-Identifier: MIT
// Cached derived forms of an array's elements, such as filters packed for a library. A form is valid until the elements
// are written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "chainer/array/array.h"

namespace chainer {

/// The memory of one form.
struct DerivedForm {
  explicit DerivedForm(std::size_t bytes) : block(memory::allocate(bytes)) {}
  DerivedForm(const DerivedForm&) = delete;
  DerivedForm& operator=(const DerivedForm&) = delete;
  ~DerivedForm() { memory::release(block); }
  memory::Block block;
};

/// Returns the form of a's elements identified by `kind`, computed by make(memory) if it is not cached. A form is
/// cached from the second request without a write in between, so that weights that change at every step cost no memory;
/// with `at_once`, from the first.
/// It is dropped at the next write (mutable_raw(), an in-place operator, an update, also through a view) and with the
/// array. Nothing is cached for shared memory (to_dlpack(), external_array() with `shared`). Throws MemoryError.
std::shared_ptr<const DerivedForm> derived_form(const Array& a, uint64_t kind, std::size_t bytes,
                                                const std::function<void(void*)>& make, bool at_once = false);

/// Returns the number of cached forms.
int64_t derived_forms();

namespace derived {
/// Drops the forms of an owner's elements.
void drop(ArrayBody& owner) noexcept;
}  // namespace derived

}  // namespace chainer

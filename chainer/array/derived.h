// Other forms of an array's elements, such as filters in the order that a library wants: they stay right until somebody
// writes to the elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "chainer/array/array.h"

namespace chainer {

/// Memory of one form.
struct DerivedForm {
  explicit DerivedForm(std::size_t bytes) : block(memory::allocate(bytes)) {}
  DerivedForm(const DerivedForm&) = delete;
  DerivedForm& operator=(const DerivedForm&) = delete;
  ~DerivedForm() { memory::release(block); }
  memory::Block block;
};

/// The form of a's elements that `kind` stands for, filled by make(memory) where it is not there yet. It is kept from
/// the second request without a write in between, so that weights which every step changes cost no memory, and goes
/// with the next write (mutable_raw(), an operator in place, an update, also through a view) or with the array. Of
/// memory that others may write to (to_dlpack(), external_array() with `shared`) nothing is kept.
std::shared_ptr<const DerivedForm> derived_form(const Array& a, uint64_t kind, std::size_t bytes,
                                                const std::function<void(void*)>& make);

/// How many forms are kept at the moment.
int64_t derived_forms();

namespace derived {
/// Forgets the forms of an owner's elements.
void drop(ArrayBody& owner) noexcept;
}  // namespace derived

}  // namespace chainer

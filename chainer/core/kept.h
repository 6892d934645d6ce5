// SPDX-License-Identifier: MIT
// References held by objects: borrowed (with a check), owned or shared.
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "chainer/core/error.h"

namespace chainer {

/// Base class of objects that a Kept can refer to. The first Kept creates a cell that follows the object when it is
/// moved and is cleared when it is destroyed.
class Anchored {
 public:
  Anchored() = default;
  Anchored(const Anchored&) {}
  Anchored(Anchored&& o) noexcept : cell_(std::move(o.cell_)) {
    if (cell_) *cell_ = this;
  }
  Anchored& operator=(const Anchored&) { return *this; }
  Anchored& operator=(Anchored&& o) noexcept {
    if (this != &o && o.cell_) {  // references to this object become invalid; references to `o` follow the move
      if (cell_) *cell_ = nullptr;
      cell_ = std::move(o.cell_);
      *cell_ = this;
    }
    return *this;
  }
  virtual ~Anchored() {
    if (cell_) *cell_ = nullptr;
  }
  const std::shared_ptr<Anchored*>& cell() const {
    if (!cell_) cell_ = std::make_shared<Anchored*>(const_cast<Anchored*>(this));
    return cell_;
  }

 private:
  mutable std::shared_ptr<Anchored*> cell_;
};

namespace detail {
/// Throws RuntimeError: no object was given (`type` is null), or the object of this type, held as a `base`, was
/// destroyed.
[[noreturn]] void kept_is_gone(const std::type_info* type, const std::type_info& base);
}  // namespace detail

/// Holds a reference to a T. An lvalue is borrowed (get() throws once it was destroyed), an rvalue is moved in and
/// owned, a shared_ptr is shared.
template <class T>
class Kept {
 public:
  Kept() = default;
  template <class U>
  requires(std::derived_from<U, T> && !std::is_const_v<U>) Kept(U& lvalue)
      : cell_(cell_of(lvalue)), type_(&typeid(U)) {}
  template <class U>
  requires(std::derived_from<U, T> && !std::is_reference_v<U> && !std::is_const_v<U>) Kept(U&& rvalue)
      : owned_(std::make_shared<U>(std::move(rvalue))), cell_(cell_of(*owned_)), type_(&typeid(U)) {}
  template <class U>
  requires std::derived_from<U, T> Kept(std::shared_ptr<U> shared) : owned_(std::move(shared)) {
    if (owned_) cell_ = cell_of(*owned_), type_ = &typeid(U);
  }
  explicit operator bool() const { return cell_ != nullptr; }
  /// Returns the object. Throws RuntimeError if there is none, or if a borrowed object was destroyed.
  T& get() const {
    if (!cell_ || !*cell_) [[unlikely]]
      detail::kept_is_gone(cell_ ? type_ : nullptr, typeid(T));
    return static_cast<T&>(**cell_);
  }
  T& operator*() const { return get(); }
  T* operator->() const { return &get(); }
  /// Returns the owned or shared object; empty if the object is borrowed.
  const std::shared_ptr<T>& owned() const { return owned_; }

 private:
  // (A derived class may also have a member named cell.)
  static const std::shared_ptr<Anchored*>& cell_of(const Anchored& object) { return object.cell(); }

  std::shared_ptr<T> owned_;
  std::shared_ptr<Anchored*> cell_;
  const std::type_info* type_ = nullptr;  // the object's dynamic type, for the message
};

}  // namespace chainer

// SPDX-License-Identifier: MIT
// A vector that stores its first N elements inline, for argument lists and graph edges.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace chainer {

template <class T, std::size_t N>
class SmallVector {
  // An element of {a, b}. Mutable, because the elements of an initializer_list are constant and could not be moved
  // from.
  struct Element {
    Element(T v) : value(std::move(v)) {}
    template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, T> && std::is_convertible_v<U&&, T>) Element(U&& u)
        : value(implicitly(std::forward<U>(u))) {}
    static T implicitly(T v) { return v; }  // never calls an explicit constructor
    mutable T value;
  };

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;
  SmallVector() = default;
  SmallVector(std::initializer_list<Element> list) {
    reserve(list.size());
    for (const Element& e : list) push_back(std::move(e.value));
  }
  SmallVector(const std::vector<T>& v) : SmallVector(v.begin(), v.end()) {}
  explicit SmallVector(std::size_t n) { resize(n); }
  template <std::input_iterator It>
  SmallVector(It first, It last) {
    if constexpr (std::random_access_iterator<It>) reserve(static_cast<std::size_t>(last - first));
    for (; first != last; ++first) push_back(*first);
  }
  SmallVector(const SmallVector& o) : SmallVector(o.begin(), o.end()) {}
  SmallVector(SmallVector&& o) noexcept { take(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) *this = SmallVector(o);
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      release();
      take(o);
    }
    return *this;
  }
  [[gnu::always_inline]] ~SmallVector() { release(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(std::size_t n) {
    if (n > capacity_) grow(n);
  }
  [[gnu::always_inline]] void push_back(T v) {
    if (size_ == capacity_) [[unlikely]]
      grow(std::size_t{capacity_} * 2);
    new (data_ + size_++) T(std::move(v));
  }
  void pop_back() { data_[--size_].~T(); }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(std::size_t n) {
    reserve(n);
    while (size_ > n) pop_back();
    while (size_ < n) new (data_ + size_++) T();
  }
  /// Drops the elements without destroying them; another object owns their contents.
  void abandon() { size_ = 0; }
  /// Not defined for arrays, whose comparison is not convertible to bool.
  friend bool operator==(const SmallVector& a, const SmallVector& b) requires requires(const T& x) {
    { x == x } -> std::convertible_to<bool>;
  }
  {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  T* inline_data() { return std::launder(reinterpret_cast<T*>(storage_)); }
  bool is_inline() const { return data_ == reinterpret_cast<const T*>(storage_); }
  [[gnu::noinline]] void grow(std::size_t n) {
    if (n > UINT32_MAX) throw std::length_error("SmallVector: more than 2^32 - 1 elements");
    T* fresh = std::allocator<T>().allocate(n);
    std::uninitialized_move_n(data_, size_, fresh);
    std::destroy_n(data_, size_);
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = fresh;
    capacity_ = static_cast<uint32_t>(n);
  }
  [[gnu::always_inline]] void release() {
    clear();
    if (!is_inline()) [[unlikely]]
      std::allocator<T>().deallocate(data_, capacity_);
    data_ = reinterpret_cast<T*>(storage_);
    capacity_ = N;
  }
  void take(SmallVector& o) noexcept {
    if (o.is_inline()) {
      if constexpr (std::is_trivially_copyable_v<T>)
        std::memcpy(storage_, o.storage_, sizeof(storage_));  // a fixed size is copied without a call
      else
        std::uninitialized_move_n(o.data_, o.size_, data_);
      size_ = o.size_;
      o.clear();
    } else {
      data_ = std::exchange(o.data_, reinterpret_cast<T*>(o.storage_));
      size_ = std::exchange(o.size_, 0);
      capacity_ = std::exchange(o.capacity_, static_cast<uint32_t>(N));
    }
  }

  alignas(T) unsigned char storage_[N * sizeof(T)];
  T* data_ = reinterpret_cast<T*>(storage_);
  uint32_t size_ = 0, capacity_ = N;  // 32 bits each: nodes hold six of these vectors
};

}  // namespace chainer

// SPDX-License-Identifier: MIT
// The n-dimensional array: NumPy's semantics in a handle of one pointer.
#pragma once
#include <initializer_list>
#include <vector>

#include "chainer/array/body.h"
#include "chainer/array/scalar.h"
#include "chainer/core/small_vector.h"

namespace chainer {

class Index;
class Variable;

/// A handle to an n-dimensional array. Copies of a handle share the elements, as Python references do; copy() copies
/// the elements. A default-constructed handle is empty (Python's None) and converts to false; most other members throw
/// ValueError for an empty handle.
class [[nodiscard]] Array {
 public:
  Array() = default;
  explicit Array(Ref<ArrayBody> body) : body_(std::move(body)) {}
  // Declared for the attribute: lists of arrays are destroyed several times per function call, and in large translation
  // units the compiler would not inline these destructors.
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  // Only for lvalues: `a[i] = b` would assign to a temporary handle; a.set(i, b) writes elements.
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  template <class T>
  void operator=(const T&) && {
    static_assert(sizeof(T) == 0,
                  "an indexed array cannot be assigned to: write a.set(i, v) for a[i] = v, and "
                  "a.set({i, j}, v) for a[{i, j}] = v");
  }
  [[gnu::always_inline]] ~Array() = default;
  /// Allocates an array with undefined elements. Throws DimensionError for a negative length, ValueError if the size in
  /// bytes overflows, MemoryError if there is no memory. Messages name `operation`, by default the calling function.
  explicit Array(const Shape& shape, Dtype dtype = float32, Device device = {},
                 const char* operation = __builtin_FUNCTION())
      : body_(ArrayBody::make(shape, dtype, device, {}, operation)) {}

  explicit operator bool() const { return static_cast<bool>(body_); }
  /// Converts to a Variable that requires no gradient. Defined with Variable.
  operator Variable() const&;
  operator Variable() &&;

  Dtype dtype() const { return body().dtype; }
  const Shape& shape() const& { return body().shape; }
  Shape shape() && { return body().shape; }  // by value: the body may be destroyed with a temporary handle
  /// Returns the length of an axis in [-ndim, ndim). Throws IndexError for any other axis.
  int64_t shape(int64_t axis) const { return body().shape[normalize_axis(axis, ndim(), "shape")]; }
  int ndim() const { return body().shape.ndim(); }
  int64_t size() const { return body().size; }
  /// Returns the size of all elements in bytes.
  int64_t nbytes() const { return size() * item_size(dtype()); }
  Device device() const { return body().device; }
  /// Returns the distances between neighbours along each axis, in elements.
  Strides strides() const { return body().effective_strides(); }
  /// Returns true if the elements are in C order without gaps.
  bool is_contiguous() const { return body().contiguous; }

  /// Returns the address of the first element, in the memory of device(), for reading. Evaluates pending computations
  /// first. Elements are at strides().
  const void* raw() const {
    force(body());
    if (recording::any()) [[unlikely]]
      recording::host_reads(*body_);
    return body_->data;
  }
  /// Returns the address of the first element for writing. Pending computations that read the old values run first.
  /// Throws ValueError if the array is read-only.
  void* mutable_raw() {
    before_write(body());
    if (recording::any()) [[unlikely]]
      recording::host_writes(*body_);
    return body_->data;
  }
  /// As raw() and mutable_raw(), with checks: throws DtypeError if T is not the type of the elements, DeviceError if
  /// the array is not on the host.
  template <class T>
  const T* data() const {
    expect_access(dtype_of<T>());
    return static_cast<const T*>(raw());
  }
  template <class T>
  T* mutable_data() {
    expect_access(dtype_of<T>());
    return static_cast<T*>(mutable_raw());
  }
  /// Returns the element of an array of size one, converted to T. Throws ValueError for any other size.
  template <class T>
  T item() const {
    return scalar().to<T>();
  }
  /// Returns the element of an array of size one, with its kind. Throws ValueError for any other size.
  Scalar scalar() const;
  /// Returns all elements in C order, converted to T (float, double, int, int64_t or uint8_t).
  template <class T>
  std::vector<T> to_vector() const;

  /// NumPy's basic and advanced indexing. Returns views for integers, slices, newaxis and ellipsis, and new arrays for
  /// integer arrays and boolean masks. x[{0, 1}] is NumPy's x[0, 1]; x[array({0, 1})] is x[[0, 1]]. Throws IndexError
  /// for an index out of range, too many indices, or index arrays of another type; ValueError for a slice step of zero.
  Array operator[](const Index& index) const;
  Array operator[](std::initializer_list<Index> indices) const;
  /// Assigns to the selected elements; `value` is broadcast to the selected shape and cast to this dtype. Throws as
  /// operator[], DimensionError if `value` cannot be broadcast, ValueError if this array is read-only.
  void set(const Index& index, const Array& value);
  void set(const Index& index, Scalar value);
  void set(std::initializer_list<Index> indices, const Array& value);
  void set(std::initializer_list<Index> indices, Scalar value);

  /// Returns the elements in C order with another shape of the same size; one length may be -1. A view if the memory
  /// order allows it, else a copy. Throws DimensionError if the sizes differ.
  Array reshape(const Shape& shape) const;
  /// Returns a view with permuted axes; reversed axes by default. Throws ValueError if `axes` is not a permutation,
  /// IndexError for an axis out of range.
  Array transpose(const Axes& axes = {}) const;
  Array T() const { return transpose(); }
  /// Returns the elements in one axis, in C order.
  Array ravel() const { return reshape({-1}); }
  /// Returns this array if its elements are in C order without gaps, else such a copy; for code that reads raw memory.
  Array contiguous() const;
  /// Returns a copy with another dtype, in this array's memory order (NumPy's order 'K'). Without `copy`, returns this
  /// array if it has that dtype already.
  Array astype(Dtype dtype, bool copy = true) const;
  /// Returns a copy in this array's memory order.
  Array copy() const;
  /// Sets all elements to `value`, cast to this dtype. Throws ValueError if this array is read-only.
  void fill(Scalar value);
  /// Returns a copy on another device, in this array's memory order; this array if it is already there.
  Array to_device(const Device& device) const;

  /// Elementwise in-place arithmetic; `b` is broadcast to this shape. Throws DimensionError if `b` does not fit,
  /// DtypeError if this dtype cannot hold the result (integer arrays and floating operands; integer arrays and
  /// division), ValueError if this array is read-only.
  Array& operator+=(const Array& b) &;
  Array& operator-=(const Array& b) &;
  Array& operator*=(const Array& b) &;
  Array& operator/=(const Array& b) &;
  Array& operator+=(Scalar b) &;
  Array& operator-=(Scalar b) &;
  Array& operator*=(Scalar b) &;
  Array& operator/=(Scalar b) &;

  ArrayBody& body() const {
    if (!body_) [[unlikely]]
      no_array();
    return *body_;
  }
  const Ref<ArrayBody>& body_ref() const { return body_; }
  /// Releases the body without decrementing its count; for handles whose increment was also skipped.
  ArrayBody* release() { return body_.release(); }
  /// Returns true if both handles refer to the same array object. Does not compare elements.
  bool is(const Array& other) const { return body_ == other.body_; }

 private:
  [[noreturn]] static void no_array();
  void expect_access(Dtype d) const {
    if (dtype() != d || !device().is_host()) [[unlikely]]
      wrong_access(d);
  }
  [[noreturn]] void wrong_access(Dtype d) const;
  Ref<ArrayBody> body_;
};

/// A boolean array: the result of comparisons, tests and logical operations. Not convertible to bool, so `if (a == b)`
/// does not compile; use all(a == b).item<bool>() or any(...). (An Array converts to bool, which is true if the handle
/// is not empty.)
class [[nodiscard]] Mask : public Array {
 public:
  explicit Mask(Array a) : Array(std::move(a)) {}
  explicit operator bool() const = delete;
};

/// A short list of arrays: arguments and results of functions.
using Arrays = SmallVector<Array, 4>;

/// Format an array as NumPy does: repr() gives array([[1., 2.], [3., 4.]], dtype=float32), to_string() NumPy's str().
std::string repr(const Array& a);
std::string to_string(const Array& a);

/// Returns the length of the first axis. Throws TypeError for a 0-dimensional array.
int64_t len(const Array& a);

}  // namespace chainer

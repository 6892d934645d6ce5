// The n-dimensional array: NumPy's semantics, one pointer per handle.
#pragma once
#include <initializer_list>
#include <vector>

#include "chainer/array/body.h"
#include "chainer/array/scalar.h"
#include "chainer/core/small_vector.h"

namespace chainer {

class Index;
class Variable;

/// A handle to an n-dimensional array. Copies share elements, as Python's references do; copy() makes new ones.
/// A default-constructed handle refers to nothing (Python's None) and is false.
class [[nodiscard]] Array {
 public:
  Array() = default;
  explicit Array(Ref<ArrayBody> body) : body_(std::move(body)) {}
  // Spelt out for the attribute: lists of arrays go away several times in each call of a function, and where many
  // sources are compiled together the compiler would make a call for each array.
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  // To named handles only: `a[i] = b` would change a handle that is gone at once; a.set(i, b) writes elements.
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  [[gnu::always_inline]] ~Array() = default;
  /// An array with undefined elements. Errors about its size name `operation`, by default the function that calls.
  explicit Array(const Shape& shape, Dtype dtype = float32, Device device = {},
                 const char* operation = __builtin_FUNCTION())
      : body_(ArrayBody::make(shape, dtype, device, {}, operation)) {}

  explicit operator bool() const { return static_cast<bool>(body_); }
  /// An array where a variable is wanted becomes one without gradient. Defined beside Variable.
  operator Variable() const&;
  operator Variable() &&;

  Dtype dtype() const { return body().dtype; }
  const Shape& shape() const& { return body().shape; }
  Shape shape() && { return body().shape; }  // of a temporary: its body goes with it
  int64_t shape(int64_t axis) const { return body().shape[normalize_axis(axis, ndim(), "shape")]; }
  int ndim() const { return body().shape.ndim(); }
  int64_t size() const { return body().size; }
  int64_t nbytes() const { return size() * item_size(dtype()); }
  Device device() const { return body().device; }
  Strides strides() const { return body().effective_strides(); }
  bool is_contiguous() const { return body().contiguous; }

  /// The first element, for reading: an address in the memory of device(). Computes what is pending; elements lie at
  /// strides().
  const void* raw() const {
    force(body());
    if (recording::any()) [[unlikely]]
      recording::host_reads(*body_);
    return body_->data;
  }
  /// The first element, for writing: pending readers of the old values run first.
  void* mutable_raw() {
    before_write(body());
    if (recording::any()) [[unlikely]]
      recording::host_writes(*body_);
    return body_->data;
  }
  /// As raw(), with the element type checked, and that the array is on the host.
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
  /// The value of a one-element array, converted to T.
  template <class T>
  T item() const {
    return scalar().to<T>();
  }
  Scalar scalar() const;
  /// All elements in C order, converted to T.
  template <class T>
  std::vector<T> to_vector() const;

  /// NumPy's basic and advanced indexing for reading: views for integers, slices, newaxis and ellipsis, new arrays
  /// for integer arrays and boolean masks. x[{0, 1}] is NumPy's x[0, 1]; x[array({0, 1})] its x[[0, 1]].
  Array operator[](const Index& index) const;
  Array operator[](std::initializer_list<Index> indices) const;
  /// Assignment through any index; `value` is broadcast to the selected shape and cast to this dtype.
  void set(const Index& index, const Array& value);
  void set(const Index& index, Scalar value);
  void set(std::initializer_list<Index> indices, const Array& value);
  void set(std::initializer_list<Index> indices, Scalar value);

  /// One length may be -1. A view where the memory order allows it, else a copy.
  Array reshape(const Shape& shape) const;
  /// A view with permuted axes; all reversed when none are given.
  Array transpose(const Axes& axes = {}) const;
  Array T() const { return transpose(); }
  Array ravel() const { return reshape({-1}); }
  /// The array itself where it is in C order without gaps, else a copy that is: for whoever reads raw memory.
  Array contiguous() const;
  /// A copy in this array's memory order (NumPy's order 'K'); the array itself unless `copy` when the dtype is right.
  Array astype(Dtype dtype, bool copy = true) const;
  Array copy() const;
  void fill(Scalar value);
  /// This array on another device, in its memory order: a copy, or itself when it is there.
  Array to_device(const Device& device) const;

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
  /// Gives up the body without counting: for handles that were not counted either.
  ArrayBody* release() { return body_.release(); }
  /// Whether both handles refer to the same array object (not: equal elements).
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

/// An array of truths: what comparisons, tests and logical operations give. It is no truth itself, so that
/// `if (a == b)` does not compile: all(a == b).item<bool>() or any(...) says what is meant. (The truth of an Array, as
/// which it can be kept, is whether there is one.)
class [[nodiscard]] Mask : public Array {
 public:
  explicit Mask(Array a) : Array(std::move(a)) {}
  explicit operator bool() const = delete;
};

/// A short list of arrays: what functions take and return.
using Arrays = SmallVector<Array, 4>;

/// NumPy's text of an array: array([[1., 2.], [3., 4.]], dtype=float32) in repr, without commas in str.
std::string repr(const Array& a);
std::string to_string(const Array& a);

/// The length of the first axis.
int64_t len(const Array& a);

}  // namespace chainer

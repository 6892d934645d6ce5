// F: array manipulations (manual: "Array manipulations").
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// x repeated along new and length-one axes until it has `shape`, as a view. Gradient: sum_to.
///   F::broadcast_to(array({{1.f}, {2.f}}), {2, 3})  // [[1, 1, 1], [2, 2, 2]]
inline constexpr struct BroadcastTo {
  static constexpr std::string_view name = "broadcast_to";
  Variable operator()(const Variable& x, const Shape& shape) const;
} broadcast_to{};

/// All variables broadcast to their common shape.
///   auto xy = F::broadcast({array({1.f}), array({1.f, 2.f})});
inline constexpr struct Broadcast {
  static constexpr std::string_view name = "broadcast";
  Variables operator()(const Variables& xs) const;
} broadcast{};

/// x with its elements converted to another floating dtype; x itself where nothing changes.
///   F::cast(array({1.f, 2.f}), float64)
inline constexpr struct Cast {
  static constexpr std::string_view name = "cast";
  Variable operator()(const Variable& x, Dtype dtype) const;
} cast{};

/// Variables joined along an axis; all other lengths must agree.
///   F::concat({array({{1.f}}), array({{2.f}})})  // [[1, 2]]
inline constexpr struct Concat {
  static constexpr std::string_view name = "concat";
  Variable operator()(const Variables& xs, int64_t axis = 1) const;
} concat{};

/// x on another device (a copy, also on the same one).
///   F::copy(array({1.f}), get_device("@cpu"))
inline constexpr struct Copy {
  static constexpr std::string_view name = "copy";
  Variable operator()(const Variable& x, const Device& device) const;
} copy{};

/// x with a new axis of length one.
///   F::expand_dims(array({1.f, 2.f}), 0)  // shape (1, 2)
inline constexpr struct ExpandDims {
  static constexpr std::string_view name = "expand_dims";
  Variable operator()(const Variable& x, int64_t axis) const;
} expand_dims{};

/// x as one axis.
///   F::flatten(array({{1.f, 2.f}, {3.f, 4.f}}))  // shape (4,)
inline constexpr struct Flatten {
  static constexpr std::string_view name = "flatten";
  Variable operator()(const Variable& x) const;
} flatten{};

/// NumPy's indexing; also written x[...]. At most one boolean array. Gradients of an element that is selected several
/// times add up.
///   F::get_item(array({1.f, 2.f, 3.f}), {Slice(1, 3)})  // [2, 3]
inline constexpr struct GetItem {
  static constexpr std::string_view name = "get_item";
  Variable operator()(const Variable& x, const Indices& slices) const;
} get_item{};

/// x in another shape with as many elements; one length may be -1.
///   F::reshape(array({1.f, 2.f, 3.f, 4.f}), {2, -1})
inline constexpr struct Reshape {
  static constexpr std::string_view name = "reshape";
  Variable operator()(const Variable& x, const Shape& shape) const;
} reshape{};

/// x cut along an axis, at positions or into equal sections (which must divide the length). Always a list.
///   F::split_axis(array({1.f, 2.f, 3.f, 4.f}), 2, 0)  // [1, 2] and [3, 4]
inline constexpr struct SplitAxis {
  static constexpr std::string_view name = "split_axis";
  Variables operator()(const Variable& x, int64_t sections, int64_t axis) const;
  Variables operator()(const Variable& x, const std::vector<int64_t>& indices, int64_t axis) const;
} split_axis{};

/// x without axes of length one: the given ones, or all of them.
///   F::squeeze(array({{1.f, 2.f}}))  // shape (2,)
inline constexpr struct Squeeze {
  static constexpr std::string_view name = "squeeze";
  Variable operator()(const Variable& x, const Axes& axis = {}) const;
} squeeze{};

/// Variables of one shape along a new axis.
///   F::stack({array({1.f}), array({2.f})})  // [[1], [2]]
inline constexpr struct Stack {
  static constexpr std::string_view name = "stack";
  Variable operator()(const Variables& xs, int64_t axis = 0) const;
} stack{};

/// x summed down to a shape that broadcasts to its own. Gradient: broadcast_to.
///   F::sum_to(array({{1.f, 2.f}, {3.f, 4.f}}), {1, 2})  // [[4, 6]]
inline constexpr struct SumTo {
  static constexpr std::string_view name = "sum_to";
  Variable operator()(const Variable& x, const Shape& shape) const;
} sum_to{};

/// x with its axes permuted, reversed by default.
///   F::transpose(array({{1.f, 2.f}}))  // [[1], [2]]
inline constexpr struct Transpose {
  static constexpr std::string_view name = "transpose";
  Variable operator()(const Variable& x, const Axes& axes = {}) const;
} transpose{};

/// condition ? x : y, elementwise with broadcasting; no gradient reaches the condition.
///   F::where(array({1, 0}), array({1.f, 2.f}), array({3.f, 4.f}))  // [1, 4]
inline constexpr struct Where {
  static constexpr std::string_view name = "where";
  Variable operator()(const Variable& condition, const Variable& x, const Variable& y) const;
} where{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer

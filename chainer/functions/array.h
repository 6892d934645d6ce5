// F: array manipulations (manual: "Array manipulations").
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/routines/im2col.h"

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

/// x on another device (a copy, also on the same one); its gradient is copied back. A number is that CUDA device, -1
/// the host.
///   F::copy(array({1.f}), get_device("@cpu"))
inline constexpr struct Copy {
  static constexpr std::string_view name = "copy";
  Variable operator()(const Variable& x, const Device& device) const;
  Variable operator()(const Variable& x, int device) const { return (*this)(x, get_device(device)); }
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

/// Channels become pixels: (N, r^2 C, H, W) to (N, C, rH, rW). Shi et al., arXiv:1609.05158.
///   F::depth2space(ones({1, 4, 2, 2}), 2)
inline constexpr struct Depth2space {
  static constexpr std::string_view name = "depth2space";
  Variable operator()(const Variable& X, int64_t r) const;
} depth2space{};

/// Pixels become channels: (N, C, rH, rW) to (N, r^2 C, H, W), the inverse of depth2space.
///   F::space2depth(ones({1, 1, 4, 4}), 2)
inline constexpr struct Space2depth {
  static constexpr std::string_view name = "space2depth";
  Variable operator()(const Variable& X, int64_t r) const;
} space2depth{};

/// The diagonals of the matrices along two axes, as the last axis.
///   F::diagonal(array({{1.f, 2.f}, {3.f, 4.f}}))  // [1, 4]
inline constexpr struct Diagonal {
  static constexpr std::string_view name = "diagonal";
  Variable operator()(const Variable& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1) const;
} diagonal{};

/// Arrays joined along the third axis; those with fewer axes become (1, n, 1) or (m, n, 1).
///   F::dstack({array({1.f}), array({2.f})})  // [[[1, 2]]]
inline constexpr struct Dstack {
  static constexpr std::string_view name = "dstack";
  Variable operator()(const Variables& xs) const;
} dstack{};

/// Arrays joined along the second axis, or the only one.
///   F::hstack({array({1.f}), array({2.f})})  // [1, 2]
inline constexpr struct Hstack {
  static constexpr std::string_view name = "hstack";
  Variable operator()(const Variables& xs) const;
} hstack{};

/// Arrays joined along the first axis; those with one axis are rows.
///   F::vstack({array({1.f}), array({2.f})})  // [[1], [2]]
inline constexpr struct Vstack {
  static constexpr std::string_view name = "vstack";
  Variable operator()(const Variables& xs) const;
} vstack{};

/// Elements in reverse order along an axis.
///   F::flip(array({1.f, 2.f}), 0)  // [2, 1]
inline constexpr struct Flip {
  static constexpr std::string_view name = "flip";
  Variable operator()(const Variable& x, int64_t axis) const;
} flip{};

/// flip along the second axis.
///   F::fliplr(array({{1.f, 2.f}}))  // [[2, 1]]
inline constexpr struct Fliplr {
  static constexpr std::string_view name = "fliplr";
  Variable operator()(const Variable& a) const;
} fliplr{};

/// flip along the first axis.
///   F::flipud(array({1.f, 2.f}))  // [2, 1]
inline constexpr struct Flipud {
  static constexpr std::string_view name = "flipud";
  Variable operator()(const Variable& a) const;
} flipud{};

/// Axes moved to other places, the others in their order.
///   F::moveaxis(ones({2, 3, 4}), 0, -1)  // shape (3, 4, 2)
inline constexpr struct Moveaxis {
  static constexpr std::string_view name = "moveaxis";
  Variable operator()(const Variable& x, int64_t source, int64_t destination) const;
  Variable operator()(const Variable& x, const Dims& source, const Dims& destination) const;
} moveaxis{};

/// One axis moved before `start`, as NumPy's rollaxis.
///   F::rollaxis(ones({2, 3, 4}), 2)  // shape (4, 2, 3)
inline constexpr struct Rollaxis {
  static constexpr std::string_view name = "rollaxis";
  Variable operator()(const Variable& x, int64_t axis, int64_t start = 0) const;
} rollaxis{};

/// Two axes exchanged.
///   F::swapaxes(ones({2, 3}), 0, 1)  // shape (3, 2)
inline constexpr struct Swapaxes {
  static constexpr std::string_view name = "swapaxes";
  Variable operator()(const Variable& x, int64_t axis1, int64_t axis2) const;
} swapaxes{};

/// Numbers at the edges: one for all, or (before, after) for each axis or once for all.
class PadValues {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> PadValues(T all) : values_{{static_cast<double>(all), static_cast<double>(all)}} {}
  PadValues(std::vector<std::pair<double, double>> values) : values_(std::move(values)) {}
  /// ValueError unless there is one pair or one for each axis.
  double at(int axis, bool before, int ndim) const;
  /// The number, where it is the same at all edges.
  std::optional<double> single() const;

 private:
  std::vector<std::pair<double, double>> values_;
};
/// Options of pad().
struct PadOptions {
  PadValues constant_values = 0;  ///< of mode "constant"
  PadValues end_values = 0;       ///< of mode "linear_ramp"
};
/// Elements put around an array: as many everywhere, or (before, after) for each axis or once for all. NumPy's modes:
/// "constant", "edge", "wrap", "symmetric" (the edge twice), "reflect" (the edge once), "linear_ramp" (down to
/// end_values), "maximum", "minimum" and "mean" of the axis. Repeated elements gather their gradients.
///   F::pad(array({1.f}), {{1, 2}}, "constant")  // [0, 1, 0, 0]
inline constexpr struct Pad {
  static constexpr std::string_view name = "pad";
  Variable operator()(const Variable& x, int64_t pad_width, const std::string& mode,
                      const PadOptions& options = {}) const;
  Variable operator()(const Variable& x, const std::vector<std::pair<int64_t, int64_t>>& pad_width,
                      const std::string& mode, const PadOptions& options = {}) const;
} pad{};

/// Options of pad_sequence().
struct PadSequenceOptions {
  std::optional<int64_t> length = {};  ///< that of the longest by default
  double padding = 0;
};
/// Arrays of several lengths as one (number, length, ...), the shorter ones padded at their end.
///   F::pad_sequence({array({1.f, 2.f}), array({3.f})})  // [[1, 2], [3, 0]]
inline constexpr struct PadSequence {
  static constexpr std::string_view name = "pad_sequence";
  Variable operator()(const Variables& xs, const PadSequenceOptions& options = {}) const;
} pad_sequence{};

/// Options of permutate().
struct PermutateOptions {
  bool inv = false;  ///< the inverse permutation
};
/// Slices along an axis in another order: y[i] = x[indices[i]].
///   F::permutate(array({1.f, 2.f}), array({1, 0}))  // [2, 1]
inline constexpr struct Permutate {
  static constexpr std::string_view name = "permutate";
  Variable operator()(const Variable& x, const Array& indices, int64_t axis = 0,
                      const PermutateOptions& options = {}) const;
} permutate{};

/// Every element several times: one count for all, or one for each along the axis (the flattened array by default).
///   F::repeat(array({1.f, 2.f}), {2})  // [1, 1, 2, 2]
inline constexpr struct Repeat {
  static constexpr std::string_view name = "repeat";
  Variable operator()(const Variable& x, const std::vector<int64_t>& repeats, std::optional<int64_t> axis = {}) const;
} repeat{};

/// a with b added at the places of an index; places named twice get both.
///   F::scatter_add(array({1.f, 2.f}), {array({0, 0})}, array({10.f, 20.f}))  // [31, 2]
inline constexpr struct ScatterAdd {
  static constexpr std::string_view name = "scatter_add";
  Variable operator()(const Variable& a, const Indices& slices, const Variable& b) const;
} scatter_add{};

/// The element t[i] of each row: (N, C) and integers (N) to (N). A label outside the row is an IndexError.
///   F::select_item(array({{1.f, 2.f}, {3.f, 4.f}}), array({1, 0}))  // [2, 3]
inline constexpr struct SelectItem {
  static constexpr std::string_view name = "select_item";
  Variable operator()(const Variable& x, const Variable& t) const;
} select_item{};

/// The slices along an axis, one variable each.
///   F::separate(array({{1.f, 2.f}, {3.f, 4.f}}))  // {[1, 2], [3, 4]}
inline constexpr struct Separate {
  static constexpr std::string_view name = "separate";
  Variables operator()(const Variable& x, int64_t axis = 0) const;
} separate{};

/// An array repeated as a whole along its axes.
///   F::tile(array({1.f, 2.f}), {2})  // [1, 2, 1, 2]
inline constexpr struct Tile {
  static constexpr std::string_view name = "tile";
  Variable operator()(const Variable& x, const Dims& reps) const;
} tile{};

/// Sequences sorted by length, the longest first, to one array a time step.
///   F::transpose_sequence({array({1.f, 2.f}), array({3.f})})  // {[1, 3], [2]}
inline constexpr struct TransposeSequence {
  static constexpr std::string_view name = "transpose_sequence";
  Variables operator()(const Variables& xs) const;
} transpose_sequence{};

/// Options of im2col().
struct Im2colOptions {
  IntPair stride = 1, pad = 0;
  bool cover_all = false;  ///< every element is in some patch, also where a patch stands over the edge
  IntPair dilate = 1;
};
/// The patches of images (n, c, h, w) under a filter of ksize, put into the channels: (n, c kh kw, out_h, out_w).
///   F::im2col(ones({1, 2, 4, 4}), 2, {.stride = 2})  // shape (1, 8, 2, 2)
inline constexpr struct Im2col {
  static constexpr std::string_view name = "im2col";
  Variable operator()(const Variable& x, IntPair ksize, const Im2colOptions& options = {}) const;
} im2col{};

/// Images (n, c, h, w) resized to (height, width) by bilinear interpolation; corners stay corners.
///   F::resize_images(array({{0.f, 1.f}}).reshape({1, 1, 1, 2}), {1, 3})  // [[[[0, 0.5, 1]]]]
inline constexpr struct ResizeImages {
  static constexpr std::string_view name = "resize_images";
  Variable operator()(const Variable& x, IntPair output_shape) const;
} resize_images{};

/// The points theta (x, y, 1) for x and y from -1 to 1 over an image of output_shape: theta (n, 2, 3) to (n, 2, h, w),
/// x first. Jaderberg et al., arXiv:1506.02025.
///   F::spatial_transformer_grid(array({{{1.f, 0.f, 0.f}, {0.f, 1.f, 0.f}}}), {2, 2})  // shape (1, 2, 2, 2)
inline constexpr struct SpatialTransformerGrid {
  static constexpr std::string_view name = "spatial_transformer_grid";
  Variable operator()(const Variable& theta, IntPair output_shape) const;
} spatial_transformer_grid{};

/// Images (n, c, h, w) sampled bilinearly at the points of a grid (n, 2, out_h, out_w), where (-1, -1) is the upper
/// left pixel and (1, 1) the lower right one; zero outside.
///   F::spatial_transformer_sampler(ones({1, 1, 3, 3}), zeros({1, 2, 1, 1}))  // [[[[1]]]]
inline constexpr struct SpatialTransformerSampler {
  static constexpr std::string_view name = "spatial_transformer_sampler";
  Variable operator()(const Variable& x, const Variable& grid) const;
} spatial_transformer_sampler{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer

// SPDX-License-Identifier: MIT
// F: array manipulations (manual: "Array manipulations"). Inputs may be of any dtype where the comment does not name
// one.
// Errors: the comments name what each function throws. See functions.h for what all functions share.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/routines/im2col.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Returns x repeated along new axes and axes of length one until it has `shape`, as a view. The gradient is summed by
/// sum_to(). Throws DimensionError if the shape of x does not broadcast to `shape`.
///   F::broadcast_to(array({{1.f}, {2.f}}), {2, 3})  // [[1, 1, 1], [2, 2, 2]]
inline constexpr struct BroadcastTo {
  static constexpr std::string_view name = "broadcast_to";
  Variable operator()(const Variable& x, const Shape& shape) const;
} broadcast_to{};

/// Broadcasts all variables to their common shape. Throws DimensionError if there is none.
///   auto xy = F::broadcast({array({1.f}), array({1.f, 2.f})});
inline constexpr struct Broadcast {
  static constexpr std::string_view name = "broadcast";
  Variables operator()(const Variables& xs) const;
} broadcast{};

/// Returns x with its elements converted to another dtype, in the same shape; x itself if it has the dtype already.
/// Only a conversion between floating dtypes has a gradient. Throws nothing of its own: out-of-range values are no
/// error.
///   F::cast(array({1.f, 2.f}), float64)
inline constexpr struct Cast {
  static constexpr std::string_view name = "cast";
  Variable operator()(const Variable& x, Dtype dtype) const;
} cast{};

/// Concatenates variables along an axis: (2, 3) and (2, 4) give (2, 7) for axis 1. Throws ValueError if there are no
/// variables, InvalidType if their dtypes or the lengths of their other axes differ or if there is no such axis.
///   F::concat({array({{1.f}}), array({{2.f}})})  // [[1, 2]]
inline constexpr struct Concat {
  static constexpr std::string_view name = "concat";
  Variable operator()(const Variables& xs, int64_t axis = 1) const;
} concat{};

/// Copies x (any shape) to a device, also to its own; the gradient is copied back. An int names a device as Chainer
/// does: a CUDA device by its number, the host by -1. Throws DeviceError if there is no such device.
///   F::copy(array({1.f}), get_device("@cpu"))
inline constexpr struct Copy {
  static constexpr std::string_view name = "copy";
  Variable operator()(const Variable& x, const Device& device) const;
  Variable operator()(const Variable& x, int device) const { return (*this)(x, get_device(device)); }
} copy{};

/// Inserts an axis of length one into the shape of x, before position `axis`. Throws IndexError if `axis` is not within
/// -ndim - 1 ... ndim.
///   F::expand_dims(array({1.f, 2.f}), 0)  // shape (1, 2)
inline constexpr struct ExpandDims {
  static constexpr std::string_view name = "expand_dims";
  Variable operator()(const Variable& x, int64_t axis) const;
} expand_dims{};

/// Returns x, of any shape, as a vector of shape (size). Throws nothing of its own.
///   F::flatten(array({{1.f, 2.f}, {3.f, 4.f}}))  // shape (4,)
inline constexpr struct Flatten {
  static constexpr std::string_view name = "flatten";
  Variable operator()(const Variable& x) const;
} flatten{};

/// Selects elements by NumPy's rules of indexing, also written x[...]; the result's shape follows from the indices. At
/// most one index may be a boolean array. Gradients of an element that is selected several times are added. Throws
/// IndexError for positions out of range, too many indices and index arrays that are neither integers nor booleans,
/// ValueError for a slice with step 0, DimensionError for index arrays that do not broadcast.
///   F::get_item(array({1.f, 2.f, 3.f}), {Slice(1, 3)})  // [2, 3]
inline constexpr struct GetItem {
  static constexpr std::string_view name = "get_item";
  Variable operator()(const Variable& x, const Indices& slices) const;
} get_item{};

/// Returns x in another shape with as many elements; one length may be -1 and is then computed. Throws InvalidType if
/// the number of elements differs, DimensionError if more than one length is negative.
///   F::reshape(array({1.f, 2.f, 3.f, 4.f}), {2, -1})
inline constexpr struct Reshape {
  static constexpr std::string_view name = "reshape";
  Variable operator()(const Variable& x, const Shape& shape) const;
} reshape{};

/// Splits x along an axis, into `sections` parts of equal shape or before each position in `indices`. Throws ValueError
/// if `sections` does not divide the axis or if the positions do not ascend within it, IndexError if there is no such
/// axis.
///   F::split_axis(array({1.f, 2.f, 3.f, 4.f}), 2, 0)  // [1, 2] and [3, 4]
inline constexpr struct SplitAxis {
  static constexpr std::string_view name = "split_axis";
  Variables operator()(const Variable& x, int64_t sections, int64_t axis) const;
  Variables operator()(const Variable& x, const std::vector<int64_t>& indices, int64_t axis) const;
} split_axis{};

/// Removes axes of length one from the shape: the given ones, or all of them. Throws ValueError if a given axis has
/// another length, IndexError if there is no such axis.
///   F::squeeze(array({{1.f, 2.f}}))  // shape (2,)
inline constexpr struct Squeeze {
  static constexpr std::string_view name = "squeeze";
  Variable operator()(const Variable& x, const Axes& axis = {}) const;
} squeeze{};

/// Stacks variables of one shape along a new axis: n of shape (2, 3) give (n, 2, 3) for axis 0. Throws ValueError if
/// there are no variables, InvalidType if shapes or dtypes differ, IndexError for an axis out of range.
///   F::stack({array({1.f}), array({2.f})})  // [[1], [2]]
inline constexpr struct Stack {
  static constexpr std::string_view name = "stack";
  Variable operator()(const Variables& xs, int64_t axis = 0) const;
} stack{};

/// Sums x over axes until it has `shape`, which must broadcast to the shape of x (DimensionError otherwise). The
/// gradient is broadcast_to().
///   F::sum_to(array({{1.f, 2.f}, {3.f, 4.f}}), {1, 2})  // [[4, 6]]
inline constexpr struct SumTo {
  static constexpr std::string_view name = "sum_to";
  Variable operator()(const Variable& x, const Shape& shape) const;
} sum_to{};

/// Permutes the axes of x; without `axes` their order is reversed: (2, 3, 4) becomes (4, 3, 2). Throws ValueError if
/// `axes` is no permutation of all axes, IndexError if an axis is out of range.
///   F::transpose(array({{1.f, 2.f}}))  // [[1], [2]]
inline constexpr struct Transpose {
  static constexpr std::string_view name = "transpose";
  Variable operator()(const Variable& x, const Axes& axes = {}) const;
} transpose{};

/// Options of rotary_embedding().
struct RotaryEmbeddingOptions {
  double base = 10000;
  bool interleaved = false;  ///< pairs of neighbours, else pairs of elements that are half of `size` apart
  int64_t size = 0;          ///< rotate this many elements of the last axis and keep the others; 0 means all
  Array positions = {};      ///< integers that broadcast to the axes of x before the last; 0, 1, ... by default
};
/// Rotates pairs of elements of x (..., L, D) by angles that grow with the position along axis -2: pair i by position
/// times base^(-2 i / D). The result has the shape of x. Throws InvalidType unless x is floating with two axes or more,
/// ValueError if `size` is odd, negative or larger than D or if the base is not positive, TypeError if positions are
/// not integers, DimensionError if they do not broadcast. Su et al., arXiv:2104.09864.
///   F::rotary_embedding(ones({1, 2}))
inline constexpr struct RotaryEmbedding {
  static constexpr std::string_view name = "rotary_embedding";
  Variable operator()(const Variable& x, const RotaryEmbeddingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(rotary_embedding, ".base, .interleaved, .size, .positions", const Variable&);
} rotary_embedding{};

/// Selects x where the condition is not zero, else y, elementwise with broadcasting. The condition has any dtype and no
/// gradient. Throws InvalidType if the dtypes of x and y differ or if the three shapes do not broadcast.
///   F::where(array({1, 0}), array({1.f, 2.f}), array({3.f, 4.f}))  // [1, 4]
inline constexpr struct Where {
  static constexpr std::string_view name = "where";
  Variable operator()(const Variable& condition, const Variable& x, const Variable& y) const;
} where{};

/// Rearranges channels into pixels: (N, r^2 C, H, W) to (N, C, r H, r W). Throws InvalidType unless X is floating with
/// four axes, ValueError unless r > 0 and r^2 divides the channels. Shi et al., arXiv:1609.05158.
///   F::depth2space(ones({1, 4, 2, 2}), 2)
inline constexpr struct Depth2space {
  static constexpr std::string_view name = "depth2space";
  Variable operator()(const Variable& X, int64_t r) const;
} depth2space{};

/// Rearranges pixels into channels: (N, C, r H, r W) to (N, r^2 C, H, W), the inverse of depth2space(). Throws
/// InvalidType unless X is floating with four axes, ValueError unless r > 0 and r divides height and width.
///   F::space2depth(ones({1, 1, 4, 4}), 2)
inline constexpr struct Space2depth {
  static constexpr std::string_view name = "space2depth";
  Variable operator()(const Variable& X, int64_t r) const;
} space2depth{};

/// Returns the diagonals of the matrices along two axes: the shape of x without these axes, with the diagonal as last
/// axis. `offset` counts to the right of the main diagonal. Throws IndexError for an axis out of range, ValueError if
/// both axes are the same.
///   F::diagonal(array({{1.f, 2.f}, {3.f, 4.f}}))  // [1, 4]
inline constexpr struct Diagonal {
  static constexpr std::string_view name = "diagonal";
  Variable operator()(const Variable& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1) const;
} diagonal{};

/// Concatenates along the third axis; shapes (n) and (m, n) are taken as (1, n, 1) and (m, n, 1). Throws ValueError if
/// xs is empty, InvalidType as concat().
///   F::dstack({array({1.f}), array({2.f})})  // [[[1, 2]]]
inline constexpr struct Dstack {
  static constexpr std::string_view name = "dstack";
  Variable operator()(const Variables& xs) const;
} dstack{};

/// Concatenates along the second axis, or along the only axis of shapes (n). Throws ValueError if xs is empty,
/// InvalidType as concat().
///   F::hstack({array({1.f}), array({2.f})})  // [1, 2]
inline constexpr struct Hstack {
  static constexpr std::string_view name = "hstack";
  Variable operator()(const Variables& xs) const;
} hstack{};

/// Concatenates along the first axis; shapes (n) are taken as rows (1, n). Throws ValueError if xs is empty,
/// InvalidType as concat().
///   F::vstack({array({1.f}), array({2.f})})  // [[1], [2]]
inline constexpr struct Vstack {
  static constexpr std::string_view name = "vstack";
  Variable operator()(const Variables& xs) const;
} vstack{};

/// Reverses the elements along an axis; the shape stays. Throws IndexError if there is no such axis.
///   F::flip(array({1.f, 2.f}), 0)  // [2, 1]
inline constexpr struct Flip {
  static constexpr std::string_view name = "flip";
  Variable operator()(const Variable& x, int64_t axis) const;
} flip{};

/// Reverses the elements along the second axis; the shape stays. Throws IndexError if there are fewer than two axes.
///   F::fliplr(array({{1.f, 2.f}}))  // [[2, 1]]
inline constexpr struct Fliplr {
  static constexpr std::string_view name = "fliplr";
  Variable operator()(const Variable& a) const;
} fliplr{};

/// Reverses the elements along the first axis; the shape stays. Throws IndexError if there are no axes.
///   F::flipud(array({1.f, 2.f}))  // [2, 1]
inline constexpr struct Flipud {
  static constexpr std::string_view name = "flipud";
  Variable operator()(const Variable& a) const;
} flipud{};

/// Moves the axes in `source` to the positions in `destination` of the result's shape; the others keep their order.
/// Throws IndexError for an axis out of range, ValueError if the numbers of axes differ or an axis is named twice.
///   F::moveaxis(ones({2, 3, 4}), 0, -1)  // shape (3, 4, 2)
inline constexpr struct Moveaxis {
  static constexpr std::string_view name = "moveaxis";
  Variable operator()(const Variable& x, int64_t source, int64_t destination) const;
  Variable operator()(const Variable& x, const Dims& source, const Dims& destination) const;
} moveaxis{};

/// Moves one axis before position `start` of the shape, as NumPy's rollaxis. Throws IndexError for an axis out of
/// range, ValueError if `start` is not within -ndim ... ndim.
///   F::rollaxis(ones({2, 3, 4}), 2)  // shape (4, 2, 3)
inline constexpr struct Rollaxis {
  static constexpr std::string_view name = "rollaxis";
  Variable operator()(const Variable& x, int64_t axis, int64_t start = 0) const;
} rollaxis{};

/// Exchanges two axes of x (any shape). Throws IndexError for an axis out of range.
///   F::swapaxes(ones({2, 3}), 0, 1)  // shape (3, 2)
inline constexpr struct Swapaxes {
  static constexpr std::string_view name = "swapaxes";
  Variable operator()(const Variable& x, int64_t axis1, int64_t axis2) const;
} swapaxes{};

/// The values that pad() puts at the edges: one for all, or (before, after) for each axis or once for all axes.
class PadValues {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> PadValues(T all) : values_{{static_cast<double>(all), static_cast<double>(all)}} {}
  PadValues(std::vector<std::pair<double, double>> values) : values_(std::move(values)) {}
  /// Returns the value at one end of an axis. Throws ValueError unless there is one pair or one for each axis.
  double at(int axis, bool before, int ndim) const;
  /// Returns the value if it is the same at all edges.
  std::optional<double> single() const;

 private:
  std::vector<std::pair<double, double>> values_;
};
/// Options of pad().
struct PadOptions {
  PadValues constant_values = 0;  ///< of mode "constant"
  PadValues end_values = 0;       ///< of mode "linear_ramp"
};
/// Pads x (any shape): pad_width elements at both ends of every axis, or (before, after) for each axis or once for all
/// axes. The modes are NumPy's: "constant", "edge", "wrap", "symmetric" (repeats the edge), "reflect" (does not),
/// "linear_ramp" (towards end_values), "maximum", "minimum" and "mean" (of the axis). Gradients of repeated elements
/// are added. Throws ValueError for an unknown mode, negative widths, numbers of pairs that fit neither, and an empty
/// axis in any mode but "constant".
///   F::pad(array({1.f}), {{1, 2}}, "constant")  // [0, 1, 0, 0]
inline constexpr struct Pad {
  static constexpr std::string_view name = "pad";
  Variable operator()(const Variable& x, int64_t pad_width, const std::string& mode,
                      const PadOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(pad, ".constant_values, .end_values", const Variable&, int64_t, const std::string&);
  Variable operator()(const Variable& x, const std::vector<std::pair<int64_t, int64_t>>& pad_width,
                      const std::string& mode, const PadOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(pad, ".constant_values, .end_values", const Variable&,
                             const std::vector<std::pair<int64_t, int64_t>>&, const std::string&);
} pad{};

/// Options of pad_sequence().
struct PadSequenceOptions {
  std::optional<int64_t> length = {};  ///< the length of the longest array by default
  double padding = 0;
};
/// Pads arrays (length_i, ...) at their end and stacks them: (number, length, ...). Throws ValueError if xs is empty or
/// `length` is less than the longest array, DimensionError if dtypes or the lengths of other axes differ.
///   F::pad_sequence({array({1.f, 2.f}), array({3.f})})  // [[1, 2], [3, 0]]
inline constexpr struct PadSequence {
  static constexpr std::string_view name = "pad_sequence";
  Variable operator()(const Variables& xs, const PadSequenceOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(pad_sequence, ".length, .padding", const Variables&);
} pad_sequence{};

/// Options of permutate().
struct PermutateOptions {
  bool inv = false;  ///< applies the inverse permutation
};
/// Reorders slices along an axis: y[i] = x[indices[i]], or the inverse with `inv`; the shape stays. Throws ValueError
/// unless `indices` is an integer array (n) that holds each of 0 ... n - 1 once, IndexError if there is no such axis.
///   F::permutate(array({1.f, 2.f}), array({1, 0}))  // [2, 1]
inline constexpr struct Permutate {
  static constexpr std::string_view name = "permutate";
  Variable operator()(const Variable& x, const Array& indices, int64_t axis = 0,
                      const PermutateOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(permutate, ".inv", const Variable&, const Array&, int64_t);
} permutate{};

/// Repeats every element: `repeats` holds one count, or one for each position of the axis. Without an axis x is
/// flattened first. The axis gets the sum of the counts as its length; the rest of the shape stays. Throws ValueError
/// for negative counts or another number of counts, IndexError if there is no such axis.
///   F::repeat(array({1.f, 2.f}), {2})  // [1, 1, 2, 2]
inline constexpr struct Repeat {
  static constexpr std::string_view name = "repeat";
  Variable operator()(const Variable& x, const std::vector<int64_t>& repeats, std::optional<int64_t> axis = {}) const;
} repeat{};

/// Returns a copy of a with b added at the indexed elements; an element that is named twice gets both. b must broadcast
/// to the shape of a[slices] (DimensionError otherwise). Throws InvalidType if the dtypes differ, IndexError as
/// get_item().
///   F::scatter_add(array({1.f, 2.f}), {array({0, 0})}, array({10.f, 20.f}))  // [31, 2]
inline constexpr struct ScatterAdd {
  static constexpr std::string_view name = "scatter_add";
  Variable operator()(const Variable& a, const Indices& slices, const Variable& b) const;
} scatter_add{};

/// a with the largest of its own element and all elements of b that are put at its place, b broadcast to the shape of
/// a[slices]: an index may come several times. NaN where there is one. The gradient goes in equal parts to the elements
/// that are the largest.
///   F::scatter_max(array({1.f, 2.f}), {array({0, 0})}, array({10.f, 20.f}))  // [20, 2]
inline constexpr struct ScatterMax {
  static constexpr std::string_view name = "scatter_max";
  Variable operator()(const Variable& a, const Indices& slices, const Variable& b) const;
} scatter_max{};

/// a with, at each place of a[slices], the mean of the elements of b that are put there, b broadcast to its shape; a's
/// own elements stay where none are. With a of zeros it is the mean over segments.
///   F::scatter_mean(array({1.f, 2.f}), {array({0, 0})}, array({10.f, 20.f}))  // [15, 2]
inline constexpr struct ScatterMean {
  static constexpr std::string_view name = "scatter_mean";
  Variable operator()(const Variable& a, const Indices& slices, const Variable& b) const;
} scatter_mean{};

/// Selects one element of each row: y[i] = x[i, t[i]], from x (N, C) and integers t (N) to (N). Throws InvalidType if
/// the shapes do not match or t is not integer, IndexError for a label that is not in 0 ... C - 1.
///   F::select_item(array({{1.f, 2.f}, {3.f, 4.f}}), array({1, 0}))  // [2, 3]
inline constexpr struct SelectItem {
  static constexpr std::string_view name = "select_item";
  Variable operator()(const Variable& x, const Variable& t) const;
} select_item{};

/// Returns the slices along an axis, one variable each, with the shape of x without this axis. Throws DimensionError if
/// x has no axes, IndexError if it has no such axis.
///   F::separate(array({{1.f, 2.f}, {3.f, 4.f}}))  // {[1, 2], [3, 4]}
inline constexpr struct Separate {
  static constexpr std::string_view name = "separate";
  Variables operator()(const Variable& x, int64_t axis = 0) const;
} separate{};

/// Repeats x as a whole, reps[d] times along axis d; missing axes of x or reps count as 1 at the front. The result has
/// shape (reps[0] s[0], reps[1] s[1], ...). Throws ValueError if a number of reps is negative.
///   F::tile(array({1.f, 2.f}), {2})  // [1, 2, 1, 2]
inline constexpr struct Tile {
  static constexpr std::string_view name = "tile";
  Variable operator()(const Variable& x, const Dims& reps) const;
} tile{};

/// Turns sequences (length_i, ...) into one array for each time step: result t has shape (number of sequences longer
/// than t, ...). The sequences are sorted by length, the longest first (ValueError otherwise). Throws InvalidType if
/// dtypes or the shapes of the items differ.
///   F::transpose_sequence({array({1.f, 2.f}), array({3.f})})  // {[1, 3], [2]}
inline constexpr struct TransposeSequence {
  static constexpr std::string_view name = "transpose_sequence";
  Variables operator()(const Variables& xs) const;
} transpose_sequence{};

/// Options of im2col().
struct Im2colOptions {
  IntPair stride = 1, pad = 0;
  bool cover_all = false;  ///< adds patches that extend past the edge until every element is in a patch
  IntPair dilate = 1;
};
/// Extracts the patches of images x (n, c, h, w) under a filter of size ksize = (kh, kw) into the channels:
/// (n, c kh kw, out_h, out_w). Throws InvalidType unless x is floating with four axes, ValueError for sizes, strides or
/// dilations below 1 or negative padding, DimensionError if the filter does not fit into the image.
///   F::im2col(ones({1, 2, 4, 4}), 2, {.stride = 2})  // shape (1, 8, 2, 2)
inline constexpr struct Im2col {
  static constexpr std::string_view name = "im2col";
  Variable operator()(const Variable& x, IntPair ksize, const Im2colOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(im2col, ".stride, .pad, .cover_all, .dilate", const Variable&, IntPair);
} im2col{};

/// Resizes images (n, c, h, w) to (n, c, height, width) by bilinear interpolation; the corner pixels keep their values.
/// Throws InvalidType unless x is floating with four axes and at least one pixel, ValueError unless the output's size
/// is positive.
///   F::resize_images(array({{0.f, 1.f}}).reshape({1, 1, 1, 2}), {1, 3})  // [[[[0, 0.5, 1]]]]
inline constexpr struct ResizeImages {
  static constexpr std::string_view name = "resize_images";
  Variable operator()(const Variable& x, IntPair output_shape) const;
} resize_images{};

/// Computes sampling points: theta (n, 2, 3) times (x, y, 1) for x and y from -1 to 1 over an image of output_shape
/// (h, w), as (n, 2, h, w) with the x coordinates first. Throws InvalidType unless theta is floating of this shape,
/// ValueError unless h and w are positive. Jaderberg et al., arXiv:1506.02025.
///   F::spatial_transformer_grid(array({{{1.f, 0.f, 0.f}, {0.f, 1.f, 0.f}}}), {2, 2})  // shape (1, 2, 2, 2)
inline constexpr struct SpatialTransformerGrid {
  static constexpr std::string_view name = "spatial_transformer_grid";
  Variable operator()(const Variable& theta, IntPair output_shape) const;
} spatial_transformer_grid{};

/// Samples images (n, c, h, w) bilinearly at the points of a grid (n, 2, out_h, out_w): (n, c, out_h, out_w). (-1, -1)
/// is the upper left pixel, (1, 1) the lower right one; points outside of the image give zero. Throws InvalidType
/// unless both have one floating dtype and these shapes.
///   F::spatial_transformer_sampler(ones({1, 1, 3, 3}), zeros({1, 2, 1, 1}))  // [[[[1]]]]
inline constexpr struct SpatialTransformerSampler {
  static constexpr std::string_view name = "spatial_transformer_sampler";
  Variable operator()(const Variable& x, const Variable& grid) const;
} spatial_transformer_sampler{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer

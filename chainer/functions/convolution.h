// SPDX-License-Identifier: MIT
// F: convolutions (manual: "Neural network connections").
// Errors: every convolution and deconvolution throws InvalidType if dtypes are not floating, if x or W have another
// number of axes, or if channels, groups and the bias do not match; ValueError if stride, dilate or groups are not
// positive, pad is negative or a list does not hold one number for each spatial axis; DimensionError if the filter has
// no position on the image. If the floating dtypes of x and W differ, the result is computed in the widest and returned
// in that of x. See functions.h for what all functions share.
#pragma once
#include "chainer/array/per_axis.h"
#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Options of the convolutions. One number applies to all spatial axes.
struct ConvolutionOptions {
  PerAxis stride = 1;      ///< distance between positions of the filter
  PerAxis pad = 0;         ///< number of zeros at each end of the axis
  bool cover_all = false;  ///< adds a position at the end if elements would be under no filter
  PerAxis dilate = 1;      ///< distance between elements of the filter
  int64_t groups = 1;      ///< number of groups of channels, each convolved on its own
};
/// Correlates images x (N, C, in...) with filters W (K, C / groups, k...), any number of spatial axes, plus b (K) or
/// none: (N, K, out...) with out = (in + 2 pad - dilate (k - 1) - 1) / stride + 1, rounded down, or up with cover_all.
/// Throws DimensionError if x has no spatial axis. The channels of the result are innermost in memory, which matters
/// for speed only. Filters of 3x3 may be applied by Winograd's algorithm, in which an infinite or NaN input spreads to
/// neighboring results; config().winograd = false disables it.
///   F::convolution_nd(ones({1, 1, 3}), ones({1, 1, 2}))            // [[[2, 2]]]
///   F::convolution_nd(ones({2, 3, 5, 6}), ones({4, 3, 2, 2}), {}, {.stride = {1, 2}, .pad = 1})  // shape (2, 4, 6, 4)
inline constexpr struct ConvolutionND {
  static constexpr std::string_view name = "convolution_nd";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(convolution_nd, ".stride, .pad, .cover_all, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} convolution_nd{};

/// convolution_nd() with one spatial axis: x (N, C, in), W (K, C / groups, k) to (N, K, out).
///   F::convolution_1d(array({{{1.f, 2.f, 3.f}}}), array({{{1.f, -1.f}}}))  // [[[-1, -1]]]
inline constexpr struct Convolution1D {
  static constexpr std::string_view name = "convolution_1d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(convolution_1d, ".stride, .pad, .cover_all, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} convolution_1d{};

/// convolution_nd() with two spatial axes: x (N, C, h, w), W (K, C / groups, kh, kw) to (N, K, out_h, out_w).
///   F::convolution_2d(ones({1, 2, 3, 3}), ones({1, 2, 3, 3}), array({1.f}), {.stride = 2, .pad = {1, 0}})
inline constexpr struct Convolution2D {
  static constexpr std::string_view name = "convolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(convolution_2d, ".stride, .pad, .cover_all, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} convolution_2d{};

/// convolution_nd() with three spatial axes: x (N, C, d, h, w), W (K, C / groups, kd, kh, kw) to
/// (N, K, out_d, out_h, out_w).
///   F::convolution_3d(ones({1, 1, 2, 2, 2}), ones({1, 1, 2, 2, 2}))  // [[[[[8]]]]]
inline constexpr struct Convolution3D {
  static constexpr std::string_view name = "convolution_3d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(convolution_3d, ".stride, .pad, .cover_all, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} convolution_3d{};

/// Options of the deconvolutions. One number applies to all spatial axes.
struct DeconvolutionOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  PerAxis outsize = {};  ///< the spatial lengths of the result, if several are possible; the smallest by default
  PerAxis dilate = 1;
  int64_t groups = 1;
};
/// Computes the gradient of a convolution with respect to its input, as a function of its own: x (N, C, in...), filters
/// W (C, K / groups, k...) and b (K) or none give (N, K, out...), out = stride (in - 1) + dilate (k - 1) + 1 - 2 pad.
/// Throws InvalidType for an outsize that the convolution would not map back to the lengths of x, DimensionError if x
/// has no spatial axis or the result no element.
///   F::deconvolution_nd(ones({1, 1, 3}), ones({1, 1, 2}))  // [[[1, 2, 2, 1]]]
inline constexpr struct DeconvolutionND {
  static constexpr std::string_view name = "deconvolution_nd";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(deconvolution_nd, ".stride, .pad, .outsize, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} deconvolution_nd{};

/// deconvolution_nd() with one spatial axis: x (N, C, in), W (C, K / groups, k) to (N, K, out).
///   F::deconvolution_1d(array({{{1.f, 2.f}}}), array({{{1.f, -1.f}}}))  // [[[1, 1, -2]]]
inline constexpr struct Deconvolution1D {
  static constexpr std::string_view name = "deconvolution_1d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(deconvolution_1d, ".stride, .pad, .outsize, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} deconvolution_1d{};

/// deconvolution_nd() with two spatial axes: x (N, C, h, w), W (C, K / groups, kh, kw) to (N, K, out_h, out_w).
///   F::deconvolution_2d(ones({1, 2, 3, 3}), ones({2, 1, 2, 2}), {}, {.stride = 2, .outsize = {7, 6}})
inline constexpr struct Deconvolution2D {
  static constexpr std::string_view name = "deconvolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(deconvolution_2d, ".stride, .pad, .outsize, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} deconvolution_2d{};

/// deconvolution_nd() with three spatial axes: x (N, C, d, h, w), W (C, K / groups, kd, kh, kw) to
/// (N, K, out_d, out_h, out_w).
///   F::deconvolution_3d(ones({1, 1, 1, 1, 1}), ones({1, 1, 1, 1, 2}))  // [[[[[1, 1]]]]]
inline constexpr struct Deconvolution3D {
  static constexpr std::string_view name = "deconvolution_3d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(deconvolution_3d, ".stride, .pad, .outsize, .dilate, .groups", const Variable&,
                             const Variable&, const Variable&);
} deconvolution_3d{};

/// Options of dilated_convolution_2d().
struct DilatedConvolution2DOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  PerAxis dilate = 1;
  bool cover_all = false;
};
/// convolution_2d() with filter elements `dilate` apart: x (N, C, h, w), W (K, C, kh, kw) to (N, K, out_h, out_w).
///   F::dilated_convolution_2d(ones({1, 2, 7, 7}), ones({3, 2, 3, 3}), {}, {.dilate = 2})
inline constexpr struct DilatedConvolution2D {
  static constexpr std::string_view name = "dilated_convolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DilatedConvolution2DOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(dilated_convolution_2d, ".stride, .pad, .dilate, .cover_all", const Variable&,
                             const Variable&, const Variable&);
} dilated_convolution_2d{};

/// Options of depthwise_convolution_2d() and deformable_convolution_2d_sampler().
struct StrideAndPad {
  PerAxis stride = 1;
  PerAxis pad = 0;
};
/// Convolves each channel of x (N, C, h, w) with M filters of its own, W (M, C, kh, kw): (N, C M, out_h, out_w), the M
/// results of a channel next to each other, plus b (C M) or none.
///   F::depthwise_convolution_2d(ones({1, 3, 4, 4}), ones({2, 3, 3, 3}), {}, {.pad = 1})  // shape (1, 6, 4, 4)
inline constexpr struct DepthwiseConvolution2D {
  static constexpr std::string_view name = "depthwise_convolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const StrideAndPad& options = {}) const;
} depthwise_convolution_2d{};

/// Options of local_convolution_2d().
struct LocalConvolution2DOptions {
  PerAxis stride = 1;
};
/// Convolves with a different filter at each position: x (N, C, h, w), W (K, out_h, out_w, C, kh, kw) and b
/// (K, out_h, out_w) or none give (N, K, out_h, out_w).
///   F::local_convolution_2d(ones({1, 2, 3, 3}), ones({4, 2, 2, 2, 2, 2}))
inline constexpr struct LocalConvolution2D {
  static constexpr std::string_view name = "local_convolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const LocalConvolution2DOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(local_convolution_2d, ".stride", const Variable&, const Variable&, const Variable&);
} local_convolution_2d{};

/// Convolves x (N, C, h, w) with W (K, C, kh, kw), whose elements are moved by `offset` (N, 2 kh kw, out_h, out_w), in
/// pixels: the first kh kw channels to the right, the others down. The image is interpolated bilinearly. The result, in
/// the wider of the dtypes of x and W, is (N, K, out_h, out_w), plus b (K) or none. Its size is that of `offset`,
/// whatever a convolution with this stride and pad would give, so there is no DimensionError. Dai et al.,
/// arXiv:1703.06211.
///   F::deformable_convolution_2d_sampler(ones({1, 2, 5, 5}), zeros({1, 18, 3, 3}), ones({4, 2, 3, 3}))
inline constexpr struct DeformableConvolution2DSampler {
  static constexpr std::string_view name = "deformable_convolution_2d_sampler";
  Variable operator()(const Variable& x, const Variable& offset, const Variable& W, const Variable& b = {},
                      const StrideAndPad& options = {}) const;
} deformable_convolution_2d_sampler{};

/// Options of shift().
struct ShiftOptions {
  PerAxis dilate = 1;
};
/// Splits the channels of x (N, C, h, w) into kh kw groups and moves each by another step of a kh x kw neighborhood,
/// with zeros moved in; the last group stays. The result has the shape of x. Throws ValueError unless kh and kw are
/// odd, InvalidType unless C >= kh kw. Wu et al., arXiv:1711.08141.
///   F::shift(ones({1, 9, 4, 4}), 3)
inline constexpr struct Shift {
  static constexpr std::string_view name = "shift";
  Variable operator()(const Variable& x, const PerAxis& ksize = 3, const ShiftOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(shift, ".dilate", const Variable&, const PerAxis&);
} shift{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer

// F: convolutions (manual: "Neural network connections").
#pragma once
#include "chainer/array/per_axis.h"
#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of the convolutions. A number stands for all spatial axes.
struct ConvolutionOptions {
  PerAxis stride = 1;      ///< distance of the filter's positions
  PerAxis pad = 0;         ///< zeros before and behind the image
  bool cover_all = false;  ///< a position more at the end, where elements would be under no filter
  PerAxis dilate = 1;      ///< distance of the filter's elements
  int64_t groups = 1;      ///< channels are convolved in this many groups apart from each other
};
/// Correlates images x (N, C, in...) with filters W (K, C / groups, k...), any number of spatial axes, plus b (K) or
/// none: (N, K, out...) with out = (in + 2 pad - dilate (k - 1) - 1) / stride + 1, rounded down, or up with cover_all.
/// Sizes that leave no position for the filter are a DimensionError. The result's channels are neighbours in memory,
/// which only speed tells.
///   F::convolution_nd(ones({1, 1, 3}), ones({1, 1, 2}))            // [[[2, 2]]]
///   F::convolution_nd(ones({2, 3, 5, 6}), ones({4, 3, 2, 2}), {}, {.stride = {1, 2}, .pad = 1})  // shape (2, 4, 6, 4)
inline constexpr struct ConvolutionND {
  static constexpr std::string_view name = "convolution_nd";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
} convolution_nd{};

/// convolution_nd() with one spatial axis.
///   F::convolution_1d(array({{{1.f, 2.f, 3.f}}}), array({{{1.f, -1.f}}}))  // [[[-1, -1]]]
inline constexpr struct Convolution1D {
  static constexpr std::string_view name = "convolution_1d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
} convolution_1d{};

/// convolution_nd() with two spatial axes: images (N, C, h, w), filters (K, C / groups, kh, kw).
///   F::convolution_2d(ones({1, 2, 3, 3}), ones({1, 2, 3, 3}), array({1.f}), {.stride = 2, .pad = {1, 0}})
inline constexpr struct Convolution2D {
  static constexpr std::string_view name = "convolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
} convolution_2d{};

/// convolution_nd() with three spatial axes.
///   F::convolution_3d(ones({1, 1, 2, 2, 2}), ones({1, 1, 2, 2, 2}))  // [[[[[8]]]]]
inline constexpr struct Convolution3D {
  static constexpr std::string_view name = "convolution_3d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const ConvolutionOptions& options = {}) const;
} convolution_3d{};

/// Options of the deconvolutions. A number stands for all spatial axes.
struct DeconvolutionOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  PerAxis outsize = {};  ///< the result's lengths where several belong to one input; the smallest by default
  PerAxis dilate = 1;
  int64_t groups = 1;
};
/// The gradient of a convolution by its input, as a function of its own: x (N, C, in...) with filters
/// W (C, K / groups, k...) and b (K) or none give (N, K, out...), out = stride (in - 1) + dilate (k - 1) + 1 - 2 pad.
/// An outsize from which the convolution would not lead back to x's lengths is an InvalidType.
///   F::deconvolution_nd(ones({1, 1, 3}), ones({1, 1, 2}))  // [[[1, 2, 2, 1]]]
inline constexpr struct DeconvolutionND {
  static constexpr std::string_view name = "deconvolution_nd";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
} deconvolution_nd{};

/// deconvolution_nd() with one spatial axis.
///   F::deconvolution_1d(array({{{1.f, 2.f}}}), array({{{1.f, -1.f}}}))  // [[[1, 1, -2]]]
inline constexpr struct Deconvolution1D {
  static constexpr std::string_view name = "deconvolution_1d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
} deconvolution_1d{};

/// deconvolution_nd() with two spatial axes.
///   F::deconvolution_2d(ones({1, 2, 3, 3}), ones({2, 1, 2, 2}), {}, {.stride = 2, .outsize = {7, 6}})
inline constexpr struct Deconvolution2D {
  static constexpr std::string_view name = "deconvolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
} deconvolution_2d{};

/// deconvolution_nd() with three spatial axes.
///   F::deconvolution_3d(ones({1, 1, 1, 1, 1}), ones({1, 1, 1, 1, 2}))  // [[[[[1, 1]]]]]
inline constexpr struct Deconvolution3D {
  static constexpr std::string_view name = "deconvolution_3d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DeconvolutionOptions& options = {}) const;
} deconvolution_3d{};

/// Options of dilated_convolution_2d().
struct DilatedConvolution2DOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  PerAxis dilate = 1;
  bool cover_all = false;
};
/// convolution_2d() whose filter's elements are `dilate` apart.
///   F::dilated_convolution_2d(ones({1, 2, 7, 7}), ones({3, 2, 3, 3}), {}, {.dilate = 2})
inline constexpr struct DilatedConvolution2D {
  static constexpr std::string_view name = "dilated_convolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const DilatedConvolution2DOptions& options = {}) const;
} dilated_convolution_2d{};

/// Options of depthwise_convolution_2d() and deformable_convolution_2d_sampler().
struct StrideAndPad {
  PerAxis stride = 1;
  PerAxis pad = 0;
};
/// Each channel of x (N, C, h, w) convolved with M filters of its own, W (M, C, kh, kw): (N, C M, out_h, out_w), the M
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
/// A convolution with a filter of its own at each position: x (N, C, h, w), W (K, out_h, out_w, C, kh, kw) and
/// b (K, out_h, out_w) or none give (N, K, out_h, out_w).
///   F::local_convolution_2d(ones({1, 2, 3, 3}), ones({4, 2, 2, 2, 2, 2}))
inline constexpr struct LocalConvolution2D {
  static constexpr std::string_view name = "local_convolution_2d";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const LocalConvolution2DOptions& options = {}) const;
} local_convolution_2d{};

/// A convolution whose filter's elements look where `offset` (N, 2 kh kw, out_h, out_w) moves them, in pixels: the
/// first kh kw channels to the right, the others down. Between pixels the image is interpolated. x (N, C, h, w),
/// W (K, C, kh, kw), b (K) or none give (N, K, out_h, out_w): the lengths are those of `offset`, whatever a convolution
/// with this stride and pad would give. Dai et al., arXiv:1703.06211.
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
/// The channels of x (N, C, h, w) in kh kw groups, each moved by another step of a kh x kw neighbourhood (the last
/// group stays where it is), with zeros behind. kh and kw are odd. Wu et al., arXiv:1711.08141.
///   F::shift(ones({1, 9, 4, 4}), 3)
inline constexpr struct Shift {
  static constexpr std::string_view name = "shift";
  Variable operator()(const Variable& x, const PerAxis& ksize = 3, const ShiftOptions& options = {}) const;
} shift{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer

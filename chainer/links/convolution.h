// SPDX-License-Identifier: MIT
// L: convolutions with their filters (manual: "Link implementations").
// Errors: constructors throw ValueError if groups do not divide the channels; forward() throws DimensionError if x has
// another number of axes, and as the functions in functions/convolution.h do.
#pragma once
#include <concepts>

#include "chainer/array/per_axis.h"
#include "chainer/functions/activation.h"
#include "chainer/links/members.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of the convolution links. One number applies to all spatial axes.
struct ConvolutionOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  bool nobias = false;
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
  bool cover_all = false;
  PerAxis dilate = 1;
  int64_t groups = 1;
};
/// F::convolution_nd with its parameters W (out_channels, in_channels / groups, ksize...) and b (out_channels): x
/// (N, in_channels, in...) to (N, out_channels, out...). Without in_channels, or with std::nullopt for it, W is
/// initialized at the first call.
///   L::ConvolutionND(3, 2, 4, 3, {.pad = 1})(ones({1, 2, 5, 6, 7}))  // shape (1, 4, 5, 6, 7)
class ConvolutionND : public Link {
 public:
  template <std::convertible_to<PerAxis> Size>
  ConvolutionND(int64_t ndim, int64_t in_channels, int64_t out_channels, const Size& ksize,
                const ConvolutionOptions& options = {})
      : ConvolutionND(ndim, out_channels, ksize, options) {
    initialize(in_channels);
  }
  ConvolutionND(int64_t ndim, int64_t in_channels, int64_t out_channels, std::initializer_list<int64_t> ksize,
                const ConvolutionOptions& options = {})
      : ConvolutionND(ndim, in_channels, out_channels, PerAxis(ksize), options) {}
  CHAINER_OTHER_OPTIONS(ConvolutionND, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, int64_t, int64_t, std::initializer_list<int64_t>);
  CHAINER_OTHER_OPTIONS(ConvolutionND, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, int64_t, int64_t, ::chainer::detail::AnyValue);
  ConvolutionND(int64_t ndim, std::nullopt_t, int64_t out_channels, const PerAxis& ksize,
                const ConvolutionOptions& options = {})
      : ConvolutionND(ndim, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(ConvolutionND, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, std::nullopt_t, int64_t, const PerAxis&);
  ConvolutionND(int64_t ndim, int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& options = {});
  CHAINER_OTHER_OPTIONS(ConvolutionND, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, int64_t, const PerAxis&);
  Variable forward(const Variable& x);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  const ConvolutionOptions& options() const { return options_; }
  CHAINER_DECLARE_MEMBERS(ConvolutionND);

 private:
  void initialize(int64_t in_channels);
  Dims ksize_;
  int64_t out_channels_;
  ConvolutionOptions options_;
};

/// ConvolutionND with one spatial axis.
///   L::Convolution1D(2, 4, 3)(ones({1, 2, 5}))
class Convolution1D : public ConvolutionND {
 public:
  Convolution1D(int64_t in_channels, int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(1, in_channels, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Convolution1D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, int64_t, const PerAxis&);
  Convolution1D(std::nullopt_t, int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(1, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Convolution1D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        std::nullopt_t, int64_t, const PerAxis&);
  CHAINER_DECLARE_MEMBERS(Convolution1D);
};

/// ConvolutionND with two spatial axes: F::convolution_2d with its parameters.
///   L::Convolution2D(3, 8, 5, {.stride = 2, .nobias = true})(ones({1, 3, 9, 9}))
///   L::Convolution2D(8, {3, 5})(ones({1, 3, 9, 9}))  // shape (1, 8, 7, 5)
class Convolution2D : public ConvolutionND {
 public:
  template <std::convertible_to<PerAxis> Size>
  Convolution2D(int64_t in_channels, int64_t out_channels, const Size& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(2, in_channels, out_channels, ksize, options) {}
  Convolution2D(int64_t in_channels, int64_t out_channels, std::initializer_list<int64_t> ksize,
                const ConvolutionOptions& options = {})
      : ConvolutionND(2, in_channels, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Convolution2D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, int64_t, std::initializer_list<int64_t>);
  CHAINER_OTHER_OPTIONS(Convolution2D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, int64_t, ::chainer::detail::AnyValue);
  Convolution2D(std::nullopt_t, int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(2, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Convolution2D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        std::nullopt_t, int64_t, const PerAxis&);
  Convolution2D(int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(2, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Convolution2D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, const PerAxis&);
  CHAINER_DECLARE_MEMBERS(Convolution2D);
};

/// ConvolutionND with three spatial axes.
///   L::Convolution3D(2, 4, 3)(ones({1, 2, 5, 5, 5}))
class Convolution3D : public ConvolutionND {
 public:
  Convolution3D(int64_t in_channels, int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(3, in_channels, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Convolution3D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        int64_t, int64_t, const PerAxis&);
  Convolution3D(std::nullopt_t, int64_t out_channels, const PerAxis& ksize, const ConvolutionOptions& options = {})
      : ConvolutionND(3, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Convolution3D, ".stride, .pad, .nobias, .initialW, .initial_bias, .cover_all, .dilate, .groups",
                        std::nullopt_t, int64_t, const PerAxis&);
  CHAINER_DECLARE_MEMBERS(Convolution3D);
};

/// Options of the deconvolution links. One number applies to all spatial axes.
struct DeconvolutionOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  bool nobias = false;
  PerAxis outsize = {};              ///< the smallest by default
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
  PerAxis dilate = 1;
  int64_t groups = 1;
};
/// F::deconvolution_nd with its parameters W (in_channels, out_channels / groups, ksize...) and b (out_channels): x
/// (N, in_channels, in...) to (N, out_channels, out...). Without in_channels, or with std::nullopt for it, W is
/// initialized at the first call.
///   L::DeconvolutionND(1, 2, 4, 3, {.stride = 2})(ones({1, 2, 5}))
class DeconvolutionND : public Link {
 public:
  template <std::convertible_to<PerAxis> Size>
  DeconvolutionND(int64_t ndim, int64_t in_channels, int64_t out_channels, const Size& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(ndim, out_channels, ksize, options) {
    initialize(in_channels);
  }
  DeconvolutionND(int64_t ndim, int64_t in_channels, int64_t out_channels, std::initializer_list<int64_t> ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(ndim, in_channels, out_channels, PerAxis(ksize), options) {}
  CHAINER_OTHER_OPTIONS(DeconvolutionND, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, int64_t, int64_t, std::initializer_list<int64_t>);
  CHAINER_OTHER_OPTIONS(DeconvolutionND, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, int64_t, int64_t, ::chainer::detail::AnyValue);
  DeconvolutionND(int64_t ndim, std::nullopt_t, int64_t out_channels, const PerAxis& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(ndim, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(DeconvolutionND, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, std::nullopt_t, int64_t, const PerAxis&);
  DeconvolutionND(int64_t ndim, int64_t out_channels, const PerAxis& ksize, const DeconvolutionOptions& options = {});
  CHAINER_OTHER_OPTIONS(DeconvolutionND, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, int64_t, const PerAxis&);
  Variable forward(const Variable& x);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  const DeconvolutionOptions& options() const { return options_; }
  CHAINER_DECLARE_MEMBERS(DeconvolutionND);

 private:
  void initialize(int64_t in_channels);
  Dims ksize_;
  int64_t out_channels_;
  DeconvolutionOptions options_;
};

/// DeconvolutionND with one spatial axis.
///   L::Deconvolution1D(2, 4, 3)(ones({1, 2, 5}))
class Deconvolution1D : public DeconvolutionND {
 public:
  Deconvolution1D(int64_t in_channels, int64_t out_channels, const PerAxis& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(1, in_channels, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Deconvolution1D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, int64_t, const PerAxis&);
  Deconvolution1D(std::nullopt_t, int64_t out_channels, const PerAxis& ksize, const DeconvolutionOptions& options = {})
      : DeconvolutionND(1, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Deconvolution1D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        std::nullopt_t, int64_t, const PerAxis&);
  CHAINER_DECLARE_MEMBERS(Deconvolution1D);
};

/// DeconvolutionND with two spatial axes: F::deconvolution_2d with its parameters.
///   L::Deconvolution2D(8, 3, 4, {.stride = 2, .pad = 1})(ones({1, 8, 5, 5}))
class Deconvolution2D : public DeconvolutionND {
 public:
  template <std::convertible_to<PerAxis> Size>
  Deconvolution2D(int64_t in_channels, int64_t out_channels, const Size& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(2, in_channels, out_channels, ksize, options) {}
  Deconvolution2D(int64_t in_channels, int64_t out_channels, std::initializer_list<int64_t> ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(2, in_channels, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Deconvolution2D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, int64_t, std::initializer_list<int64_t>);
  CHAINER_OTHER_OPTIONS(Deconvolution2D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, int64_t, ::chainer::detail::AnyValue);
  Deconvolution2D(std::nullopt_t, int64_t out_channels, const PerAxis& ksize, const DeconvolutionOptions& options = {})
      : DeconvolutionND(2, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Deconvolution2D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        std::nullopt_t, int64_t, const PerAxis&);
  Deconvolution2D(int64_t out_channels, const PerAxis& ksize, const DeconvolutionOptions& options = {})
      : DeconvolutionND(2, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Deconvolution2D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, const PerAxis&);
  CHAINER_DECLARE_MEMBERS(Deconvolution2D);
};

/// DeconvolutionND with three spatial axes.
///   L::Deconvolution3D(2, 4, 3)(ones({1, 2, 2, 2, 2}))
class Deconvolution3D : public DeconvolutionND {
 public:
  Deconvolution3D(int64_t in_channels, int64_t out_channels, const PerAxis& ksize,
                  const DeconvolutionOptions& options = {})
      : DeconvolutionND(3, in_channels, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Deconvolution3D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        int64_t, int64_t, const PerAxis&);
  Deconvolution3D(std::nullopt_t, int64_t out_channels, const PerAxis& ksize, const DeconvolutionOptions& options = {})
      : DeconvolutionND(3, out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(Deconvolution3D, ".stride, .pad, .nobias, .outsize, .initialW, .initial_bias, .dilate, .groups",
                        std::nullopt_t, int64_t, const PerAxis&);
  CHAINER_DECLARE_MEMBERS(Deconvolution3D);
};

/// Options of DilatedConvolution2D.
struct DilatedConvolution2DOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  PerAxis dilate = 1;
  bool nobias = false;
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// F::dilated_convolution_2d with its parameters, shaped as those of Convolution2D; the options have another order.
///   L::DilatedConvolution2D(2, 4, 3, {.dilate = 2})(ones({1, 2, 7, 7}))
class DilatedConvolution2D : public ConvolutionND {
 public:
  template <std::convertible_to<PerAxis> Size>
  DilatedConvolution2D(int64_t in_channels, int64_t out_channels, const Size& ksize,
                       const DilatedConvolution2DOptions& options = {})
      : ConvolutionND(2, in_channels, out_channels, ksize, reordered(options)) {}
  DilatedConvolution2D(int64_t in_channels, int64_t out_channels, std::initializer_list<int64_t> ksize,
                       const DilatedConvolution2DOptions& options = {})
      : ConvolutionND(2, in_channels, out_channels, ksize, reordered(options)) {}
  CHAINER_OTHER_OPTIONS(DilatedConvolution2D, ".stride, .pad, .dilate, .nobias, .initialW, .initial_bias", int64_t,
                        int64_t, std::initializer_list<int64_t>);
  CHAINER_OTHER_OPTIONS(DilatedConvolution2D, ".stride, .pad, .dilate, .nobias, .initialW, .initial_bias", int64_t,
                        int64_t, ::chainer::detail::AnyValue);
  DilatedConvolution2D(std::nullopt_t, int64_t out_channels, const PerAxis& ksize,
                       const DilatedConvolution2DOptions& options = {})
      : DilatedConvolution2D(out_channels, ksize, options) {}
  CHAINER_OTHER_OPTIONS(DilatedConvolution2D, ".stride, .pad, .dilate, .nobias, .initialW, .initial_bias",
                        std::nullopt_t, int64_t, const PerAxis&);
  DilatedConvolution2D(int64_t out_channels, const PerAxis& ksize, const DilatedConvolution2DOptions& options = {})
      : ConvolutionND(2, out_channels, ksize, reordered(options)) {}
  CHAINER_OTHER_OPTIONS(DilatedConvolution2D, ".stride, .pad, .dilate, .nobias, .initialW, .initial_bias", int64_t,
                        const PerAxis&);
  CHAINER_DECLARE_MEMBERS(DilatedConvolution2D);

 private:
  static ConvolutionOptions reordered(const DilatedConvolution2DOptions& options);
};

/// Options of DepthwiseConvolution2D.
struct DepthwiseConvolution2DOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  bool nobias = false;
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// F::depthwise_convolution_2d with its parameters W (channel_multiplier, in_channels, ksize...) and
/// b (in_channels channel_multiplier): x (N, in_channels, h, w) to (N, in_channels channel_multiplier, out_h, out_w).
/// With std::nullopt for in_channels the parameters are initialized at the first call.
///   L::DepthwiseConvolution2D(3, 2, 3, {.pad = 1})(ones({1, 3, 4, 4}))
class DepthwiseConvolution2D : public Link {
 public:
  DepthwiseConvolution2D(std::optional<int64_t> in_channels, int64_t channel_multiplier, const PerAxis& ksize,
                         const DepthwiseConvolution2DOptions& options = {});
  CHAINER_OTHER_OPTIONS(DepthwiseConvolution2D, ".stride, .pad, .nobias, .initialW, .initial_bias",
                        std::optional<int64_t>, int64_t, const PerAxis&);
  Variable forward(const Variable& x);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  CHAINER_DECLARE_MEMBERS(DepthwiseConvolution2D);

 private:
  void initialize(int64_t in_channels);
  int64_t channel_multiplier_;
  Dims ksize_;
  PerAxis stride_, pad_;
};

/// Options of LocalConvolution2D.
struct LocalConvolution2DOptions {
  PerAxis stride = 1;
  bool nobias = false;
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// F::local_convolution_2d with its parameters W (out_channels, out_h, out_w, in_channels, ksize...) and
/// b (out_channels, out_h, out_w): x (N, in_channels, h, w) to (N, out_channels, out_h, out_w). Without in_channels or
/// in_size, the height and width of an image, the parameters are initialized at the first call. (The release ignores
/// the stride in the shape of W.) Throws ValueError unless the stride is positive, DimensionError if no filter fits.
///   L::LocalConvolution2D(2, 4, 6, 3, {.stride = 3})(ones({1, 2, 6, 6}))
class LocalConvolution2D : public Link {
 public:
  LocalConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& in_size,
                     const PerAxis& ksize, const LocalConvolution2DOptions& options = {});
  CHAINER_OTHER_OPTIONS(LocalConvolution2D, ".stride, .nobias, .initialW, .initial_bias", std::optional<int64_t>,
                        int64_t, const PerAxis&, const PerAxis&);
  LocalConvolution2D(int64_t out_channels, const PerAxis& ksize, const LocalConvolution2DOptions& options = {})
      : LocalConvolution2D(std::nullopt, out_channels, PerAxis(), ksize, options) {}
  CHAINER_OTHER_OPTIONS(LocalConvolution2D, ".stride, .nobias, .initialW, .initial_bias", int64_t, const PerAxis&);
  Variable forward(const Variable& x);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  CHAINER_DECLARE_MEMBERS(LocalConvolution2D);

 private:
  void initialize(int64_t in_channels, const Dims& in_size);
  int64_t out_channels_;
  Dims ksize_, stride_;
};

/// Options of DeformableConvolution2D: of the convolution that computes the offsets, and of the one that applies them.
struct DeformableConvolution2DOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  bool offset_nobias = false;
  InitializerArg offset_initialW = {};      ///< LeCunNormal by default
  InitializerArg offset_initial_bias = {};  ///< zero by default
  bool deform_nobias = false;
  InitializerArg deform_initialW = {};      ///< zero by default
  InitializerArg deform_initial_bias = {};  ///< zero by default
};
/// F::deformable_convolution_2d_sampler at offsets that the convolution `offset_conv` computes from x; `deform_conv`
/// has the filters W and b. x (N, in_channels, h, w) to (N, out_channels, out_h, out_w).
///   L::DeformableConvolution2D(2, 4, 3, {.pad = 1})(ones({1, 2, 5, 5}))
class DeformableConvolution2D : public Chain {
 public:
  DeformableConvolution2D(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
                          const DeformableConvolution2DOptions& options = {});
  CHAINER_OTHER_OPTIONS(DeformableConvolution2D,
                        ".stride, .pad, .offset_nobias, .offset_initialW, .offset_initial_bias, .deform_nobias, "
                        ".deform_initialW, .deform_initial_bias",
                        std::optional<int64_t>, int64_t, const PerAxis&);
  Variable forward(const Variable& x);
  /// The second convolution, which applies the offsets.
  class Sampler : public Link {
   public:
    Sampler(std::optional<int64_t> in_channels, int64_t out_channels, const PerAxis& ksize,
            const DeformableConvolution2DOptions& options);
    Variable forward(const Variable& x, const Variable& offset);
    chainer::Parameter W;
    std::optional<chainer::Parameter> b;
    CHAINER_DECLARE_MEMBERS(Sampler);

   private:
    int64_t out_channels_;
    Dims ksize_;
    PerAxis stride_, pad_;
  };
  Convolution2D offset_conv;
  Sampler deform_conv;
  CHAINER_DECLARE_MEMBERS(DeformableConvolution2D);
};

/// Options of MLPConvolution2D.
struct MLPConvolution2DOptions {
  PerAxis stride = 1;
  PerAxis pad = 0;
  std::function<Variable(const Variable&)> activation = functions::relu;
  InitializerArg conv_init = {};  ///< LeCunNormal by default
  InitializerArg bias_init = {};  ///< zero by default
};
/// A convolution with out_channels[0] filters, then 1x1 convolutions with the other numbers of filters, with
/// `activation` between them: x (N, in_channels, h, w) to (N, out_channels.back(), out_h, out_w). Children 0, 1, ...
/// The constructor throws ValueError if out_channels is empty. Lin et al., arXiv:1312.4400.
///   L::MLPConvolution2D(3, {8, 4}, 3)(ones({1, 3, 5, 5}))
class MLPConvolution2D : public Chain {
 public:
  MLPConvolution2D(std::optional<int64_t> in_channels, const std::vector<int64_t>& out_channels, const PerAxis& ksize,
                   const MLPConvolution2DOptions& options = {});
  CHAINER_OTHER_OPTIONS(MLPConvolution2D, ".stride, .pad, .activation, .conv_init, .bias_init", std::optional<int64_t>,
                        const std::vector<int64_t>&, const PerAxis&);
  Variable forward(const Variable& x);
  CHAINER_DECLARE_MEMBERS(MLPConvolution2D);

 private:
  std::function<Variable(const Variable&)> activation_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer

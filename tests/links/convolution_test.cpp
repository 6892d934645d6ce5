// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

// Initial parameters for a seed, results and gradients agree with release 5.4.0 (conformance/make_training.py).
TEST(convolutions_equal_the_releases) {
  const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  const Array image = f.array("link/image"), line = f.array("link/line"), cube = image.reshape({2, 2, 2, 5, 6});
  const auto check = [&](const std::string& name, auto make, const Array& x) {
    random::seed(4);
    auto link = make();
    Variable y = link(x);
    y.set_grad(ones_like(y.array()));
    y.backward();
    EXPECT_CLOSE(y.array(), f.array("link/" + name + "/y"), {.atol = 1e-5});
    for (const auto& [path, p] : link.namedparams()) {
      EXPECT_CLOSE(p.array(), f.array("link/" + name + path), {.atol = 1e-7});
      EXPECT_CLOSE(p.grad(), f.array("link/" + name + path + "_grad"), {.atol = 1e-5, .rtol = 1e-5});
    }
  };
  using namespace L;
  check(
      "Convolution2D", [] { return Convolution2D(4, 6, 3, {.stride = 2, .pad = 1}); }, image);
  check(
      "Convolution2D_lazy",
      [] {
        return Convolution2D(std::nullopt, 6, {2, 3}, {.nobias = true, .dilate = 2, .groups = 2});
      },
      image);
  check(
      "Convolution1D", [] { return Convolution1D(4, 3, 3, {.pad = 1}); }, line);
  check(
      "Convolution3D", [] { return Convolution3D(2, 3, 2); }, cube);
  check(
      "ConvolutionND", [] { return ConvolutionND(1, 4, 3, 2, {.stride = 2, .cover_all = true}); }, line);
  check(
      "Deconvolution2D", [] { return Deconvolution2D(4, 6, 3, {.stride = 2, .pad = 1}); }, image);
  check(
      "Deconvolution2D_lazy",
      [] {
        return Deconvolution2D(6, {2, 3}, {.nobias = true, .groups = 2});
      },
      image);
  check(
      "Deconvolution1D", [] { return Deconvolution1D(4, 3, 3, {.stride = 2, .outsize = 16}); }, line);
  check(
      "Deconvolution3D", [] { return Deconvolution3D(2, 3, 2); }, cube);
  check(
      "DeconvolutionND", [] { return DeconvolutionND(1, 4, 3, 2, {.stride = 2}); }, line);
  check(
      "DepthwiseConvolution2D", [] { return DepthwiseConvolution2D(4, 2, 3, {.stride = 2, .pad = 1}); }, image);
  check(
      "DilatedConvolution2D", [] { return DilatedConvolution2D(4, 3, 3, {.pad = 2, .dilate = 2}); }, image);
  check(
      "LocalConvolution2D",
      [] {
        return LocalConvolution2D(4, 3, {5, 6}, {2, 3});
      },
      image);
  check(
      "DeformableConvolution2D",
      [] { return DeformableConvolution2D(4, 3, 3, {.pad = 1, .offset_initialW = 0.01, .deform_initialW = 0.1}); },
      image);
  check(
      "Inception", [] { return Inception(4, 2, 3, 2, 3, 2, 1); }, image);
  check(
      "InceptionBN", [] { return InceptionBN(4, 2, 3, 2, 3, 2, PoolType::avg, {.proj_pool = 1}); }, image);
  check(
      "InceptionBN_max", [] { return InceptionBN(std::nullopt, 0, 3, 2, 3, 2, PoolType::max, {.stride = 2}); }, image);
  check(
      "MLPConvolution2D",
      [] {
        return MLPConvolution2D(4, {5, 3}, 3, {.pad = 1});
      },
      image);
}

TEST(channels_are_found_at_the_first_call) {
  const Array x = random::RandomState(1).randn({2, 3, 6, 6}).astype(float32);
  L::DepthwiseConvolution2D depthwise(std::nullopt, 2, 3, {.nobias = true});
  EXPECT_EQ(depthwise(x).shape(), (Shape{2, 6, 4, 4}));
  EXPECT_EQ(depthwise.params().size(), 1u);
  L::LocalConvolution2D local(4, 3, {.stride = 3});
  EXPECT_EQ(local(x).shape(), (Shape{2, 4, 2, 2}));
  EXPECT_EQ(local.W.shape(), (Shape{4, 2, 2, 3, 3, 3}));
  EXPECT_EQ(local.b->shape(), (Shape{4, 2, 2}));
  L::LocalConvolution2D sized(3, 4, 6, 3, {.stride = 3});
  EXPECT_EQ(sized.W.shape(), local.W.shape());
  L::DeformableConvolution2D deformable(std::nullopt, 4, 3, {.pad = 1, .offset_nobias = true, .deform_nobias = true});
  EXPECT_EQ(deformable(x).shape(), (Shape{2, 4, 6, 6}));
  EXPECT_EQ(deformable.params().size(), 2u);
  L::MLPConvolution2D mlp(std::nullopt, {5, 4}, 3, {.activation = F::sigmoid});
  EXPECT_EQ(mlp(x).shape(), (Shape{2, 4, 4, 4}));
  const auto copy = mlp.copy(CopyMode::init);
  EXPECT_EQ(copy.namedparams()[0].first, std::string("/0/W"));
  EXPECT(!copy.params()[0].is(mlp.params()[0]));
  // Options after two numbers are never taken for the size of filters.
  EXPECT_EQ(L::Convolution2D(4, 2, {.stride = 3, .pad = 1})(x).shape(), (Shape{2, 4, 3, 3}));
  EXPECT_EQ(L::Convolution2D(4, {2, 3}, {.stride = 2})(x).shape(), (Shape{2, 4, 3, 2}));
  EXPECT_EQ(L::Convolution2D(3, 4, {2, 3})(x).shape(), (Shape{2, 4, 5, 4}));
  EXPECT_EQ(L::ConvolutionND(2, 4, 2, {.stride = 3})(x).shape(), (Shape{2, 4, 2, 2}));
  EXPECT_EQ(L::Deconvolution2D(4, 2, {.stride = 2})(x).shape(), (Shape{2, 4, 12, 12}));
  L::DilatedConvolution2D dilated(4, 2, {.dilate = 3});
  EXPECT_EQ(dilated(x).shape(), (Shape{2, 4, 3, 3}));
}

TEST(convolution_links_say_what_is_wrong) {
  EXPECT_THROW(ValueError, "6 output channels do not divide into 4 groups", L::Convolution2D(4, 6, 3, {.groups = 4}));
  EXPECT_THROW(ValueError, "3 input channels do not divide into 2 groups", L::Convolution2D(3, 6, 3, {.groups = 2}));
  EXPECT_THROW(ValueError, "ConvolutionND: ksize: one number or 2 are needed, not 3",
               L::Convolution2D(3, 6, {1, 2, 3}));
  EXPECT_THROW(ValueError, "DeconvolutionND: 3 input channels", L::Deconvolution2D(3, 6, 3, {.groups = 2}));
  L::Convolution2D lazy(4, 3);
  EXPECT_THROW(DimensionError, "x must have 4 axes (batch, channels, and 2 in space), not shape (3, 3)",
               lazy(zeros({3, 3})));
  EXPECT_THROW(DimensionError, "does not fit", L::LocalConvolution2D(1, 1, 2, 3));
  EXPECT_THROW(ValueError, "out_channels must not be empty", L::MLPConvolution2D(3, {}, 3));
}

// SPDX-License-Identifier: MIT
#include "table.h"

namespace table {
namespace {

using Conv = F::ConvolutionOptions;
using Deconv = F::DeconvolutionOptions;

// Adds the same cases for every member of a family: inputs x, W and, if given, b.
template <class Function, class Options>
void add(std::vector<OpCase>& t, const Function& f, const std::string& arguments, const Options& o, Arrays in) {
  const std::string name(Function::name);
  const std::string python = arguments == "-" ? "" : "F." + name + "(*x" + arguments + ")";
  t.push_back(row(
      name, python, [=](const Variables& x) { return f(x[0], x[1], x.size() > 2 ? x[2] : Variable(), o); }, in));
}

void convolutions(std::vector<OpCase>& t) {
  const auto two = [&](const std::string& arguments, const Conv& o, const Arrays& in) {
    add(t, F::convolution_2d, arguments, o, in);
  };
  const Array image = normal({2, 4, 5, 7}), W = normal({6, 4, 3, 2}), b = normal({6});
  two("", {}, {image, W});
  two("", {}, {image, W, b});
  two(", stride=2", {.stride = 2}, {image, W, b});
  two(", stride=(1, 3)", {.stride = {1, 3}}, {image, W});
  two(", pad=1", {.pad = 1}, {image, W, b});
  two(", pad=(0, 2)", {.pad = {0, 2}}, {image, W});
  two(", stride=3, cover_all=True", {.stride = 3, .cover_all = true}, {image, W, b});
  two(", dilate=2", {.dilate = 2}, {image, W});
  two(", dilate=(1, 3)", {.dilate = {1, 3}}, {image, W, b});
  two(", groups=2", {.groups = 2}, {image, normal({6, 2, 3, 2}), b});
  two(", groups=4", {.groups = 4}, {image, normal({8, 1, 3, 2})});
  two(", stride=2, pad=(1, 2), cover_all=True, dilate=(2, 1), groups=2",
      {.stride = 2, .pad = {1, 2}, .cover_all = true, .dilate = {2, 1}, .groups = 2},
      {image, normal({4, 2, 2, 3}), normal({4})});
  two("", {}, {normal({1, 1, 1, 1}), normal({1, 1, 1, 1}), normal({1})});    // one pixel
  two(", pad=2", {.pad = 2}, {normal({2, 3, 2, 3}), normal({2, 3, 5, 5})});  // a filter as large as the image
  two(", pad=3, stride=2", {.stride = 2, .pad = 3}, {normal({1, 2, 1, 2}), normal({3, 2, 3, 3})});  // some see no input
  two("", {}, {normal({2, 3, 6, 6}), normal({5, 3, 1, 1}), normal({5})});
  two(", stride=2", {.stride = 2}, {normal({2, 3, 7, 7}), normal({5, 3, 1, 1})});   // skips elements
  two("-", {.pad = 1}, {normal({0, 3, 4, 4}), normal({2, 3, 3, 3}), normal({2})});  // no images
  two("-", {}, {normal({2, 0, 4, 4}), normal({3, 0, 3, 3}), normal({3})});          // no channels
  two(", pad=1", {.pad = 1}, {normal({2, 17, 5, 4}), normal({19, 17, 3, 3}), normal({19})});

  const Array line = normal({2, 3, 9});
  add(t, F::convolution_1d, "", Conv{}, {line, normal({4, 3, 3}), normal({4})});
  add(t, F::convolution_1d, ", stride=2, pad=1, dilate=2", Conv{.stride = 2, .pad = 1, .dilate = 2},
      {line, normal({4, 3, 3})});
  add(t, F::convolution_1d, ", groups=3, cover_all=True, stride=2", Conv{.stride = 2, .cover_all = true, .groups = 3},
      {line, normal({3, 1, 2}), normal({3})});

  const Array cube = normal({2, 2, 3, 4, 5});
  add(t, F::convolution_3d, "", Conv{}, {cube, normal({3, 2, 2, 2, 2}), normal({3})});
  add(t, F::convolution_3d, ", stride=(1, 2, 2), pad=(1, 0, 1)", Conv{.stride = {1, 2, 2}, .pad = {1, 0, 1}},
      {cube, normal({3, 2, 2, 2, 3})});
  add(t, F::convolution_3d, ", dilate=2, pad=1, groups=2", Conv{.pad = 1, .dilate = 2, .groups = 2},
      {cube, normal({4, 1, 2, 2, 2}), normal({4})});

  add(t, F::convolution_nd, ", stride=2", Conv{.stride = 2}, {line, normal({2, 3, 4}), normal({2})});
  add(t, F::convolution_nd, ", pad=1, cover_all=True", Conv{.pad = 1, .cover_all = true},
      {image, normal({2, 4, 2, 2})});
  add(t, F::convolution_nd, ", stride=(1, 2, 1, 1), pad=1", Conv{.stride = {1, 2, 1, 1}, .pad = 1},
      {normal({2, 2, 2, 3, 2, 3}), normal({3, 2, 2, 2, 3, 2}), normal({3})});
  add(t, F::convolution_nd, ", dilate=(1, 1, 2, 1), groups=2", Conv{.dilate = {1, 1, 2, 1}, .groups = 2},
      {normal({1, 4, 2, 2, 3, 2}), normal({2, 2, 1, 2, 2, 2})});
}

void deconvolutions(std::vector<OpCase>& t) {
  const auto two = [&](const std::string& arguments, const Deconv& o, const Arrays& in) {
    add(t, F::deconvolution_2d, arguments, o, in);
  };
  const Array image = normal({2, 4, 3, 4}), W = normal({4, 5, 3, 2}), b = normal({5});
  two("", {}, {image, W});
  two("", {}, {image, W, b});
  two(", stride=2", {.stride = 2}, {image, W, b});
  two(", pad=(1, 0)", {.pad = {1, 0}}, {image, W});
  two(", stride=2, outsize=(8, 9)", {.stride = 2, .outsize = {8, 9}}, {image, W, b});
  two(", stride=3, outsize=(8, 10)", {.stride = 3, .outsize = {8, 10}}, {image, W});  // as with cover_all
  two(", dilate=2", {.dilate = 2}, {image, W, b});
  two(", groups=2", {.groups = 2}, {image, normal({4, 3, 3, 2}), normal({6})});
  two(", groups=4", {.groups = 4}, {image, normal({4, 1, 3, 2}), normal({4})});
  two(", stride=2, pad=1, dilate=2, groups=2", {.stride = 2, .pad = 1, .dilate = 2, .groups = 2},
      {image, normal({4, 2, 2, 3})});
  two("", {}, {normal({1, 1, 1, 1}), normal({1, 1, 1, 1}), normal({1})});
  two(", stride=2, pad=1", {.stride = 2, .pad = 1}, {normal({2, 18, 4, 4}), normal({18, 3, 4, 4}), normal({3})});
  two("-", {.stride = 2}, {normal({0, 3, 4, 4}), normal({3, 2, 3, 3}), normal({2})});

  const Array line = normal({2, 3, 5});
  add(t, F::deconvolution_1d, "", Deconv{}, {line, normal({3, 4, 3}), normal({4})});
  add(t, F::deconvolution_1d, ", stride=2, pad=1, outsize=(10,)", Deconv{.stride = 2, .pad = 1, .outsize = 10},
      {line, normal({3, 4, 3})});
  add(t, F::deconvolution_1d, ", groups=3, dilate=2", Deconv{.dilate = 2, .groups = 3},
      {line, normal({3, 2, 2}), normal({6})});

  const Array cube = normal({2, 2, 2, 3, 2});
  add(t, F::deconvolution_3d, "", Deconv{}, {cube, normal({2, 3, 2, 2, 2}), normal({3})});
  add(t, F::deconvolution_3d, ", stride=(1, 2, 2), pad=(0, 1, 0)", Deconv{.stride = {1, 2, 2}, .pad = {0, 1, 0}},
      {cube, normal({2, 3, 2, 3, 2})});
  add(t, F::deconvolution_3d, ", dilate=2, groups=2, pad=1", Deconv{.pad = 1, .dilate = 2, .groups = 2},
      {cube, normal({2, 2, 2, 2, 2}), normal({4})});

  add(t, F::deconvolution_nd, ", stride=2", Deconv{.stride = 2}, {line, normal({3, 2, 4}), normal({2})});
  add(t, F::deconvolution_nd, ", stride=2, outsize=(7, 8)", Deconv{.stride = 2, .outsize = {7, 8}},
      {image, normal({4, 2, 3, 2})});
  add(t, F::deconvolution_nd, ", stride=(1, 2, 1, 1), pad=(0, 1, 0, 0)",
      Deconv{.stride = {1, 2, 1, 1}, .pad = {0, 1, 0, 0}},
      {normal({2, 2, 2, 2, 1, 2}), normal({2, 3, 2, 3, 2, 1}), normal({3})});
}

void relatives(std::vector<OpCase>& t) {
  const Array image = normal({2, 4, 5, 7}), b = normal({6});
  using Dilated = F::DilatedConvolution2DOptions;
  add(t, F::dilated_convolution_2d, "", Dilated{}, {image, normal({6, 4, 2, 2}), b});
  add(t, F::dilated_convolution_2d, ", dilate=2", Dilated{.dilate = 2}, {image, normal({6, 4, 2, 3})});
  add(t, F::dilated_convolution_2d, ", stride=2, pad=(1, 2), dilate=(2, 1), cover_all=True",
      Dilated{.stride = 2, .pad = {1, 2}, .dilate = {2, 1}, .cover_all = true}, {image, normal({6, 4, 3, 2}), b});

  using F::StrideAndPad;
  add(t, F::depthwise_convolution_2d, "", StrideAndPad{}, {image, normal({2, 4, 3, 2}), normal({8})});
  add(t, F::depthwise_convolution_2d, ", stride=2, pad=(1, 0)", StrideAndPad{.stride = 2, .pad = {1, 0}},
      {image, normal({1, 4, 2, 3})});
  add(t, F::depthwise_convolution_2d, ", pad=2", StrideAndPad{.pad = 2},
      {normal({1, 1, 1, 1}), normal({3, 1, 3, 3}), normal({3})});

  using Local = F::LocalConvolution2DOptions;  // the release's second gradients are wrong, also for stride
  add(t, F::local_convolution_2d, "-", Local{}, {image, normal({2, 3, 6, 4, 3, 2}), normal({2, 3, 6})});
  add(t, F::local_convolution_2d, "-", Local{.stride = 2}, {image, normal({3, 2, 3, 4, 2, 3})});
  add(t, F::local_convolution_2d, "-", Local{.stride = {1, 3}}, {image, normal({1, 4, 2, 4, 2, 3}), normal({1, 4, 2})});

  const auto sampler = [&](const std::string& arguments, const StrideAndPad& o, const Arrays& in) {
    t.push_back(row(
                    "deformable_convolution_2d_sampler", "F.deformable_convolution_2d_sampler(*x" + arguments + ")",
                    [=](const Variables& x) {
                      return F::deformable_convolution_2d_sampler(x[0], x[1], x[2], x.size() > 3 ? x[3] : Variable(),
                                                                  o);
                    },
                    in)
                    .no_repeats());
    t.back().tolerance = 1e-4;
  };
  // Samples lie between pixels: at a pixel the gradient jumps.
  const auto offset = [](const Shape& s) { return positive(s) * 0.2 + 0.2; };
  sampler("", {}, {image, offset({2, 12, 3, 6}), normal({3, 4, 3, 2}), normal({3})});
  sampler(", stride=2", {.stride = 2}, {image, offset({2, 12, 2, 3}), normal({3, 4, 2, 3})});
  sampler(", stride=(2, 1), pad=(1, 0)", {.stride = {2, 1}, .pad = {1, 0}},
          {image, offset({2, 8, 3, 6}), normal({3, 4, 2, 2}), normal({3})});

  using F::ShiftOptions;
  const auto shifted = [&](const std::string& python, const PerAxis& ksize, const ShiftOptions& o, const Array& x) {
    t.push_back(row("shift", python, [=](const Variables& v) { return F::shift(v[0], ksize, o); }, {x}));
  };
  shifted("F.shift(x[0])", 3, {}, normal({2, 11, 4, 5}));
  shifted("F.shift(x[0], ksize=(1, 3), dilate=2)", {1, 3}, {.dilate = 2}, normal({2, 7, 4, 5}));
  shifted("F.shift(x[0], ksize=(3, 1), dilate=(1, 3))", {3, 1}, {.dilate = {1, 3}}, normal({1, 3, 2, 2}));
}

// Filters and bias are used twice, so gradients are accumulated.
void repeated(std::vector<OpCase>& t) {
  const Array image = normal({2, 3, 6, 7}), W = normal({3, 3, 3, 3}), b = normal({3});
  t.push_back(row("convolution_2d", "F.convolution_2d(F.convolution_2d(*x), x[1], x[2])",
                  [](const Variables& x) { return F::convolution_2d(F::convolution_2d(x[0], x[1], x[2]), x[1], x[2]); },
                  {image, W, b}));
  t.push_back(
      row("deconvolution_2d", "F.deconvolution_2d(F.deconvolution_2d(*x), x[1], x[2])",
          [](const Variables& x) { return F::deconvolution_2d(F::deconvolution_2d(x[0], x[1], x[2]), x[1], x[2]); },
          {image, W, b}));
}

}  // namespace

void convolution(std::vector<OpCase>& t) {
  convolutions(t);
  deconvolutions(t);
  relatives(t);
  repeated(t);
}

}  // namespace table

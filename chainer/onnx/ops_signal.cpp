// SPDX-License-Identifier: MIT
// Fourier transforms and what goes with them. Complex numbers are the last axis: real and imaginary part.
#include <cmath>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// Returns x with n elements along the last axis: cut, or with zeros at the end.
Variable fitted(const Variable& x, int64_t n) {
  const int64_t have = x.shape(-1);
  if (have == n) return x;
  if (have > n) {
    Indices cut(static_cast<std::size_t>(x.ndim() - 1), Slice());
    cut.push_back(Slice(0, n));
    return F::get_item(x, cut);
  }
  std::vector<std::pair<int64_t, int64_t>> widths(static_cast<std::size_t>(x.ndim()));
  widths.back().second = n - have;
  return F::pad(x, widths, "constant");
}

struct Transform {
  int64_t length = 0;
  bool inverse = false, one_sided = false;
};

// Transforms x (..., 1 or 2) along an axis.
Variable transformed(const Call& c, const Variable& given, int axis, const Transform& t) {
  const Variable x = item_size(given.dtype()) == 2 ? F::cast(given, float32) : given;
  const int parts = x.ndim() - 1;
  if (x.ndim() < 2 || axis == parts || x.shape()[parts] < 1 || x.shape()[parts] > 2)
    c.fail("expected real or complex numbers, (..., 1) or (..., 2), and an axis before, got shape ", x.shape());
  const int64_t n = t.length;
  if (n < 1) c.fail("the length of a transform must be positive, not ", n);
  const auto part = [&](int64_t i) {
    Indices one(static_cast<std::size_t>(parts), Slice());
    one.push_back(i);
    return F::moveaxis(F::get_item(x, one), axis, -1);
  };
  const int64_t half = n / 2 + 1;
  const bool real_result = t.inverse && t.one_sided;
  Variable re = fitted(part(0), real_result ? half : n);
  Variable im =
      x.shape()[parts] == 2 ? fitted(part(1), real_result ? half : n) : Variable(zeros_like(re.array()), false);
  const auto range = [](const Variable& v, int64_t from, int64_t to) {
    Indices cut(static_cast<std::size_t>(v.ndim() - 1), Slice());
    cut.push_back(Slice(from, to));
    return F::get_item(v, cut);
  };
  if (real_result && n > half) {  // the second half mirrors the first
    const int last = re.ndim() - 1;
    const Variable more = F::flip(range(re, 1, n - half + 1), last), other = F::flip(range(im, 1, n - half + 1), last);
    re = F::concat({re, more}, last);
    im = F::concat({im, -other}, last);
  }
  Variables y = t.inverse ? F::ifft({re, im}) : F::fft({re, im});
  if (!t.inverse && t.one_sided) y = {range(y[0], 0, half), range(y[1], 0, half)};
  if (real_result) y.resize(1);
  for (Variable& v : y) v = F::moveaxis(v, -1, axis);
  return F::cast(F::stack(y, parts), given.dtype());
}

Variables dft(const Call& c) {
  const Variable& x = c[0];
  const int axis = c.axis(c.opset() < 20 ? c.integer("axis", 1) : c.has(2) ? c[2].item<int64_t>() : -2, x.ndim());
  Transform t{x.shape()[axis], c.integer("inverse", 0) != 0, c.integer("onesided", 0) != 0};
  if (t.inverse && t.one_sided) t.length = 2 * (x.shape()[axis] - 1);
  if (c.has(1)) t.length = c[1].item<int64_t>();
  return {transformed(c, x, axis, t)};
}

Variables stft(const Call& c) {
  const Variable x = c[0].ndim() == 2 ? F::expand_dims(c[0], 2) : c[0];
  if (x.ndim() != 3) c.fail("expected signals (N, length, 1 or 2), got shape ", x.shape());
  const int64_t step = c[1].item<int64_t>(), whole = x.shape(1);
  const int64_t length = c.has(3) ? c[3].item<int64_t>() : c.has(2) ? c[2].size() : whole;
  if (step < 1 || length < 1 || length > whole || (c.has(2) && c[2].size() != length))
    c.fail("frames of ", length, " elements every ", step, " do not fit a signal of ", whole, " elements");
  const int64_t frames = (whole - length) / step + 1;
  const Array places = (arange(frames) * step).reshape({frames, 1}) + arange(length).reshape({1, length});
  Variable y = F::get_item(x, {Slice(), places});  // (N, frames, length, parts)
  if (c.has(2)) y = y * F::reshape(c[2], {1, 1, length, 1});
  return {transformed(c, y, 2, {length, false, c.integer("onesided", 1) != 0})};
}

// Triangles over frequencies, equally spaced in mel.
Variables mel_weight_matrix(const Call& c) {
  const int64_t bins = c[0].item<int64_t>(), length = c[1].item<int64_t>(), rate = c[2].item<int64_t>();
  if (bins < 1 || length < 1 || rate < 1 || bins > (1 << 20) || length > (1 << 28))
    c.fail(bins, " bins, length ", length, " and sample rate ", rate, " must be positive and not huge");
  const int64_t rows = length / 2 + 1;
  checked_size({rows, bins}, 8, "MelWeightMatrix");
  const auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const double low = mel(c[3].item<double>()), high = mel(c[4].item<double>());
  const double step = (high - low) / static_cast<double>(bins + 2);
  std::vector<int64_t> at;
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double f = 700 * (std::pow(10, (low + static_cast<double>(i) * step) / 2595) - 1);
    at.push_back(static_cast<int64_t>(std::floor(static_cast<double>(length + 1) * f / static_cast<double>(rate))));
    if (at.back() < 0 || at.back() >= rows) c.fail("frequency ", f, " is not below half the sample rate ", rate);
  }
  std::vector<double> out(static_cast<std::size_t>(rows * bins), 0);
  const auto put = [&](int64_t row, std::size_t column, double v) {
    out[static_cast<std::size_t>(row * bins) + column] = v;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(bins); ++i) {
    const int64_t left = at[i], centre = at[i + 1], right = at[i + 2];
    if (left == centre) put(centre, i, 1);
    for (int64_t j = left; left != centre && j <= centre; ++j)
      put(j, i, static_cast<double>(j - left) / static_cast<double>(centre - left));
    for (int64_t j = centre; j < right; ++j)
      put(j, i, static_cast<double>(right - j) / static_cast<double>(right - centre));
  }
  return {Variable(array(out, Shape{rows, bins}).astype(dtype_of_element(c.integer("output_datatype", 1), c.where())),
                   false)};
}

constexpr Operator kOperators[] = {{"DFT", 17, dft}, {"MelWeightMatrix", 17, mel_weight_matrix}, {"STFT", 17, stft}};

}  // namespace

std::span<const Operator> signal_operators() { return kOperators; }

}  // namespace chainer::onnx

// SPDX-License-Identifier: MIT
#include "chainer/onnx/windows.h"

#include <algorithm>

#include "chainer/functions/array.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {

namespace F = functions;

bool Windows::dilated() const {
  return std::any_of(dilation.begin(), dilation.end(), [](int64_t d) { return d != 1; });
}

Dims per_axis(const Call& c, std::string_view name, int axes, int64_t otherwise) {
  const std::vector<int64_t> list = c.integers(name, std::vector<int64_t>(static_cast<std::size_t>(axes), otherwise));
  if (static_cast<int>(list.size()) != axes) c.fail(name, " has ", list.size(), " numbers for ", axes, " axes");
  for (const int64_t v : list)
    if (v < 0 || v > (int64_t(1) << 32)) c.fail(name, " contains ", v);
  return Dims(list);
}

Windows windows_of(const Call& c, const Shape& x, const Dims& kernel) {
  const int axes = kernel.ndim();
  if (x.ndim() != axes + 2) c.fail("the input has shape ", x, ", the kernel ", axes, " axes");
  Windows w{kernel, per_axis(c, "strides", axes, 1), per_axis(c, "dilations", axes, 1), {}, {}, {}};
  const std::vector<int64_t> pads = c.integers("pads", std::vector<int64_t>(2 * static_cast<std::size_t>(axes), 0));
  if (static_cast<int>(pads.size()) != 2 * axes) c.fail("pads has ", pads.size(), " numbers for ", axes, " axes");
  const std::string mode = c.text("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER", ceil = c.integer("ceil_mode", 0);
  if (!same && mode != "NOTSET" && mode != "VALID" && !mode.empty()) c.fail("unknown auto_pad '", mode, "'");
  for (int i = 0; i < axes; ++i) {
    const int64_t n = x[i + 2], s = w.stride[i];
    if (kernel[i] <= 0 || s <= 0 || w.dilation[i] <= 0 || kernel[i] > (int64_t(1) << 32))
      c.fail("kernels, strides and dilations must be positive");
    const int64_t reach = (kernel[i] - 1) * w.dilation[i] + 1;
    int64_t before = mode == "VALID" ? 0 : pads[static_cast<std::size_t>(i)];
    int64_t after = mode == "VALID" ? 0 : pads[static_cast<std::size_t>(i + axes)];
    constexpr int64_t kMost = int64_t(1) << 32;
    if (before < -n || after < -n || before > kMost || after > kMost)
      c.fail("paddings ", before, " and ", after, " of axis ", i + 2);
    int64_t out;
    if (same) {
      out = (n + s - 1) / s;
      const int64_t total = std::max<int64_t>(0, (out - 1) * s + reach - n);
      before = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      after = total - before;
    } else {
      const int64_t room = n + before + after - reach;
      if (room < 0)
        c.fail("windows of ", reach, " on axis ", i + 2, " of length ", n, " with padding ", before, " and ", after);
      out = (ceil ? room + s - 1 : room) / s + 1;
      if (ceil && (out - 1) * s >= n + before) --out;  // windows that begin in the padding at the end are not counted
    }
    w.before.push_back(before);
    w.after.push_back(after);
    w.out.push_back(out);
  }
  return w;
}

Variable padded(const Variable& x, const Windows& w, double value) {
  std::vector<std::pair<int64_t, int64_t>> widths(2);
  Indices cut(2, Slice());
  bool pads = false, cuts = false;
  for (int i = 0; i < w.out.ndim(); ++i) {
    const int64_t n = x.shape()[i + 2], reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
    const int64_t last = (w.out[i] - 1) * w.stride[i] + reach - n - w.before[i];  // padding reached by the last window
    widths.emplace_back(std::max<int64_t>(0, w.before[i]), std::max<int64_t>(0, last));
    cut.push_back(Slice(std::max<int64_t>(0, -w.before[i]), n + std::min<int64_t>(0, last)));
    pads |= w.before[i] > 0 || last > 0;
    cuts |= w.before[i] < 0 || last < 0;
  }
  Variable y = cuts ? F::get_item(x, cut) : x;
  if (!pads) return y;
  Shape shape = y.shape();
  for (int i = 0; i < shape.ndim(); ++i)
    shape[i] += widths[static_cast<std::size_t>(i)].first + widths[static_cast<std::size_t>(i)].second;
  checked_size(shape, item_size(x.dtype()), "padding of images");
  return F::pad(y, widths, "constant", {.constant_values = value});
}

Variable under_windows(const Variable& x, const Windows& w) {
  Variable y = x;
  Dims order = {0, 1};
  const int axes = w.out.ndim();
  for (int i = 0; i < axes; ++i) {
    const Array starts = arange(w.out[i]).reshape({w.out[i], 1}) * w.stride[i];
    Indices indices(static_cast<std::size_t>(2 + 2 * i), Slice());
    indices.push_back(starts + arange(w.kernel[i]).reshape({1, w.kernel[i]}) * w.dilation[i]);
    y = F::get_item(y, indices);
  }
  for (int i = 0; i < axes; ++i) order.push_back(2 + 2 * i);
  for (int i = 0; i < axes; ++i) order.push_back(3 + 2 * i);
  return F::transpose(y, Axes(order));
}

}  // namespace chainer::onnx

// SPDX-License-Identifier: MIT
// Writes pictures to files, one by one or in grids.
#include <cmath>

#include "chainer/array/index.h"
#include "chainer/core/system/file.h"
#include "chainer/datasets/image.h"
#include "chainer/datasets/pixels.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::dataset {
namespace {

// Converts to (n, channels, height, width) of uint8, on the host.
Array as_bytes(const char* operation, Array a) {
  const int channels = a.ndim() == 4 ? static_cast<int>(a.shape()[1]) : 1;
  if (a.ndim() < 3 || a.ndim() > 4 || (channels != 1 && channels != 3) || a.size() == 0)
    throw ValueError(operation, ": expected pictures (n, height, width) or (n, channels, height, width) with 1 or 3 ",
                     "channels, got shape ", a.shape());
  if (a.ndim() == 3) a = a.reshape({a.shape()[0], 1, a.shape()[1], a.shape()[2]});
  if (a.dtype() != uint8) {
    if (!is_floating(a.dtype()))
      throw ValueError(operation, ": elements must be uint8, or floating from 0 to 1, not ", a.dtype());
    const Array wide = a.astype(float32, false);
    a = rint(clip(where(isnan(wide), zeros({}), wide) * 255.f, 0.f, 255.f)).astype(uint8);
  }
  return a.to_device(Device());
}

void write(const std::filesystem::path& path, const Array& pixels) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (ending == ".ppm" || ending == ".pgm") {
    const std::string head = pixels.shape()[2] == 1 ? "P5 " : "P6 ";
    const Array rows = pixels.contiguous();
    const std::string_view bytes(static_cast<const char*>(rows.raw()), static_cast<std::size_t>(rows.size()));
    return write_file(path, text(head, pixels.shape()[1], " ", pixels.shape()[0], " 255\n", bytes));
  }
  write_file(path, ending == ".jpg" || ending == ".jpeg" ? encode_jpeg(pixels) : encode_png(pixels));
}

}  // namespace

Array pixels_of(const char* operation, const Array& picture) {
  const int d = picture.ndim();
  if (d != 2 && d != 3)
    throw ValueError(operation, ": one picture (height, width) or (channels, height, width) is expected, not shape ",
                     picture.shape(), d == 4 ? "; write_grid() makes one of several" : "");
  if (d == 3 && picture.shape()[0] != 1 && picture.shape()[0] != 3)
    throw ValueError(operation, ": pictures of 1 or 3 channels are expected, as (height, width) or (channels, height, ",
                     "width), not shape ", picture.shape());
  Shape one = picture.shape();
  one.insert(0, 1);
  return as_bytes(operation, picture.reshape(one))[0].transpose({1, 2, 0}).copy();
}

void write_image(const std::filesystem::path& path, const Array& picture) {
  write(path, pixels_of("write_image", picture));
}

namespace {
// Returns (height, width, channels) of uint8.
Array grid_of(const char* operation, const Array& pictures, int64_t columns, int64_t gap) {
  const Array a = as_bytes(operation, pictures);
  if (columns < 0 || gap < 0)
    throw ValueError(operation, ": columns ", columns, " and gap ", gap, " must not be negative");
  const int64_t n = a.shape()[0], channels = a.shape()[1], h = a.shape()[2], w = a.shape()[3];
  if (columns == 0) columns = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  columns = std::min(columns, n);
  const int64_t rows = (n + columns - 1) / columns;
  Array grid = full({rows * (h + gap) - gap, columns * (w + gap) - gap, channels}, 255, uint8);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t y = i / columns * (h + gap), x = i % columns * (w + gap);
    grid.set({Slice(y, y + h), Slice(x, x + w)}, a[i].transpose({1, 2, 0}));
  }
  return grid;
}
}  // namespace

Array make_grid(const Array& pictures, int64_t columns, int64_t gap) {
  return grid_of("make_grid", pictures, columns, gap).transpose({2, 0, 1}).copy();
}
void write_grid(const std::filesystem::path& path, const Array& pictures, int64_t columns, int64_t gap) {
  write(path, grid_of("write_grid", pictures, columns, gap));
}

}  // namespace chainer::dataset

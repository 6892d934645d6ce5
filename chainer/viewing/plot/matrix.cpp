// SPDX-License-Identifier: MIT
#include "chainer/viewing/plot/matrix.h"

#include <algorithm>
#include <cmath>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/viewing/plot/canvas.h"

namespace chainer::plot {
namespace {

// From nearly white to dark blue.
Color shade(double share) { return {0.97 - 0.94 * share, 0.98 - 0.79 * share, 1.0 - 0.58 * share, 1}; }

std::string number_text(double v) {
  char text[32];
  std::snprintf(text, sizeof text, v == std::floor(v) ? "%.0f" : "%.2f", v);
  return text;
}

}  // namespace

void save(const Matrix& m, const std::filesystem::path& file) {
  const Shape& shape = m.counts.shape();
  if (shape.size() != 2 || shape[0] != shape[1] || shape[0] == 0)
    throw DimensionError("plot: the matrix must be square, not of shape ", shape);
  const auto n = static_cast<std::size_t>(shape[0]);
  std::vector<std::string> labels = m.labels;
  if (labels.empty())
    for (std::size_t i = 0; i < n; ++i) labels.push_back(std::to_string(i));
  if (labels.size() != n)
    throw DimensionError("plot: the matrix has shape ", shape, ", but ", labels.size(), " labels");
  const std::vector<double> values = m.counts.to_vector<double>();

  const bool svg = file.extension() == ".svg";
  // The size of a PNG (of two pixels per unit) is limited by memory, and by cairo.
  constexpr double kLargestSide = 4096;
  const double count = static_cast<double>(n), least = svg ? 6.0 : std::min(6.0, kLargestSide / count);
  const double cell = std::clamp(560.0 / count, least, 64.0), size = std::clamp(cell / 3.4, 6.0, 14.0);
  // Names wider than a cell would overlap below the columns, so they are rotated there.
  double left = 0;
  {
    const auto measure = svg ? make_svg_canvas(10, 10) : make_png_canvas(10, 10);
    if (!measure)
      throw RuntimeError("plot: cannot draw ", file.string(),
                         ": this build has no drawing library (cairo); .svg needs none");
    for (const std::string& l : labels) left = std::max(left, measure->text_width(l, size));
  }
  const bool upright = left > cell - 4;
  const double x0 = 44 + left, y0 = 40, side = cell * count, below = (upright ? left : size) + 40;
  const double width = std::max(260.0, x0 + side + 20), height = y0 + side + below;
  const auto canvas = svg ? make_svg_canvas(width, height, "", true) : make_png_canvas(width, height);
  // On dark pages cells keep their colors, as does the text in them; other text becomes light (colors.css).
  constexpr Color kInk{0.2, 0.2, 0.22, 1}, kFrame{0.45, 0.45, 0.48, 1};
  constexpr Color kDarkText{0.15, 0.15, 0.2, 1}, kLightText{0.996, 0.996, 0.996, 1};
  const auto box = [&](double x, double y, double w, double h, Color c) {
    canvas->area({{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, c);
  };
  canvas->text({x0 + side / 2, 24}, m.title, 15, Canvas::Anchor::middle, kInk);
  box(x0, y0, side, side, shade(0));
  // If cells are smaller than the text, only every k-th label is drawn.
  const auto every = static_cast<std::size_t>(std::ceil((size + 2) / cell));
  for (std::size_t row = 0; row < n; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < n; ++column) sum += values[row * n + column];
    const double y = y0 + cell * static_cast<double>(row), middle = y + cell / 2 + size * 0.36;
    for (std::size_t column = 0; column < n; ++column) {
      const double v = values[row * n + column], share = sum > 0 ? v / sum : 0;
      const double x = x0 + cell * static_cast<double>(column);
      if (share > 0) box(x, y, cell, cell, shade(share));
      const std::string text = number_text(v);
      const double fits = std::min(size, (cell - 4) / std::max(0.1, canvas->text_width(text, 1)));
      if (fits >= 5 && v != 0)
        canvas->text({x + cell / 2, y + cell / 2 + fits * 0.36}, text, fits, Canvas::Anchor::middle,
                     share > 0.5 ? kLightText : kDarkText);
    }
    if (row % every) continue;
    canvas->text({x0 - 6, middle}, labels[row], size, Canvas::Anchor::end, kInk);
    const double x = x0 + cell * (static_cast<double>(row) + 0.5);
    if (upright)
      canvas->text({x + size * 0.36, y0 + side + 8 + left / 2}, labels[row], size, Canvas::Anchor::middle, kInk, true);
    else
      canvas->text({x, y0 + side + size + 6}, labels[row], size, Canvas::Anchor::middle, kInk);
  }
  const std::vector<Position> frame{{x0, y0}, {x0 + side, y0}, {x0 + side, y0 + side}, {x0, y0 + side}, {x0, y0}};
  canvas->lines(frame, kFrame, 1);
  canvas->text({x0 + side / 2, y0 + side + below - 10}, m.xlabel, 13, Canvas::Anchor::middle, kInk);
  canvas->text({18, y0 + side / 2}, m.ylabel, 13, Canvas::Anchor::middle, kInk, true);
  write_file(file, canvas->finish());
}

}  // namespace chainer::plot

// SPDX-License-Identifier: MIT
#include "chainer/viewing/plot/braille.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "chainer/core/utf8.h"
#include "chainer/viewing/plot/figure.h"

namespace chainer::plot {
namespace {

constexpr int kAxisWidth = 9;

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
  // Widens an empty range, so that a constant curve is drawn in the middle.
  void open() {
    if (high > low) return;
    const double half = low == 0 ? 1 : std::abs(low) / 2;
    low -= half, high += half;
  }
  double share(double v) const { return (v - low) / (high - low); }
};

// Returns the bit of a dot in a braille character: column x is 0 or 1, row y is 0 (top) to 3.
unsigned dot_bit(int x, int y) {
  constexpr unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  return bits[y][x];
}

std::string axis_label(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%*.3g ", kAxisWidth - 1, v);
  return text;
}

}  // namespace

std::string color_sequence(int color) {
  constexpr int codes[] = {36, 33, 32, 35, 34, 31};
  return "\033[" + std::to_string(codes[color % 6]) + "m";
}

std::vector<std::string> braille(const std::vector<TextCurve>& curves, int width, int height, bool colors) {
  if (width < kAxisWidth + 3 || height < 3) return {};
  Extent x, y;
  for (const TextCurve& c : curves)
    for (const auto& [at, v] : c.points)
      if (can_be_drawn(v)) x.add(at), y.add(v);
  if (!(x.low <= x.high)) return std::vector<std::string>(static_cast<std::size_t>(height));
  const Extent told = x;
  x.open();
  y.open();
  const int columns = width - kAxisWidth, rows = height - 1, dots_x = 2 * columns, dots_y = 4 * rows;
  struct Cell {
    unsigned dots = 0;
    int color = 0;
  };
  std::vector<Cell> cells(static_cast<std::size_t>(columns * rows));
  const auto set = [&](int px, int py, int color) {
    Cell& cell = cells[static_cast<std::size_t>(py / 4 * columns + px / 2)];
    cell.dots |= dot_bit(px % 2, py % 4);
    cell.color = color;
  };
  for (const TextCurve& c : curves) {
    bool joined = false;
    int last_x = 0, last_y = 0;
    for (const auto& [at, v] : c.points) {
      if (!can_be_drawn(v)) {
        joined = false;
        continue;
      }
      const int px = std::clamp(static_cast<int>(std::lround(x.share(at) * (dots_x - 1))), 0, dots_x - 1);
      const int py = std::clamp(static_cast<int>(std::lround((1 - y.share(v)) * (dots_y - 1))), 0, dots_y - 1);
      const int steps = joined ? std::max(std::abs(px - last_x), std::abs(py - last_y)) : 0;
      for (int i = 1; i < steps; ++i)
        set(last_x + (px - last_x) * i / steps, last_y + (py - last_y) * i / steps, c.color);
      set(px, py, c.color);
      joined = true, last_x = px, last_y = py;
    }
  }
  std::vector<std::string> out;
  for (int row = 0; row < rows; ++row) {
    std::string line = row == 0          ? axis_label(y.high)
                       : row == rows - 1 ? axis_label(y.low)
                                         : std::string(static_cast<std::size_t>(kAxisWidth), ' ');
    int now = -1;
    for (int column = 0; column < columns; ++column) {
      const Cell& cell = cells[static_cast<std::size_t>(row * columns + column)];
      if (colors && cell.dots && cell.color != now) line += color_sequence(now = cell.color);
      put_utf8(line, cell.dots ? 0x2800 + cell.dots : ' ');
    }
    out.push_back(line + (now >= 0 ? kNoColor : ""));
  }
  char left[32], right[32];
  std::snprintf(left, sizeof left, "%.6g", told.low);
  std::snprintf(right, sizeof right, "%.6g", told.high);
  const int gap = columns - static_cast<int>(std::string(left).size() + std::string(right).size());
  out.push_back(std::string(kAxisWidth, ' ') + left + std::string(static_cast<std::size_t>(std::max(1, gap)), ' ') +
                right);
  return out;
}

}  // namespace chainer::plot

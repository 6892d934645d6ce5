// SPDX-License-Identifier: MIT
// Line plots as PNG or SVG: axes with round ticks, a grid, markers, a legend next to the data, filled bands.
#pragma once
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace chainer::plot {

struct Color {
  double r = 0, g = 0, b = 0, a = 1;
};
/// Returns the i-th color of the cycle of series.
Color series_color(std::size_t i);

/// Returns true if a value can be plotted: it is finite, and so are differences of such values.
inline bool can_be_drawn(double v) { return std::abs(v) <= 1e300; }

/// One curve, or a band between y and y2.
struct Series {
  std::string label;
  std::vector<double> x, y;
  std::vector<double> y2 = {};      ///< set: the area between y and y2 is filled
  std::optional<Color> color = {};  ///< the next of the cycle by default
  std::string marker = "x";         ///< "x", "o", ".", "+", "s" or "" for none
  bool line = true;
};

/// One plot in a figure. Empty ranges follow the data.
struct Axes {
  std::string title, xlabel, ylabel;
  std::vector<Series> series;
  bool grid = true;
  bool legend = true;
};

/// Plots in rows and columns.
struct Figure {
  int rows = 1, columns = 1;
  std::vector<Axes> axes{Axes()};
  double width = 760, height = 500;  ///< in pixels
};

/// Returns true if this build can draw PNG.
bool available();
/// Returns true if this build can draw this file; SVG is always available.
bool available(const std::filesystem::path& file);
/// Draws to a file, through a temporary file: SVG if the name ends in .svg, else PNG. Throws RuntimeError for PNG
/// without a drawing library, FileError if the file cannot be written.
void save(const Figure& figure, const std::filesystem::path& file);
/// Returns the figure as SVG text. A label is its description for screen readers. Each color has an attribute and a
/// class
/// (#1f6bb8: k1f6bb8 of fills, s1f6bb8 of lines), so that a page can change it.
std::string svg(const Figure& figure, const std::string& label = "");
/// Returns a curve of at most `points` points (at least 4) that looks the same: the smallest and the largest value of
/// each interval of x, and the first of its values that are not finite.
Series reduced(const Series& series, std::size_t points);
/// Returns about `count` round positions between low and high.
std::vector<double> ticks(double low, double high, int count);

}  // namespace chainer::plot

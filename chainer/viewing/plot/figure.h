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
/// Returns the position of a run's color in this cycle, by the name of its folder; for a folder named `result`, by that
/// of the folder around it.
std::size_t run_color(const std::filesystem::path& folder);
/// Returns the positions for runs that are shown together: those of run_color(), except that the second of two runs
/// with one color, in the order of their names, gets the next free one.
std::vector<std::size_t> run_colors(const std::vector<std::filesystem::path>& folders);

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
  int dash = 0;  ///< 0 a solid line, 1 dashed, 2 dotted, 3 dashes and dots
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
/// Draws to a file, through a temporary file: SVG, which adapts to dark pages, if the name ends in .svg, else PNG.
/// Throws RuntimeError for PNG without a drawing library, FileError if the file cannot be written, ValueError for less
/// than one row, column or pixel, DimensionError for a series with different numbers of x, y and (if any) y2.
void save(const Figure& figure, const std::filesystem::path& file);
/// Returns the figure as SVG text. A label is its description for screen readers. Each color has an attribute and a
/// class (#1f6bb8: k1f6bb8 of fills, s1f6bb8 of lines), so that a page can change it. Throws as save() does.
std::string svg(const Figure& figure, const std::string& label = "");
/// Returns a curve of at most `points` points (at least 4) that looks the same: the smallest and the largest value of
/// each interval of x, and the first of its values that are not finite.
Series reduced(const Series& series, std::size_t points);
/// Returns about `count` round positions between low and high.
std::vector<double> ticks(double low, double high, int count);

}  // namespace chainer::plot

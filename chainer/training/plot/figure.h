// Line plots as PNG or SVG: axes with round ticks, a grid, markers, a legend beside the data, filled bands.
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
/// The i-th colour of the cycle in which series are drawn.
Color series_color(std::size_t i);

/// Whether a value has a place in a plot: it is finite, and so are differences of such values.
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

/// Whether this build can draw PNG.
bool available();
/// Whether it can draw this file: an SVG always.
bool available(const std::filesystem::path& file);
/// Draws into a file, through a temporary one: SVG if the name ends in .svg, else PNG, which without a drawing library
/// is a RuntimeError; a file that cannot be written is a FileError with the reason.
void save(const Figure& figure, const std::filesystem::path& file);
/// The same as SVG text. A label describes it for those who hear pages. Each colour has a class beside its attribute
/// (#1f6bb8: k1f6bb8 of what is filled, s1f6bb8 of lines), by which a page may recolour it.
std::string svg(const Figure& figure, const std::string& label = "");
/// A curve of at most `points` points (at least 4) that looks the same: of each stretch of x, the least and the
/// largest value; of values that are not finite, the first of a stretch.
Series reduced(const Series& series, std::size_t points);
/// Round positions between low and high, about `count` of them.
std::vector<double> ticks(double low, double high, int count);

}  // namespace chainer::plot

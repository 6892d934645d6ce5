// Line plots as PNG or SVG: axes with round ticks, a grid, markers, a legend beside the data, filled bands.
#pragma once
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

/// Whether this build can draw.
bool available();
/// Draws into a file, through a temporary one: SVG if the name ends in .svg, else PNG. Without a drawing library it
/// throws a RuntimeError; a file that cannot be written is a FileError with the reason.
void save(const Figure& figure, const std::filesystem::path& file);
/// Round positions between low and high, about `count` of them.
std::vector<double> ticks(double low, double high, int count);

}  // namespace chainer::plot

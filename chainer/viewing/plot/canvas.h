// SPDX-License-Identifier: MIT
// The surface of a figure: SVG, or PNG, for which one of two sources is built, with cairo or without.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/viewing/plot/figure.h"

namespace chainer::plot {

struct Position {
  double x, y;
};

class Canvas {
 public:
  enum class Anchor { start, middle, end };
  virtual ~Canvas() = default;
  /// Draws lines; `dash` as that of Series.
  virtual void lines(const std::vector<Position>& points, Color color, double width, int dash = 0) = 0;
  virtual void area(const std::vector<Position>& outline, Color color) = 0;
  /// Draws text with its baseline at `at`; rotated by 90 degrees to the left if `vertical`.
  virtual void text(Position at, const std::string& s, double size, Anchor anchor, Color color,
                    bool vertical = false) = 0;
  virtual double text_width(const std::string& s, double size) = 0;
  virtual void clip(Position low, Position high) = 0;
  virtual void unclip() = 0;
  /// Returns the bytes of the picture.
  virtual std::string finish() = 0;
};

/// Returns the lengths of the dashes and gaps of a line, none for a solid one.
const std::vector<double>& dashes(int dash);
/// Returns a canvas for PNG; nullptr without a drawing library.
std::unique_ptr<Canvas> make_png_canvas(double width, double height);
/// Returns a canvas for SVG. A label is the description of the picture for screen readers. A file has the rules of
/// colors.css, for dark pages; a picture inside of a page follows those of the page.
std::unique_ptr<Canvas> make_svg_canvas(double width, double height, const std::string& label = "",
                                        bool is_file = false);
/// Returns text escaped for XML and HTML, between tags or in quotes; bytes that are no UTF-8 become \xff.
std::string escaped_xml(std::string_view s);

}  // namespace chainer::plot

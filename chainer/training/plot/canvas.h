// What a figure is drawn on: SVG is written here; for PNG one of two sources is built, with cairo or without.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/training/plot/figure.h"

namespace chainer::plot {

struct Position {
  double x, y;
};

class Canvas {
 public:
  enum class Anchor { start, middle, end };
  virtual ~Canvas() = default;
  virtual void lines(const std::vector<Position>& points, Color color, double width) = 0;
  virtual void area(const std::vector<Position>& outline, Color color) = 0;
  /// Text with its baseline at `at`; turned a quarter to the left if `vertical`.
  virtual void text(Position at, const std::string& s, double size, Anchor anchor, Color color,
                    bool vertical = false) = 0;
  virtual double text_width(const std::string& s, double size) = 0;
  virtual void clip(Position low, Position high) = 0;
  virtual void unclip() = 0;
  /// The bytes of the picture.
  virtual std::string finish() = 0;
};

/// A canvas that becomes PNG; nullptr without a drawing library.
std::unique_ptr<Canvas> make_png_canvas(double width, double height);
/// A canvas that becomes SVG. A label makes it a picture with that description for those who hear pages.
std::unique_ptr<Canvas> make_svg_canvas(double width, double height, const std::string& label = "");
/// Text as it stands in XML and HTML, between tags or in quotes.
std::string escaped_xml(std::string_view s);

}  // namespace chainer::plot

// Curves as text: dots of braille characters, two by four a character.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace chainer::plot {

/// One curve of (x, y), x rising, and the number of its colour (0 and up; the sequences are terminals' 16 colours).
struct TextCurve {
  std::vector<std::pair<double, double>> points;
  int color = 0;
};
/// Lines of `width` characters, of which the first nine are the axis: largest value above, smallest below. Points that
/// are not finite are left out; the last line has the range of x. Below 12 x 3 characters there is nothing.
std::vector<std::string> braille(const std::vector<TextCurve>& curves, int width, int height, bool colors = true);
/// The sequence that begins a colour, and the one that ends it.
std::string color_sequence(int color);
inline constexpr const char* kNoColor = "\033[0m";

}  // namespace chainer::plot

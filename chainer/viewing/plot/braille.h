// SPDX-License-Identifier: MIT
// Curves as text: dots of braille characters, two by four per character.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace chainer::plot {

/// One curve of (x, y), x rising, and the number of its colour (from 0; one of the 16 colors of terminals).
struct TextCurve {
  std::vector<std::pair<double, double>> points;
  int color = 0;
};
/// Returns lines of `width` characters. The first nine are the axis: the largest value at the top, the smallest at the
/// bottom. Points that are not finite are omitted; the last line has the range of x. Empty below 12 x 3 characters.
std::vector<std::string> braille(const std::vector<TextCurve>& curves, int width, int height, bool colors = true);
/// Returns the sequence that begins a color, and the sequence that ends it.
std::string color_sequence(int color);
inline constexpr const char* kNoColor = "\033[0m";

}  // namespace chainer::plot

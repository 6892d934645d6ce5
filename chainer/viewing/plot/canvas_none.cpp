// SPDX-License-Identifier: MIT
// PNG in a build without cairo: not available.
#include "chainer/viewing/plot/canvas.h"

namespace chainer::plot {

bool available() { return false; }
std::unique_ptr<Canvas> make_png_canvas(double, double) { return nullptr; }

}  // namespace chainer::plot

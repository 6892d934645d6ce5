// SPDX-License-Identifier: MIT
// PNG where the library was built without cairo: there is none.
#include "chainer/viewing/plot/canvas.h"

namespace chainer::plot {

bool available() { return false; }
std::unique_ptr<Canvas> make_png_canvas(double, double) { return nullptr; }

}  // namespace chainer::plot

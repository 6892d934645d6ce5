// PNG where the library was built without cairo: there is none.
#include "chainer/training/plot/canvas.h"

namespace chainer::plot {

bool available() { return false; }
std::unique_ptr<Canvas> make_png_canvas(double, double) { return nullptr; }

}  // namespace chainer::plot

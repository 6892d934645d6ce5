// SPDX-License-Identifier: MIT
// PNG in a build without libpng: throws an error.
#include "chainer/datasets/image.h"

namespace chainer::dataset {

bool has_png() { return false; }
Picture decode_png(std::string_view, const std::string& what) {
  throw MissingPartError(what, ": a PNG picture, and this build has no libpng");
}
std::string encode_png(const Array&) { throw MissingPartError("encode_png: this build has no libpng"); }

}  // namespace chainer::dataset

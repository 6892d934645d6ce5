// SPDX-License-Identifier: MIT
// JPEG in a build without libjpeg-turbo: throws an error.
#include "chainer/datasets/image.h"

namespace chainer::dataset {

bool has_jpeg() { return false; }
Picture decode_jpeg(std::string_view, const std::string& what, int64_t) {
  throw MissingPartError(what, ": a JPEG picture, and this build has no libjpeg-turbo");
}
std::string encode_jpeg(const Array&, int) { throw MissingPartError("encode_jpeg: this build has no libjpeg-turbo"); }

}  // namespace chainer::dataset

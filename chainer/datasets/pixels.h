// SPDX-License-Identifier: MIT
// Converts pictures to the bytes of files.
#pragma once
#include "chainer/array/array.h"

namespace chainer::dataset {

/// Returns the pixels (height, width, channels), uint8 on the host, of a picture as for write_image(). Throws
/// ValueError, naming `operation`, for other shapes and dtypes.
Array pixels_of(const char* operation, const Array& picture);

}  // namespace chainer::dataset

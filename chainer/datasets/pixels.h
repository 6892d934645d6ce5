// Pictures as the bytes that files hold.
#pragma once
#include "chainer/array/array.h"

namespace chainer::dataset {

/// The pixels (height, width, channels) of uint8, on the host, of a picture as write_image() takes it; errors name
/// `operation`.
Array pixels_of(const char* operation, const Array& picture);

}  // namespace chainer::dataset

#include "chainer/array/image_backend.h"

#include "chainer/array/backend.h"

namespace chainer {

ImageBackend& image_backend(const Device& device) {
  if (auto* images = dynamic_cast<ImageBackend*>(&device.backend())) return *images;
  throw DeviceError("device ", device, " has no operations on images");
}

}  // namespace chainer

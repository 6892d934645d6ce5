// What a device does by its backend.
#include "chainer/array/backend.h"

namespace chainer {

std::string Device::name() const { return backend_->name(index_); }
void Device::synchronize() const { backend_->synchronize(index_); }

}  // namespace chainer

// SPDX-License-Identifier: MIT
// Writing HDF5 files in a build without libhdf5 throws an error.
#include "chainer/serializers/hdf5.h"

namespace chainer::serializers {

std::shared_ptr<HDF5Group> HDF5Group::create(const std::filesystem::path& path) {
  throw MissingPartError(path.string(), ": writing HDF5 files requires libhdf5, which this build lacks; install ",
                         "libhdf5-dev and configure again");
}

}  // namespace chainer::serializers

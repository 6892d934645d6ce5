// SPDX-License-Identifier: MIT
// Writing HDF5 where the library was built without libhdf5: an error that says so.
#include "chainer/serializers/hdf5.h"

namespace chainer::serializers {

std::shared_ptr<HDF5Group> HDF5Group::create(const std::filesystem::path& path) {
  throw MissingPartError(path.string(), ": writing HDF5 files needs libhdf5, which this build has not; install ",
                         "libhdf5-dev and configure again");
}

}  // namespace chainer::serializers

// HDF5 where the library was built without libhdf5: an error that says so.
#include "chainer/serializers/hdf5.h"

namespace chainer::serializers {
namespace {

[[noreturn]] void missing(const std::filesystem::path& path) {
  throw MissingPartError(path.string(), ": HDF5 files need libhdf5, which this build has not; install libhdf5-dev and ",
                         "configure again");
}

}  // namespace

std::shared_ptr<HDF5Group> HDF5Group::create(const std::filesystem::path& path) { missing(path); }
std::shared_ptr<HDF5Group> HDF5Group::open(const std::filesystem::path& path) { missing(path); }

}  // namespace chainer::serializers

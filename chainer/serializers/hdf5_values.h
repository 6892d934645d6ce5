// The values of datasets in HDF5 files.
#pragma once
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/hdf5_format.h"

namespace chainer::hdf5 {

/// Whether an object's header is that of a dataset.
bool is_dataset(const File& file, const Messages& messages);
/// Kind, dtype and shape of a dataset; Damage for one that read_value() refuses whatever its elements are.
void describe(const File& file, const Messages& messages, serializers::HDF5Object& out);
/// The value of a dataset: arrays of integers, IEEE's floating types and h5py's bool, of either byte order, stored in
/// one piece or in chunks packed by gzip (with or without shuffled bytes); one text; or None, a dataset without a
/// space. Damage for everything else.
serializers::HDF5Value read_value(const File& file, const Messages& messages);

}  // namespace chainer::hdf5

// SPDX-License-Identifier: MIT
// The values of datasets in HDF5 files.
#pragma once
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/hdf5_format.h"

namespace chainer::hdf5 {

/// Returns true if an object header is that of a dataset.
bool is_dataset(const File& file, const Messages& messages);
/// Determines kind, dtype and shape of a dataset. Throws Damage for datasets that view_value() does not support.
void describe(const File& file, const Messages& messages, serializers::HDF5Object& out);
/// Returns the value of a dataset: an array of integers (also of enumerations), IEEE floating types or the bool of
/// h5py, in either byte order, contiguous or in chunks compressed by gzip (with or without shuffled bytes); a string;
/// or None, a dataset without a dataspace. An array may refer to the file's memory and cannot be written to. Throws
/// Damage for other content.
serializers::HDF5Value view_value(const File& file, const Messages& messages);

}  // namespace chainer::hdf5

// Where the new format of HDF5 keeps the names of a group with many links: a fractal heap, found through a tree.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "chainer/serializers/hdf5_format.h"

namespace chainer::hdf5 {

/// The link messages of a group whose fractal heap and whose B-tree of version 2 by names stand at these addresses
/// (HDF5 File Format Specification 3.0, III.A.2 and III.G). Damage for what is not as described there, for names of
/// more than some thousand letters, which stand outside of the heap's blocks, and for heaps with filters, which no
/// group has.
std::vector<std::string_view> dense_links(const File& file, uint64_t heap, uint64_t tree);

}  // namespace chainer::hdf5

// SPDX-License-Identifier: MIT
// The names of groups with many links in the new format of HDF5: a fractal heap, indexed by a B-tree.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "chainer/serializers/hdf5_format.h"

namespace chainer::hdf5 {

/// Returns the link messages of a group from the addresses of its fractal heap and its B-tree of version 2 by names
/// (HDF5 File Format Specification 3.0, III.A.2 and III.G). Throws Damage for other content, for names too long for the
/// blocks of the heap (several thousand letters), and for heaps with filters, which groups do not use.
std::vector<std::string_view> dense_links(const File& file, uint64_t heap, uint64_t tree);

}  // namespace chainer::hdf5

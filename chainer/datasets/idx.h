// SPDX-License-Identifier: MIT
// The IDX format of the files of MNIST: two zero bytes, the type of the elements (8: bytes), the number of axes, the
// lengths of the axes as big-endian 32-bit numbers, the elements.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::datasets {

/// Returns the size of a file, including the header, from its header at the beginning of `bytes`. Throws FileError,
/// naming `what`, unless this is the header of bytes with `rank` axes and at most 2^40 elements.
int64_t idx_file_size(std::string_view bytes, int rank, std::string_view what);
/// Returns the uint8 array of an IDX file with `rank` axes. Throws FileError, naming `what`, for other content.
Array parse_idx(std::string_view bytes, int rank, std::string_view what);
/// Returns the bytes of an IDX file compressed by gzip. Reads the header first and decompresses no more than the size
/// in it; memory is allocated as bytes arrive. Throws FileError, naming `what`, for fewer or more bytes.
std::string unpack_idx(const std::filesystem::path& file, int rank, const std::string& what);

}  // namespace chainer::datasets

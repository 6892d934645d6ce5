// The IDX format of MNIST's files: two zero bytes, the type of the elements (8: bytes), the number of axes, the axes'
// lengths as big-endian 32-bit numbers, the elements.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::datasets {

/// The bytes that a whole file has, header included, by its header, which `bytes` must begin with. FileError, naming
/// `what`, if it is no header of bytes with `rank` axes or promises more than 2^40 elements.
int64_t idx_file_size(std::string_view bytes, int rank, std::string_view what);
/// The uint8 array of a whole IDX file of `rank` axes. FileError, naming `what`, for anything else.
Array parse_idx(std::string_view bytes, int rank, std::string_view what);
/// The bytes of an IDX file packed by gzip. Its header is read first: nothing beyond the size it gives is unpacked, and
/// memory follows the bytes that are there. FileError, naming `what`, if there are fewer or more of them.
std::string unpack_idx(const std::filesystem::path& file, int rank, const std::string& what);

}  // namespace chainer::datasets

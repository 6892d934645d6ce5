// SPDX-License-Identifier: MIT
// MATLAB's MAT files, level 5.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::dataset {

/// Return the real numeric arrays of a level 5 MAT file by name, also compressed ones, in both byte orders; text,
/// cells, structures and sparse matrices are skipped. Unsigned integers of 16 to 64 bits become int64. The order of
/// axes is that of MATLAB. Throw FileError, naming `what` and the array, for a damaged or other file.
std::map<std::string, Array> parse_matlab(std::string_view bytes, const std::string& what);
std::map<std::string, Array> load_matlab(const std::filesystem::path& path);

}  // namespace chainer::dataset

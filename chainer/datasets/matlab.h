// MATLAB's MAT files, level 5.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::dataset {

/// The real numeric arrays of a level 5 MAT file by name, compressed ones too, in both byte orders; text, cells,
/// structures and sparse matrices are left out. Unsigned integers of 16 to 64 bits become int64. Axes are MATLAB's.
/// FileError, naming `what` and the array, for anything damaged or of another kind.
std::map<std::string, Array> parse_matlab(std::string_view bytes, const std::string& what);
std::map<std::string, Array> load_matlab(const std::filesystem::path& path);

}  // namespace chainer::dataset

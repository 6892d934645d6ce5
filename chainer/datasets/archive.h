// SPDX-License-Identifier: MIT
// Reads tar archives, in which datasets are distributed (gzip.h reads gzip).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace chainer::dataset {

struct TarMember {
  std::string name;
  std::string_view bytes;  ///< a part of the bytes of the archive
};
/// Returns the regular files of a tar archive in memory (ustar, and the headers of GNU and pax for long names, whose
/// names are skipped). Throws FileError, naming `what`, for a damaged archive.
std::vector<TarMember> tar_members(std::string_view archive, const std::string& what);

}  // namespace chainer::dataset

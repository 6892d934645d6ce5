// Reading what datasets are packed in: gzip and tar.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace chainer::dataset {

/// The unpacked content of a gzip file; FileError, naming `what`, if it is truncated or none.
std::string gunzip(const std::filesystem::path& path, const std::string& what);

struct TarMember {
  std::string name;
  std::string_view bytes;  ///< a part of the archive's bytes
};
/// The regular files of a tar archive that lies in memory (ustar, and GNU's and pax's headers of longer names, whose
/// names are skipped). FileError, naming `what`, for anything damaged.
std::vector<TarMember> tar_members(std::string_view archive, const std::string& what);

}  // namespace chainer::dataset

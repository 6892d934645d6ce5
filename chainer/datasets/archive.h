// Reading what datasets are packed in: tar (gzip.h has gzip).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace chainer::dataset {

struct TarMember {
  std::string name;
  std::string_view bytes;  ///< a part of the archive's bytes
};
/// The regular files of a tar archive that lies in memory (ustar, and GNU's and pax's headers of longer names, whose
/// names are skipped). FileError, naming `what`, for anything damaged.
std::vector<TarMember> tar_members(std::string_view archive, const std::string& what);

}  // namespace chainer::dataset

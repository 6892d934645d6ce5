// SPDX-License-Identifier: MIT
// Reads gzip files.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace chainer::dataset {

/// Decompresses a gzip file piece by piece (RFC 1952, also several members). Throws FileError, naming `what`, for every
/// error. (The gz functions of zlib are not used: from 1.3.2 on they do not report a truncated file.)
class GzipReader {
 public:
  GzipReader(const std::filesystem::path& path, const std::string& what);
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader();
  /// Appends the next `wanted` bytes to `to`, or all remaining ones if there are fewer.
  void read(std::size_t wanted, std::string& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the decompressed content of a gzip file. Throws FileError, naming `what`, if the file is truncated or no
/// gzip file.
std::string gunzip(const std::filesystem::path& path, const std::string& what);

}  // namespace chainer::dataset

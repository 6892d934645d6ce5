// Reading gzip files.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace chainer::dataset {

/// The content of a gzip file, unpacked piece by piece (RFC 1952; several members follow each other). Every error is a
/// FileError that names `what`. zlib's own files are not used: from 1.3.2 on they end a truncated file without an
/// error.
class GzipReader {
 public:
  GzipReader(const std::filesystem::path& path, const std::string& what);
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader();
  /// Appends the next bytes to `to`, as many as are wanted, or all that are left where they are fewer.
  void read(std::size_t wanted, std::string& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The unpacked content of a gzip file; FileError, naming `what`, if it is truncated or none.
std::string gunzip(const std::filesystem::path& path, const std::string& what);

}  // namespace chainer::dataset

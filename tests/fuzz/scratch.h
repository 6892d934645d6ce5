// SPDX-License-Identifier: MIT
// Files in memory for readers that take a path.
#pragma once
#include <string>
#include <string_view>

namespace fuzz {

/// A file in memory with these bytes, during the lifetime of this object. Throws std::system_error on failure.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view bytes);
  ScratchFile(const ScratchFile&) = delete;
  ~ScratchFile();
  std::string path() const;

 private:
  int fd_;
};

}  // namespace fuzz

// SPDX-License-Identifier: MIT
// Files for readers that take a path.
#pragma once
#include <string>
#include <string_view>

namespace fuzz {

/// A file in memory with these bytes, as long as this object lives. std::system_error where there can be none.
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

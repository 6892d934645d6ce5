// SPDX-License-Identifier: MIT
// Standard error of a test, in a file.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace test {

/// Writes standard error to a file while it lives. The descriptor is replaced, not the stream: freopen() would leave
/// the stream buffered for later tests.
class CapturedStderr {
 public:
  explicit CapturedStderr(std::filesystem::path file) : file_(std::move(file)), kept_(::dup(2)) {
    std::fflush(stderr);
    const int to = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(to, 2);
    ::close(to);
  }
  CapturedStderr(const CapturedStderr&) = delete;
  ~CapturedStderr() {
    std::fflush(stderr);
    ::dup2(kept_, 2);
    ::close(kept_);
  }
  /// Returns everything that was written until now.
  std::string text() const {
    std::fflush(stderr);
    std::ifstream in(file_);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

 private:
  std::filesystem::path file_;
  int kept_;
};

}  // namespace test

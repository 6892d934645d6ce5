// SPDX-License-Identifier: MIT
// Temporary folders for files of tests.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>

namespace test {

/// A folder that is removed with its object.
struct Folder {
  std::filesystem::path path;
  Folder() {
    static int made = 0;
    path = std::filesystem::temp_directory_path() /
           ("chainer-test-" + std::to_string(::getpid()) + "-" + std::to_string(made++));
    std::filesystem::create_directories(path);
  }
  Folder(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
};

/// A folder shared by all tests of a program.
inline const Folder programs_folder;
inline const std::filesystem::path& folder = programs_folder.path;

}  // namespace test

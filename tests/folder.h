// SPDX-License-Identifier: MIT
// Folders for the files of tests, removed at their end.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>

namespace test {

/// A folder that lives as long as its object.
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

/// The folder that all tests of a program may use.
inline const Folder programs_folder;
inline const std::filesystem::path& folder = programs_folder.path;

}  // namespace test

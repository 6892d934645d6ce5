// A folder of the test's own, removed at its end.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("chainer-test-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

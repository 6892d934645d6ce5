// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/libraries.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace chainer::cuda {
namespace {

namespace fs = std::filesystem;

std::string variable_of(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// The entries of a folder in the order of their names; none if it cannot be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
    out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

// The folders of packages of NVIDIA in a folder of Python's packages.
void add_packages(const fs::path& site, std::vector<fs::path>& folders) {
  for (const fs::path& package : entries(site / "nvidia")) folders.push_back(package / "lib");
}

std::vector<fs::path> folders() {
  std::vector<fs::path> out;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"})
    if (const std::string root = variable_of(name); !root.empty()) out.push_back(fs::path(root) / "lib64");
  out.push_back("/usr/local/cuda/lib64");
  if (const std::string root = variable_of("VIRTUAL_ENV"); !root.empty())
    for (const fs::path& python : entries(fs::path(root) / "lib")) add_packages(python / "site-packages", out);
  // The extension of the Python package is in site-packages/chainer.
  if (const std::string own = run_time_library::path_of(reinterpret_cast<const void*>(&variable_of)); !own.empty())
    add_packages(fs::path(own).parent_path().parent_path(), out);
  if (const std::string root = variable_of("CONDA_PREFIX"); !root.empty()) out.push_back(fs::path(root) / "lib");
  return out;
}

}  // namespace

std::vector<std::string> library_places(const char* variable, std::initializer_list<const char*> names) {
  if (const std::string chosen = variable_of(variable); !chosen.empty())
    return chosen == "none" ? std::vector<std::string>() : std::vector<std::string>{chosen};
  const std::vector<fs::path> all = folders();
  std::vector<std::string> out;
  for (const char* name : names) {
    out.emplace_back(name);
    std::error_code failed;
    for (const fs::path& folder : all)
      if (fs::exists(folder / name, failed)) out.push_back((folder / name).string());
  }
  return out;
}

}  // namespace chainer::cuda

// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/libraries.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
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

// Those of the python3 that a shell finds: in its installation, and in those that its links lead to.
void add_packages_of_python(std::vector<fs::path>& folders) {
  std::string path = variable_of("PATH");
  for (std::size_t at = 0, end; at < path.size(); at = end + 1) {
    end = std::min(path.find(':', at), path.size());
    std::error_code failed;
    fs::path python = fs::path(path.substr(at, end - at)) / "python3";
    if (!fs::exists(python, failed)) continue;
    for (int links = 0; links < 8; ++links) {
      for (const fs::path& library : entries(python.parent_path().parent_path() / "lib"))
        for (const char* site : {"site-packages", "dist-packages"}) add_packages(library / site, folders);
      const fs::path next = fs::read_symlink(python, failed);
      if (failed) return;
      python = (python.parent_path() / next).lexically_normal();
    }
    return;
  }
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
  add_packages_of_python(out);
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

std::string header_folder(const char* header) {
  std::error_code failed;
  for (const fs::path& libraries : folders())
    if (const fs::path folder = libraries.parent_path() / "include"; fs::exists(folder / header, failed))
      return folder.string();
  return "";
}

std::string library_description(const char* name, const char* symbol, const char* variable,
                                std::initializer_list<const char*> names) {
  return open_library(variable, names,
                      [&](void* library, const std::string& path) -> std::optional<std::string> {
                        int (*version)(int*) = nullptr;
                        int v = 0;
                        if (!find_function(library, symbol, version) || version(&v) != 0) return {};
                        return text(name, " ", v / 1000, ".", v / 100 % 10, ".", v % 100, " (", path, ")");
                      })
      .value_or("");
}

}  // namespace chainer::cuda

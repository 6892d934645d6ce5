// SPDX-License-Identifier: MIT
// NVIDIA's libraries and their functions, opened at run time.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "chainer/core/system/run_time_library.h"

namespace chainer::cuda {

/// Returns where to look for a library that has one of these names, best first. If the environment variable is set, it
/// names the only file, or "none". Otherwise each name is looked for where the system finds libraries
/// (LD_LIBRARY_PATH included), then in the toolkit (CUDA_PATH, CUDA_HOME, /usr/local/cuda), and in packages of Python:
/// nvidia/*/lib in the site-packages of VIRTUAL_ENV and in those that contain this library, in CONDA_PREFIX, and in
/// those of the python3 in PATH.
std::vector<std::string> library_places(const char* variable, std::initializer_list<const char*> names);

/// Returns the folder with a header of CUDA, next to the folder of libraries that library_places() looks into; empty if
/// there is none.
std::string header_folder(const char* header);

/// Opens the places in order until make(library, path) returns a value that is not empty, which it returns; an empty
/// one if there is none.
template <class Make>
auto open_library(const char* variable, std::initializer_list<const char*> names, const Make& make)
    -> decltype(make(nullptr, std::string())) {
  for (const std::string& path : library_places(variable, names))
    if (void* const library = run_time_library::open(path.c_str()))
      if (auto made = make(library, path)) return made;
  return {};
}
/// Looks up a function of the library and stores it in `function`. Returns false if there is none.
template <class F>
bool find_function(void* library, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(run_time_library::find(library, symbol));
  return function != nullptr;
}

/// Returns "NAME 12.0.0 (path)" for the first of these libraries whose function `symbol` gives its version, as cuFFT
/// and cuSOLVER have it; empty if there is none.
std::string library_description(const char* name, const char* symbol, const char* variable,
                                std::initializer_list<const char*> names);

}  // namespace chainer::cuda

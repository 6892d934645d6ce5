// SPDX-License-Identifier: MIT
// NVIDIA's libraries and their functions, opened at run time.
#pragma once
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "chainer/core/system/run_time_library.h"

namespace chainer::cuda {

/// Opens the library named by an environment variable, or the first available one of `names`. Returns nullptr if there
/// is none, or if the variable is "none".
inline void* open_library(const char* variable, std::initializer_list<const char*> names) {
  if (const char* chosen = std::getenv(variable))
    return std::string_view(chosen) == "none" ? nullptr : run_time_library::open(chosen);
  for (const char* name : names)
    if (void* library = run_time_library::open(name)) return library;
  return nullptr;
}
/// Looks up a function of the library and stores it in `function`. Returns false if there is none.
template <class F>
bool find_function(void* library, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(run_time_library::find(library, symbol));
  return function != nullptr;
}

}  // namespace chainer::cuda

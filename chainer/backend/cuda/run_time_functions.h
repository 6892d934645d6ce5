// NVIDIA's libraries, opened at run time, and their functions.
#pragma once
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "chainer/core/run_time_library.h"

namespace chainer::cuda {

/// The library that a variable of the environment names, or else the first of `names` that is there; nullptr without
/// one, and where the variable says "none".
inline void* open_library(const char* variable, std::initializer_list<const char*> names) {
  if (const char* chosen = std::getenv(variable))
    return std::string_view(chosen) == "none" ? nullptr : run_time_library::open(chosen);
  for (const char* name : names)
    if (void* library = run_time_library::open(name)) return library;
  return nullptr;
}
/// Whether the library has a function of that name, which is `function` then.
template <class F>
bool find_function(void* library, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(run_time_library::find(library, symbol));
  return function != nullptr;
}

}  // namespace chainer::cuda

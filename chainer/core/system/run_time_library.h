// SPDX-License-Identifier: MIT
// Shared libraries opened at run time. cmake/RunTimeLibrary.cmake defines their names on this system.
#pragma once
#include <string>

namespace chainer::run_time_library {

/// Opens a library with local symbols. Returns nullptr on failure, with the reason in `why`.
void* open(const char* name, std::string* why = nullptr);
/// Returns a function of an open library, or nullptr.
void* find(void* library, const char* symbol);
/// Returns the path of the library or program that contains an address; empty if it is unknown.
std::string path_of(const void* address);
/// Returns true if a loaded library defines a function of that name.
bool is_loaded(const char* symbol);

}  // namespace chainer::run_time_library

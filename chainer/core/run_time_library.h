// Shared libraries that are opened at run time. Their names on this system come from cmake/RunTimeLibrary.cmake.
#pragma once
#include <string>

namespace chainer::run_time_library {

/// Opens a library, whose names stay its own; nullptr where that cannot be, and then `why` says the reason.
void* open(const char* name, std::string* why = nullptr);
/// A function of an open library; nullptr where it has none of that name.
void* find(void* library, const char* symbol);
/// Whether anything in this process has a function of that name.
bool is_loaded(const char* symbol);

}  // namespace chainer::run_time_library

// SPDX-License-Identifier: MIT
#include "chainer/core/system/run_time_library.h"

#include <dlfcn.h>

namespace chainer::run_time_library {

void* open(const char* name, std::string* why) {
  void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library && why) {
    const char* reason = ::dlerror();
    *why = reason ? reason : "it cannot be opened";
  }
  return library;
}

void* find(void* library, const char* symbol) { return ::dlsym(library, symbol); }

std::string path_of(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

bool is_loaded(const char* symbol) { return ::dlsym(RTLD_DEFAULT, symbol) != nullptr; }

}  // namespace chainer::run_time_library

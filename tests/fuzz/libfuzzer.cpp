// SPDX-License-Identifier: MIT
// The entry point for libFuzzer. The environment variable CHAINER_FUZZ_TARGET names the target.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

namespace {
const fuzz::Target* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("CHAINER_FUZZ_TARGET");
  for (const fuzz::Target& t : fuzz::targets())
    if (name && std::string_view(t.name) == name) chosen = &t;
  if (chosen) return 0;
  std::fprintf(stderr, "CHAINER_FUZZ_TARGET names no target: %s\n", name ? name : "it is not set");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}

// The entrance that libFuzzer calls. One program a target: CHAINER_FUZZ_TARGET names it.
#include <cstddef>
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::CHAINER_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}

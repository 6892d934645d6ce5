// SPDX-License-Identifier: MIT
// Kernels that users write as text, for devices with a compiler.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chainer {

/// The source of a kernel in CUDA C++.
struct KernelText {
  KernelText(std::string_view of, std::string_view entry, std::string all, const std::vector<std::string>& flags)
      : name(of), function(entry), source(std::move(all)), options(flags), key(name + "\n" + function + "\n") {
    for (const std::string& option : options) key += option + "\n";
    key += source;
  }
  std::string name;      ///< for messages and profilers
  std::string function;  ///< an extern "C" __global__ function of the source
  std::string source;
  std::vector<std::string> options;  ///< of the compiler
  std::string key;                   ///< equal for equal kernels
};

/// One launch of such a kernel on device number `index`.
struct TextLaunch {
  std::shared_ptr<const KernelText> kernel;
  int index = 0;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared_bytes = 0;
  std::vector<char> args;              ///< the parameters one after another, each aligned to its size
  std::vector<std::size_t> addresses;  ///< the places in `args` of addresses of the device's memory
};

}  // namespace chainer

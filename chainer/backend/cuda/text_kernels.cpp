// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/text_kernels.h"

#include <sstream>

#include "chainer/backend/cuda/kernel_cache.h"
#include "chainer/core/error.h"

namespace chainer::cuda {
namespace {

std::string numbered_lines(const std::string& source) {
  std::istringstream lines(source);
  std::string out, line;
  for (int n = 1; std::getline(lines, line); ++n) {
    const std::string number = std::to_string(n);
    out += "\n" + std::string(number.size() < 4 ? 4 - number.size() : 0, ' ') + number + "  " + line;
  }
  return out;
}

}  // namespace

std::string complete_source(const KernelText& kernel) {
  return text("#include \"chainer/backend/cuda/kernels/text.h\"\n#line 1 \"", kernel.name, "\"\n", kernel.source,
              "\nTEXT_KERNEL(", kernel.function, ")\n");
}

// Equal functions of two sources differ in the name.
std::string TextKernels::unique_name(const KernelText& kernel) {
  return text(kernel.name, "_", digest_text(kernel.key));
}

std::string TextKernels::image_of(int device, const std::string& device_name, const KernelText& kernel) {
  const std::string compiler = driver_.text_compiler(device);
  if (compiler.empty())
    throw DeviceError("kernel '", kernel.name, "' on ", device_name,
                      ": there is no compiler for kernels written as text (NVRTC, libnvrtc.so.13 or .12, or the file "
                      "named by CHAINER_NVRTC_LIBRARY; for the emulated device CHAINER_EMULATED_COMPILER)");
  const std::string key = text("text\n", compiler, "\n", kernel.key);
  if (auto kept = read_kept_kernel(key)) {
    ++counts_.read;
    return std::move(*kept);
  }
  std::string image;
  try {
    image = driver_.compile_text(device, kernel);
  } catch (const DeviceLost&) { throw; } catch (const DeviceError& e) {
    throw RuntimeError("kernel '", kernel.name, "': ", e.what(), "\nThe source:", numbered_lines(kernel.source));
  }
  ++counts_.compiled;
  keep_kernel(key, image);
  return image;
}

void TextKernels::add_to_device(int device, const std::string& name, const std::string& image,
                                const KernelText& kernel) {
  try {
    driver_.add_text_kernel(device, name, image, kernel.function);
  } catch (const DeviceLost&) { throw; } catch (const DeviceError& e) {
    throw RuntimeError("kernel '", kernel.name, "': its source must define extern \"C\" __global__ void ",
                       kernel.function, "(...): ", e.what());
  }
}

TextKernels::Counts TextKernels::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace chainer::cuda

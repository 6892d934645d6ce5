// SPDX-License-Identifier: MIT
// NVIDIA's run-time compiler. It is opened when a program is first compiled, and not needed to build.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chainer/array/operations/kernel_text.h"

namespace chainer::cuda {

// X(member, name in the library, parameters)
#define CHAINER_NVRTC(X)                                                                          \
  X(version, nvrtcVersion, (int* major, int* minor))                                              \
  X(arch_count, nvrtcGetNumSupportedArchs, (int* count))                                          \
  X(archs, nvrtcGetSupportedArchs, (int* all))                                                    \
  X(create, nvrtcCreateProgram,                                                                   \
    (void** program, const char* source, const char* name, int headers, const char* const* texts, \
     const char* const* names))                                                                   \
  X(destroy, nvrtcDestroyProgram, (void** program))                                               \
  X(compile, nvrtcCompileProgram, (void* program, int options, const char* const* all))           \
  X(log_size, nvrtcGetProgramLogSize, (void* program, std::size_t* bytes))                        \
  X(log, nvrtcGetProgramLog, (void* program, char* text))                                         \
  X(cubin_size, nvrtcGetCUBINSize, (void* program, std::size_t* bytes))                           \
  X(cubin, nvrtcGetCUBIN, (void* program, char* image))                                           \
  X(ptx_size, nvrtcGetPTXSize, (void* program, std::size_t* bytes))                               \
  X(ptx, nvrtcGetPTX, (void* program, char* image))

/// A header that sources of kernels include, with its name in the include.
struct KernelHeader {
  const char *name, *text;
};
/// Returns the headers of this build (kernels_nvcc_later.cpp, which the build generates); empty without kernels.
std::span<const KernelHeader> kernel_headers();

/// Thread-safe.
class Nvrtc {
 public:
  /// Opens libnvrtc.so.13 or .12, or the file named by CHAINER_NVRTC_LIBRARY. Returns nullptr if there is none, if the
  /// variable is "none", or without headers.
  static std::unique_ptr<Nvrtc> open(std::span<const KernelHeader> headers);
  /// Returns "NVRTC 13.0".
  const std::string& version() const { return version_; }
  /// Returns the name with which the library was opened.
  const std::string& path() const { return path_; }
  /// Returns "NVRTC 13.0 for sm_90, options and headers 0123456789abcdef": images of equal sources and equal
  /// descriptions are equal.
  std::string description(int capability) const;
  /// Returns the image of a source for a compute capability (90: 9.0), with the same results as nvcc's options give.
  /// Throws DeviceError with the compiler's messages.
  std::string compile(const std::string& source, int capability) const;
  /// Returns "headers of CUDA 0123456789abcdef in FOLDER" for those that compile_text() finds, or "no headers of CUDA".
  static std::string headers_of_cuda();
  /// As compile(), for a kernel that a user wrote as text, with its options. Messages name its lines; those of a
  /// compilation that succeeds are written to `log` if it is given.
  std::string compile_text(const KernelText& kernel, int capability, std::string* log = nullptr) const;

 private:
  struct Functions {
#define X(MEMBER, NAME, PARAMETERS) int(*MEMBER) PARAMETERS = nullptr;
    CHAINER_NVRTC(X)
#undef X
  };
  Nvrtc(const Functions& f, std::span<const KernelHeader> headers);
  std::string architecture(int capability) const;
  std::string compile(const std::string& source, const std::string& name, std::vector<std::string> options,
                      int capability, std::string* log) const;
  Functions f_;
  std::string path_;
  std::span<const KernelHeader> headers_;
  std::string version_, digest_;
  std::vector<int> archs_;
};

}  // namespace chainer::cuda

// NVIDIA's compiler of kernels at run time. It is opened when a program is first compiled, and nothing of it is needed
// to build.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

/// A header that sources of kernels include, by the name that they give it.
struct KernelHeader {
  const char *name, *text;
};
/// Those of this build (kernels_nvcc_later.cpp, which the build writes); none where there are no kernels.
std::span<const KernelHeader> kernel_headers();

/// Any thread may compile.
class Nvrtc {
 public:
  /// libnvrtc.so.13 or .12, or the file that CHAINER_NVRTC_LIBRARY names; nullptr where there is none, where the
  /// variable says "none", or without headers.
  static std::unique_ptr<Nvrtc> open(std::span<const KernelHeader> headers);
  /// "NVRTC 13.0"
  const std::string& version() const { return version_; }
  /// "NVRTC 13.0 for sm_90, headers 0123456789abcdef": images of equal sources and equal texts are equal.
  std::string description(int capability) const;
  /// The image of a source for a device of this compute capability (90: 9.0), with the bits that nvcc's options give.
  /// DeviceError with what the compiler says.
  std::string compile(const std::string& source, int capability) const;

 private:
  struct Functions {
#define X(MEMBER, NAME, PARAMETERS) int(*MEMBER) PARAMETERS = nullptr;
    CHAINER_NVRTC(X)
#undef X
  };
  Nvrtc(const Functions& f, std::span<const KernelHeader> headers);
  std::string architecture(int capability) const;
  Functions f_;
  std::span<const KernelHeader> headers_;
  std::string version_, digest_;
  std::vector<int> archs_;
};

}  // namespace chainer::cuda

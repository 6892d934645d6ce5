// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/nvrtc.h"

#include <algorithm>
#include <iterator>

#include "chainer/backend/cuda/kernel_cache.h"
#include "chainer/backend/cuda/libraries.h"
#include "chainer/backend/cuda/text_kernels.h"
#include "chainer/core/error.h"
#include "chainer/core/system/file.h"

namespace chainer::cuda {
namespace {

// NVRTC has no headers of the C library, but has its functions, and few of GCC's builtins.
constexpr const char kIntegers[] =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n"
    "typedef unsigned long long uint64_t; typedef unsigned long long uintptr_t;\n"
    "#define INT8_MAX 127\n#define INT16_MAX 32767\n#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807ll\n#define INT8_MIN (-INT8_MAX - 1)\n#define INT16_MIN (-INT16_MAX - 1)\n"
    "#define INT32_MIN (-INT32_MAX - 1)\n#define INT64_MIN (-INT64_MAX - 1)\n#define UINT8_MAX 255\n"
    "#define UINT16_MAX 65535\n#define UINT32_MAX 4294967295u\n#define UINT64_MAX 18446744073709551615ull\n";
constexpr const char kMath[] =
    "#pragma once\n"
    "#define __builtin_copysign copysign\n#define __builtin_fabs fabs\n#define __builtin_fabsf fabsf\n"
    "#define __builtin_trunc trunc\n#define __builtin_inf() __longlong_as_double(0x7ff0000000000000)\n"
    "#define __builtin_inff() __int_as_float(0x7f800000)\n"
    "#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000)\n"
    "#define __builtin_nanf(text) __int_as_float(0x7fc00000)\n"
    "#define INFINITY __int_as_float(0x7f800000)\n#define NAN __int_as_float(0x7fc00000)\n"
    "#define M_PI 3.14159265358979323846\n#define M_E 2.7182818284590452354\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_LN2 0.69314718055994530942\n#define M_PI_2 1.57079632679489661923\n";
constexpr const char kFloats[] =
    "#pragma once\n"
    "#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n#define FLT_EPSILON 1.192092896e-07f\n"
    "#define DBL_MAX 1.7976931348623158e+308\n#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n";
constexpr const char kLimits[] =
    "#pragma once\n"
    "#define CHAR_BIT 8\n#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n#define UINT_MAX 4294967295u\n"
    "#define LLONG_MAX 9223372036854775807ll\n#define LLONG_MIN (-LLONG_MAX - 1)\n"
    "#define ULLONG_MAX 18446744073709551615ull\n";
constexpr KernelHeader kStandIns[] = {
    {"cstdint", kIntegers}, {"stdint.h", kIntegers}, {"math.h", kMath},    {"cmath", kMath},
    {"cfloat", kFloats},    {"float.h", kFloats},    {"climits", kLimits}, {"limits.h", kLimits},
    {"stdio.h", ""},        {"cstdio", ""},          {"assert.h", ""},     {"cassert", ""},
    {"stddef.h", ""},       {"cstddef", ""},         {"stdlib.h", ""},     {"string.h", ""}};

// The framework's headers need C++17. A kernel that asks for an older standard is compiled for the one of the headers.
bool is_old_standard(const std::string& option) {
  for (const char* year : {"03", "11", "14"})
    for (const char* name : {"--std=c++", "-std=c++"})
      if (option == text(name, year)) return true;
  return false;
}

constexpr const char kCudaHeader[] = "cuda_fp16.h";
constexpr const char* kOptions[] = {"--std=c++20", "--fmad=false", "--device-as-default-execution-space"};

}  // namespace

std::unique_ptr<Nvrtc> Nvrtc::open(std::span<const KernelHeader> headers) {
  if (headers.empty()) return nullptr;
  return open_library("CHAINER_NVRTC_LIBRARY", {"libnvrtc.so.13", "libnvrtc.so.12"},
                      [&](void* library, const std::string& path) -> std::unique_ptr<Nvrtc> {
                        Functions f;
                        bool all = true;
#define X(MEMBER, NAME, PARAMETERS) all = find_function(library, #NAME, f.MEMBER) && all;
                        CHAINER_NVRTC(X)
#undef X
                        if (!all) return nullptr;
                        std::unique_ptr<Nvrtc> made(new Nvrtc(f, headers));
                        made->path_ = path;
                        return made->archs_.empty() ? nullptr : std::move(made);
                      });
}

Nvrtc::Nvrtc(const Functions& f, std::span<const KernelHeader> headers) : f_(f), headers_(headers) {
  int major = 0, minor = 0, count = 0;
  if (f_.version(&major, &minor) != 0 || f_.arch_count(&count) != 0 || count <= 0) return;
  version_ = text("NVRTC ", major, ".", minor);
  archs_.resize(static_cast<std::size_t>(count));
  if (f_.archs(archs_.data()) != 0) archs_.clear();
  std::string texts;  // all that an image depends on besides its source and architecture
  for (const auto& list : {std::span<const KernelHeader>(kStandIns), headers_})
    for (const KernelHeader& h : list) texts += text(h.name, "\n", h.text, "\n");
  for (const char* option : kOptions) texts += text(option, "\n");
  digest_ = digest_text(texts);
}

// Returns the device's own architecture; for a device newer than the compiler, the newest PTX that the compiler can
// generate.
std::string Nvrtc::architecture(int capability) const {
  int best = 0;
  for (const int a : archs_)
    if (a <= capability) best = std::max(best, a);
  return text(best == capability ? "sm_" : "compute_", best ? best : *std::min_element(archs_.begin(), archs_.end()));
}

std::string Nvrtc::description(int capability) const {
  return text(version_, " for ", architecture(capability), ", options and headers ", digest_);
}

// The folder may be a link to the newest toolkit, or a package that was updated: the text of a header tells them apart.
std::string Nvrtc::headers_of_cuda() {
  const std::string folder = header_folder(kCudaHeader);
  if (folder.empty()) return "no headers of CUDA";
  std::string digest;
  try {
    digest = digest_text(read_file(folder + "/" + kCudaHeader));
  } catch (const FileError&) {}  // its folder identifies it
  return text("headers of CUDA ", digest, " in ", folder);
}

std::string Nvrtc::compile(const std::string& source, int capability) const {
  std::vector<std::string> options(std::begin(kOptions), std::end(kOptions));
  options.push_back("--disable-warnings");
  return compile(source, "program.cu", std::move(options), capability, nullptr);
}

std::string Nvrtc::compile_text(const KernelText& kernel, int capability, std::string* log) const {
  std::vector<std::string> options(std::begin(kOptions), std::end(kOptions));
  for (const std::string& option : kernel.options)
    if (!is_old_standard(option)) options.push_back(option);
  if (const std::string folder = header_folder(kCudaHeader); !folder.empty())
    options.push_back("--include-path=" + folder);
  return compile(complete_source(kernel), kernel.name + ".cu", std::move(options), capability, log);
}

std::string Nvrtc::compile(const std::string& source, const std::string& name, std::vector<std::string> options,
                           int capability, std::string* log) const {
  std::vector<const char*> texts, names, all;
  for (const auto& list : {std::span<const KernelHeader>(kStandIns), headers_})
    for (const KernelHeader& h : list) texts.push_back(h.text), names.push_back(h.name);
  struct Ends {
    const Functions& f;
    void* program = nullptr;
    ~Ends() {
      if (program) f.destroy(&program);
    }
  } made{f_};
  void*& program = made.program;
  const auto got = [&](auto size, auto bytes) {
    std::size_t n = 0;
    std::string out;
    if (size(program, &n) == 0) out.resize(n);
    if (out.empty() || bytes(program, out.data()) != 0) return std::string();
    return out;
  };
  const auto messages = [&] {
    std::string said = program ? got(f_.log_size, f_.log) : "";
    while (!said.empty() && (said.back() == '\0' || said.back() == '\n')) said.pop_back();
    return said;
  };
  options.push_back("--gpu-architecture=" + architecture(capability));
  for (const std::string& option : options) all.push_back(option.c_str());
  int status =
      f_.create(&program, source.c_str(), name.c_str(), static_cast<int>(texts.size()), texts.data(), names.data());
  if (status == 0) status = f_.compile(program, static_cast<int>(all.size()), all.data());
  const bool own = architecture(capability).starts_with("sm_");
  std::string image = status != 0 ? "" : own ? got(f_.cubin_size, f_.cubin) : got(f_.ptx_size, f_.ptx);
  if (!image.empty()) {
    if (log) *log = messages();
    return image;
  }
  throw DeviceError(description(capability), " cannot compile a program (status ", status,
                    "): ", messages().substr(0, 2000));
}

}  // namespace chainer::cuda

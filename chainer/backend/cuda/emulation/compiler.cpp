// SPDX-License-Identifier: MIT
// Compilation of an emulated device's programs by the host's compiler.
#include <stdlib.h>

#include <filesystem>
#include <regex>

#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/emulation/text_table.h"
#include "chainer/backend/cuda/text_kernels.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/run_time_library.h"

namespace chainer::cuda::emulation {
namespace {

// A temporary folder.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "chainer-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw DeviceError("@cuda-emulated: cannot create the folder ", name);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path, none);
  }
};

// Compiles a source by a command, with the name of its file in messages.
std::string compiled_by(const std::string& command, const std::string& source) {
  const Folder folder;
  const std::string in = (folder.path / "program.cpp").string(), out = (folder.path / "program.so").string(),
                    log = (folder.path / "log").string();
  write_file(in, source);
  const std::string all = command + " -o " + out + " " + in + " >" + log + " 2>&1";
  if (std::system(all.c_str()) != 0)
    throw DeviceError("@cuda-emulated: ", all, " failed: ", read_file(log).substr(0, 2000));
  return read_file(out);
}

// Returns the library of an image, which remains open.
void* opened_library(const std::string& name, const std::string& image) {
  const Folder folder;
  const std::string library = (folder.path / "program.so").string();
  write_file(library, image);
  std::string why;
  void* const opened = run_time_library::open(library.c_str(), &why);
  if (!opened) throw DeviceError("@cuda-emulated: ", name, ": ", why);
  return opened;
}

constexpr TextTable kTable = {[]() -> const Place* { return &place; }, block_barrier, warp_meeting, lane,
                              dynamic_shared};

}  // namespace

std::string EmulatedDriver::compiler(int) { return options_.compiler; }

std::string EmulatedDriver::compile(int, const std::string& source) { return compiled_by(options_.compiler, source); }

// The library registers its kernel when it is opened.
void EmulatedDriver::add_kernel(int, const std::string& name, const std::string& image) {
  if (has_kernel(name)) return;
  (void)opened_library(name, image);
  if (!has_kernel(name)) throw DeviceError("@cuda-emulated: the compiled library lacks the kernel ", name);
}

std::string EmulatedDriver::compile_text(int, const KernelText& kernel) {
  std::string command = options_.compiler;
  for (const std::string& option : kernel.options) command += " '" + option + "'";
  // Shared memory whose size is given at the launch has no counterpart for this compiler.
  static const std::regex dynamic(R"(extern\s+__shared__\s+(__align__\(\d+\)\s+)?([^;\[]+?)\s*(\w+)\s*\[\s*\]\s*;)");
  return compiled_by(command, std::regex_replace(complete_source(kernel), dynamic,
                                                 "$2* const $3 = static_cast<$2*>("
                                                 "::chainer::cuda::emulation::table_of_text->dynamic_shared());"));
}

void EmulatedDriver::add_text_kernel(int, const std::string& name, const std::string& image,
                                     const std::string& function) {
  if (has_kernel(name)) return;
  void* const library = opened_library(name, image);
  const auto introduce = reinterpret_cast<IntroduceText>(run_time_library::find(library, "chainer_text_kernel"));
  if (!introduce) throw DeviceError("@cuda-emulated: the compiled library lacks the kernel ", function);
  TextKernel kernel;
  introduce(&kTable, &kernel);
  cuda::emulation::add_text_kernel(name.c_str(), kernel.kernel, kernel.entry, kernel.bytes);
}

}  // namespace chainer::cuda::emulation

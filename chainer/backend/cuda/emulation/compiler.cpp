// SPDX-License-Identifier: MIT
// Compilation of an emulated device's programs by the host's compiler.
#include <stdlib.h>

#include <filesystem>

#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/emulation/emulation.h"
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

}  // namespace

std::string EmulatedDriver::compiler(int) { return options_.compiler; }

std::string EmulatedDriver::compile(int, const std::string& source) {
  const Folder folder;
  const std::string in = (folder.path / "program.cpp").string(), out = (folder.path / "program.so").string(),
                    log = (folder.path / "log").string();
  write_file(in, source);
  const std::string command = options_.compiler + " -o " + out + " " + in + " >" + log + " 2>&1";
  if (std::system(command.c_str()) != 0)
    throw DeviceError("@cuda-emulated: ", command, " failed: ", read_file(log).substr(0, 2000));
  return read_file(out);
}

// The library registers its kernel when it is opened, and remains open.
void EmulatedDriver::add_kernel(int, const std::string& name, const std::string& image) {
  if (has_kernel(name)) return;
  const Folder folder;
  const std::string library = (folder.path / "program.so").string();
  write_file(library, image);
  std::string why;
  if (!run_time_library::open(library.c_str(), &why)) throw DeviceError("@cuda-emulated: ", name, ": ", why);
  if (!has_kernel(name)) throw DeviceError("@cuda-emulated: the compiled library lacks the kernel ", name);
}

}  // namespace chainer::cuda::emulation

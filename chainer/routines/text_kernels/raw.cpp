// SPDX-License-Identifier: MIT
#include "chainer/routines/text_kernels/operands.h"

namespace chainer::backends::cuda {
namespace {

constexpr int64_t kMostShared = 48 << 10;  // available to a block on every device without configuration

std::array<uint32_t, 3> sizes_of(const Dims& given, const Dims& most, const char* what, std::string_view kernel) {
  bool good = given.ndim() >= 1 && given.ndim() <= 3;
  std::array<uint32_t, 3> out{1, 1, 1};
  for (int d = 0; good && d < given.ndim(); ++d) {
    good = given[d] >= 1 && given[d] <= most[d];
    out[static_cast<std::size_t>(d)] = static_cast<uint32_t>(given[d]);
  }
  if (!good)
    throw ValueError("kernel '", kernel, "': ", what, " must have one to three sizes of 1 to ", most, ", not ", given);
  return out;
}

}  // namespace

RawKernel::RawKernel(std::string_view code, std::string_view name, const std::vector<std::string>& options)
    : text_(std::make_shared<KernelText>(name, name, std::string(code), options)) {
  expect_function_name(name);
}

const std::string& RawKernel::name() const { return text_->name; }

void RawKernel::call(const RawLaunch& l, const std::vector<KernelArgument>& args) const {
  const auto grid = sizes_of(l.grid, {0x7fffffff, 65535, 65535}, "grid", name());
  const auto block = sizes_of(l.block, {1024, 1024, 64}, "block", name());
  if (uint64_t(block[0]) * block[1] * block[2] > 1024)
    throw ValueError("kernel '", name(), "': a block has at most 1024 threads, not ", l.block);
  if (l.shared_memory < 0 || l.shared_memory > kMostShared)
    throw ValueError("kernel '", name(), "': shared_memory must be 0 to ", kMostShared, " bytes, not ",
                     l.shared_memory);
  std::vector<const KernelArgument*> all;
  for (const KernelArgument& a : args) all.push_back(&a);
  const Device device = device_of(name(), {}, all);
  Launcher launcher;
  for (const KernelArgument& a : args) launcher.add_argument(a);
  launcher.launch(text_, device, grid, block, static_cast<std::size_t>(l.shared_memory));
}

}  // namespace chainer::backends::cuda

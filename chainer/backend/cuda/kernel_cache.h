// Compiled kernels in a folder, for the processes to come.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace chainer::cuda {

/// The folder that CHAINER_KERNEL_CACHE names, ~/.chainer/kernels without one; nothing where the variable is empty or
/// nobody has a home.
std::optional<std::filesystem::path> kernel_cache_folder();
/// What was kept under a key; nothing where no file is there, or one that is not whole, or of another key.
std::optional<std::string> read_kept_kernel(std::string_view key);
/// Keeps an image. Where that cannot be (no room, a folder of somebody else), the next process compiles again.
void keep_kernel(std::string_view key, std::string_view image);

/// 64 bits of a text (Fowler, Noll and Vo's function 1a).
uint64_t digest(std::string_view text);
/// The same in hexadecimal digits.
std::string digest_text(std::string_view text);

}  // namespace chainer::cuda

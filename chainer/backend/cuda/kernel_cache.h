// Compiled kernels in a folder, for the processes to come.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace chainer::cuda {

/// What was kept under a key, in the folder that CHAINER_KERNEL_CACHE names, ~/.chainer/kernels without one; nothing
/// where no file is there, or one that is not whole, or of another key.
std::optional<std::string> read_kept_kernel(std::string_view key);
/// Keeps an image. Where that cannot be (no room, a folder of somebody else), the next process compiles again.
void keep_kernel(std::string_view key, std::string_view image);

/// 64 bits of a text (Fowler, Noll and Vo's function 1a) in hexadecimal digits.
std::string digest_text(std::string_view text);

}  // namespace chainer::cuda

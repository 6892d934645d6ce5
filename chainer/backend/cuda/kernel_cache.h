// SPDX-License-Identifier: MIT
// A cache of compiled kernels in a folder, for later processes.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace chainer::cuda {

/// Returns the image stored for a key in the folder named by CHAINER_KERNEL_CACHE, by default ~/.chainer/kernels.
/// Returns nothing if there is no file, or if it is damaged or has another key.
std::optional<std::string> read_kept_kernel(std::string_view key);
/// Stores an image. Failures (no space, a folder of another user) are ignored; the next process compiles again.
void keep_kernel(std::string_view key, std::string_view image);

/// Returns the 64-bit FNV-1a hash (Fowler, Noll and Vo) of a text, in hexadecimal digits.
std::string digest_text(std::string_view text);

}  // namespace chainer::cuda

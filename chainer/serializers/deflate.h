// SPDX-License-Identifier: MIT
// Checksums and the DEFLATE compression of zip archives (RFC 1951): by libdeflate (deflate_libdeflate.cpp) if it was
// found, else by zlib (deflate_zlib.cpp).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chainer::zip {

/// Consecutive bytes.
using Pieces = std::span<const std::string_view>;

/// Returns the CRC-32 of bytes that follow others with CRC-32 `crc` (0 for none).
uint32_t checksum(uint32_t crc, std::string_view bytes);
/// Returns the compressed bytes. Throws FileError.
std::string deflated(Pieces pieces);
/// Decompresses all of `packed` at once to `size` bytes. Returns false if it is damaged or has another size, nothing if
/// this implementation decompresses piece by piece only.
std::optional<bool> inflated(std::string_view packed, char* to, std::size_t size);

}  // namespace chainer::zip

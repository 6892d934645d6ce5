// SPDX-License-Identifier: MIT
// TFRecord files: records with checksums.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace chainer::tensorboard {

/// Returns the CRC-32C (Castagnoli's polynomial 0x1edc6f41, as in RFC 3720).
uint32_t crc32c(std::string_view bytes);
/// Returns a record in the format of the file: its length in 8 bytes, the masked checksum of these in 4, the bytes, and
/// their masked checksum in 4; numbers little-endian. A masked checksum is rotated by 15 bits, plus 0xa282ead8.
void append_record(std::string& file, std::string_view bytes);

}  // namespace chainer::tensorboard

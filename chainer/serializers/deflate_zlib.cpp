// SPDX-License-Identifier: MIT
#include <zlib.h>

#include <algorithm>

#include "chainer/core/error.h"
#include "chainer/serializers/deflate.h"

namespace chainer::zip {

uint32_t checksum(uint32_t crc, std::string_view s) {
  uLong sum = crc;
  while (!s.empty()) {
    const auto n = static_cast<uInt>(std::min<std::size_t>(s.size(), 1u << 30));
    sum = crc32(sum, reinterpret_cast<const Bytef*>(s.data()), n);
    s.remove_prefix(n);
  }
  return static_cast<uint32_t>(sum);
}

std::string deflated(Pieces pieces) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw FileError("zip: zlib cannot start compression");
  std::string out, buffer(1 << 18, '\0');
  int status = Z_OK;
  const auto put = [&](std::string_view s, int flush) {
    do {
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(s.data()));
      z.avail_in = static_cast<uInt>(std::min<std::size_t>(s.size(), 1u << 30));
      s.remove_prefix(z.avail_in);
      do {
        z.next_out = reinterpret_cast<Bytef*>(buffer.data());
        z.avail_out = static_cast<uInt>(buffer.size());
        status = deflate(&z, s.empty() ? flush : Z_NO_FLUSH);
        out.append(buffer.data(), buffer.size() - z.avail_out);
      } while (z.avail_out == 0);
    } while (!s.empty());
  };
  for (const std::string_view s : pieces) put(s, Z_NO_FLUSH);
  put({}, Z_FINISH);
  deflateEnd(&z);
  if (status != Z_STREAM_END) throw FileError("zip: zlib compression failed");
  return out;
}

std::optional<bool> inflated(std::string_view, char*, std::size_t) { return {}; }

}  // namespace chainer::zip

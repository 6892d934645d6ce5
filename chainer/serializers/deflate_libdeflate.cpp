// SPDX-License-Identifier: MIT
#include <libdeflate.h>

#include <memory>

#include "chainer/core/error.h"
#include "chainer/serializers/deflate.h"

namespace chainer::zip {

uint32_t checksum(uint32_t crc, std::string_view s) { return libdeflate_crc32(crc, s.data(), s.size()); }

std::string deflated(Pieces pieces) {
  constexpr int kLevel = 6;  // zlib's default
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> c(libdeflate_alloc_compressor(kLevel),
                                                                                   libdeflate_free_compressor);
  if (!c) throw MemoryError("zip: libdeflate cannot allocate memory");
  std::string joined;
  std::string_view all = pieces.empty() ? std::string_view() : pieces[0];
  if (pieces.size() > 1) {
    for (const std::string_view s : pieces) joined += s;
    all = joined;
  }
  std::string out(libdeflate_deflate_compress_bound(c.get(), all.size()), '\0');
  const std::size_t size = libdeflate_deflate_compress(c.get(), all.data(), all.size(), out.data(), out.size());
  if (size == 0) throw FileError("zip: libdeflate cannot compress ", all.size(), " bytes");
  out.resize(size);
  return out;
}

std::optional<bool> inflated(std::string_view packed, char* to, std::size_t size) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> d(libdeflate_alloc_decompressor(),
                                                                                       libdeflate_free_decompressor);
  if (!d) return {};
  std::size_t used = 0, made = 0;
  return libdeflate_deflate_decompress_ex(d.get(), packed.data(), packed.size(), to, size, &used, &made) ==
             LIBDEFLATE_SUCCESS &&
         used == packed.size() && made == size;
}

}  // namespace chainer::zip

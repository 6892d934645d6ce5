// SPDX-License-Identifier: MIT
#include "chainer/datasets/archive.h"

#include "chainer/core/error.h"

namespace chainer::dataset {
namespace {

// Parses a number of octal digits from a tar header.
uint64_t octal(std::string_view field, const std::string& what) {
  uint64_t v = 0;
  std::size_t i = 0;
  while (i < field.size() && field[i] == ' ') ++i;
  for (; i < field.size() && field[i] >= '0' && field[i] <= '7'; ++i) v = v * 8 + static_cast<uint64_t>(field[i] - '0');
  if (i < field.size() && field[i] != ' ' && field[i] != '\0')
    throw FileError(what, " is not a whole tar archive: a header holds no number where its size should be");
  return v;
}

std::string field_text(std::string_view field) { return std::string(field.substr(0, field.find('\0'))); }

}  // namespace

std::vector<TarMember> tar_members(std::string_view archive, const std::string& what) {
  std::vector<TarMember> out;
  for (std::size_t at = 0;;) {
    if (archive.size() - at < 512) throw FileError(what, " is not a whole tar archive: it ends early");
    const std::string_view header = archive.substr(at, 512);
    if (header.find_first_not_of('\0') == header.npos) return out;
    uint64_t sum = 8 * ' ';
    for (std::size_t i = 0; i < 512; ++i)
      if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
    if (octal(header.substr(148, 8), what) != sum)
      throw FileError(what, " is not a whole tar archive: the checksum of a header differs");
    const uint64_t size = octal(header.substr(124, 12), what);
    at += 512;
    if (size > archive.size() - at) throw FileError(what, " is not a whole tar archive: it ends early");
    const char type = header[156];
    if (type == '0' || type == '\0') {
      const std::string prefix = field_text(header.substr(345, 155)), name = field_text(header.substr(0, 100));
      const bool ustar = header.substr(257, 5) == "ustar" && !prefix.empty() && header[263] == '0';
      out.push_back({ustar ? prefix + "/" + name : name, archive.substr(at, size)});
    }
    const uint64_t step = (size + 511) / 512 * 512;
    at = step > archive.size() - at ? archive.size() : at + step;
  }
}

}  // namespace chainer::dataset

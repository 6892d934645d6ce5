// SPDX-License-Identifier: MIT
#include "chainer/datasets/idx.h"

#include "chainer/core/error.h"
#include "chainer/datasets/gzip.h"
#include "chainer/routines/creation.h"

namespace chainer::datasets {
namespace {

std::size_t header_size(int rank) { return 4 + 4 * static_cast<std::size_t>(rank); }

Shape shape_of(std::string_view bytes, int rank, std::string_view what) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < header_size(rank) || byte(0) || byte(1) || byte(2) != 8 || byte(3) != rank)
    throw FileError(what, " is not an IDX file of bytes with ", rank, " axes");
  Shape shape;
  int64_t nonzero = 1;
  for (int d = 0; d < rank; ++d) {
    int64_t n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | byte(header_size(d) + i);
    shape.push_back(n);
    if (n > 0 && (__builtin_mul_overflow(nonzero, n, &nonzero) || nonzero > (int64_t(1) << 40)))
      throw FileError(what, ": its header declares more than 2^40 elements");
  }
  return shape;
}

}  // namespace

int64_t idx_file_size(std::string_view bytes, int rank, std::string_view what) {
  return static_cast<int64_t>(header_size(rank)) + shape_of(bytes, rank, what).product();
}

Array parse_idx(std::string_view bytes, int rank, std::string_view what) {
  const Shape shape = shape_of(bytes, rank, what);
  const std::string_view elements = bytes.substr(header_size(rank));
  if (static_cast<int64_t>(elements.size()) != shape.product())
    throw FileError(what, " has ", elements.size(), " elements, its header declares ", shape.product());
  return from_data(reinterpret_cast<const uint8_t*>(elements.data()), shape);
}

std::string unpack_idx(const std::filesystem::path& path, int rank, const std::string& what) {
  dataset::GzipReader file(path, what);
  std::string out;
  file.read(header_size(rank), out);
  const auto size = static_cast<std::size_t>(idx_file_size(out, rank, what));
  file.read(size - out.size(), out);
  const bool short_of_data = out.size() < size;
  file.read(1, out);
  if (short_of_data || out.size() != size)
    throw FileError(what, short_of_data ? " has fewer" : " has more", " elements than its header declares");
  return out;
}

}  // namespace chainer::datasets

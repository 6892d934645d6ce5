#include "chainer/datasets/idx.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "chainer/core/error.h"
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
      throw FileError(what, ": its header promises more than 2^40 elements");
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
    throw FileError(what, " has ", elements.size(), " elements where its header promises ", shape.product());
  return from_data(reinterpret_cast<const uint8_t*>(elements.data()), shape);
}

std::string unpack_idx(const std::filesystem::path& path, int rank, const std::string& what) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw FileError("cannot read ", what);
  struct Close {
    void operator()(gzFile_s* f) const { gzclose(f); }
  };
  std::unique_ptr<gzFile_s, Close> closing(file);
  std::string out;
  char buffer[1 << 16];
  const auto read = [&](std::size_t wanted) {
    while (wanted > 0) {
      const int n = gzread(file, buffer, static_cast<unsigned>(std::min(wanted, sizeof buffer)));
      if (n < 0) throw FileError(what, " is truncated or not a gzip file");
      if (n == 0) return;
      out.append(buffer, static_cast<std::size_t>(n));
      wanted -= static_cast<std::size_t>(n);
    }
  };
  read(header_size(rank));
  const auto size = static_cast<std::size_t>(idx_file_size(out, rank, what));
  read(size - out.size());
  const bool short_of_data = out.size() < size;
  read(1);
  // A truncated file ends quietly; only closing tells.
  closing.release();
  if (gzclose(file) != Z_OK) throw FileError(what, " is truncated or not a gzip file");
  if (short_of_data || out.size() != size)
    throw FileError(what, short_of_data ? " has fewer" : " has more", " elements than its header promises");
  return out;
}

}  // namespace chainer::datasets

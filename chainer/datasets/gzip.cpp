// SPDX-License-Identifier: MIT
#include "chainer/datasets/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "chainer/core/error.h"
#include "chainer/core/system/input_file.h"

namespace chainer::dataset {

struct GzipReader::State {
  State(const std::filesystem::path& path, const std::string& name) : what(name), file(path) {
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw FileError("cannot read ", what, ": zlib does not start");
  }
  State(const State&) = delete;
  ~State() { inflateEnd(&stream); }

  // Returns true if packed bytes are available; reads more from the file if needed. False at the end of the file.
  bool fed() {
    if (stream.avail_in > 0) return true;
    const std::size_t n = file.read(packed, sizeof packed);
    stream.next_in = packed;
    stream.avail_in = static_cast<uInt>(n);
    return n > 0;
  }

  std::string what;
  InputFile file;
  z_stream stream = {};
  bool within = true;  // inside a member of the file; a file has at least one
  Bytef packed[1 << 15];
};

GzipReader::GzipReader(const std::filesystem::path& path, const std::string& what) {
  try {
    state_ = std::make_unique<State>(path, what);
  } catch (const FileAccessError&) { throw; } catch (const FileError&) {
    throw FileError("cannot read ", what);
  }
}
GzipReader::~GzipReader() = default;

void GzipReader::read(std::size_t wanted, std::string& to) {
  State& s = *state_;
  char buffer[1 << 16];
  while (wanted > 0) {
    const bool fed = s.fed();
    if (!s.within) {
      // After a complete member: anything but another member is padding, which gzip also ignores.
      if (!fed || *s.stream.next_in != 0x1f) return;
      s.within = true;
      inflateReset(&s.stream);
    }
    s.stream.next_out = reinterpret_cast<Bytef*>(buffer);
    s.stream.avail_out = static_cast<uInt>(std::min(wanted, sizeof buffer));
    const int status = inflate(&s.stream, Z_NO_FLUSH);
    const std::size_t n = std::min(wanted, sizeof buffer) - s.stream.avail_out;
    if (status != Z_OK && status != Z_STREAM_END) throw FileError(s.what, " is truncated or not a gzip file");
    to.append(buffer, n);
    wanted -= n;
    s.within = status != Z_STREAM_END;
  }
}

std::string gunzip(const std::filesystem::path& path, const std::string& what) {
  std::string out;
  GzipReader(path, what).read(std::numeric_limits<std::size_t>::max(), out);
  return out;
}

}  // namespace chainer::dataset

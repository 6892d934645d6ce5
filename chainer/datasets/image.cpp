// SPDX-License-Identifier: MIT
#include "chainer/datasets/image.h"

#include "chainer/core/system/file.h"

namespace chainer::dataset {
namespace {

// Converts interleaved channels to planes and to the result's dtype in one pass.
template <class From, class To>
void planes(const From* from, To* to, int64_t pixels, int64_t channels) {
  if (channels == 1) {
    for (int64_t i = 0; i < pixels; ++i) to[i] = static_cast<To>(from[i]);
  } else if (channels == 3) {
    To *r = to, *g = to + pixels, *b = g + pixels;
    for (int64_t i = 0; i < pixels; ++i) {
      r[i] = static_cast<To>(from[3 * i]);
      g[i] = static_cast<To>(from[3 * i + 1]);
      b[i] = static_cast<To>(from[3 * i + 2]);
    }
  } else {
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < pixels; ++i) to[c * pixels + i] = static_cast<To>(from[i * channels + c]);
  }
}

}  // namespace

void check_picture_size(int64_t height, int64_t width, const std::string& what) {
  if (height <= 0 || width <= 0 || height > (int64_t(1) << 27) / width)
    throw FileError(what, ": a picture of ", width, " x ", height, " pixels; 1 to 2^27 are supported");
}

Picture decode_picture(std::string_view bytes, const std::string& what, int64_t least_side) {
  if (least_side < 0) throw ValueError(what, ": least_side must not be negative, got ", least_side);
  const auto begins = [&](std::string_view magic) { return bytes.substr(0, magic.size()) == magic; };
  if (begins("\xff\xd8\xff")) return decode_jpeg(bytes, what, least_side);
  if (begins("\x89PNG\r\n\x1a\n")) return decode_png(bytes, what);
  if (begins("BM")) return decode_bmp(bytes, what);
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
      std::string_view(" \t\r\n\v\f#").find(bytes[2]) != std::string_view::npos)
    return decode_pnm(bytes, what);
  throw FileError(what, ": not a picture of a known format (JPEG, PNG, BMP, PNM)",
                  bytes.empty() ? "; the file is empty" : "");
}

Array picture_array(const Picture& p, Dtype dtype) {
  const int64_t pixels = p.height * p.width;
  const Shape shape{p.channels, p.height, p.width};
  if (!p.words.empty()) {
    Array out(shape, int32);
    planes(p.words.data(), out.mutable_data<int32_t>(), pixels, p.channels);
    return out.astype(dtype, false);
  }
  if (dtype == float32) {
    Array out(shape, float32);
    planes(p.bytes.data(), out.mutable_data<float>(), pixels, p.channels);
    return out;
  }
  Array out(shape, uint8);
  planes(p.bytes.data(), out.mutable_data<uint8_t>(), pixels, p.channels);
  return out.astype(dtype, false);
}

Array read_image(const std::filesystem::path& path, Dtype dtype, int64_t least_side) {
  return picture_array(decode_picture(read_file(path), path.string(), least_side), dtype);
}

}  // namespace chainer::dataset

// Pictures from files: JPEG, PNG, BMP and PNM, recognised by their content.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::dataset {

/// A decoded picture, row by row with interleaved channels: grey 1, grey with alpha 2, RGB 3, RGBA or CMYK 4. Values
/// are bytes, or 16-bit words for grey pictures that deep; a picture with a palette gives its indices, a
/// black-and-white one 0 and 1, as the release reads them. Orientation tags are left alone.
struct Picture {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> bytes;   ///< the values, but for deep grey
  std::vector<uint16_t> words;  ///< the values of deep grey pictures; else empty
};

/// The picture in a file's bytes. FileError, naming `what`, for damaged or foreign content and for pictures of more
/// than 2^27 pixels; MissingPartError where this build has no decoder for the format.
Picture decode_picture(std::string_view bytes, const std::string& what);
/// The picture as an array (channels, height, width) of a dtype.
Array picture_array(const Picture& picture, Dtype dtype);
/// Both for a file.
Array read_image(const std::filesystem::path& path, Dtype dtype = uint8);

/// The decoders. Those of JPEG (libjpeg-turbo) and PNG (libpng) are one of two sources each.
Picture decode_jpeg(std::string_view bytes, const std::string& what);
Picture decode_png(std::string_view bytes, const std::string& what);
Picture decode_bmp(std::string_view bytes, const std::string& what);
Picture decode_pnm(std::string_view bytes, const std::string& what);
/// Whether this build has them.
bool has_jpeg();
bool has_png();
/// FileError unless both lengths are positive and their product is at most 2^27.
void check_picture_size(int64_t height, int64_t width, const std::string& what);

/// The bytes of a PNG or (quality 1 to 100) JPEG file, from an array (height, width, channels) of uint8 with 1 or 3
/// channels.
std::string encode_png(const Array& pixels);
std::string encode_jpeg(const Array& pixels, int quality = 90);

/// Writes a picture (channels, height, width) or (height, width), with 1 or 3 channels, as a PNG file, or as JPEG where
/// the name ends in .jpg or .jpeg, or as PPM (.ppm, .pgm), which needs no library. uint8 is taken as it is; floating
/// values are those from 0 to 1, what lies beyond is cut off, and NaN is black. ValueError for other shapes and dtypes.
void write_image(const std::filesystem::path& path, const Array& picture);
/// The same for pictures (N, channels, height, width) or (N, height, width), as one picture: rows of `columns` next to
/// each other, by default as many as make about a square, `gap` white pixels apart.
void write_grid(const std::filesystem::path& path, const Array& pictures, int64_t columns = 0, int64_t gap = 0);

}  // namespace chainer::dataset

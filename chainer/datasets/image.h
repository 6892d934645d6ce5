// SPDX-License-Identifier: MIT
// Reads and writes pictures: JPEG, PNG, BMP and PNM, recognized by their content.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::dataset {

/// A decoded picture, row by row with interleaved channels: gray 1, gray with alpha 2, RGB 3, RGBA or CMYK 4. Values
/// are bytes, or 16-bit words for gray pictures of this depth; a picture with a palette has its indices as values, a
/// black-and-white one 0 and 1 (white), as in the release. PNM pictures (P1 to P6) whose largest value is not that of
/// the dtype are scaled. Orientation tags are ignored.
struct Picture {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> bytes;   ///< the values, except of 16-bit gray pictures
  std::vector<uint16_t> words;  ///< the values of 16-bit gray pictures; empty for others
};

/// Decodes the bytes of a file. Throws FileError, naming `what`, for damaged or unknown content and for pictures of
/// more than 2^27 pixels; MissingPartError if this build has no decoder for the format. If least_side is positive, a
/// JPEG picture is decoded at the smallest of 1/8, 1/4, 1/2 and all of its size that keeps both sides at least this
/// long, which takes a fraction of the time; other pictures are not changed. Throws ValueError if it is negative.
Picture decode_picture(std::string_view bytes, const std::string& what, int64_t least_side = 0);
/// Returns the picture as an array (channels, height, width) of a dtype.
Array picture_array(const Picture& picture, Dtype dtype);
/// Reads a file and returns the picture as picture_array() does. `least_side` and exceptions: see decode_picture().
Array read_image(const std::filesystem::path& path, Dtype dtype = uint8, int64_t least_side = 0);

/// The decoders of decode_picture(), with the same exceptions. JPEG needs libjpeg-turbo, PNG libpng.
Picture decode_jpeg(std::string_view bytes, const std::string& what, int64_t least_side = 0);
Picture decode_png(std::string_view bytes, const std::string& what);
Picture decode_bmp(std::string_view bytes, const std::string& what);
Picture decode_pnm(std::string_view bytes, const std::string& what);
/// Return true if this build has the decoder.
bool has_jpeg();
bool has_png();
/// Throws FileError unless both lengths are positive and their product is at most 2^27.
void check_picture_size(int64_t height, int64_t width, const std::string& what);

/// Return the bytes of a PNG or (quality 1 to 100) JPEG file, from an array (height, width, channels) of uint8 with 1
/// or 3 channels. Throw ValueError for another shape, dtype or quality, MissingPartError if this build has no encoder.
std::string encode_png(const Array& pixels);
std::string encode_jpeg(const Array& pixels, int quality = 90);

/// Writes a picture (channels, height, width) or (height, width), with 1 or 3 channels, as a PNG file, as JPEG if the
/// name ends in .jpg or .jpeg, or as PPM (.ppm, .pgm), which needs no library. uint8 values are written unchanged;
/// floating values are clipped to 0 ... 1, and NaN is black. Throws ValueError for other shapes and dtypes,
/// MissingPartError if this build has no encoder.
void write_image(const std::filesystem::path& path, const Array& picture);
/// Pictures (N, channels, height, width) or (N, height, width) as one of uint8 (channels, height, width): rows of
/// `columns` next to each other, by default as many as make about a square, `gap` white pixels apart. Elements and
/// errors are those of write_image().
///   dataset::make_grid(zeros({6, 3, 8, 8}), 3, 1)  // shape (3, 17, 26)
Array make_grid(const Array& pictures, int64_t columns = 0, int64_t gap = 0);
/// Writes pictures (N, channels, height, width) or (N, height, width) as one picture: in rows of `columns`, by default
/// as many as give about a square, `gap` white pixels apart. Throws as write_image(), and ValueError for negative
/// numbers.
void write_grid(const std::filesystem::path& path, const Array& pictures, int64_t columns = 0, int64_t gap = 0);

}  // namespace chainer::dataset

// NumPy's .npy format: one array with its dtype and shape.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// The bytes of a version 1.0 file, C order, little-endian. bfloat16 is stored as float32.
std::string to_npy(const Array& a);
/// An array from such bytes: header versions 1 to 3, both byte orders, C and Fortran order, every integer width, bool
/// and float16/32/64 (unsigned 16 to 64 bits become int64, which an element from 2^63 on does not fit; a byte of a bool
/// array other than 0 is true). Throws FileError, naming `what`, for anything else: another dtype, a header that is no
/// such dictionary, more than kMaxNdim axes, fewer bytes than the shape needs.
Array from_npy(std::string_view bytes, std::string_view what = "npy data");
/// The array whose elements are those of the bytes, without a copy: none where they are not aligned, in another byte or
/// memory order, or of a dtype that from_npy() converts. The bytes must be writable and live in `memory`, which the
/// array keeps. FileError as from_npy().
Array map_npy(std::string_view bytes, std::shared_ptr<void> memory, std::string_view what);
/// What an .npy header says, for readers that treat some dtypes themselves.
struct NpyHeader {
  std::string descr;  ///< "<f4", "|O", "<U12"
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;
};
/// The header alone; FileError as from_npy().
NpyHeader parse_npy_header(std::string_view bytes, std::string_view what);
/// A header for other dtypes, padded as NumPy pads it.
std::string make_npy_header(std::string_view descr, const Dims& shape);

/// Through a temporary file beside it, so that an interrupted write leaves the old file whole.
void save_npy(const std::filesystem::path& path, const Array& a);
Array load_npy(const std::filesystem::path& path);
/// The same without a copy where that can be: the array's elements are the file's pages, a write to them stays in this
/// process, and the file must not shrink while the array lives.
Array map_npy(const std::filesystem::path& path);

}  // namespace chainer

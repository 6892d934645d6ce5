// SPDX-License-Identifier: MIT
// NumPy's .npy format, which stores one array with its dtype and shape.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// Returns the bytes of a file of version 1.0, in C order and little-endian. bfloat16 is stored as float32.
std::string to_npy(const Array& a);
/// Returns the array whose elements to_npy() writes after the header: in C order on the host, bfloat16 as float32.
Array npy_elements(const Array& a);
/// Parses such bytes: header versions 1 to 3, both byte orders, C and Fortran order, all integer widths, bool and
/// float16/32/64. (Unsigned integers of 16 to 64 bits become int64; values from 2^63 on do not fit. A byte of a bool
/// array other than 0 is true.) Throws FileError, naming `what`, for anything else: another dtype, an invalid header,
/// more than kMaxNdim axes, fewer bytes than the shape needs.
Array from_npy(std::string_view bytes, std::string_view what = "npy data");
/// Returns an array whose elements are these bytes, without a copy. Returns an empty array if they are unaligned, in
/// another byte or memory order, or of a dtype that from_npy() converts. The bytes must be writable and part of
/// `memory`, which the array keeps alive. Throws FileError as from_npy().
Array map_npy(std::string_view bytes, std::shared_ptr<void> memory, std::string_view what);
/// The contents of an .npy header, for readers that handle some dtypes themselves.
struct NpyHeader {
  std::string descr;  ///< "<f4", "|O", "<U12"
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;
};
/// Parses the header only. Throws FileError as from_npy().
NpyHeader parse_npy_header(std::string_view bytes, std::string_view what);
/// Returns a header for any dtype, padded as by NumPy.
std::string make_npy_header(std::string_view descr, const Dims& shape);

/// Writes a file atomically, through a temporary file next to it. Throws FileError.
void save_npy(const std::filesystem::path& path, const Array& a);
/// Reads a file. Throws FileError.
Array load_npy(const std::filesystem::path& path);
/// Reads a file without copying if possible: then the array's elements are the file's pages, writes to them stay in
/// this process, and the file must not shrink during the lifetime of the array. Throws FileError.
Array map_npy(const std::filesystem::path& path);

}  // namespace chainer

// SPDX-License-Identifier: MIT
// Model files of any format as named arrays.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/core/json.h"

namespace tool {

struct NamedArray {
  std::string name;
  std::string dtype = {};  ///< the library's name, or the file's name for an unsupported dtype
  std::vector<int64_t> shape = {};
  std::function<chainer::Array()> load = {};  ///< throws FileError if the elements cannot be read
  /// Calls f with consecutive flat pieces of the elements, without loading the whole array if the format allows it.
  std::function<void(const std::function<void(const chainer::Array&)>&)> runs = {};
  std::string same_as = {};  ///< an earlier name of the same array (links in an HDF5 file)
  std::string error = {};    ///< why the array cannot be read; then dtype and shape are empty
  bool is_data = true;       ///< false for objects without elements, such as a named datatype
};

struct ModelFile {
  std::string format;    ///< "NPZ", "safetensors", ...
  char separator = '/';  ///< between the parts of a name
  std::vector<NamedArray> arrays = {};
  std::map<std::string, std::string> texts = {};
  std::vector<std::string> nones = {};            ///< names of values that are None
  std::map<std::string, std::string> links = {};  ///< names of links to groups listed under another name
};

/// Opens a file; the format is determined by the content (NPZ, NPY, HDF5, safetensors) or by the extension (ONNX,
/// Caffe). Throws a FileError that names the file.
ModelFile open_model_file(const std::filesystem::path& path);
/// Writes arrays and strings in the format of the extension: .npz, .h5, .hdf5, .safetensors, or .npy for one array.
/// Throws FileError.
void write_model_file(const std::filesystem::path& path, const std::map<std::string, chainer::Array>& arrays,
                      const std::map<std::string, std::string>& texts, const std::vector<std::string>& nones,
                      bool compression);

/// Statistics of the finite elements of an array; all four are 0 if there are none.
struct Statistics {
  double least = 0, largest = 0, mean = 0, deviation = 0;
  int64_t not_finite = 0;
};
Statistics statistics(const NamedArray& a);
/// Calls f with consecutive flat pieces of at most 2^20 elements. Throws FileError like load().
void for_runs(const NamedArray& a, const std::function<void(const chainer::Array&)>& f);

/// A shape as a JSON list.
chainer::json::List lengths(const std::vector<int64_t>& shape);
/// "(3, 4)"
std::string shape_text(const std::vector<int64_t>& shape);
/// "1.2 MB"
std::string size_text(double bytes);
/// Returns the product of the lengths. Throws FileError if it is no number of 64 bits.
int64_t element_count(const std::vector<int64_t>& shape);

}  // namespace tool

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
  std::string dtype = {};  ///< as the library has it, or the file's word for one that it lacks
  std::vector<int64_t> shape = {};
  std::function<chainer::Array()> load = {};  ///< FileError where the elements cannot be read
  /// The elements one after the other, few at a time where the format allows it: f(elements along one axis).
  std::function<void(const std::function<void(const chainer::Array&)>&)> runs = {};
  std::string same_as = {};  ///< the name before it that is the same array (links of an HDF5 file)
  std::string error = {};    ///< why nothing of it can be read: then there is no dtype and no shape
  bool is_data = true;       ///< false for what holds no elements, as a named datatype
};

struct ModelFile {
  std::string format;    ///< "NPZ", "safetensors", ...
  char separator = '/';  ///< between the parts of a name
  std::vector<NamedArray> arrays = {};
  std::map<std::string, std::string> texts = {};
  std::vector<std::string> nones = {};  ///< names of values that are None
  std::map<std::string, std::string> links =
      {};  ///< names of groups that are other ones, whose content is not repeated
};

/// Reads a file by its content: NPZ, NPY, HDF5, safetensors, or by its name an ONNX or a Caffe model. FileError that
/// names the file.
ModelFile open_model_file(const std::filesystem::path& path);
/// Writes arrays and texts in the format of the name's ending: .npz, .h5, .hdf5, .safetensors, and .npy for one array.
void write_model_file(const std::filesystem::path& path, const std::map<std::string, chainer::Array>& arrays,
                      const std::map<std::string, std::string>& texts, const std::vector<std::string>& nones,
                      bool compression);

/// What the numbers of an array are like. Of none that are finite, all four are 0.
struct Statistics {
  double least = 0, largest = 0, mean = 0, deviation = 0;
  int64_t not_finite = 0;
};
Statistics statistics(const NamedArray& a);
/// The elements one after the other, at most a mebibyte of them at a time: f(elements along one axis). FileError as
/// load().
void for_runs(const NamedArray& a, const std::function<void(const chainer::Array&)>& f);

/// A list of lengths for JSON.
chainer::json::List lengths(const std::vector<int64_t>& shape);
/// "(3, 4)"
std::string shape_text(const std::vector<int64_t>& shape);
/// "1.2 MB"
std::string size_text(double bytes);
int64_t element_count(const std::vector<int64_t>& shape);

}  // namespace tool

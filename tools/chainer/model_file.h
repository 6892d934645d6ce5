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
  std::string dtype;  ///< as the library has it, or the file's word for one that it lacks
  std::vector<int64_t> shape;
  std::function<chainer::Array()> load;
};

struct ModelFile {
  std::string format;    ///< "NPZ", "safetensors", ...
  char separator = '/';  ///< between the parts of a name
  std::vector<NamedArray> arrays = {};
  std::map<std::string, std::string> texts = {};
  std::vector<std::string> nones = {};  ///< names of values that are None
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
Statistics statistics(const chainer::Array& a);
/// The elements as float64, in runs: f(pointer, count) for each.
void for_runs(const chainer::Array& a, const std::function<void(const double*, int64_t)>& f);

/// A list of lengths for JSON.
chainer::json::List lengths(const std::vector<int64_t>& shape);
/// "(3, 4)"
std::string shape_text(const std::vector<int64_t>& shape);
/// "1.2 MB"
std::string size_text(double bytes);
int64_t element_count(const std::vector<int64_t>& shape);

}  // namespace tool

// SPDX-License-Identifier: MIT
// The safetensors format: named arrays in one file, which is mapped into memory
// (https://github.com/huggingface/safetensors).
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/serializers/serializers.h"
#include "chainer/core/other_options.h"

namespace chainer {

class Link;
class MappedFile;

namespace serializers {

/// A safetensors file, mapped into memory. The constructor checks the header: JSON of the published form, unique names,
/// sizes that match shapes, and data without gaps or overlaps up to the end of the file. Throws FileError otherwise,
/// with the name of the array.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  /// Reads a file from bytes; `what` names them in messages.
  SafetensorsFile(std::string bytes, const std::string& what);

  struct Entry {
    std::string dtype;  ///< as the file spells it: "F32", "BF16", ...
    std::vector<int64_t> shape;
    uint64_t begin = 0, end = 0;  ///< of its bytes, counted from the end of the header
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// Returns the metadata of the file.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  bool contains(const std::string& name) const { return entries_.contains(name); }
  /// Returns an array by name. The elements of aligned arrays in a mapped file (except bool) are the pages of the file:
  /// they are not copied, writes to the array stay in this process, and the file must not shrink while the array
  /// exists. U16, U32 and U64 become int64. Throws KeyError if there is no array of this name, FileError for other
  /// dtypes (8-bit floating, complex) and for more than ten axes.
  Array array(const std::string& name) const;
  const std::string& what() const { return what_; }

 private:
  void parse();
  void read_entry(const std::string& name, std::string_view json);
  [[noreturn]] void damaged(std::string_view why) const;
  std::shared_ptr<const std::string> text_;  // owns the bytes unless file_ does
  std::shared_ptr<MappedFile> file_;
  std::string_view bytes_, data_;
  std::string what_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

/// Writes arrays by name, through a temporary file that is then renamed. Data are in the order of falling element size,
/// then of names, as in the published writer; the header is padded so that the data are aligned to 8 bytes. Throws
/// ValueError for an entry without array or named "__metadata__", FileError if the file cannot be written.
void write_safetensors(const std::filesystem::path& path, const std::map<std::string, Array>& arrays,
                       const std::map<std::string, std::string>& metadata = {});
/// Returns the bytes of such a file.
std::string safetensors_bytes(const std::map<std::string, Array>& arrays,
                              const std::map<std::string, std::string>& metadata = {});

/// Saves the arrays of an object under their paths (predictor/l1/W), numbers as arrays of shape (), and strings in the
/// metadata. Throws ValueError for None (an uninitialized parameter), which the format cannot represent.
void save_safetensors(const std::filesystem::path& path, const DictionarySerializer& object,
                      const std::map<std::string, std::string>& metadata = {});
template <Serializable T>
void save_safetensors(const std::filesystem::path& path, T& object,
                      const std::map<std::string, std::string>& metadata = {}) {
  DictionarySerializer s(false);
  object.serialize(s);
  save_safetensors(path, s, metadata);
}

/// The framework whose names and layouts a file uses.
enum class WeightNames {
  own,      ///< this library's paths: predictor/l1/W
  pytorch,  ///< predictor.l1.weight, see load_safetensors()
  keras     ///< predictor/l1/kernel, see load_safetensors()
};
/// Options of load_safetensors().
struct SafetensorsOptions {
  WeightNames from = WeightNames::own;
  bool strict = true;  ///< values missing in the file, and unused arrays of the file, are errors
  /// Paths of links or values and their names in the file: {{"l1", "features.0"}}. The longest path that is equal to or
  /// a parent of the path of a value is used.
  std::map<std::string, std::string> names = {};
};
/// Loads the parameters and persistent values of a link. Checks everything first: throws one ValueError that lists all
/// mismatches (of shapes, dtypes, and, with `strict`, of names), and then changes nothing. The report names missing
/// values by their paths in the link and the names that were tried, others by their names in the file.
///
/// With WeightNames::pytorch or keras, the conversion of an array depends on the class of the link, never on shapes
/// (weight_names.cpp holds the tables). The normalizations of PyTorch have eps = 1e-5, which is not in the file: pass
/// this eps to L::BatchNormalization (default 2e-5) and L::LayerNormalization (default 1e-6).
///
/// | link | PyTorch | Keras |
/// |---|---|---|
/// | Linear | weight, bias | kernel transposed, bias |
/// | ConvolutionND and 1D to 3D | weight, bias | kernel (k..., in, out) to (out, in, k...), bias |
/// | DeconvolutionND and 1D to 3D | weight, bias | kernel (k..., out, in) to (in, out, k...), bias |
/// | BatchNormalization | weight, bias, running_mean, running_var | gamma, beta, moving_mean, moving_variance |
/// | LayerNormalization, GroupNormalization | weight, bias | gamma, beta |
/// | EmbedID | weight | embeddings |
/// | LSTM, StatelessLSTM | weight_ih_l0, weight_hh_l0, bias_ih_l0 + bias_hh_l0 | kernel, recurrent_kernel, bias |
/// | NStepLSTM, NStepGRU, NStepRNNTanh, NStepRNNReLU and Bi | weight_ih_lN, ... and ..._reverse | none |
///
/// Rows of gates are reordered to this library's layout. Values of other links keep their names. num_batches_tracked is
/// skipped; counters of this library stay unchanged.
///
///   const auto load = [](Link& model) {
///     serializers::load_safetensors("resnet.safetensors", model, {.from = serializers::WeightNames::pytorch});
///   };
LoadReport load_safetensors(const std::filesystem::path& path, Link& link, const SafetensorsOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(load_safetensors, ".from, .strict, .names", const std::filesystem::path&, Link&);
LoadReport load_safetensors(const SafetensorsFile& file, Link& link, const SafetensorsOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(load_safetensors, ".from, .strict, .names", const SafetensorsFile&, Link&);

}  // namespace serializers
}  // namespace chainer

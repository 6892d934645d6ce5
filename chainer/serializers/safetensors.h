// The safetensors format: named arrays in one file that is mapped, not read
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

namespace chainer {

class Link;
class MappedFile;

namespace serializers {

/// A safetensors file, mapped into memory. Its header is checked when it is opened: JSON of the published form, names
/// that occur once, sizes that follow from shapes, and data without gaps or overlaps up to the end of the file.
/// FileError otherwise, with the name of the array.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  /// The same from bytes; `what` names them in errors.
  SafetensorsFile(std::string bytes, const std::string& what);

  struct Entry {
    std::string dtype;  ///< as the file spells it: "F32", "BF16", ...
    std::vector<int64_t> shape;
    uint64_t begin = 0, end = 0;  ///< of its bytes, counted from the end of the header
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// The file's own texts.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  bool contains(const std::string& name) const { return entries_.contains(name); }
  /// The array of a name; KeyError if it is not there. Of a mapped file, the result's elements are the file's pages
  /// where they are aligned (bool apart): no copy is made, a write to the array stays in this process, and the file
  /// must not shrink while the array lives. U16, U32 and U64 become int64. FileError for the other dtypes (those of 8
  /// bits that float, complex numbers) and for more than ten axes.
  Array array(const std::string& name) const;
  const std::string& what() const { return what_; }

 private:
  void parse();
  void read_entry(const std::string& name, std::string_view json);
  [[noreturn]] void damaged(std::string_view why) const;
  std::shared_ptr<const std::string> text_;  // what owns the bytes: this or the mapping
  std::shared_ptr<MappedFile> file_;
  std::string_view bytes_, data_;
  std::string what_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

/// Arrays by name, through a temporary file that is then renamed. Data lie in the order of falling element size, then
/// of the name, as the published writer has it; the header is padded so that the data are aligned to 8 bytes.
void write_safetensors(const std::filesystem::path& path, const std::map<std::string, Array>& arrays,
                       const std::map<std::string, std::string>& metadata = {});
/// The same bytes in memory.
std::string safetensors_bytes(const std::map<std::string, Array>& arrays,
                              const std::map<std::string, std::string>& metadata = {});

/// Saves an object's arrays under its paths (predictor/l1/W), numbers as arrays without axes, and texts in the
/// metadata. What is None (a parameter without a shape yet) is a ValueError: the format has no word for it.
void save_safetensors(const std::filesystem::path& path, const DictionarySerializer& object,
                      const std::map<std::string, std::string>& metadata = {});
template <Serializable T>
void save_safetensors(const std::filesystem::path& path, T& object,
                      const std::map<std::string, std::string>& metadata = {}) {
  DictionarySerializer s;
  object.serialize(s);
  save_safetensors(path, s, metadata);
}

/// Whose names and layouts a file follows.
enum class WeightNames {
  own,      ///< this library's paths: predictor/l1/W
  pytorch,  ///< predictor.l1.weight, see load_safetensors()
  keras     ///< predictor/l1/kernel, see load_safetensors()
};
/// Options of load_safetensors().
struct SafetensorsOptions {
  WeightNames from = WeightNames::own;
  bool strict = true;  ///< values that the file lacks, and arrays in the file that nothing takes, are errors
  /// Paths here and their names in the file, of links or of single values: {{"l1", "features.0"}}. The longest path
  /// that is equal to a value's or leads to it counts.
  std::map<std::string, std::string> names = {};
};
/// Fills a link's parameters and persistent values. Everything is looked at first: what does not fit (shapes, dtypes,
/// and names with `strict`) is one ValueError that lists all of it, and then nothing was changed.
/// What was missing is told by the link's paths and the names that were looked for, the rest by the file's names.
///
/// With WeightNames::pytorch or keras, what becomes of an array depends on the class of the link that takes it, never
/// on shapes (weight_names.cpp holds the tables). PyTorch's normalizations have eps = 1e-5, which no file tells: give
/// it to L::BatchNormalization (2e-5 by itself) and L::LayerNormalization (1e-6).
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
/// Rows of gates go to where this library has them. A value of another link has its own name. num_batches_tracked is
/// passed over; counters of this library stay as they are.
///
///   const auto load = [](Link& model) {
///     serializers::load_safetensors("resnet.safetensors", model, {.from = serializers::WeightNames::pytorch});
///   };
LoadReport load_safetensors(const std::filesystem::path& path, Link& link, const SafetensorsOptions& options = {});
LoadReport load_safetensors(const SafetensorsFile& file, Link& link, const SafetensorsOptions& options = {});

}  // namespace serializers
}  // namespace chainer

// SPDX-License-Identifier: MIT
// The contents of a Caffe model file as plain values. net_protobuf.cpp reads and writes the messages.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::caffe {

/// A window: height, then width.
struct Window {
  std::array<int64_t, 2> kernel = {0, 0}, stride = {1, 1}, pad = {0, 0}, dilation = {1, 1};
};
enum class Pool : uint8_t { max, average, stochastic };
enum class Operation : uint8_t { product, sum, maximum };

/// The types of layers. `data` loads data and is skipped; `other` stands for all unknown types.
enum class LayerType : uint8_t {
  other,
  data,
  input,
  batch_norm,
  concat,
  convolution,
  deconvolution,
  dropout,
  eltwise,
  inner_product,
  lrn,
  pooling,
  relu,
  reshape,
  scale,
  sigmoid,
  slice,
  softmax,
  softmax_with_loss,
  split
};
/// The name of a type in Caffe, and its number in old files (-1: none).
struct LayerTypeName {
  LayerType type;
  std::string_view name;
  int old = -1;
};
inline constexpr LayerTypeName kLayerTypes[] = {
    {LayerType::data, "Data", 5},
    {LayerType::data, "ImageData"},
    {LayerType::data, "HDF5Data"},
    {LayerType::data, "WindowData"},
    {LayerType::data, "MemoryData"},
    {LayerType::data, "DummyData"},
    {LayerType::input, "Input"},
    {LayerType::batch_norm, "BatchNorm"},
    {LayerType::concat, "Concat", 3},
    {LayerType::convolution, "Convolution", 4},
    {LayerType::deconvolution, "Deconvolution", 39},
    {LayerType::dropout, "Dropout", 6},
    {LayerType::eltwise, "Eltwise", 25},
    {LayerType::inner_product, "InnerProduct", 14},
    {LayerType::lrn, "LRN", 15},
    {LayerType::pooling, "Pooling", 17},
    {LayerType::relu, "ReLU", 18},
    {LayerType::reshape, "Reshape"},
    {LayerType::scale, "Scale"},
    {LayerType::sigmoid, "Sigmoid", 19},
    {LayerType::slice, "Slice", 33},
    {LayerType::softmax, "Softmax", 20},
    {LayerType::softmax_with_loss, "SoftmaxWithLoss", 21},
    {LayerType::split, "Split", 22},
};
constexpr LayerType type_of(std::string_view name) {
  for (const LayerTypeName& t : kLayerTypes)
    if (t.name == name) return t.type;
  return LayerType::other;
}
/// Returns the name of a type's number in old files; empty if the number is unknown.
constexpr std::string_view old_type_name(int64_t number) {
  for (const LayerTypeName& t : kLayerTypes)
    if (t.old == number && number >= 0) return t.name;
  return {};
}

/// One layer. The comments name the types that use a member; the defaults are those of Caffe.
struct Layer {
  std::string name, type;  ///< type is a name such as "Convolution", also for old files
  std::vector<std::string> bottoms, tops;
  std::vector<Array> blobs;     ///< float32, in the shapes of the file
  Window window;                ///< Convolution, Deconvolution, Pooling
  int64_t num_output = 0;       ///< Convolution, Deconvolution, InnerProduct
  int64_t group = 1;            ///< Convolution, Deconvolution
  bool bias_term = true;        ///< Convolution, Deconvolution, InnerProduct; Scale: false by default
  Pool pool = Pool::max;        ///< Pooling
  bool global_pooling = false;  ///< Pooling
  bool round_down = false;      ///< Pooling: the number of windows
  bool transpose = false;       ///< InnerProduct: the matrix has a column for each output
  int64_t axis = 1;             ///< Convolution, Deconvolution, InnerProduct, Concat, Scale, Slice, Softmax
  int64_t local_size = 5;       ///< LRN
  double alpha = 1, beta = 0.75, k = 1;
  bool within_channel = false;
  double dropout_ratio = 0.5;            ///< Dropout
  double negative_slope = 0;             ///< ReLU
  Operation operation = Operation::sum;  ///< Eltwise
  std::vector<double> coefficients;
  std::vector<int64_t> slice_points;      ///< Slice
  std::vector<int64_t> shape;             ///< Reshape, Input
  int64_t first_axis = 0, num_axes = -1;  ///< Reshape: which axes `shape` replaces; -1: all that follow
  std::optional<int64_t> ignore_label;    ///< SoftmaxWithLoss
  bool by_batch_size = false;             ///< SoftmaxWithLoss: divides by this, else by the number of counted labels
  std::optional<bool> use_global_stats;   ///< BatchNorm
  double moving_average_fraction = 0.999, eps = 1e-5;
  int engine = 0;  ///< Softmax, Sigmoid: 0 default, 1 without cuDNN, 2 with
  /// The shapes that the file declares, if the blobs are flat (BlobShapes::declared).
  std::vector<std::vector<int64_t>> blob_shapes = {};
  std::string unsupported = {};  ///< the first option in the file that other members cannot express
};

struct Net {
  std::string name;
  std::vector<Layer> layers;
};

/// What a reader does about the shapes of blobs.
enum class BlobShapes : uint8_t {
  checked,  ///< a shape that does not fit the numbers is an error
  declared  ///< blobs stay flat, next to the shapes that the file declares
};

/// Reads a binary model file of up to 2 GiB: the layers in the newer form, or in the older form if there are none.
/// Blobs are read from the file into arrays without an intermediate copy. Throws FileError, with the name of the layer,
/// if the file is damaged or no model file, MissingPartError in builds without protobuf.
Net read_net(const std::filesystem::path& path, BlobShapes shapes = BlobShapes::checked);
/// Reads a model file from bytes; `what` names them in messages.
Net read_net(std::string_view bytes, const std::string& what);
/// Returns the bytes of a model file. Throws MissingPartError in builds without protobuf.
std::string write_net(const Net& net);
/// Returns the net in Caffe's text format (prototxt), without blobs.
std::string to_prototxt(const Net& net);

}  // namespace chainer::caffe

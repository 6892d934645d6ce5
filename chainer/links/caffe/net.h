// The contents of a Caffe model file as plain values. What reads and writes the messages is net_protobuf.cpp.
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

/// What layers do. `data` loads, and has no meaning here; `other` is everything that is not known.
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
/// Caffe's names of them, and their numbers in old files (-1: there were none).
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
/// The name of an old file's number; empty for one that is not known.
constexpr std::string_view old_type_name(int64_t number) {
  for (const LayerTypeName& t : kLayerTypes)
    if (t.old == number && number >= 0) return t.name;
  return {};
}

/// One layer; each type reads the parameters that are its own, whose defaults are Caffe's.
struct Layer {
  std::string name, type;  ///< "Convolution", ..., also where an old file says 4
  std::vector<std::string> bottoms, tops;
  std::vector<Array> blobs;     ///< float32, in the file's shapes
  Window window;                ///< Convolution, Deconvolution, Pooling
  int64_t num_output = 0;       ///< Convolution, Deconvolution, InnerProduct
  int64_t group = 1;            ///< Convolution, Deconvolution
  bool bias_term = true;        ///< Convolution, Deconvolution, InnerProduct; Scale: false by default
  Pool pool = Pool::max;        ///< Pooling
  bool global_pooling = false;  ///< Pooling
  int64_t axis = 1;             ///< InnerProduct, Concat, Scale, Slice, Softmax
  int64_t local_size = 5;       ///< LRN
  double alpha = 1, beta = 0.75, k = 1;
  bool within_channel = false;
  double dropout_ratio = 0.5;            ///< Dropout
  double negative_slope = 0;             ///< ReLU
  Operation operation = Operation::sum;  ///< Eltwise
  std::vector<double> coefficients;
  std::vector<int64_t> slice_points;     ///< Slice
  std::vector<int64_t> shape;            ///< Reshape, Input
  std::optional<bool> use_global_stats;  ///< BatchNorm
  double moving_average_fraction = 0.999, eps = 1e-5;
  int engine = 0;  ///< Softmax, Sigmoid: 0 default, 1 without cuDNN, 2 with
};

struct Net {
  std::string name;
  std::vector<Layer> layers;
};

/// The contents of a binary model file of up to 2 GiB: the layers of newer files, or of older ones where there are none
/// of those. Blobs go from the file into arrays without a copy between. FileError, with the layer's name, for what is
/// no such file or a damaged one. MissingPartError in builds without protobuf.
Net read_net(const std::filesystem::path& path);
/// The same from bytes; `what` names them in errors.
Net read_net(std::string_view bytes, const std::string& what);
/// The bytes of a file, with blobs or without.
std::string write_net(const Net& net);
/// The net in Caffe's text format, without blobs: what describes it to Caffe (prototxt).
std::string to_prototxt(const Net& net);

}  // namespace chainer::caffe

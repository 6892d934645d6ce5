// The contents of a Caffe model file as plain values. What reads and writes the messages is net_protobuf.cpp.
#pragma once
#include <array>
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

// SPDX-License-Identifier: MIT
// Exports models to Caffe (manual: "Caffe Model Support").
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "chainer/links/caffe/net.h"
#include "chainer/links/link.h"
#include "chainer/core/other_options.h"

namespace chainer::exporters::caffe {

/// Options of export_model().
struct ExportOptions {
  bool export_params = true;         ///< also writes the values of parameters
  std::string graph_name = "Graph";  ///< the name of the net
};
/// Runs a model once in test mode on one variable (images, the blob `data` of the file) and writes the graph as a Caffe
/// network: its description to chainer_model.prototxt and its parameters to chainer_model.caffemodel. Writes nothing
/// without a directory. Returns the network. (`export` is a keyword of C++.)
///
/// Supported functions: linear, convolution_2d, deconvolution_2d, max_pooling_2d, average_pooling_2d,
/// batch_normalization, local_response_normalization, relu, leaky_relu, concat, softmax, sigmoid, reshape, add. VGG,
/// GoogLeNet and ResNet consist of these. A layer is named by its function, its distance from the input and a number
/// (ReLU-1-1), as in the release's files; kernels that are not square are written as Caffe reads them. A reshape that
/// keeps the batch axis is written for any batch size.
///
///   Sequential model(L::Linear(3, 2), F::relu);
///   exporters::caffe::export_model(model, {ones({1, 3})}).layers.size()  // 3: data, InnerProduct, ReLU
///
/// Throws NotImplementedError for more than one variable, ValueError, naming the function, for functions without a
/// Caffe layer and for options that Caffe computes differently (pooling windows that do not extend past the end of an
/// image), FileError if the directory cannot be written, MissingPartError in builds without protobuf.
chainer::caffe::Net export_model(Link& model, const Variables& args,
                                 const std::optional<std::filesystem::path>& directory = {},
                                 const ExportOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(export_model, ".export_params, .graph_name", Link&, const Variables&,
                         const std::optional<std::filesystem::path>&);

}  // namespace chainer::exporters::caffe

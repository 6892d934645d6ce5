// Models for Caffe (manual: "Caffe Model Support").
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "chainer/links/caffe/net.h"
#include "chainer/links/link.h"

namespace chainer::exporters::caffe {

/// Options of export_model().
struct ExportOptions {
  bool export_params = true;         ///< write the values of parameters, too
  std::string graph_name = "Graph";  ///< the net's name
};
/// Runs a model once in test mode on one variable (images, the blob `data` of the file) and writes the graph as a
/// network of Caffe: chainer_model.prototxt, which describes it, and chainer_model.caffemodel with the parameters.
/// Nothing is written without a directory. The network is returned. (`export` is a keyword of C++.)
///
/// Functions that a model may consist of: linear, convolution_2d, deconvolution_2d, max_pooling_2d, average_pooling_2d,
/// batch_normalization, local_response_normalization, relu, leaky_relu, concat, softmax, sigmoid, reshape, add. VGG,
/// GoogLeNet and ResNet are of that kind. A layer is named by its function, its distance from the input and a number
/// (ReLU-1-1), as in the release's files; kernels that are not square are written as Caffe reads them. Where only the
/// batch keeps its length, a reshape is written so that any batch fits.
///
///   Sequential model(L::Linear(3, 2), F::relu);
///   exporters::caffe::export_model(model, {ones({1, 3})}).layers.size()  // 3: data, InnerProduct, ReLU
///
/// Throws NotImplementedError for more than one variable, ValueError that names the function for one that Caffe lacks,
/// and for options that it computes otherwise (windows of pooling that do not reach over the end of an image),
/// FileError where the directory cannot be written to, MissingPartError in builds without protobuf.
chainer::caffe::Net export_model(Link& model, const Variables& args,
                                 const std::optional<std::filesystem::path>& directory = {},
                                 const ExportOptions& options = {});

}  // namespace chainer::exporters::caffe

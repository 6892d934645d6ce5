// SPDX-License-Identifier: MIT
// L: networks of Caffe (manual: "Compatibility with other frameworks").
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/links/link.h"
#include "chainer/links/members.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace caffe {
struct Layer;
struct Net;
}  // namespace caffe

namespace links::caffe {

/// Options of CaffeFunction::forward.
struct CaffeFunctionOptions {
  std::vector<std::string> disable = {};  ///< names of layers that do not run
};
/// Emulates a network trained by Caffe, from a binary model file (.caffemodel) in its newer or older form. Layers with
/// weights are children under the layers' names, so that their parameters are saved and trained like any others.
///
///   const auto fc8_of = [](const Variable& images) {
///     L::caffe::CaffeFunction func("bvlc_reference_caffenet.caffemodel");
///     return func({{"data", images}}, {"fc8"})[0];
///   };
///
/// Known types: Concat, Convolution, Deconvolution, Dropout, Eltwise, InnerProduct, LRN, Pooling, ReLU, Reshape,
/// BatchNorm, Scale, Slice, Softmax, Sigmoid, SoftmaxWithLoss, Split, and the corresponding types of old files. Groups
/// of a convolution become one dense W with zeros outside of its blocks, as in the release; dilation is supported,
/// unlike in the release. Layers of other types are skipped with a warning; layers that load data and layers without
/// results are skipped silently, and so are, in a call, layers whose inputs are missing.
///
/// Pooling rounds numbers of windows as Caffe does: up, unless round_mode is FLOOR; means of windows past the padding
/// leave out what is there. (The release rounds down for means.)
///
/// Throws FileError for a damaged file or a layer whose blobs do not match its parameters, ValueError for unsupported
/// options of a known type (stochastic pooling, an axis other than 1), also those that only other versions of Caffe
/// have, MissingPartError in builds without protobuf.
class CaffeFunction : public Chain {
 public:
  explicit CaffeFunction(const std::filesystem::path& model_path);
  /// Takes the contents of a file, including its blobs; `what` names them in messages.
  CaffeFunction(chainer::caffe::Net net, const std::string& what);
  /// Computes the blobs named `outputs` from blobs by name. Runs the layers whose inputs are all present, in the order
  /// of the file. Throws KeyError for an output that no layer computed.
  Variables forward(const NamedVariables& inputs, const std::vector<std::string>& outputs,
                    const CaffeFunctionOptions& options = {});
  CHAINER_OTHER_OPTIONS_METHOD(forward, ".disable", const NamedVariables&, const std::vector<std::string>&);
  CHAINER_DECLARE_LINK(CaffeFunction);
  Variables operator()(const NamedVariables& inputs, const std::vector<std::string>& outputs,
                       const CaffeFunctionOptions& options = {}) {
    return detail::call_with_hooks(*this, inputs, outputs, options);
  }
  CHAINER_OTHER_OPTIONS_CALL(CaffeFunction, ".disable", const NamedVariables&, const std::vector<std::string>&);

  using Function = std::function<Variables(CaffeFunction&, const Variables&)>;
  /// One layer that runs.
  struct LayerInfo {
    std::string name;
    std::vector<std::string> bottoms, tops;
  };
  /// The functions of the layers, by name.
  std::map<std::string, Function> forwards;
  /// The layers that have a function, in the order of the file.
  std::vector<LayerInfo> layers;
  /// New names of blobs, with the names of the blobs they stand for.
  std::map<std::string, std::string> split_map;
  /// The blobs of the last call.
  NamedVariables variables;

 private:
  void add_layer(chainer::caffe::Layer& layer);
  // Adds the link as a child and returns the function that calls it.
  template <class T>
  Function adopt(const std::string& name, T link);
  std::string what_;
};

}  // namespace links::caffe
}  // namespace chainer

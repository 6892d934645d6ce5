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
/// Emulates a network that Caffe trained: what a binary model file (.caffemodel) describes, in its newer or older form.
/// Layers with weights are children under the layers' names, so that all parameters are found, saved and trained as any
/// others.
///
///   const auto fc8_of = [](const Variable& images) {
///     L::caffe::CaffeFunction func("bvlc_reference_caffenet.caffemodel");
///     return func({{"data", images}}, {"fc8"})[0];
///   };
///
/// Known types: Concat, Convolution, Deconvolution, Dropout, Eltwise, InnerProduct, LRN, Pooling, ReLU, Reshape,
/// BatchNorm, Scale, Slice, Softmax, Sigmoid, SoftmaxWithLoss, Split, and those of the old files that correspond.
/// Groups of a convolution become one dense W with zeros outside of its blocks, as the release has it; dilation counts,
/// which the release does not read. Layers of other types are left out with a warning, layers that load data and those
/// without results silently, and so are, in a call, layers whose inputs are not there.
///
/// Throws FileError for a file that is damaged or a layer whose blobs do not fit its parameters, ValueError for what a
/// known type cannot express (stochastic pooling, an axis other than 1), MissingPartError in builds without protobuf.
class CaffeFunction : public Chain {
 public:
  explicit CaffeFunction(const std::filesystem::path& model_path);
  /// From the contents of a file; `what` names them in errors. The blobs are taken over.
  CaffeFunction(chainer::caffe::Net net, const std::string& what);
  /// The blobs named `outputs`, from blobs by name. Layers run in the file's order, those whose inputs are all there.
  /// KeyError for an output that nothing computed.
  Variables forward(const NamedVariables& inputs, const std::vector<std::string>& outputs,
                    const CaffeFunctionOptions& options = {});
  CHAINER_DECLARE_LINK(CaffeFunction);
  Variables operator()(const NamedVariables& inputs, const std::vector<std::string>& outputs,
                       const CaffeFunctionOptions& options = {}) {
    return detail::call_with_hooks(*this, inputs, outputs, options);
  }

  using Function = std::function<Variables(CaffeFunction&, const Variables&)>;
  /// One layer that runs.
  struct LayerInfo {
    std::string name;
    std::vector<std::string> bottoms, tops;
  };
  /// What the layers compute, by name.
  std::map<std::string, Function> forwards;
  /// The layers that have a function, in the file's order.
  std::vector<LayerInfo> layers;
  /// Blobs that are others under a new name.
  std::map<std::string, std::string> split_map;
  /// The blobs of the last call.
  NamedVariables variables;

 private:
  void add_layer(chainer::caffe::Layer& layer);
  // Takes the link over as a child, and returns the function that calls it.
  template <class T>
  Function adopt(const std::string& name, T link);
  std::string what_;
};

}  // namespace links::caffe
}  // namespace chainer

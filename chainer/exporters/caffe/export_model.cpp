// SPDX-License-Identifier: MIT
#include "chainer/exporters/caffe/export_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "chainer/autograd/mixed_precision.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/autograd/node_attributes.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/file_writer.h"
#include "chainer/functions/normalization.h"
#include "chainer/routines/creation.h"

namespace chainer::exporters::caffe {
namespace {

using chainer::caffe::Layer;
using chainer::caffe::Net;

// One call of a function; a composed function counts as one call.
struct Call {
  std::string label;
  std::vector<const VariableNode*> inputs;  // null for constants
  Arrays arrays;                            // the inputs' values
  NodeAttributes attributes;
  const VariableNode* output = nullptr;
};

// Records the run of the model, function by function: the arrays of inputs, and composed functions.
class Recorder : public FunctionHook, public CompositeRecorder {
 public:
  Recorder() : outer_(std::exchange(CompositeRecorder::current, this)) {}
  ~Recorder() override { CompositeRecorder::current = outer_; }
  std::string name() const override { return "CaffeExport"; }
  void forward_preprocess(FunctionNode& f, const Arrays& in) override { arrays_[&f] = in; }
  void record(std::string_view label, const Variables& inputs, NodeAttributes attributes,
              const Variable& output) override {
    Call call;
    call.label = label;
    for (const Variable& v : inputs) {
      call.inputs.push_back(v.node_pointer());
      call.arrays.push_back(v.array());
    }
    call.attributes = std::move(attributes);
    call.output = output.node_pointer();
    kept_.push_back(output);
    composed_[call.output] = std::move(call);  // the outermost composed function is recorded last
  }
  /// The call that made a variable; empty for the input, parameters and constants.
  std::optional<Call> call(const VariableNode* output) const {
    if (const auto it = composed_.find(output); it != composed_.end()) return it->second;
    const FunctionNode* const f = output->creator();
    if (!f) return {};
    Call c;
    c.label = f->label();
    for (const auto& in : f->inputs()) c.inputs.push_back(in.get());
    c.arrays = arrays_.at(f);
    if (const auto* d = dynamic_cast<const Described*>(f)) d->describe(c.attributes);
    c.output = output;
    return c;
  }

 private:
  CompositeRecorder* outer_;
  std::map<const FunctionNode*, Arrays> arrays_;
  std::map<const VariableNode*, Call> composed_;
  Variables kept_;
};

class Exporter {
 public:
  Exporter(const Recorder& recorder, const VariableNode* input) : recorder_(recorder) { names_[input] = {"data", 0}; }

  // The name of the blob of a variable. Adds the layers that compute it unless they exist.
  std::string blob(const VariableNode* v, const std::string& user) {
    if (const auto it = names_.find(v); it != names_.end()) return it->second.name;
    std::optional<Call> call = v ? recorder_.call(v) : std::nullopt;
    if (!call)
      throw ValueError("export_model: an input of ", user,
                       " is a constant or a parameter, which Caffe cannot have there");
    if (call->label == "Cast" && is_floating(v->dtype()) && is_floating(call->inputs[0]->dtype())) {
      const std::string same = blob(call->inputs[0], user);  // all of Caffe's numbers have one dtype
      names_[v] = names_.at(call->inputs[0]);
      return same;
    }
    // Of reshapes in a row, the last one counts.
    while (call->label == "Reshape") {
      const std::optional<Call> before = recorder_.call(call->inputs[0]);
      if (!before || before->label != "Reshape" || names_.contains(call->inputs[0])) break;
      call->inputs = before->inputs, call->arrays = before->arrays;
    }
    const std::size_t count = blob_inputs(*call);
    std::vector<std::string> bottoms;
    int rank = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bottoms.push_back(blob(call->inputs[i], call->label));
      rank = std::max(rank, names_.at(call->inputs[i]).rank);
    }
    const std::string label = text(call->label, "-", rank);
    const std::string name = text(label, "-", ++counts_[label]);
    names_[v] = {name, rank + 1};
    Layer l;
    l.name = name, l.bottoms = std::move(bottoms), l.tops = {name};
    fill(l, *call);
    layers_.emplace_back(rank, std::move(l));
    return name;
  }
  // Sorted by rank, in the order in which the reference release writes them.
  std::vector<Layer> layers() {
    std::stable_sort(layers_.begin(), layers_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Layer> out;
    for (auto& [rank, l] : layers_) out.push_back(std::move(l));
    return out;
  }

 private:
  struct Place {
    std::string name;
    int rank;
  };
  // The number of inputs that are blobs; the others are parameters.
  static std::size_t blob_inputs(const Call& c) {
    return c.label == "Concat" || c.label == "_ + _" ? c.inputs.size() : 1;
  }

  void fill(Layer& l, const Call& c) {
    const std::string& f = c.label;
    if (f == "LinearFunction") {
      l.type = "InnerProduct";
      parameters(l, c);
    } else if (f == "Convolution2DFunction" || f == "Deconvolution2DFunction") {
      l.type = f == "Convolution2DFunction" ? "Convolution" : "Deconvolution";
      const auto& plan = c.attributes.get<ConvolutionPlan>("plan");
      for (std::size_t i = 0; i < 2; ++i) {
        const auto d = static_cast<int>(i);
        l.window.kernel[i] = c.arrays[1].shape(2 + d);
        l.window.stride[i] = plan.stride[d], l.window.pad[i] = plan.pad[d], l.window.dilation[i] = plan.dilate[d];
      }
      l.group = plan.groups;
      parameters(l, c);
      if (l.type == "Deconvolution") l.num_output = c.arrays[1].shape(1) * plan.groups;
      expect_size(l, c);
    } else if (f == "MaxPooling2D" || f == "AveragePooling2D") {
      l.type = "Pooling";
      const auto& plan = c.attributes.get<PoolingPlan>("plan");
      l.pool = f == "MaxPooling2D" ? chainer::caffe::Pool::max : chainer::caffe::Pool::average;
      for (std::size_t i = 0; i < 2; ++i) {
        const auto d = static_cast<int>(i);
        l.window.kernel[i] = plan.ksize[d], l.window.stride[i] = plan.stride[d], l.window.pad[i] = plan.pad[d];
        // Caffe's last window may reach past the end, but never begins after it.
        int64_t n = (plan.size[d] + 2 * plan.pad[d] - plan.ksize[d] + plan.stride[d] - 1) / plan.stride[d] + 1;
        if (plan.pad[d] && (n - 1) * plan.stride[d] >= plan.size[d] + plan.pad[d]) --n;
        if (n != plan.out[d])
          throw ValueError("export_model: ", f, " makes ", plan.out[d], " windows of ", plan.ksize[d], " (stride ",
                           plan.stride[d], ", pad ", plan.pad[d], ") on a length of ", plan.size[d],
                           "; Caffe would make ", n);
      }
    } else if (f == "FixedBatchNormalization") {
      batch_normalization(l, c);
    } else if (f == "LocalResponseNormalization") {
      l.type = "LRN";
      const auto& o = c.attributes.get<functions::LocalResponseNormalizationOptions>("options");
      if (o.n % 2 == 0) throw ValueError("export_model: ", f, " over ", o.n, " channels; Caffe needs an odd number");
      l.local_size = o.n, l.k = o.k, l.alpha = o.alpha * static_cast<double>(o.n), l.beta = o.beta;
    } else if (f == "ReLU") {
      l.type = "ReLU";
    } else if (f == "LeakyReLU") {
      l.type = "ReLU";
      l.negative_slope = c.attributes.get<double>("slope");
    } else if (f == "Concat" || f == "Softmax") {
      l.type = f;
      const int64_t axis = c.attributes.get<int64_t>("axis");
      l.axis = axis < 0 ? axis + c.arrays[0].ndim() : axis;
    } else if (f == "Sigmoid") {
      l.type = "Sigmoid";
    } else if (f == "Reshape") {
      l.type = "Reshape";
      const Shape& shape = c.output->shape();
      l.shape.assign(shape.begin(), shape.end());
      if (shape.ndim() > 1 && c.arrays[0].ndim() > 0 && shape[0] == c.arrays[0].shape(0))
        l.shape[0] = -1;  // any batch size
    } else if (f == "_ + _") {
      l.type = "Eltwise";
      for (const Array& a : c.arrays)
        if (a.shape() != c.arrays[0].shape())
          throw ValueError("export_model: shapes ", c.arrays[0].shape(), " and ", a.shape(),
                           " are added; Caffe needs equal shapes");
    } else {
      throw ValueError("export_model: Caffe has no layer for the function ", f);
    }
  }
  static void parameters(Layer& l, const Call& c) {
    l.num_output = c.arrays[1].shape(0);
    l.bias_term = c.arrays.size() > 2;
    for (std::size_t i = 1; i < c.arrays.size(); ++i) l.blobs.push_back(c.arrays[i]);
  }
  // Checks that Caffe would compute the same sizes as the graph.
  static void expect_size(const Layer& l, const Call& c) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto d = static_cast<int>(i) + 2;
      const int64_t in = c.arrays[0].shape(d), reach = l.window.dilation[i] * (l.window.kernel[i] - 1) + 1;
      const int64_t n = l.type == "Convolution" ? (in + 2 * l.window.pad[i] - reach) / l.window.stride[i] + 1
                                                : l.window.stride[i] * (in - 1) + reach - 2 * l.window.pad[i];
      if (n != c.output->shape()[d])
        throw ValueError("export_model: ", c.label, " gives a length of ", c.output->shape()[d], " along axis ", d,
                         "; Caffe would give ", n);
    }
  }
  // Caffe uses two layers: one normalizes, the next scales and shifts.
  void batch_normalization(Layer& l, const Call& c) {
    const auto& averaged = c.attributes.get<Dims>("averaged");
    const int n = c.arrays[0].ndim();
    bool channels = averaged.ndim() == n - 1 && n > 1;
    for (int64_t axis : averaged) channels = channels && axis != 1;
    if (!channels)
      throw ValueError("export_model: batch normalization over axes ", averaged, "; Caffe's is over all axes but 1");
    Layer bn = l;
    bn.type = "BatchNorm", bn.name = l.name + "_bn", bn.tops = {bn.name};
    bn.use_global_stats = true, bn.eps = c.attributes.get<double>("eps");
    bn.blobs = {c.arrays[3], c.arrays[4], ones({1}, float32)};
    l.type = "Scale", l.bottoms = {bn.name}, l.blobs = {c.arrays[1], c.arrays[2]}, l.bias_term = true;
    layers_.emplace_back(names_.at(c.output).rank - 1, std::move(bn));
  }

  const Recorder& recorder_;
  std::map<const VariableNode*, Place> names_;
  std::map<std::string, int> counts_;
  std::vector<std::pair<int, Layer>> layers_;
};

}  // namespace

Net export_model(Link& model, const Variables& args, const std::optional<std::filesystem::path>& directory,
                 const ExportOptions& options) {
  if (args.size() != 1) throw NotImplementedError("export_model: the model must take one variable, got ", args.size());
  const UsingConfig test_mode(&Config::train, false), with_graph(&Config::enable_backprop, true);
  const PlainPrecision plain;
  const Variable x(args[0].array());
  const VariableNode* const input = x.node().get();
  Recorder recorder;
  Variables outputs;
  {
    const FunctionHookScope hooked(recorder);
    outputs = model.call({x});
  }
  Net net;
  net.name = options.graph_name;
  Layer data;
  data.name = "data", data.type = "Input", data.tops = {"data"};
  data.shape.assign(x.shape().begin(), x.shape().end());
  net.layers.push_back(std::move(data));
  Exporter exporter(recorder, input);
  for (const Variable& y : outputs) exporter.blob(y.node_pointer(), "the result");
  for (Layer& l : exporter.layers()) net.layers.push_back(std::move(l));
  if (!options.export_params)
    for (Layer& l : net.layers) l.blobs.clear();
  if (directory) {
    const std::string bytes = options.export_params ? write_net(net) : std::string();
    make_folder(*directory);
    FileWriter text(*directory / "chainer_model.prototxt");
    text.write(to_prototxt(net));
    if (options.export_params) {
      FileWriter weights(*directory / "chainer_model.caffemodel");
      weights.write(bytes);
      FileWriter::commit_all({&text, &weights});
    } else {
      text.commit();
    }
  }
  return net;
}

}  // namespace chainer::exporters::caffe

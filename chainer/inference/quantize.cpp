// SPDX-License-Identifier: MIT
#include "chainer/inference/quantize.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "chainer/autograd/mixed_precision.h"
#include "chainer/core/system/file.h"
#include "chainer/inference/calibration.h"
#include "chainer/inference/quantized_graph.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

namespace chainer::inference {
namespace {

// A model that also returns other tensors, after its own results.
class Observed {
 public:
  Observed(onnx::ModelFile file, const std::vector<std::string>& tensors, const std::string& name)
      : own_(file.outputs.size()), model_(make(std::move(file), tensors, name)) {}
  Arrays operator()(const Variables& in) {
    const UsingConfig test(&Config::train, false);
    const NoBackpropMode no_graph;
    const PlainPrecision plain;
    Variables x;
    for (const Variable& v : in) x.push_back(Variable(v.array(), false));
    const Variables all = model_.forward(x);
    Arrays out;
    for (std::size_t i = own_; i < all.size(); ++i) out.push_back(all[i].array());
    return out;
  }

 private:
  static onnx::Model make(onnx::ModelFile file, const std::vector<std::string>& tensors, const std::string& name) {
    for (const std::string& t : tensors) file.outputs.push_back({t, 0, false, {}});
    return onnx::Model::from_bytes(onnx::write_model(file), {}, name);
  }
  std::size_t own_;
  onnx::Model model_;
};

double relative_error(const Array& value, const Array& expected) {
  if (value.shape() != expected.shape()) return 0;
  const Array a = value.astype(float32, false).contiguous(), b = expected.astype(float32, false).contiguous();
  const float *p = a.data<float>(), *q = b.data<float>();
  double errors = 0, all = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(p[i]) - static_cast<double>(q[i]);
    errors += d * d;
    all += static_cast<double>(q[i]) * static_cast<double>(q[i]);
  }
  return all > 0 || std::isnan(errors) ? std::sqrt(errors / all) : 0;
}

std::map<std::string, host_kernels::Quantization> calibrated(const QuantizedGraph& graph,
                                                             const std::vector<Variables>& batches,
                                                             const QuantizeOptions& o, const std::string& name) {
  const std::vector<std::string>& tensors = graph.tensors();
  std::vector<std::string> inner;  // those that a node computes
  std::vector<std::size_t> inputs;
  for (const std::string& t : tensors) {
    const auto& declared = graph.file().inputs;
    const auto at = std::find_if(declared.begin(), declared.end(), [&](const auto& v) { return v.name == t; });
    if (at == declared.end())
      inner.push_back(t);
    else
      inputs.push_back(static_cast<std::size_t>(at - declared.begin()));
  }
  Observed network(graph.file(), inner, name);
  std::vector<Observer> observers(tensors.size());  // first inputs, then the others, as in `tensors`
  const auto each = [&](auto&& f) {
    for (const Variables& batch : batches) {
      std::size_t k = 0;
      const Arrays values = network(batch);
      for (const std::size_t i : inputs) f(observers[k], batch[i].array(), tensors[k]), ++k;
      for (const Array& v : values) f(observers[k], v, tensors[k]), ++k;
    }
  };
  each([](Observer& s, const Array& x, const std::string& t) { s.see_range(x, t); });
  if (o.calibration != Calibration::largest) each([](Observer& s, const Array& x, const std::string&) { s.count(x); });
  std::map<std::string, host_kernels::Quantization> out;
  for (std::size_t k = 0; k < tensors.size(); ++k) out[tensors[k]] = observers[k].quantization(o);
  return out;
}

// A file has no place for a state that links keep: it would describe the first call only.
void refuse_state(Link& model, const Variables& in) {
  const UsingConfig test(&Config::train, false);
  const NoBackpropMode no_graph;
  std::shared_ptr<Link> copy;
  try {
    copy = model.clone(CopyMode::share);
  } catch (const TypeError&) { return; }
  const Variables first = copy->call(in), second = copy->call(in);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Array &a = first[i].array(), &b = second[i].array();
    if (a.shape() == b.shape() && all((a == b) | ((a != a) & (b != b))).item<bool>()) continue;
    throw ValueError("quantize: ", model.class_name(),
                     " keeps a state from one call to the next (the same inputs give other results), which a quantized "
                     "network cannot; take the state as inputs and return it with the results");
  }
}

}  // namespace

Quantized::Quantized(std::string bytes, std::vector<QuantizedLayer> layers, const Variables& example)
    : bytes_(std::move(bytes)),
      layers_(std::move(layers)),
      network_(prepare(onnx::Model::from_bytes(bytes_, {}, "quantized network"), example)) {}

std::string Quantized::report() const {
  std::size_t width = 5, op_width = 8;
  for (const QuantizedLayer& l : layers_) {
    width = std::max(width, l.name.size());
    op_width = std::max(op_width, l.op.size());
  }
  std::ostringstream out;
  out << std::left << std::setw(static_cast<int>(width)) << "layer"
      << "  " << std::setw(static_cast<int>(op_width)) << "operator"
      << "     error  type\n";
  for (const QuantizedLayer& l : layers_)
    out << std::left << std::setw(static_cast<int>(width)) << l.name << "  " << std::setw(static_cast<int>(op_width))
        << l.op << "  " << std::right << std::fixed << std::setprecision(5) << std::setw(8) << l.error << "  "
        << (l.quantized ? "int8" : "float32: " + l.reason) << "\n";
  return out.str();
}

void Quantized::save(const std::filesystem::path& file) const { write_file(file, bytes_); }

Quantized quantize(Link& model, const std::vector<Variables>& batches, const QuantizeOptions& o) {
  if (batches.empty()) throw ValueError("quantize: at least one batch is needed to find the ranges of activations");
  if (!(o.percentile > 0 && o.percentile <= 100))
    throw ValueError("quantize: percentile must be in (0, 100], not ", o.percentile);
  const std::string name = model.class_name();
  onnx::ModelFile file = onnx::read_model(
      onnx::export_model(model, batches[0], {.dynamic_batch = o.dynamic_batch, .refuse_reads = true}), {}, name);
  refuse_state(model, batches[0]);
  onnx::make_initializers(file);
  onnx::resolve_names(file, name);
  fold_constants(file);
  fold_batch_normalization(file);
  const QuantizedGraph graph(std::move(file), o.leave);
  const onnx::ModelFile quantized = graph.quantized(calibrated(graph, batches, o, name));
  // The results of all layers in float32 and in eight bits.
  std::vector<std::string> results, integers;
  for (const QuantizedGraph::Layer& l : graph.layers()) {
    results.push_back(l.result);
    integers.push_back(graph.name_of(l.result));
  }
  const Arrays expected = Observed(graph.file(), results, name)(batches[0]),
               values = Observed(quantized, integers, name)(batches[0]);
  std::vector<QuantizedLayer> layers;
  for (std::size_t i = 0; i < graph.layers().size(); ++i) {
    const QuantizedGraph::Layer& l = graph.layers()[i];
    if (!is_floating(expected[i].dtype())) continue;  // a computation on shapes
    layers.push_back({l.name, l.op, l.reason.empty(), l.reason, relative_error(values[i], expected[i])});
  }
  return Quantized(onnx::write_model(quantized), std::move(layers), batches[0]);
}

}  // namespace chainer::inference

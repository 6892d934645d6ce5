// SPDX-License-Identifier: MIT
// Models of Caffe: the contents of a file as dictionaries, and the export of a model, which is a Python callable.
#include <functional>

#include "chainer/exporters/caffe/export_model.h"
#include "chainer/links/caffe/net.h"
#include "python/core/casters.h"

namespace chainer::python {
namespace {

using chainer::caffe::Layer;

template <class T>
nb::tuple tuple_of(const T& values) {
  nb::list out;
  for (const auto& v : values) out.append(v);
  return nb::tuple(out);
}

nb::list list_of(const std::vector<std::string>& names) {
  nb::list out;
  for (const std::string& n : names) out.append(nb::str(n.data(), n.size()));
  return out;
}

nb::dict dictionary(const Layer& l) {
  nb::dict d;
  d["name"] = l.name, d["type"] = l.type;
  d["bottoms"] = list_of(l.bottoms), d["tops"] = list_of(l.tops);
  nb::list blobs;
  for (std::size_t i = 0; i < l.blobs.size(); ++i)
    blobs.append(nb::make_tuple(nb::steal(to_numpy(l.blobs[i])), tuple_of(l.blob_shapes[i])));
  d["blobs"] = blobs;
  d["kernel"] = tuple_of(l.window.kernel), d["stride"] = tuple_of(l.window.stride);
  d["pad"] = tuple_of(l.window.pad), d["dilation"] = tuple_of(l.window.dilation);
  d["num_output"] = l.num_output, d["group"] = l.group, d["bias_term"] = l.bias_term;
  d["pool"] = static_cast<int>(l.pool), d["global_pooling"] = l.global_pooling, d["axis"] = l.axis;
  d["local_size"] = l.local_size, d["alpha"] = l.alpha, d["beta"] = l.beta, d["k"] = l.k;
  d["within_channel"] = l.within_channel, d["dropout_ratio"] = l.dropout_ratio;
  d["negative_slope"] = l.negative_slope, d["operation"] = static_cast<int>(l.operation);
  d["coefficients"] = tuple_of(l.coefficients), d["slice_points"] = tuple_of(l.slice_points);
  d["shape"] = tuple_of(l.shape), d["first_axis"] = l.first_axis, d["num_axes"] = l.num_axes;
  d["transpose"] = l.transpose, d["round_down"] = l.round_down, d["by_batch_size"] = l.by_batch_size;
  d["ignore_label"] = l.ignore_label.value_or(-1), d["unsupported"] = l.unsupported;
  d["use_global_stats"] = l.use_global_stats ? nb::object(nb::bool_(*l.use_global_stats)) : nb::none();
  d["moving_average_fraction"] = l.moving_average_fraction, d["eps"] = l.eps, d["engine"] = l.engine;
  return d;
}

// A model whose call is that of a Python object.
class Called : public Link {
 public:
  explicit Called(nb::handle model) : model_(model) {}
  Variables call(const Variables& x) override {
    const nb::object y = model_(nb::steal(wrap(x[0])));
    Variables out;
    if (const Variable* v = as_variable(y.ptr())) {
      out.push_back(*v);
    } else {
      for (nb::handle one : y) {
        const Variable* const each = as_variable(one.ptr());
        if (!each) throw TypeError("export: the model returns an object that is not a Variable");
        out.push_back(*each);
      }
    }
    return out;
  }
  using Link::call;

 private:
  nb::handle model_;
};

}  // namespace

void bind_caffe(nb::module_& m) {
  m.def(
      "read_net",
      [](const std::string& path) {
        const chainer::caffe::Net net = chainer::caffe::read_net(path, chainer::caffe::BlobShapes::declared);
        nb::list layers;
        for (const Layer& l : net.layers) layers.append(dictionary(l));
        return nb::make_tuple(net.name, layers);
      },
      "path"_a, "Returns the name of a model file and its layers.");
  m.def(
      "export_model",
      [](nb::handle model, const Variable& x, const std::optional<std::string>& directory, bool export_params,
         const std::string& graph_name) {
        Called called(model);
        std::optional<std::filesystem::path> folder;
        if (directory) folder = *directory;
        exporters::caffe::export_model(called, {x}, folder, {.export_params = export_params, .graph_name = graph_name});
      },
      "model"_a, "x"_a, "directory"_a.none(), "export_params"_a, "graph_name"_a, "Writes a model for Caffe.");
}

}  // namespace chainer::python

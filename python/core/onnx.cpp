// SPDX-License-Identifier: MIT
// Models in the ONNX format, and prepared networks.
#include "chainer/onnx/onnx.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/tuple.h>

#include "chainer/inference/prepare.h"
#include "chainer/inference/quantize.h"
#include "python/core/casters.h"
#include "python/core/python_link.h"

namespace chainer::python {
namespace {

using chainer::onnx::DynamicAxis;
using chainer::onnx::ExportOptions;
using chainer::onnx::Model;
using chainer::onnx::TensorInfo;
using inference::Prepared;
using inference::Quantized;
using Axis = std::tuple<std::string, std::size_t, int64_t>;
using Metadata = std::vector<std::pair<std::string, std::string>>;

std::vector<DynamicAxis> axes_of(const std::vector<Axis>& axes) {
  std::vector<DynamicAxis> out;
  for (const auto& [name, input, axis] : axes) out.push_back({name, input, axis});
  return out;
}

// A model of a file, and the Parameters of Python that have its variables.
struct Imported {
  explicit Imported(Model m) : model(std::move(m)) {}
  Model model;
  std::vector<std::pair<nb::object, Parameter>> parameters;

  // Takes over arrays that parameters were given, and drops what was computed from arrays that NumPy may write to.
  void refresh() {
    bool seen = false;
    for (auto& [object, p] : parameters) {
      const Variable& now = as_handle(object.ptr())->v;
      if (now && !now.array().is(p.array())) p.set_array(now.array());
      seen = seen || is_shared(p.array());
    }
    if (seen) model.refresh();
  }
};

nb::list named(const std::vector<std::pair<std::string, Array>>& arrays) {
  nb::list out;
  for (const auto& [name, a] : arrays) out.append(nb::make_tuple(name, nb::steal(to_numpy(a))));
  return out;
}

std::vector<std::pair<std::string, Array>> persistents(Model& model) {
  struct Visitor : MemberVisitor {
    void persistent(const std::string& n, Array& a) override {
      if (a) found.emplace_back(path + "/" + n, a);
    }
    using MemberVisitor::persistent;
    std::string path;
    std::vector<std::pair<std::string, Array>> found;
  };
  Visitor v;
  for (const auto& [path, l] : model.namedlinks()) {
    v.path = path == "/" ? "" : path;
    l->visit(v);
  }
  return v.found;
}

nb::list infos(const std::vector<TensorInfo>& all) {
  nb::list out;
  for (const TensorInfo& i : all) {
    nb::object shape = nb::none();
    if (i.shape) {
      nb::list lengths;
      for (const int64_t n : *i.shape) lengths.append(n < 0 ? nb::none() : nb::object(nb::int_(n)));
      shape = nb::tuple(lengths);
    }
    out.append(nb::make_tuple(i.name, nb::steal(dtype_to_python(i.dtype)), shape));
  }
  return out;
}

inference::Calibration calibration_of(const std::string& name) {
  using enum inference::Calibration;
  if (name == "largest") return largest;
  if (name == "percentile") return percentile;
  if (name == "least_squares") return least_squares;
  throw ValueError("quantize: calibration must be largest, percentile or least_squares, not '", name, "'");
}

// A prepared network of Python: each call may run on a thread of its own.
Arrays answer(const Prepared& p, const std::vector<Array>& inputs) {
  Arrays in;
  for (const Array& a : inputs) in.push_back(a);
  const Unlocked unlocked(true);
  Arrays out = p(in);
  for (const Array& a : out) force(a.body());
  return out;
}

}  // namespace

void bind_onnx(nb::module_& m) {
  nb::class_<Imported>(m, "Model")
      .def("__init__", [](Imported* self, const std::filesystem::path& file) { new (self) Imported(Model(file)); })
      .def_static("from_bytes",
                  [](const nb::bytes& bytes) {
                    return Imported(Model::from_bytes({bytes.c_str(), static_cast<std::size_t>(bytes.size())}));
                  })
      .def("copy",
           [](Imported& self) {
             self.refresh();
             return Imported(self.model.copy(CopyMode::copy));
           })
      .def("namedparams",
           [](Imported& self) {
             nb::list out;
             for (const auto& [path, p] : self.model.namedparams()) out.append(nb::make_tuple(path, p.variable()));
             return out;
           })
      .def("connect",
           [](Imported& self, const nb::list& parameters) {
             const auto all = self.model.params();
             for (std::size_t i = 0; i < all.size(); ++i)
               self.parameters.emplace_back(nb::borrow(parameters[i]), all[i]);
           })
      .def("persistents", [](Imported& self) { return named(persistents(self.model)); })
      .def("forward",
           [](Imported& self, const Variables& inputs) {
             self.refresh();
             const Unlocked unlocked(inputs);
             return self.model.forward(inputs);
           })
      .def("refresh", [](Imported& self) { self.model.refresh(); })
      .def("operator_count", [](Imported& self, Flag simplified) { return self.model.operator_count(simplified); })
      .def("refused_replay", [](Imported& self) { return self.model.refused_replay(); })
      .def_prop_ro("inputs", [](Imported& self) { return infos(self.model.inputs()); })
      .def_prop_ro("outputs", [](Imported& self) { return infos(self.model.outputs()); })
      .def_prop_ro("opset", [](Imported& self) { return self.model.opset(); })
      .def_prop_ro("producer", [](Imported& self) { return self.model.producer(); })
      .def_prop_ro("metadata", [](Imported& self) { return nb::cast(self.model.metadata()); });
  m.def("supported_operators", [] {
    nb::dict out;
    for (const auto& o : chainer::onnx::supported_operators()) out[nb::cast(o.name)] = o.since;
    return out;
  });
  m.def(
      "export_model",
      [](nb::object model, const Variables& inputs, const std::optional<std::filesystem::path>& file,
         std::optional<int64_t> opset, const std::vector<std::string>& input_names,
         const std::vector<std::string>& output_names, Flag dynamic_batch, const std::vector<Axis>& dynamic_axes,
         const std::string& graph_name, const Metadata& metadata, int64_t external_data_from,
         Flag refuse_reads) -> nb::object {
        const ExportOptions options{.opset = opset,
                                    .input_names = input_names,
                                    .output_names = output_names,
                                    .dynamic_batch = dynamic_batch,
                                    .dynamic_axes = axes_of(dynamic_axes),
                                    .graph_name = graph_name,
                                    .metadata = metadata,
                                    .external_data_from = external_data_from,
                                    .refuse_reads = refuse_reads};
        Imported* imported = nullptr;
        std::optional<PythonLink> link;
        if (nb::try_cast(model, imported))
          imported->refresh();
        else
          link.emplace(model);
        Link& exported = imported ? static_cast<Link&>(imported->model) : *link;
        if (file) return chainer::onnx::export_model(exported, inputs, *file, options), nb::none();
        const std::string bytes = chainer::onnx::export_model(exported, inputs, options);
        return nb::bytes(bytes.data(), bytes.size());
      },
      "model"_a, "inputs"_a, "file"_a.none(), "opset"_a.none(), "input_names"_a, "output_names"_a, "dynamic_batch"_a,
      "dynamic_axes"_a, "graph_name"_a, "metadata"_a, "external_data_from"_a, "refuse_reads"_a);
}

void bind_inference(nb::module_& m) {
  nb::class_<Prepared>(m, "Prepared")
      .def("__call__", [](const Prepared& p, const std::vector<Array>& inputs) { return answer(p, inputs); })
      .def("warm_up",
           [](const Prepared& p, const std::vector<Array>& inputs) {
             for (int call = 0; call < 3; ++call) (void)answer(p, inputs);
           })
      .def("refused_replay", &Prepared::refused_replay)
      .def("operator_count", &Prepared::operator_count);
  nb::class_<Quantized>(m, "Quantized")
      .def("network", [](const Quantized& q) { return q.network(); })
      .def("layers",
           [](const Quantized& q) {
             nb::list out;
             for (const inference::QuantizedLayer& l : q.layers())
               out.append(nb::make_tuple(l.name, l.op, nb::bool_(l.quantized), l.reason, l.error));
             return out;
           })
      .def("report", &Quantized::report)
      .def("save", [](const Quantized& q, const std::filesystem::path& file) { q.save(file); })
      .def("bytes", [](const Quantized& q) { return nb::bytes(q.bytes().data(), q.bytes().size()); });
  m.def(
      "quantize",
      [](nb::object model, const nb::list& batches, const std::string& calibration, double percentile,
         const std::vector<std::string>& leave, Flag dynamic_batch) {
        std::vector<Variables> all;
        for (const nb::handle batch : batches) all.push_back(nb::cast<Variables>(batch));
        const inference::QuantizeOptions options{.calibration = calibration_of(calibration),
                                                 .percentile = percentile,
                                                 .leave = leave,
                                                 .dynamic_batch = dynamic_batch};
        if (Imported* imported = nullptr; nb::try_cast(model, imported)) {
          imported->refresh();
          return inference::quantize(imported->model, all, options);
        }
        PythonLink link(model);
        return inference::quantize(link, all, options);
      },
      "model"_a, "batches"_a, "calibration"_a, "percentile"_a, "leave"_a, "dynamic_batch"_a);
  m.def(
      "prepare",
      [](nb::object model, const Variables& inputs, Flag dynamic_batch, const std::vector<Axis>& dynamic_axes) {
        Imported* imported = nullptr;
        if (nb::try_cast(model, imported)) {
          imported->refresh();
          return inference::prepare(imported->model.copy(CopyMode::copy), inputs);
        }
        PythonLink link(model);
        return inference::prepare(link, inputs,
                                  {.dynamic_batch = dynamic_batch, .dynamic_axes = axes_of(dynamic_axes)});
      },
      "model"_a, "inputs"_a, "dynamic_batch"_a, "dynamic_axes"_a);
}

}  // namespace chainer::python

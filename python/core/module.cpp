// SPDX-License-Identifier: MIT
#include "python/core/device_array.h"

namespace chainer::python {
void bind_functions(nb::module_& m);
void bind_caffe(nb::module_& m);
void bind_extensions(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_onnx(nb::module_& m);
void bind_quantized_matrix(nb::module_& m);
void bind_repeated_state(nb::module_& m);
void bind_safetensors(nb::module_& m);
void bind_static_graph(nb::module_& m);
void bind_summary(nb::module_& m);
void bind_timeline(nb::module_& m);
void bind_tokenizers(nb::module_& m);
}  // namespace chainer::python

NB_MODULE(_core, m) {
  namespace cp = chainer::python;
  nb::set_leak_warnings(false);
  cp::import_numpy();
  cp::bind_errors(m);
  cp::bind_device_arrays(m);
  nb::module_ devices = m.def_submodule("devices");
  cp::bind_devices(devices);
  cp::bind_device_routines(devices);
  cp::bind_device_exchange(devices);
  cp::bind_device_groups(devices);
  nb::module_ text_kernels = m.def_submodule("text_kernels");
  cp::bind_text_kernels(text_kernels);
  cp::bind_variable(m);
  cp::bind_nodes(m);
  cp::bind_hooks(m);
  cp::bind_config(m);
  cp::bind_updates(m);
  cp::bind_cycles(m);
  // nanobind's types of functions are closed to attributes; inspect.signature() asks their instances for __signature__.
  m.def("_set_on_type", [](nb::handle type, const char* name, nb::handle value) {
    auto* const t = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (PyDict_SetItemString(t->tp_dict, name, value.ptr()) < 0) throw nb::python_error();
    PyType_Modified(t);
  });
  nb::module_ f = m.def_submodule("functions");
  cp::bind_functions(f);
  cp::bind_adapters(f);
  nb::module_ caffe = m.def_submodule("caffe");
  cp::bind_caffe(caffe);
  nb::module_ onnx = m.def_submodule("onnx");
  cp::bind_onnx(onnx);
  cp::bind_inference(onnx);
  nb::module_ extensions = m.def_submodule("extensions");
  cp::bind_extensions(extensions);
  cp::bind_quantized_matrix(m);
  cp::bind_repeated_state(m);
  cp::bind_safetensors(m);
  cp::bind_static_graph(m);
  cp::bind_summary(m);
  nb::module_ timeline = m.def_submodule("timeline");
  cp::bind_timeline(timeline);
  cp::bind_tokenizers(m);
}

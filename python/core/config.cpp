// SPDX-License-Identifier: MIT
// The entries of chainer.config that the library also has, of this thread or of the process.
#include "chainer/autograd/config.h"

#include "python/core/casters.h"

namespace chainer::python {
namespace {

template <class T, class V>
void set(Config& c, bool global, Option<T> Config::*entry, nb::handle value) {
  if (value.is_none() && !global) return (c.*entry).restore(std::nullopt);
  c.*entry = static_cast<T>(nb::cast<V>(value));
}

// A dtype, or one of the objects chainer.mixed16 and chainer.mixed_bfloat16.
void set_dtype(Config& c, bool global, nb::handle value) {
  if (!nb::hasattr(value, "_mixed_name")) return set<DefaultDtype, Dtype>(c, global, &Config::dtype, value);
  c.dtype = nb::cast<std::string>(value.attr("_mixed_name")) == "mixed16" ? mixed16 : mixed_bfloat16;
}

constexpr std::pair<const char*, Option<std::string> Config::*> kTexts[] = {
    {"use_cudnn", &Config::use_cudnn}, {"use_cudnn_tensor_core", &Config::use_cudnn_tensor_core}};

bool set_entry(const std::string& key, nb::handle value, bool global) {
  Config& c = global ? global_config() : config();
  static constexpr std::pair<const char*, Option<bool> Config::*> kFlags[] = {
      {"autotune", &Config::autotune},
      {"cudnn_deterministic", &Config::cudnn_deterministic},
      {"debug", &Config::debug},
      {"enable_backprop", &Config::enable_backprop},
      {"in_recomputing", &Config::in_recomputing},
      {"keep_graph_on_report", &Config::keep_graph_on_report},
      {"lazy_grad_sum", &Config::lazy_grad_sum},
      {"train", &Config::train},
      {"type_check", &Config::type_check}};
  for (const auto& [name, entry] : kFlags)
    if (key == name) return set<bool, Flag>(c, global, entry, value), true;
  for (const auto& [name, entry] : kTexts)
    if (key == name) return set<std::string, std::string>(c, global, entry, value), true;
  if (key == "dtype") return set_dtype(c, global, value), true;
  return false;
}

}  // namespace

void bind_config(nb::module_& m) {
  m.def("set_config", &set_entry, "key"_a, "value"_a.none(), "for_all"_a = false);
  m.def("config_text", [](const std::string& key) -> std::string {
    for (const auto& [name, entry] : kTexts)
      if (key == name) return (config().*entry).get();
    throw KeyError("config_text: no entry ", key);
  });
  // Whether graphs are recorded, which backward() and grad() also change; and this thread's own value, if any.
  m.def("backprop_enabled", [] { return static_cast<bool>(config().enable_backprop); });
  m.def("own_backprop_mode", [] { return config().enable_backprop.local(); });
}

}  // namespace chainer::python

#include "chainer/autograd/config.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "chainer/backend/cpu/parallel.h"

namespace chainer {
namespace {

std::string environment(const char* name, const char* otherwise) {
  const char* v = std::getenv(name);
  return v ? v : otherwise;
}
bool flag(const char* name, bool otherwise) {
  const std::string v = environment(name, otherwise ? "1" : "0");
  return !v.empty() && v != "0";
}
Dtype default_dtype() {
  const std::string v = environment("CHAINER_DTYPE", "float32");
  if (v == "float16" || v == "float32" || v == "float64") return parse_dtype(v);
  throw TypeError("CHAINER_DTYPE must be float16, float32 or float64, not '", v, "'");
}

// Calls f(name, entry) for every entry: the one list of their names.
template <class C, class F>
void for_entries(C& c, F&& f) {
  f("autotune", c.autotune);
  f("cudnn_deterministic", c.cudnn_deterministic);
  f("cudnn_fast_batch_normalization", c.cudnn_fast_batch_normalization);
  f("debug", c.debug);
  f("dtype", c.dtype);
  f("enable_backprop", c.enable_backprop);
  f("flush_denormals", c.flush_denormals);
  f("in_recomputing", c.in_recomputing);
  f("keep_graph_on_report", c.keep_graph_on_report);
  f("lazy_grad_sum", c.lazy_grad_sum);
  f("train", c.train);
  f("type_check", c.type_check);
  f("use_cudnn", c.use_cudnn);
  f("use_cudnn_tensor_core", c.use_cudnn_tensor_core);
  f("use_ideep", c.use_ideep);
}

std::string value_text(bool v) { return v ? "True" : "False"; }
std::string value_text(Dtype v) { return to_string(v); }
std::string value_text(const std::string& v) { return v; }
std::string value_text(const std::any& v) {
  if (const auto* s = std::any_cast<const char*>(&v)) return *s;
  if (const auto* s = std::any_cast<std::string>(&v)) return *s;
  if (const auto* i = std::any_cast<int>(&v)) return std::to_string(*i);
  if (const auto* d = std::any_cast<double>(&v)) return text(*d);
  if (const auto* b = std::any_cast<bool>(&v)) return value_text(*b);
  return "...";
}

}  // namespace

Config::Config()
    : cudnn_fast_batch_normalization(flag("CHAINER_CUDNN_FAST_BATCH_NORMALIZATION", false)),
      debug(flag("CHAINER_DEBUG", false)),
      dtype(default_dtype()),
      flush_denormals(flag("CHAINER_FLUSH_DENORMALS", true)),
      keep_graph_on_report(flag("CHAINER_KEEP_GRAPH_ON_REPORT", false)),
      lazy_grad_sum(flag("CHAINER_LAZY_GRAD_SUM", false)),
      type_check(flag("CHAINER_TYPE_CHECK", true)),
      use_cudnn(environment("CHAINER_USE_CUDNN", "auto")),
      use_ideep(environment("CHAINER_USE_IDEEP", "never")) {}

Config::Config(const Config& parent) : Config() {
  parent_ = &parent;
  const auto link = [](auto& mine, const auto& theirs) { mine.follow(&theirs); };
  link(autotune, parent.autotune);
  link(cudnn_deterministic, parent.cudnn_deterministic);
  link(cudnn_fast_batch_normalization, parent.cudnn_fast_batch_normalization);
  link(debug, parent.debug);
  link(dtype, parent.dtype);
  link(enable_backprop, parent.enable_backprop);
  link(flush_denormals, parent.flush_denormals);
  link(in_recomputing, parent.in_recomputing);
  link(keep_graph_on_report, parent.keep_graph_on_report);
  link(lazy_grad_sum, parent.lazy_grad_sum);
  link(train, parent.train);
  link(type_check, parent.type_check);
  link(use_cudnn, parent.use_cudnn);
  link(use_cudnn_tensor_core, parent.use_cudnn_tensor_core);
  link(use_ideep, parent.use_ideep);
}

std::string Config::show() const {
  std::map<std::string, std::string> lines;
  for_entries(*this, [&](const char* key, const auto& entry) { lines[key] = value_text(entry.get()); });
  for (const Config* c = this; c; c = c->parent_)
    for (const auto& [key, value] : c->user) lines.try_emplace(key, value_text(value));
  std::size_t width = 0;
  for (const auto& [key, value] : lines) width = std::max(width, key.size());
  std::string out;
  for (const auto& [key, value] : lines) out += key + std::string(width - key.size() + 1, ' ') + value + "\n";
  return out;
}

const std::any& Config::find(std::string_view key) const {
  for (const Config* c = this; c; c = c->parent_)
    if (auto it = c->user.find(key); it != c->user.end()) return it->second;
  throw KeyError("configuration has no key '", key, "'");
}

Config& global_config() {
  static Config c;
  return c;
}
Config& detail::make_thread_config() {
  thread_local Config c(global_config());
  thread_config = &c;
  if (c.flush_denormals) cpu::flush_denormals(true);
  return c;
}

bool UsingConfig::set_flag(std::string_view key, bool value) {
  bool found = false;
  for_entries(config(), [&]<class T>(const char* name, Option<T>& entry) {
    if constexpr (std::is_same_v<T, bool>) {
      if (key != name) return;
      restore_ = [&entry, old = entry.local()] { entry.restore(old); };
      entry = value;
      found = true;
    }
  });
  return found;
}

void UsingConfig::set_user(std::string_view key, std::any value) {
  auto& user = config().user;
  std::optional<std::any> old;
  if (auto it = user.find(key); it != user.end()) old = it->second;
  restore_ = [name = std::string(key), old = std::move(old), &user] {
    if (old)
      user[name] = *old;
    else
      user.erase(name);
  };
  user[std::string(key)] = std::move(value);
}

bool is_debug() { return config().debug; }
void set_debug(bool debug) { config().debug = debug; }
Dtype get_dtype(std::optional<Dtype> dtype) { return dtype ? *dtype : config().dtype.get(); }

}  // namespace chainer

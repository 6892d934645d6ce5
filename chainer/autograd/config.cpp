// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "chainer/array/recording/watch.h"
#include "chainer/core/error.h"
#include "chainer/core/parallel.h"

namespace chainer {

std::string detail::text_from_environment(const char* name, const char* otherwise) {
  const char* v = std::getenv(name);
  return v ? v : otherwise;
}
bool detail::flag_from_environment(const char* name, bool otherwise) {
  const std::string v = text_from_environment(name, otherwise ? "1" : "0");
  return !v.empty() && v != "0";
}
DefaultDtype detail::dtype_from_environment(const char* name, const char* otherwise) {
  const std::string v = text_from_environment(name, otherwise);
  if (v == "mixed16") return mixed16;
  if (v == "mixed_bfloat16") return mixed_bfloat16;
  if (v == "float16" || v == "bfloat16" || v == "float32" || v == "float64") return parse_dtype(v);
  throw TypeError(name, " must be float16, bfloat16, float32, float64, mixed16 or mixed_bfloat16, not '", v, "'");
}

namespace {

// Calls f(name, member) for every entry. The only list of their names.
template <class F>
void for_entries(F&& f) {
  f("autotune", &Config::autotune);
  f("cudnn_deterministic", &Config::cudnn_deterministic);
  f("cudnn_fast_batch_normalization", &Config::cudnn_fast_batch_normalization);
  f("debug", &Config::debug);
  f("dtype", &Config::dtype);
  f("enable_backprop", &Config::enable_backprop);
  f("flush_denormals", &Config::flush_denormals);
  f("in_recomputing", &Config::in_recomputing);
  f("keep_graph_on_report", &Config::keep_graph_on_report);
  f("lazy_grad_sum", &Config::lazy_grad_sum);
  f("train", &Config::train);
  f("type_check", &Config::type_check);
  f("use_cudnn", &Config::use_cudnn);
  f("use_cudnn_tensor_core", &Config::use_cudnn_tensor_core);
  f("use_ideep", &Config::use_ideep);
  f("winograd", &Config::winograd);
}

std::string value_text(bool v) { return v ? "True" : "False"; }
std::string value_text(const DefaultDtype& v) { return to_string(v); }
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

Config::Config(const Config& parent) : parent_(&parent) {
  for_entries([&](const char*, auto entry) { (this->*entry).follow(&(parent.*entry)); });
}

std::string Config::show() const {
  std::map<std::string, std::string> lines;
  for_entries([&](const char* key, auto entry) { lines[key] = value_text((this->*entry).get()); });
  for (const Config* c = this; c; c = c->parent_)
    for (const auto& [key, value] : c->user) lines.try_emplace(key, value_text(value));
  std::size_t width = 0;
  for (const auto& [key, value] : lines) width = std::max(width, key.size());
  std::string out;
  for (const auto& [key, value] : lines) out += key + std::string(width - key.size() + 1, ' ') + value + "\n";
  return out;
}

const std::any& Config::find(std::string_view key) const {
  if (recording::any()) [[unlikely]]
    recording::refuse(text("the configuration's key '", key, "' is read"));
  for (const Config* c = this; c; c = c->parent_)
    if (auto it = c->user.find(key); it != c->user.end()) return it->second;
  throw KeyError("configuration: no entry named '", key, "'");
}

Config& global_config() {
  static Config c;
  return c;
}
Config& detail::make_thread_config() {
  // thread_config is a single thread-local word. Code that runs after the owner's destruction uses the process's
  // entries.
  static thread_local struct Owner {
    ~Owner() { delete std::exchange(thread_config, &global_config()); }
  } owner;
  thread_config = new Config(global_config());
  if (thread_config->flush_denormals) cpu::flush_denormals(true);
  return *thread_config;
}

bool UsingConfig::set_flag(std::string_view key, bool value) {
  bool found = false;
  for_entries([&]<class T>(const char* name, Option<T> Config::*member) {
    if constexpr (std::is_same_v<T, bool>) {
      if (key != name) return;
      Option<T>& entry = config().*member;
      restore_ = [&entry, old = entry.local()] { entry.restore(old); };
      entry = value;
      found = true;
    }
  });
  return found;
}

// A user's key may be any name that does not resemble an entry.
static void check_new_key(std::string_view key) {
  for (const Config* c : {&config(), &global_config()})
    if (c->user.contains(key)) return;
  std::vector<std::string> names;
  for_entries([&](const char* name, auto) { names.emplace_back(name); });
  if (std::find(names.begin(), names.end(), key) != names.end())
    throw TypeError("configuration: the entry '", key, "' requires a value of its own type: UsingConfig(&Config::", key,
                    ", value)");
  if (const std::string near = did_you_mean(std::string(key), names); !near.empty())
    throw KeyError("configuration: no entry named '", key, "'", near);
}

void UsingConfig::set_user(std::string_view key, std::any value) {
  check_new_key(key);
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
Dtype get_dtype(std::optional<Dtype> dtype) { return dtype ? *dtype : config().dtype.get().parameters; }

std::string to_string(const DefaultDtype& d) {
  if (!d.products) return to_string(d.parameters);
  return *d.products == float16 ? "mixed16" : text("mixed_", *d.products);
}

}  // namespace chainer

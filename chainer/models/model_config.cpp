// SPDX-License-Identifier: MIT
#include "chainer/models/model_config.h"

#include "chainer/core/system/file.h"
#include "chainer/functions/activation.h"

namespace chainer::models {

void read_config(const std::filesystem::path& file, std::string_view type,
                 const std::function<void(const json::Value&)>& f) {
  const std::string text = read_file(file, uint64_t{1} << 24);
  try {
    const json::Value v = json::parse(text);
    if (!v.object()) throw ValueError("a configuration must be a JSON object");
    if (const std::string is = json::text_of(v, "model_type", type); is != type)
      throw ValueError("expected the model_type '", type, "', got '", is, "'");
    f(v);
  } catch (const ValueError& e) { throw ValueError(file.string(), ": ", e.what()); }
}

int64_t count_of(const json::Value& config, std::string_view name, int64_t otherwise) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const int64_t n = json::integer_of(config, name, otherwise);
  if (n <= 0 || n > kMost) throw ValueError("'", name, "' must be in 1 ... ", kMost, ", not ", n);
  return n;
}

double share_of(const json::Value& config, std::string_view name, double otherwise) {
  const double v = json::number_of(config, name, otherwise);
  if (!(v >= 0 && v < 1)) throw ValueError("'", name, "' must be in [0, 1), not ", v);
  return v;
}

double eps_of(const json::Value& config, std::string_view name, double otherwise) {
  const double v = json::number_of(config, name, otherwise);
  if (!(v > 0)) throw ValueError("'", name, "' must be positive, not ", v);
  return v;
}

void expect_boolean(std::string_view model, const Array& mask) {
  if (mask && mask.dtype() != Dtype::bool_) throw TypeError(model, ": the mask must be boolean, not ", mask.dtype());
}

std::function<Variable(const Variable&)> activation(const std::string& name) {
  if (name == "gelu") return functions::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh")
    return [](const Variable& x) { return functions::gelu(x, functions::Approximation::tanh); };
  if (name == "relu") return functions::relu;
  if (name == "silu" || name == "swish") return functions::silu;
  throw ValueError("activation '", name,
                   "' is not supported; supported: gelu, gelu_new, gelu_pytorch_tanh, relu, silu");
}

}  // namespace chainer::models

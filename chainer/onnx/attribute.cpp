// SPDX-License-Identifier: MIT
#include "chainer/onnx/model_file.h"

namespace chainer::onnx {
namespace {

Attribute named(std::string name, Attribute::Kind kind) {
  Attribute a;
  a.name = std::move(name);
  a.kind = kind;
  return a;
}

}  // namespace

Attribute attribute(std::string name, int64_t value) {
  Attribute a = named(std::move(name), Attribute::Kind::integer);
  a.integer = value;
  return a;
}
Attribute attribute(std::string name, int value) { return attribute(std::move(name), static_cast<int64_t>(value)); }
Attribute attribute(std::string name, double value) {
  Attribute a = named(std::move(name), Attribute::Kind::real);
  a.real = value;
  return a;
}
Attribute attribute(std::string name, std::string value) {
  Attribute a = named(std::move(name), Attribute::Kind::text);
  a.text = std::move(value);
  return a;
}
Attribute attribute(std::string name, const Dims& values) {
  Attribute a = named(std::move(name), Attribute::Kind::integers);
  a.integers.assign(values.begin(), values.end());
  return a;
}

}  // namespace chainer::onnx

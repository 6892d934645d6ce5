// SPDX-License-Identifier: MIT
// Layers of Caffe for tests.
#pragma once
#include <chainer/chainer.h>

#include "chainer/links/caffe/caffe_function.h"
#include "chainer/links/caffe/net.h"
#include "test.h"

using namespace chainer;
using CaffeLayer = chainer::caffe::Layer;
using chainer::caffe::Net;
using L::caffe::CaffeFunction;

/// Returns true if this build has protobuf; without it, reading throws an error.
inline bool with_protobuf() {
  static const bool has = [] {
    try {
      (void)caffe::write_net({});
      return true;
    } catch (const MissingPartError& e) {
      EXPECT(std::string(e.what()).find("protobuf") != std::string::npos);
      return false;
    }
  }();
  return has;
}

inline Array draw(const Shape& shape, uint32_t seed = 0) {
  return random::RandomState(seed).uniform(-1, 1, shape).astype(float32);
}
inline CaffeLayer layer(const std::string& type, const std::string& name, std::vector<std::string> bottoms,
                        std::vector<std::string> tops, std::vector<Array> blobs = {}) {
  CaffeLayer l;
  l.type = type, l.name = name, l.bottoms = std::move(bottoms), l.tops = std::move(tops), l.blobs = std::move(blobs);
  return l;
}
inline CaffeFunction function_of(CaffeLayer l) {
  Net net;
  net.layers.push_back(std::move(l));
  return CaffeFunction(std::move(net), "net");
}
/// Runs one layer between the blobs x (and t) and y.
inline Variable run(CaffeLayer l, const Variable& x, const Variable& t = {}) {
  CaffeFunction f = function_of(std::move(l));
  NamedVariables in{{"x", x}};
  if (t) in["t"] = t;
  return f(in, {"y"})[0];
}

// SPDX-License-Identifier: MIT
// Files of weights: safetensors, Caffe models, and mapped members of NPZ files.
#include <chainer/chainer.h>

#include <cstdlib>

#include "../targets.h"
#include "chainer/links/caffe/caffe_function.h"
#include "chainer/links/caffe/net.h"
#include "chainer/routines/npy.h"

using namespace chainer;

namespace fuzz {

void safetensors(std::string_view bytes) {
  try {
    const serializers::SafetensorsFile file(std::string(bytes), "fuzzed");
    std::map<std::string, Array> arrays;
    for (const auto& [name, entry] : file.entries()) {
      try {
        const Array a = file.array(name);
        if (a.size() > 0) (void)sum(a.astype(float64)).item<double>();
        arrays[name] = a;
      } catch (const FileError&) {}
    }
    if (arrays.contains("__metadata__")) std::abort();
    const std::string written = serializers::safetensors_bytes(arrays, file.metadata());
    const serializers::SafetensorsFile again(written, "written");
    if (again.entries().size() != arrays.size() || again.metadata() != file.metadata()) std::abort();
    L::Linear link(2, 2);
    for (const auto from : {serializers::WeightNames::own, serializers::WeightNames::pytorch}) {
      try {
        serializers::load_safetensors(file, link, {.from = from, .strict = false});
      } catch (const Error&) {}
    }
    if (link.W.shape() != Shape{2, 2}) std::abort();
  } catch (const Error&) {}
}

void caffemodel(std::string_view bytes) {
  try {
    const chainer::caffe::Net net = chainer::caffe::read_net(bytes, "fuzzed");
    (void)chainer::caffe::to_prototxt(net);
    const std::string written = chainer::caffe::write_net(net);
    if (chainer::caffe::read_net(written, "written").layers.size() != net.layers.size()) std::abort();
    L::caffe::CaffeFunction f(net, "fuzzed");
    const UsingConfig test_mode(&Config::train, false);
    const NoBackpropMode no_graph;
    // Only small images: a model that needs much memory is not a finding.
    int64_t window = 0, numbers = 0;
    for (const chainer::caffe::Layer& l : net.layers) {
      for (std::size_t i = 0; i < 2; ++i)
        window += l.window.kernel[i] + l.window.stride[i] + l.window.pad[i] + l.window.dilation[i];
      window += l.local_size;
      for (int64_t d : l.shape) numbers += d < 0 ? 1 : d;
      for (const Array& b : l.blobs) numbers += b.size();
    }
    if (net.layers.size() < 30 && window < 500 && numbers < 5000) (void)f({{"data", ones({2, 4, 6, 6})}}, {"prob"});
  } catch (const Error&) {}
}

void mapped(std::string_view bytes) {
  try {
    const serializers::NpzFile file(std::string(bytes), "fuzzed");
    for (const std::string& key : file.keys()) {
      try {
        Array a = file.mapped(key);
        if (a && a.size() > 0) a += 1.0;
      } catch (const Error&) {}
    }
  } catch (const Error&) {}
}

}  // namespace fuzz

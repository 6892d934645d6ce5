// SPDX-License-Identifier: MIT
#include <cstdio>

#include "chainer/core/utf8.h"
#include "chainer/links/caffe/caffe_function.h"
#include "chainer/serializers/serializers.h"
#include "command.h"
#include "model_file.h"

namespace tool {
namespace {

int run(const Arguments& a) {
  const std::filesystem::path in = a.positional[0], out = a.positional[1];
  std::map<std::string, chainer::Array> arrays;
  std::map<std::string, std::string> texts;
  std::vector<std::string> nones;
  if (in.extension() == ".caffemodel") {
    // The network's parameters: conv1/W, conv1/b.
    chainer::links::caffe::CaffeFunction model(in);
    chainer::serializers::DictionarySerializer s;
    s.save(model);
    for (const auto& [name, value] : s.target())
      if (const auto* array = std::get_if<chainer::Array>(&value)) arrays[name] = *array;
  } else {
    ModelFile file = open_model_file(in);
    for (const NamedArray& n : file.arrays) {
      if (!n.is_data) continue;
      if (!n.error.empty()) throw chainer::FileError(in.string(), ": '", n.name, "' cannot be read: ", n.error);
      arrays[n.name] = n.same_as.empty() ? n.load() : arrays.at(n.same_as);
    }
    for (const auto& [name, first] : file.links)
      std::fprintf(stderr, "chainer: '%s' is a link to the group '%s': omitted\n", chainer::printable(name).c_str(),
                   chainer::printable(first).c_str());
    texts = std::move(file.texts);
    nones = std::move(file.nones);
  }
  if (out.extension() == ".safetensors" && !nones.empty()) {
    for (const std::string& name : nones)
      std::fprintf(stderr, "chainer: '%s' is None, which safetensors cannot represent: omitted\n",
                   chainer::printable(name).c_str());
    nones.clear();
  }
  write_model_file(out, arrays, texts, nones, !a.has("stored"));
  std::printf("%s: %zu array(s)\n", chainer::printable(out.string()).c_str(), arrays.size());
  return 0;
}

}  // namespace

Command convert_command() {
  return {.name = "convert",
          .arguments = "IN OUT",
          .least = 2,
          .most = 2,
          .summary = "Converts a model file into another format.",
          .description =
              {"The format of IN is determined by its content, that of OUT by its extension: .npz, .h5 or .hdf5, "
               ".safetensors, .npy for one array. Names and values are preserved; strings become metadata of a "
               "safetensors file, and bfloat16 becomes float32 if a format does not support it.",
               "A Caffe model (.caffemodel) is converted to the parameters of the network, named by layer: conv1/W, "
               "conv1/b.",
               "Of an ONNX model (.onnx) the initializers and constants are converted, with their names.",
               "OUT is replaced atomically."},
          .options = {{"stored", "", "do not compress the arrays of an NPZ or HDF5 file"}},
          .run = run};
}

}  // namespace tool

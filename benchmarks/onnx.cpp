// SPDX-License-Identifier: MIT
// The latency of imported models in test mode: bench_onnx [--seconds S] [--threads N] [--batch N] [--first] FILE..., by
// default with batch size 1. Prints one line per file, like chainer_bench. With --first it loads each file and calls
// the model once, and prints the time until the answer. peers/onnx_latency.py compares with onnxruntime.
//
//   bench_onnx --export FOLDER           writes MLP.onnx, LeNet.onnx and ResNet50.onnx with random weights
//   bench_onnx --quantize FOLDER FILE... writes the models with integers of eight bits, calibrated on random inputs
#include <chainer/chainer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace chainer;
namespace fs = std::filesystem;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Array input_of(const onnx::TensorInfo& info, int64_t batch) {
  Shape shape;
  for (int64_t n : info.shape.value_or(std::vector<int64_t>{})) shape.push_back(n < 0 ? batch : n);
  return is_floating(info.dtype) ? random::uniform(0, 1, shape, info.dtype) : zeros(shape, info.dtype);
}

void measure(const fs::path& file, double seconds, int64_t batch, bool first) {
  const double loading = now();
  onnx::Model model(file);
  const double loaded = now();
  Variables in;
  for (const onnx::TensorInfo& info : model.inputs()) in.push_back(Variable(input_of(info, batch), false));
  const UsingConfig test(&Config::train, false);
  const NoBackpropMode no_graph;
  const auto call = [&] {
    for (const Variable& y : model(in)) (void)y.array().raw();
  };
  if (first) {
    const double begin = now();
    call();
    const double load = (loaded - loading) * 1e3, answer = (now() - begin) * 1e3;
    std::printf("%s\t%.4f\tload %.4f\tanswer %.4f\n", file.stem().c_str(), load + answer, load, answer);
    return;
  }
  for (int i = 0; i < 3; ++i) call();
  std::vector<double> took;
  for (const double start = now(); now() - start < seconds || took.size() < 5;) {
    const double begin = now();
    call();
    took.push_back((now() - begin) * 1e3);
  }
  std::sort(took.begin(), took.end());
  std::printf("%s\t%.4f\tmin %.4f\tn %zu\n", file.stem().c_str(), took[took.size() / 2], took[0], took.size());
}

struct LeNet : Chain {
  L::Convolution2D c1{1, 6, 5, {.pad = 2}}, c2{6, 16, 5}, c3{16, 120, 4};
  L::Linear f4{480, 84}, f5{84, 10};
  CHAINER_MEMBERS(LeNet, c1, c2, c3, f4, f5);
  Variable forward(const Variable& x) {
    const Variable h = F::max_pooling_2d(F::relu(c2(F::max_pooling_2d(F::relu(c1(x)), 2))), 2);
    return f5(F::relu(f4(F::reshape(F::relu(c3(h)), {-1, 480}))));
  }
};

void write_models(const fs::path& folder) {
  fs::create_directories(folder);
  const auto write = [&](const char* name, Link& model, const Shape& x) {
    onnx::export_model(model, {Variable(random::uniform(0, 1, x, float32), false)}, folder / name);
  };
  Sequential mlp(L::Linear(784, 1000), F::relu, L::Linear(1000, 1000), F::relu, L::Linear(1000, 10));
  write("MLP.onnx", mlp, {1, 784});
  LeNet lenet;
  write("LeNet.onnx", lenet, {1, 1, 28, 28});
  L::ResNet50Layers resnet(std::nullopt);
  write("ResNet50.onnx", resnet, {1, 3, 224, 224});
}

void quantize(const fs::path& file, const fs::path& folder) {
  onnx::Model model(file);
  std::vector<Variables> batches(4);
  for (Variables& batch : batches)
    for (const onnx::TensorInfo& info : model.inputs()) batch.push_back(Variable(input_of(info, 4), false));
  const inference::Quantized q = inference::quantize(model, batches);
  fs::create_directories(folder);
  q.save(folder / (file.stem().string() + "_int8.onnx"));
  int integers = 0;
  for (const inference::QuantizedLayer& l : q.layers()) integers += l.quantized;
  std::printf("%s: %d of %zu layers compute with integers\n", file.stem().c_str(), integers, q.layers().size());
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 3;
  int64_t batch = 1;
  bool first = false;
  fs::path integers;  // the folder of quantized models
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string arg = argv[i];
      if (i + 1 < argc && arg == "--seconds")
        seconds = std::atof(argv[++i]);
      else if (i + 1 < argc && arg == "--threads")
        cpu::set_thread_count(std::atoi(argv[++i]));
      else if (i + 1 < argc && arg == "--batch")
        batch = std::atoi(argv[++i]);
      else if (arg == "--first")
        first = true;
      else if (i + 1 < argc && arg == "--export")
        write_models(argv[++i]);
      else if (i + 1 < argc && arg == "--quantize")
        integers = argv[++i];
      else if (!integers.empty())
        quantize(arg, integers);
      else
        measure(arg, seconds, batch, first);
    }
  } catch (const std::exception& e) { return std::fprintf(stderr, "bench_onnx: %s\n", e.what()), 1; }
}

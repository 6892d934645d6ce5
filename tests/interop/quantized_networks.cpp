// SPDX-License-Identifier: MIT
// Writes quantized networks, inputs and the integers of all their layers for check_quantized.py:
//   quantized_networks FOLDER
#include <chainer/chainer.h>
#include <chainer/onnx/model_file.h>

#include <cstdio>
#include <fstream>

using namespace chainer;

namespace {

struct Residual : Chain {
  L::Convolution2D conv1{3, 24, 3, {.pad = 1, .nobias = true}}, conv2{24, 24, 3, {.pad = 1}};
  L::Convolution2D depthwise{24, 24, 3, {.stride = 2, .pad = 1, .groups = 24}}, conv3{24, 40, 1};
  L::BatchNormalization bn1{24};
  L::Linear l1{40, 30}, l2{30, 5};
  CHAINER_MEMBERS(Residual, conv1, conv2, depthwise, conv3, bn1, l1, l2);
  Variable forward(const Variable& x) {
    const Variable h = F::max_pooling_2d(F::relu(bn1(conv1(x))), 2);
    const Variable y = F::relu(conv3(F::clip(depthwise(F::relu(conv2(h) + h)), 0, 6)));
    const Variable means = F::average_pooling_2d(y, {y.shape(2), y.shape(3)});
    return l2(F::tanh(l1(F::reshape(means, {x.shape(0), 40}))));
  }
};

// Recurrent layers on sequences (N, 11, 6).
struct Recurrent : Chain {
  L::NStepBiLSTM lstm{1, 6, 24, 0.0};
  L::NStepGRU gru{1, 48, 20, 0.0};
  L::Linear out{20, 4};
  CHAINER_MEMBERS(Recurrent, lstm, gru, out);
  Variable forward(const Variable& x) {
    Variables rows;
    for (int64_t i = 0; i < x.shape(0); ++i) rows.push_back(F::get_item(x, {i}));
    return out(F::concat(gru(Variable(), lstm(Variable(), Variable(), rows).ys).ys, 0));
  }
};

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// Writes the network with all integers as results of the graph, an input and the results.
void write_network(const std::filesystem::path& folder, const std::string& name, const inference::Quantized& q,
                   const Variable& x) {
  onnx::ModelFile file = onnx::read_model(q.bytes(), {}, "quantized");
  const std::size_t own = file.outputs.size();
  for (const onnx::Node& n : file.nodes)
    if (n.op_type == "QuantizeLinear") file.outputs.push_back({n.outputs[0], onnx::element_type(uint8), false, {}});
  const std::string bytes = onnx::write_model(file);
  write(folder / (name + ".onnx"), bytes);
  onnx::Model model = onnx::Model::from_bytes(bytes);
  const UsingConfig test(&Config::train, false);
  const NoBackpropMode no_graph;
  const Variables y = model.forward(Variables{x});
  write(folder / (name + "_input.pb"), onnx::write_tensor(x.array(), "x"));
  for (std::size_t i = 0; i < y.size(); ++i)
    write(folder / (name + "_" + std::to_string(i) + ".pb"), onnx::write_tensor(y[i].array(), file.outputs[i].name));
  std::printf("%s: %d arrays of integers\n", name.c_str(), static_cast<int>(y.size() - own));
}

}  // namespace

int main(int, char** argv) {
  const std::filesystem::path folder = argv[1];
  for (int seed = 0; seed < 6; ++seed) {
    random::seed(static_cast<uint32_t>(seed));
    const inference::QuantizeOptions options{.calibration = static_cast<inference::Calibration>(seed % 3)};
    Residual net;
    for (int i = 0; i < 3; ++i) (void)net(random::normal(0.5, 2, {8, 3, 13, 10}).astype(float32));
    const auto images = [](int64_t n) { return Variable(random::normal(0, 1, {n, 3, 13, 10}).astype(float32), false); };
    write_network(folder, "residual" + std::to_string(seed),
                  inference::quantize(net, {{images(16)}, {images(16)}}, options), images(5));
    Recurrent recurrent;
    const auto sequences = [] { return Variable(random::normal(0, 1, {5, 11, 6}).astype(float32), false); };
    inference::QuantizeOptions fixed = options;
    fixed.dynamic_batch = false;
    write_network(folder, "recurrent" + std::to_string(seed),
                  inference::quantize(recurrent, {{sequences()}, {sequences()}}, fixed), sequences());
  }
}

// Writes what read_exports.py checks with the published onnx and onnxruntime: each row of the table of functions as a
// model of its own, and whole networks. FOLDER/<number>.onnx with <number>_input_<i>.pb and <number>_output_<i>.pb,
// and FOLDER/names.tsv: number, name, and why it was not exported.
#include <chainer/chainer.h>
#include <chainer/onnx/model_file.h>

#include <fstream>

#include "../functions/rows/table.h"

namespace {

using namespace chainer;
namespace fs = std::filesystem;

struct Writer {
  fs::path folder;
  std::ofstream names;
  int count = 0, refused = 0;
  explicit Writer(const fs::path& f) : folder(f), names(f / "names.tsv") {}

  void arrays(const std::string& stem, const char* what, const Variables& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      write_file(folder / text(stem, "_", what, "_", i, ".pb"),
                 onnx::write_tensor(values[i].array(), text(what, "_", i)));
  }
  template <class Run, class Export>
  void write(const std::string& name, const Variables& in, const Run& run, const Export& make) {
    const std::string stem = std::to_string(count++);
    std::string why;
    try {
      const std::string bytes = make();
      UsingConfig test_mode(&Config::train, false);
      NoBackpropMode no_graph;
      arrays(stem, "input", in);
      arrays(stem, "output", run(in));
      write_file(folder / (stem + ".onnx"), bytes);
    } catch (const Error& e) {
      why = e.what();
      std::replace(why.begin(), why.end(), '\n', ' ');
      ++refused;
    }
    names << stem << '\t' << name << '\t' << why << '\n';
  }
  void row(const testing::OpCase& c) {
    Variables in;
    for (const Array& a : c.inputs) in.push_back(Variable(is_floating(a.dtype()) ? a.astype(float32) : a, false));
    write(c.name + ": " + c.python, in, c.function,
          [&] { return onnx::export_function(c.function, in, {.opset = 18, .dynamic_batch = false}); });
  }
  void model(const std::string& name, Link& link, const Variables& in) {
    write(
        "model " + name, in, [&](const Variables& x) { return link.call(x); },
        [&] { return onnx::export_model(link, in); });
  }
};

struct LeNet : Chain {
  L::Convolution2D c1{1, 6, 5}, c2{6, 16, 5}, c3{16, 120, 4};
  L::Linear f4{120, 84}, f5{84, 10};
  CHAINER_MEMBERS(LeNet, c1, c2, c3, f4, f5);
  Variable forward(const Variable& x) {
    const Variable a = F::max_pooling_2d(F::sigmoid(c1(x)), 2, {.stride = 2});
    const Variable b = F::max_pooling_2d(F::sigmoid(c2(a)), 2, {.stride = 2});
    return f5(F::sigmoid(f4(F::reshape(F::sigmoid(c3(b)), {x.shape()[0], 120}))));
  }
};

struct Generator : Chain {
  L::Linear l0{16, 4 * 4 * 32};
  L::Deconvolution2D d1{32, 16, 4, {.stride = 2, .pad = 1}}, d2{16, 3, 4, {.stride = 2, .pad = 1}};
  L::BatchNormalization b0{4 * 4 * 32}, b1{16};
  CHAINER_MEMBERS(Generator, l0, d1, d2, b0, b1);
  Variable forward(const Variable& z) {
    const Variable h = F::reshape(F::relu(b0(l0(z))), {z.shape()[0], 32, 4, 4});
    return F::sigmoid(d2(F::relu(b1(d1(h)))));
  }
};

// Ids (N, T) to scores (N, T, words), by a layer of LSTM over the sequences.
struct LanguageModel : Chain {
  L::EmbedID embed{50, 12};
  L::NStepLSTM lstm{1, 12, 16, 0.0};
  L::Linear out{16, 50};
  CHAINER_MEMBERS(LanguageModel, embed, lstm, out);
  Variable forward(const Variable& ids) {
    const int64_t n = ids.shape()[0], t = ids.shape()[1];
    Variables rows;
    for (const Variable& row : F::separate(embed(ids), 0)) rows.push_back(row);
    const auto result = lstm(Variable(), Variable(), rows);
    return F::reshape(out(F::reshape(F::stack(result.ys, 0), {n * t, 16})), {n, t, 50});
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: onnx_export FOLDER\n"), 2;
  random::seed(0);
  Writer w(argv[1]);
  for (const testing::OpCase& c : table::rows()) w.row(c);
  const auto images = [](const Shape& s) { return Variables{Variable(random::normal(0, 1, s, float32), false)}; };
  Sequential mlp(L::Linear(784, 100), F::relu, L::Linear(100, 100), F::relu, L::Linear(100, 10));
  w.model("MLP", mlp, images({3, 784}));
  LeNet lenet;
  w.model("LeNet", lenet, images({2, 1, 28, 28}));
  Generator generator;
  w.model("DCGAN generator", generator, images({2, 16}));
  LanguageModel words;
  w.model("LSTM language model", words, {Variable(random::randint(0, 50, {2, 7}, int32), false)});
  L::VGG16Layers vgg(std::nullopt);
  w.model("VGG16", vgg, images({1, 3, 224, 224}));
  L::ResNet50Layers resnet(std::nullopt);
  w.model("ResNet50", resnet, images({1, 3, 224, 224}));
  std::printf("%d models, %d of them refused\n", w.count, w.refused);
}

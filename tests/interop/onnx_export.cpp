// SPDX-License-Identifier: MIT
// Writes files that read_exports.py checks with the published onnx and onnxruntime: each row of the table of functions
// as a model, whole networks, and imported operator tests exported again. FOLDER/<number>.onnx, and for each file
// several sets of inputs and outputs, <number>_<set>_input_<i>.pb and <number>_<set>_output_<i>.pb: those of the
// export, other numbers and integers, and other batch lengths if the file supports them. FOLDER/names.tsv has number,
// name, and the reason if it was not exported.
#include <chainer/chainer.h>
#include <chainer/core/system/file.h>
#include <chainer/onnx/model_file.h>

#include <algorithm>
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

  // Writes without fsync(), since there are tens of thousands of files.
  static void put_file(const fs::path& at, const std::string& bytes) {
    std::ofstream out(at, std::ios::binary);
    if (!out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
      throw std::runtime_error("cannot write " + at.string());
  }
  void arrays(const std::string& stem, const char* what, const Variables& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      put_file(folder / text(stem, "_", what, "_", i, ".pb"),
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
      put_file(folder / (stem + ".onnx"), bytes);
      int sets = 0;
      const auto put = [&](const Variables& inputs) {
        const Variables outputs = run(inputs);
        const std::string at = text(stem, "_", sets++);
        arrays(at, "input", inputs);
        arrays(at, "output", outputs);
      };
      put(in);
      std::vector<Variables> others = {shuffled(in, false), shuffled(in, true)};
      if (any_batch(bytes)) {
        ++dynamic;
        for (const int64_t n : {in[0].shape()[0] + 2, int64_t(2), int64_t(5)}) others.push_back(with_batch(in, n));
      }
      for (const Variables& other : others) {
        try {
          put(other);
        } catch (const std::exception&) {}  // the function does not support these inputs
      }
    } catch (const Error& e) {
      why = e.what();
      std::replace(why.begin(), why.end(), '\n', ' ');
      ++refused;
    }
    names << stem << '\t' << name << '\t' << why << '\n';
  }
  static bool any_batch(const std::string& bytes) {
    const onnx::ModelFile file = onnx::read_model(bytes, {}, "export");
    return !file.inputs.empty() && std::all_of(file.inputs.begin(), file.inputs.end(), [](const onnx::ValueInfo& v) {
      return !v.shape.empty() && v.shape[0].name == "batch";
    });
  }
  // Permutes elements; makes floating ones slightly smaller, and with `other_integers` draws integers of the same
  // range.
  Variables shuffled(const Variables& in, bool other_integers) {
    Variables out;
    for (const Variable& v : in) {
      const Array& a = v.array();
      const Array order = draws.permutation(a.size());
      Array b = take(a.ravel(), order, 0).reshape(a.shape());
      if (is_floating(a.dtype()))
        b = (b * (1.0 - draws.rand(a.shape()) * 0.125)).astype(a.dtype());
      else if (other_integers && a.size())
        b = a.dtype() == bool_ ? draws.rand(a.shape()) < 0.5
                               : draws
                                     .randint(std::min<int64_t>(0, min(a).item<int64_t>()),
                                              std::max<int64_t>(1, max(a).item<int64_t>()) + 1, a.shape())
                                     .astype(a.dtype());
      out.push_back(Variable(b, false));
    }
    return out;
  }
  Variables with_batch(const Variables& in, int64_t n) {
    Variables rows;
    for (const Variable& v : in)
      rows.push_back(Variable(take(v.array(), (arange(n) * 2 + 1) % v.shape()[0], 0), false));
    Variables out;
    for (const Variable& v : rows) out.push_back(is_floating(v.dtype()) ? shuffled({v}, false)[0] : v);
    return out;
  }

  // Exports a row with all inputs, and with the first input only, the others being constants.
  void row(const testing::OpCase& c) {
    Variables in;
    for (const Array& a : c.inputs) in.push_back(Variable(is_floating(a.dtype()) ? a.astype(float32) : a, false));
    write(c.name + ": " + c.python, in, c.function,
          [&] { return onnx::export_function(c.function, in, {.opset = 18}); });
    if (in.size() < 2 || in[0].ndim() == 0) return;
    const auto first = [&](const Variables& x) {
      Variables all = in;
      all[0] = x[0];
      return c.function(all);
    };
    write(c.name + " of one input: " + c.python, {in[0]}, first,
          [&] { return onnx::export_function(first, {in[0]}, {.opset = 18}); });
  }
  void model(const std::string& name, Link& link, const Variables& in) {
    write(
        "model " + name, in, [&](const Variables& x) { return link.clone(CopyMode::share)->call(x); },
        [&] { return onnx::export_model(link, in); });
  }
  // Exports a published operator test: as a model with the operators of its file, and as part of a computation.
  void imported(const fs::path& at) {
    const std::string name = at.filename().string();
    std::unique_ptr<onnx::Model> model;
    Variables in;
    try {
      model = std::make_unique<onnx::Model>(at / "model.onnx");
      for (std::size_t i = 0; i < model->inputs().size(); ++i) {
        const fs::path file = at / "test_data_set_0" / text("input_", i, ".pb");
        in.push_back(Variable(onnx::read_tensor(read_file(file), file.string()), false));
      }
    } catch (const Error&) { return; }  // reported by onnx_cases
    const auto run = [&](const Variables& x) { return model->call(x); };
    const bool random = name.find("bernoulli") != std::string::npos || name.find("random") != std::string::npos;
    write(text("imported ", random ? "random " : "", name), in, run, [&] { return onnx::export_model(*model, in); });
    write(text("imported inside ", random ? "random " : "", name), in, run,
          [&] { return onnx::export_function(run, in); });
  }

  int dynamic = 0;
  random::RandomState draws{1};
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

// Computes scores (N, T, words) from ids (N, T) with an LSTM layer.
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
  if (argc < 2)
    return std::fprintf(stderr, "usage: onnx_export FOLDER [FOLDER OF OPERATOR TESTS [PART OF A NAME]]\n"), 2;
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
  if (argc > 2) {
    const std::string part = argc > 3 ? argv[3] : "";
    std::vector<fs::path> cases;
    for (const auto& entry : fs::directory_iterator(argv[2]))
      if (entry.is_directory() && entry.path().filename().string().find(part) != std::string::npos)
        cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    for (const fs::path& c : cases) w.imported(c);
  }
  std::printf("%d models, %d of them for any batch, %d refused\n", w.count, w.dynamic, w.refused);
}

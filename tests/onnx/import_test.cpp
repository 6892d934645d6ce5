// SPDX-License-Identifier: MIT
#include "cases.h"

#include <chainer/datasets/archive.h>
#include <chainer/datasets/gzip.h>

#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

onnx::Node node(std::string op, std::vector<std::string> in, std::vector<std::string> out) {
  onnx::Node n;
  n.op_type = std::move(op);
  n.inputs = std::move(in);
  n.outputs = std::move(out);
  return n;
}
onnx::ModelFile file_of(std::vector<onnx::Node> nodes, std::vector<std::pair<std::string, Array>> weights) {
  onnx::ModelFile f;
  f.ir_version = 8;
  f.opsets[""] = 13;
  f.nodes = std::move(nodes);
  f.initializers = std::move(weights);
  f.inputs = {{"x", 1, false, {}}};
  f.outputs = {{"y", 1, false, {}}};
  return f;
}
onnx::Model model_of(const onnx::ModelFile& f) { return onnx::Model::from_bytes(onnx::write_model(f)); }

// y = relu(x W + b), with weights below a path.
onnx::ModelFile affine() {
  return file_of(
      {node("MatMul", {"x", "net/l1/W"}, {"h"}), node("Add", {"h", "net/l1/b"}, {"a"}), node("Relu", {"a"}, {"y"})},
      {{"net/l1/W", array({{1.f, -2.f}, {0.5f, 3.f}})}, {"net/l1/b", array({0.25f, -1.f})}});
}

}  // namespace

TEST(published_operator_cases) {
  const test::Folder folder;
  const std::string archive = dataset::gunzip(TEST_DATA "onnx_cases.tar.gz", "onnx_cases.tar.gz");
  std::set<std::string> names;
  for (const dataset::TarMember& m : dataset::tar_members(archive, "onnx_cases.tar.gz")) {
    std::filesystem::create_directories((folder.path / m.name).parent_path());
    write_file(folder.path / m.name, m.bytes);
    names.insert(m.name.substr(0, m.name.find('/')));
  }
  EXPECT(names.size() > 140);
  for (const std::string& n : names) {
    const onnx_cases::Result r = onnx_cases::run_case(folder.path / n);
    ++test::expectations;
    if (r.outcome != onnx_cases::Outcome::passed) test::fail(__FILE__, __LINE__, n + ": " + r.message);
  }
}

TEST(weights_are_parameters_by_path) {
  onnx::Model model = model_of(affine());
  const auto params = model.namedparams();
  EXPECT_EQ(params.size(), 2u);
  EXPECT_EQ(params[0].first, "/net/l1/W");
  EXPECT_EQ(params[1].first, "/net/l1/b");
  const Variable y = model(Variable(array({{1.f, 2.f}})));
  EXPECT_CLOSE(y.array(), array({{2.25f, 3.f}}));
  model.cleargrads();
  F::sum(y).backward();
  EXPECT_CLOSE(params[0].second.grad(), array({{1.f, 1.f}, {2.f, 2.f}}));
}

TEST(a_model_is_trained_saved_and_copied) {
  onnx::Model model = model_of(affine());
  const Variable x(array({{1.f, 2.f}}), false);
  auto optimizer = optimizers::SGD({.lr = 0.1}).setup(model);
  const float before = F::sum(model(x)).item<float>();
  model.cleargrads();
  F::sum(model(x)).backward();
  optimizer.update();
  const float after = F::sum(model(x)).item<float>();
  EXPECT(after < before);
  const test::Folder folder;
  serializers::save_npz(folder.path / "m.npz", model);
  onnx::Model other = model_of(affine());
  onnx::Model copy = model.copy(CopyMode::copy);
  EXPECT_EQ(F::sum(other(x)).item<float>(), before);
  serializers::load_npz(folder.path / "m.npz", other);
  EXPECT_EQ(F::sum(other(x)).item<float>(), after);
  copy.params()[0].set_array(zeros({2, 2}));
  EXPECT_EQ(F::sum(model(x)).item<float>(), after);
}

TEST(test_mode_folds_and_notices_new_weights) {
  onnx::Node bn = node("BatchNormalization", {"h", "scale", "bias", "mean", "var"}, {"y"});
  const Array W = random::RandomState(0).randn({3, 2, 3, 3}, float32);
  onnx::Model model = model_of(file_of({node("Conv", {"x", "W"}, {"h"}), bn}, {{"W", W},
                                                                               {"scale", array({1.f, 2.f, 0.5f})},
                                                                               {"bias", array({0.f, 1.f, -1.f})},
                                                                               {"mean", array({0.1f, 0.2f, 0.3f})},
                                                                               {"var", array({1.f, 4.f, 0.25f})}}));
  UsingConfig test_mode(&Config::train, false);
  const Variable x(random::RandomState(1).randn({2, 2, 5, 5}, float32), false);
  const Array whole = model(x).array();
  {
    NoBackpropMode fixed;
    EXPECT_CLOSE(model(x).array(), whole, {.atol = 1e-5, .rtol = 1e-5});
    EXPECT_EQ(model.operator_count(true), 1u);
    EXPECT_EQ(model.operator_count(), 2u);
    const std::vector<Parameter> params = model.params();
    for (Parameter p : params) p.set_array(p.array() * 0.f);
    EXPECT_CLOSE(model(x).array(), zeros(whole.shape()));
  }
}

TEST(a_fixed_bias_joins_its_product) {
  const Array W = random::RandomState(0).randn({4, 3}, float32), b = random::RandomState(1).randn({3}, float32);
  const auto model = [&](std::vector<std::string> sum, const Array& bias, bool again = false) {
    std::vector<onnx::Node> nodes{node("MatMul", {"x", "W"}, {"h"}), node("Add", std::move(sum), {again ? "s" : "y"})};
    if (again) nodes.push_back(node("Add", {"s", "h"}, {"y"}));
    return model_of(file_of(nodes, {{"W", W}, {"b", bias}}));
  };
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode fixed;
  const auto expect_operators = [&](onnx::Model m, const Array& bias, double factor, std::size_t operators) {
    for (const Shape& s : {Shape{4}, Shape{2, 4}, Shape{2, 5, 4}, Shape{1, 2, 5, 4}}) {
      const Array x = random::RandomState(2).randn(s, float32);
      for (int call = 0; call < 3; ++call)
        EXPECT_CLOSE(m(Variable(x, false)).array(), matmul(x, W) * factor + bias, {.atol = 1e-5, .rtol = 1e-5});
    }
    EXPECT_EQ(m.operator_count(true), operators);
  };
  expect_operators(model({"h", "b"}, b), b, 1, 1);
  expect_operators(model({"b", "h"}, b), b, 1, 1);
  expect_operators(model({"h", "b"}, b, true), b, 2, 3);  // another output needs the product
  const Array one = array({2.f}), wide = b.reshape({1, 3});
  expect_operators(model({"h", "b"}, one), one, 1, 2);
  onnx::Model two_axes = model({"h", "b"}, wide);
  EXPECT_EQ(two_axes(Variable(ones({2, 4}), false)).shape(), Shape({2, 3}));
  EXPECT_EQ(two_axes.operator_count(true), 2u);
}

TEST(statistics_of_batch_normalization_move_in_training) {
  onnx::Model model =
      model_of(file_of({node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"})},
                       {{"s", array({1.f})}, {"b", array({0.f})}, {"m", array({0.f})}, {"v", array({1.f})}}));
  const Variable y = model(Variable(array({{1.f}, {3.f}})));
  EXPECT_CLOSE(y.array(), array({{-1.f}, {1.f}}), {.atol = 1e-4});
  EXPECT_CLOSE(model.persistent("m"), array({0.2f}));
  EXPECT_EQ(model.namedparams().size(), 2u);
}

TEST(what_does_not_fit_is_named) {
  EXPECT_THROW(FileError, "not an ONNX model", onnx::Model::from_bytes("no"));
  EXPECT_THROW(ValueError, "not supported: StringSplit", model_of(file_of({node("StringSplit", {"x"}, {"y"})}, {})));
  EXPECT_THROW(ValueError, "a cycle", model_of(file_of({node("Relu", {"h"}, {"y"}), node("Relu", {"y"}, {"h"})}, {})));
  EXPECT_THROW(ValueError, "two tensors are named 'x'", model_of(file_of({node("Relu", {"x"}, {"x"})}, {})));
  EXPECT_THROW(ValueError, "output 'y' is computed by no node", model_of(file_of({node("Relu", {"x"}, {"h"})}, {})));
  onnx::ModelFile old = affine();
  old.opsets[""] = 99;
  EXPECT_THROW(ValueError, "operator set 99", model_of(old));
  onnx::Model model = model_of(affine());
  EXPECT_THROW(TypeError, "input 'x'", model(Variable(array({1}))));
  EXPECT_THROW(ValueError, "MatMul", model(Variable(array({{1.f, 2.f, 3.f}}))));
  EXPECT_THROW(KeyError, "'x'", model.call(NamedVariables{}));
}

TEST(external_data_stay_in_the_folder) {
  const test::Folder folder;
  onnx::ModelFile file = file_of({node("Add", {"x", "w"}, {"y"})}, {{"w", ones({400})}});
  for (const std::string name : {"w.data", "../w.data", "/etc/hostname"}) {
    std::string external;
    const std::string bytes = onnx::write_model(file, &external, name);
    write_file(folder.path / "w.data", external);
    write_file(folder.path / "m.onnx", bytes);
    if (name == "w.data")
      EXPECT_CLOSE(onnx::Model(folder.path / "m.onnx")(Variable(zeros({400}))).array(), ones({400}));
    else
      EXPECT_THROW(FileError, "not inside the model's folder", onnx::Model(folder.path / "m.onnx"));
  }
  write_file(folder.path / "w.data", "short");
  std::string external;
  write_file(folder.path / "m.onnx", onnx::write_model(file, &external, "w.data"));
  EXPECT_THROW(FileError, "tensor 'w'", onnx::Model(folder.path / "m.onnx"));
}

TEST(the_page_lists_all_operators) {
  const std::string page = read_file(SOURCE_DIR "/docs/onnx.md");
  const auto operators = onnx::supported_operators();
  for (const onnx::SupportedOperator& o : operators) {
    ++test::expectations;
    const std::string entry = text(" ", o.name, " (", o.since, ")");
    if (page.find(entry) == std::string::npos) test::fail(__FILE__, __LINE__, "docs/onnx.md lacks" + entry);
  }
  EXPECT(page.find(text(" ", operators.size(), " operators")) != std::string::npos);
}

TEST(imported_models_train_in_mixed_precision) {
  random::seed(2);
  struct Made {
    static Sequential net() {
      return Sequential(
          L::Convolution2D(1, 4, 3, {.pad = 1}), L::BatchNormalization(4), F::relu,
          [](const Variable& h) {
            return F::reshape(h, {h.shape(0), -1});
          },
          L::Linear(64, 16), F::gelu, L::Linear(16, 3));
    }
  };
  Sequential net = Made::net();
  random::RandomState draw(1);
  const Variable x(draw.normal(0, 1, {8, 1, 4, 4}, float32), false);
  const Array t = draw.randint(0, 3, {8}, int32);
  const std::string file = onnx::export_model(net, {x});
  const auto trained = [&](const DefaultDtype& dtype) {
    const UsingConfig mixed(&Config::dtype, dtype);
    onnx::Model model = onnx::Model::from_bytes(file);
    auto optimizer = optimizers::MomentumSGD({.lr = 0.05}).setup(model);
    double last = 0;
    for (int i = 0; i < 20; ++i)
      optimizer.update([&] {
        const Variable loss = F::softmax_cross_entropy(model.forward(Variables{x})[0], t);
        last = loss.array().item<double>();
        return loss;
      });
    for (const Parameter& p : model.params()) EXPECT_EQ(p.dtype(), float32);
    return last;
  };
  const double expected = trained(float32);
  for (const DefaultDtype& dtype : {mixed16, mixed_bfloat16}) EXPECT(std::abs(trained(dtype) - expected) < 0.05);
}

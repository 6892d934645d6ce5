// SPDX-License-Identifier: MIT
// Files of arrays and links that are on a device.
#include <chainer/chainer.h>
#include <chainer/onnx/onnx.h>

#include <sstream>

#include "../array/bits.h"
#include "captured_stderr.h"
#include "chainer/array/host.h"
#include "chainer/datasets/pickle_dataset.h"
#include "chainer/serializers/safetensors.h"
#include "emulated_number.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

struct SavedNet : Chain {
  L::Convolution2D c{2, 3, 3};
  L::BatchNormalization bn{3};
  L::Linear fc{27, 4};
  CHAINER_MEMBERS(SavedNet, c, bn, fc);
  Variable forward(const Variable& x) { return fc(F::relu(bn(c(x)))); }
};

// Two paths of one parameter.
struct Tied : Chain {
  L::Linear a{3, 3}, b{3, 3};
  Tied() { b.W = a.W; }
  CHAINER_MEMBERS(Tied, a, b);
};

void expect_equal(const Link& got, const Link& want) {
  const auto a = got.namedparams(), b = want.namedparams();
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < b.size(); ++i)
    EXPECT(same_bits(to_host(a[i].second.array()), to_host(b[i].second.array())));
}

}  // namespace

TEST(links_on_a_device_are_saved_and_loaded) {
  random::seed(1);
  const test::Folder folder;
  SavedNet net;
  net.to_device(emulated_number(0));
  const auto round_trip = [&](const std::string& name, auto&& save, auto&& load) {
    const auto path = folder.path / name;
    save(path, net);
    for (const Device& d : {Device(), emulated_number(0)}) {
      SavedNet other;
      other.to_device(d);
      load(path, other);
      expect_equal(other, net);
      EXPECT(other.fc.W.array().device() == d);
    }
  };
  round_trip(
      "a.npz", [](auto& p, Link& l) { serializers::save_npz(p, l); },
      [](auto& p, Link& l) { serializers::load_npz(p, l); });
  round_trip(
      "a.h5", [](auto& p, Link& l) { serializers::save_hdf5(p, l); },
      [](auto& p, Link& l) { serializers::load_hdf5(p, l); });
  round_trip(
      "a.safetensors", [](auto& p, Link& l) { serializers::save_safetensors(p, l); },
      [](auto& p, Link& l) { serializers::load_safetensors(p, l); });
}

TEST(tied_parameters_on_a_device_are_compared) {
  Tied t;
  t.to_device(emulated_number(0));
  std::ostringstream out;
  serializers::save_npz(out, t);
  std::istringstream in(out.str());
  serializers::load_npz(in, t);
  EXPECT_EQ(t.a.W.array().shape(), Shape({3, 3}));
}

TEST(a_model_on_a_device_is_exported) {
  random::seed(2);
  const test::Folder folder;
  SavedNet net;
  net.to_device(emulated_number(0));
  const Array x = random::RandomState(3).randn({2, 2, 5, 5}).astype(float32);
  {
    const test::CapturedStderr said(folder.path / "said.txt");
    onnx::export_model(net, {Variable(x.to_device(emulated_number(0)))}, folder.path / "net.onnx");
    EXPECT_EQ(said.text(), "");
  }
  UsingConfig test_mode(&Config::train, false);
  onnx::Model model(folder.path / "net.onnx");
  EXPECT_CLOSE(model(Variable(x)).array(), to_host(net.forward(Variable(x.to_device(emulated_number(0)))).array()),
               {.atol = 1e-5, .rtol = 1e-5});
}

// Numbers of the file that are not weights meet tensors of the device.
TEST(imported_models_run_on_a_device) {
  random::seed(4);
  const test::Folder folder;
  const auto check = [&](const std::string& name, Link& link, const Array& x) {
    onnx::export_model(link, {Variable(x)}, folder.path / name);
    for (const bool train : {false, true}) {
      UsingConfig mode(&Config::train, train);
      onnx::Model model(folder.path / name);
      const Array want = model(Variable(x)).array();
      model.to_device(emulated_number(0));
      for (int call = 0; call < 3; ++call) {
        const Variable y = model(Variable(x.to_device(emulated_number(0))));
        EXPECT(y.device() == emulated_number(0));
        EXPECT_CLOSE(to_host(y.array()), want, {.atol = 1e-5, .rtol = 1e-4});
      }
    }
  };
  const Array x = random::RandomState(3).randn({2, 5, 8}).astype(float32);
  L::TransformerEncoder encoder(1, 8, 2, {.dropout = 0.0, .activation = F::gelu});
  check("encoder.onnx", encoder, x);
  L::LayerNormalization normalization(8);
  check("normalization.onnx", normalization, x[{Slice(), 0}].copy());
  SavedNet net;
  check("net.onnx", net, random::RandomState(3).randn({2, 2, 5, 5}).astype(float32));
}

TEST(examples_on_a_device_are_written) {
  const test::Folder folder;
  const Array a = array({1.f, 2.f, 3.f});
  {
    datasets::PickleDatasetWriter writer(folder.path / "a.pickle");
    writer.write(Example(a.to_device(emulated_number(0))));
  }
  EXPECT(same_bits(datasets::PickleDataset(folder.path / "a.pickle").get(0)[0], a));
}

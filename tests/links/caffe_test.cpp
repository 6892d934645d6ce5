// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include "caffe_layers.h"
#include "chainer/core/system/file.h"
#include "chainer/exporters/caffe/export_model.h"
#include "folder.h"

namespace fs = std::filesystem;

namespace {

using test::folder;

struct Everything : Chain {
  L::Convolution2D conv{2, 4, {3, 2}, {.stride = {2, 1}, .pad = {1, 0}, .groups = 2}};
  L::BatchNormalization bn{4};
  L::Deconvolution2D deconv{4, 3, {2, 3}, {.stride = 2, .nobias = true}};
  L::Convolution2D dilated{3, 3, 3, {.pad = 2, .dilate = 2}};
  L::Linear fc{72, 5};
  CHAINER_MEMBERS(Everything, conv, bn, deconv, dilated, fc);
  Variable forward(const Variable& x) {
    Variable h = F::leaky_relu(bn(conv(x)), {.slope = 0.1});
    h = F::relu(deconv(h));
    h = F::local_response_normalization(h, {.n = 3, .k = 1, .alpha = 0.2, .beta = 0.5});
    const Variable a = F::max_pooling_2d(h, {2, 3}, {.stride = 2, .pad = {1, 0}});
    const Variable b = F::average_pooling_2d(h, {2, 3}, {.stride = 2, .pad = {1, 0}});
    h = F::concat({F::sigmoid(a), a + b}, 1);
    h = F::concat({dilated(F::reshape(h, {h.shape(0), 3, -1, h.shape(3)}))}, 1);
    return F::softmax(fc(F::reshape(F::reshape(h, {h.shape(0), 2, -1}), {h.shape(0), -1})));
  }
};

struct Unsupported : Chain {
  L::Linear l{3, 2};
  CHAINER_MEMBERS(Unsupported, l);
  Variable forward(const Variable& x) { return F::tanh(l(x)); }
};

}  // namespace

TEST(each_layer_type_of_caffe_computes_its_function) {
  const Array x = draw({2, 4, 5, 6}), W = draw({6, 4, 3, 2}, 1), b = draw({6}, 2);
  CaffeLayer conv = layer("Convolution", "c", {"x"}, {"y"}, {W, b});
  conv.num_output = 6, conv.window.stride = {2, 1}, conv.window.pad = {1, 0};
  EXPECT_CLOSE(run(conv, x).array(), F::convolution_2d(x, W, b, {.stride = {2, 1}, .pad = {1, 0}}).array());
  conv.blobs = {draw({6, 2, 3, 2}), b}, conv.group = 2;
  EXPECT_CLOSE(run(conv, x).array(),
               F::convolution_2d(x, conv.blobs[0], b, {.stride = {2, 1}, .pad = {1, 0}, .groups = 2}).array());

  CaffeLayer deconv = layer("Deconvolution", "d", {"x"}, {"y"}, {draw({4, 3, 2, 3})});
  deconv.num_output = 6, deconv.group = 2, deconv.bias_term = false, deconv.window.stride = {2, 2};
  EXPECT_CLOSE(run(deconv, x).array(), F::deconvolution_2d(x, deconv.blobs[0], {}, {.stride = 2, .groups = 2}).array());

  CaffeLayer full = layer("InnerProduct", "f", {"x"}, {"y"}, {draw({1, 1, 3, 120}), draw({1, 1, 1, 3})});
  full.num_output = 3;
  EXPECT_CLOSE(run(full, x).array(), F::linear(x, full.blobs[0].reshape({3, 120}), full.blobs[1].reshape({3})).array());

  CaffeLayer pool = layer("Pooling", "p", {"x"}, {"y"});
  pool.window.kernel = {3, 2}, pool.window.stride = {2, 2};
  EXPECT_CLOSE(run(pool, x).array(), F::max_pooling_2d(x, {3, 2}, {.stride = 2}).array());
  pool.pool = chainer::caffe::Pool::average;
  EXPECT_CLOSE(run(pool, x).array(), F::average_pooling_2d(x, {3, 2}, {.stride = 2}).array());
  pool.window = {}, pool.global_pooling = true;
  EXPECT_CLOSE(run(pool, x).array(), F::average_pooling_2d(x, {5, 6}).array());

  CaffeLayer lrn = layer("LRN", "n", {"x"}, {"y"});
  lrn.local_size = 3, lrn.alpha = 0.3, lrn.beta = 0.5, lrn.k = 2;
  EXPECT_CLOSE(run(lrn, x).array(),
               F::local_response_normalization(x, {.n = 3, .k = 2, .alpha = 0.1, .beta = 0.5}).array());

  CaffeLayer relu = layer("ReLU", "r", {"x"}, {"y"});
  EXPECT_CLOSE(run(relu, x).array(), F::relu(x).array());
  relu.negative_slope = 0.5;
  EXPECT_CLOSE(run(relu, x).array(), F::leaky_relu(x, {.slope = 0.5}).array());
  EXPECT_CLOSE(run(layer("Sigmoid", "s", {"x"}, {"y"}), x).array(), F::sigmoid(x).array());
  EXPECT_CLOSE(run(layer("Softmax", "s", {"x"}, {"y"}), x).array(), F::softmax(x).array());
  {
    const UsingConfig test_mode(&Config::train, false);
    EXPECT_CLOSE(run(layer("Dropout", "s", {"x"}, {"y"}), x).array(), x);
  }
  const Array scores = draw({3, 4}), labels = array({1, 0, 3});
  EXPECT_CLOSE(run(layer("SoftmaxWithLoss", "l", {"x", "t"}, {"y"}), scores, labels).array(),
               F::softmax_cross_entropy(scores, labels).array());

  const Array t = draw({2, 4, 5, 6}, 7);
  EXPECT_CLOSE(run(layer("Concat", "c", {"x", "t"}, {"y"}), x, t).array(), concatenate({x, t}, 1));
  CaffeLayer wise = layer("Eltwise", "e", {"x", "t"}, {"y"});
  EXPECT_CLOSE(run(wise, x, t).array(), x + t);
  wise.coefficients = {2, -1};
  EXPECT_CLOSE(run(wise, x, t).array(), 2.0 * x - t);
  wise.operation = chainer::caffe::Operation::product;
  EXPECT_CLOSE(run(wise, x, t).array(), x * t);
  wise.operation = chainer::caffe::Operation::maximum;
  EXPECT_CLOSE(run(wise, x, t).array(), maximum(x, t));

  CaffeLayer reshape = layer("Reshape", "r", {"x"}, {"y"});
  reshape.shape = {0, -1, 6};
  EXPECT_EQ(run(reshape, x).shape(), (Shape{2, 20, 6}));

  CaffeLayer scale = layer("Scale", "s", {"x"}, {"y"}, {draw({4}), draw({4}, 1)});
  scale.bias_term = true;
  EXPECT_CLOSE(run(scale, x).array(), F::bias(F::scale(x, scale.blobs[0]), scale.blobs[1]).array());
  CaffeLayer by = layer("Scale", "s", {"x", "t"}, {"y"});
  by.bias_term = false;
  by.axis = 0;
  EXPECT_CLOSE(run(by, x, t).array(), x * t);
}

TEST(batch_normalization_of_caffe_divides_its_sums) {
  const Array x = draw({3, 4, 2, 2}), mean = draw({4}, 1), var = draw({4}, 2) + 2.0;
  CaffeLayer bn = layer("BatchNorm", "bn", {"x"}, {"y"}, {mean * 10.0, var * 10.0, full({1}, 10.f)});
  bn.moving_average_fraction = 0.75;
  CaffeFunction f = function_of(bn);
  EXPECT_EQ(dynamic_cast<L::BatchNormalization&>(f["bn"]).decay, 0.75);
  const Array expected = F::fixed_batch_normalization(x, ones({4}), zeros({4}), mean, var, {.eps = 1e-5}).array();
  {
    const UsingConfig test_mode(&Config::train, false);
    EXPECT_CLOSE(f({{"x", x}}, {"y"})[0].array(), expected);
  }
  EXPECT(max(absolute(f({{"x", x}}, {"y"})[0].array() - expected)).item<float>() > 1e-3f);
  bn.use_global_stats = true;
  EXPECT_CLOSE(function_of(bn)({{"x", x}}, {"y"})[0].array(), expected);
}

TEST(slices_and_splits_lead_to_several_blobs) {
  const Array x = draw({2, 6});
  CaffeLayer slice = layer("Slice", "s", {"x"}, {"a", "b", "c"});
  Variables y = function_of(slice)({{"x", x}}, {"a", "b", "c"});
  EXPECT_CLOSE(y[1].array(), x[{Slice(), Slice(2, 4)}]);
  slice.slice_points = {1, 5};
  y = function_of(slice)({{"x", x}}, {"c", "a"});
  EXPECT_EQ(y[0].shape(), (Shape{2, 1}));
  Net net;
  net.layers = {layer("Split", "sp", {"x"}, {"x1", "x2"}), layer("Eltwise", "e", {"x1", "x2"}, {"y"}),
                layer("Split", "again", {"x2"}, {"x3"}), layer("ReLU", "r", {"x3"}, {"z"})};
  CaffeFunction f(net, "net");
  EXPECT_CLOSE(f({{"x", x}}, {"y"})[0].array(), x + x);
  EXPECT_CLOSE(f({{"x", x}}, {"z"})[0].array(), F::relu(x).array());
  EXPECT_EQ(f.split_map.at("x3"), "x");
}

TEST(parts_of_a_net_run_and_are_disabled) {
  Net net;
  CaffeLayer data = layer("Data", "data", {}, {"x"});
  CaffeLayer first = layer("InnerProduct", "ip", {"x"}, {"h"}, {draw({3, 2}), draw({3}, 1)});
  first.num_output = 3;
  net.layers = {data, first, layer("ReLU", "relu", {"h"}, {"h"}), layer("Sigmoid", "top", {"h", "other"}, {"never"}),
                layer("Silence", "none", {"h"}, {})};
  const int64_t before = warning_count();
  CaffeFunction f(net, "net");
  EXPECT_EQ(warning_count(), before);
  EXPECT_EQ(f.layers.size(), 3u);
  EXPECT_EQ(f.forwards.size(), 3u);
  const Array x = draw({4, 2});
  const Array h = F::linear(x, first.blobs[0], first.blobs[1]).array();
  EXPECT_CLOSE(f({{"x", x}}, {"h"})[0].array(), F::relu(h).array());
  EXPECT_CLOSE(f({{"x", x}}, {"h"}, {.disable = {"relu"}})[0].array(), h);
  EXPECT_CLOSE(f({{"h", -h}}, {"h"})[0].array(), F::relu(-h).array());
  EXPECT(f.variables.contains("h"));
  EXPECT_THROW(KeyError, "'never' was neither given nor computed", f({{"x", x}}, {"never"}));
  net.layers = {layer("Magic", "m", {"x"}, {"y"})};
  CaffeFunction unknown(net, "net");
  EXPECT_EQ(warning_count(), before + 1);
  EXPECT(unknown.layers.empty());
}

TEST(gradients_flow_through_an_imported_net) {
  CaffeLayer l = layer("InnerProduct", "ip", {"x"}, {"y"}, {draw({3, 2}), draw({3}, 1)});
  l.num_output = 3;
  CaffeFunction f = function_of(l);
  EXPECT_EQ(f.namedparams()[0].first, "/ip/W");
  f.cleargrads();
  const Variable x(draw({4, 2}));
  F::sum(f({{"x", x}}, {"y"})[0]).backward();
  EXPECT_CLOSE(f.params()[1].grad(), full({3}, 4.f));
  EXPECT(static_cast<bool>(x.grad()));
  CaffeFunction copy = f.copy(CopyMode::copy);
  EXPECT_CLOSE(copy({{"x", x}}, {"y"})[0].array(), f({{"x", x}}, {"y"})[0].array());
}

TEST(layers_that_do_not_fit_are_errors_that_name_them) {
  const auto fails = [](auto change) {
    CaffeLayer l = layer("Convolution", "conv1", {"x"}, {"y"}, {zeros({6, 4, 3, 2}), zeros({6})});
    l.num_output = 6;
    change(l);
    (void)function_of(l);
  };
  EXPECT_THROW(FileError, "net: layer 'conv1' (Convolution): blob 1 (the bias) must have 6 elements",
               fails([](CaffeLayer& l) { l.blobs[1] = zeros({5}); }));
  EXPECT_THROW(FileError, "blob 1 (the bias) is missing", fails([](CaffeLayer& l) { l.blobs.pop_back(); }));
  EXPECT_THROW(FileError, "blob 0 (the filters) does not fit the layer",
               fails([](CaffeLayer& l) { l.num_output = 7; }));
  EXPECT_THROW(FileError, "the kernel is 5", fails([](CaffeLayer& l) { l.window.kernel = {5, 2}; }));
  EXPECT_THROW(FileError, "must be positive", fails([](CaffeLayer& l) { l.window.stride = {0, 1}; }));
  EXPECT_THROW(FileError, "4 groups do not divide 6 channels", fails([](CaffeLayer& l) { l.group = 4; }));
  EXPECT_THROW(FileError, "no bottom", fails([](CaffeLayer& l) { l.bottoms.clear(); }));
  EXPECT_THROW(ValueError, "axis must be 1, not 2", fails([](CaffeLayer& l) { l.type = "InnerProduct", l.axis = 2; }));
  EXPECT_THROW(ValueError, "axis must be 1", fails([](CaffeLayer& l) { l.type = "Softmax", l.axis = 0; }));
  EXPECT_THROW(ValueError, "stochastic pooling",
               fails([](CaffeLayer& l) { l.type = "Pooling", l.pool = chainer::caffe::Pool::stochastic; }));
  EXPECT_THROW(ValueError, "within channels", fails([](CaffeLayer& l) { l.type = "LRN", l.within_channel = true; }));
}

TEST(every_exportable_function_comes_back_from_the_file) {
  if (!with_protobuf()) return;
  Everything model;
  model.bn.avg_mean = draw({4}, 5);
  model.bn.avg_var = draw({4}, 6) + 2.0;
  const Array x = draw({2, 2, 5, 4});
  const Net net = exporters::caffe::export_model(model, {x}, folder / "everything", {.graph_name = "Everything"});
  EXPECT_EQ(net.name, "Everything");
  EXPECT_EQ(net.layers[1].name, "Convolution2DFunction-0-1");
  CaffeFunction back(folder / "everything" / "chainer_model.caffemodel");
  const UsingConfig test_mode(&Config::train, false);
  const std::string last = net.layers.back().tops[0];
  EXPECT_CLOSE(back({{"data", x}}, {last})[0].array(), model(x).array());
  // Other batch sizes are accepted.
  const Array more = draw({5, 2, 5, 4}, 9);
  EXPECT_CLOSE(back({{"data", more}}, {last})[0].array(), model(more).array());
  const std::string prototxt = read_file(folder / "everything" / "chainer_model.prototxt");
  for (const char* part : {"name: \"Everything\"", "kernel_h: 3\n    kernel_w: 2", "type: \"LRN\"", "alpha: 0.6",
                           "_bn\"", "pool: AVE", "negative_slope: 0.1", "operation: SUM", "dilation: 2", "group: 2"})
    EXPECT(prototxt.find(part) != std::string::npos);
  int reshapes = 0;
  for (const CaffeLayer& l : net.layers) reshapes += l.type == "Reshape";
  EXPECT_EQ(reshapes, 2);  // three consecutive ones are merged into one; one is separate
}

TEST(what_caffe_cannot_say_is_not_exported) {
  Unsupported model;
  EXPECT_THROW(ValueError, "no layer for the function Tanh", exporters::caffe::export_model(model, {zeros({1, 3})}));
  EXPECT_THROW(NotImplementedError, "got 2", exporters::caffe::export_model(model, {zeros({1, 3}), zeros({1, 3})}));
  Sequential floor([](const Variable& x) { return F::max_pooling_2d(x, 2, {.stride = 2, .cover_all = false}); });
  EXPECT_THROW(ValueError, "Caffe would make 3", exporters::caffe::export_model(floor, {zeros({1, 1, 5, 5})}));
  Sequential constant([](const Variable& x) { return F::concat({x, Variable(zeros({1, 2}))}, 1); });
  EXPECT_THROW(ValueError, "constant", exporters::caffe::export_model(constant, {zeros({1, 3})}));
  Sequential plain(L::Linear(3, 2));
  const Net net = exporters::caffe::export_model(plain, {zeros({1, 3})}, {}, {.export_params = false});
  EXPECT(net.layers[1].blobs.empty() && net.layers[1].num_output == 2);
}

TEST(vision_networks_export_and_load_back) {
  if (!with_protobuf()) return;
  // The layer names of the published file, on a network that was exported here.
  L::GoogLeNet model(std::nullopt);
  const UsingConfig test_mode(&Config::train, false);
  const Array x = draw({1, 3, 224, 224}) * 50.0;
  const Net net = exporters::caffe::export_model(model, {x}, folder / "googlenet");
  CaffeFunction back(folder / "googlenet" / "chainer_model.caffemodel");
  EXPECT_CLOSE(back({{"data", x}}, {net.layers.back().tops[0]})[0].array(), model(x).array());
}

TEST(a_model_is_read_without_a_second_copy_of_its_blobs) {
  if (!with_protobuf()) return;
  const fs::path path = folder / "large.caffemodel";
  {
    Net net;
    for (int i = 0; i < 3; ++i) {
      CaffeLayer l = layer("InnerProduct", text("ip", i), {"x"}, {"y"}, {zeros({1000, 3000}), zeros({1000})});
      l.num_output = 1000;
      net.layers.push_back(l);
    }
    write_file(path, caffe::write_net(net));
  }
  memory::reset_peak();
  const auto before = static_cast<double>(memory::statistics().in_use);
  const CaffeFunction f(path);
  EXPECT(static_cast<double>(memory::statistics().peak) - before < 1.3 * static_cast<double>(fs::file_size(path)));
  EXPECT_EQ(f.count_params(), 3 * 3001000);
}

TEST(damaged_caffe_models_are_errors) {
  if (!with_protobuf()) return;
  Net net;
  CaffeLayer l = layer("InnerProduct", "ip", {"x"}, {"y"}, {draw({3, 2}), draw({3}, 1)});
  l.num_output = 3;
  net.name = "n", net.layers = {l};
  const std::string good = caffe::write_net(net);
  EXPECT_EQ(caffe::read_net(good, "good").layers[0].blobs[0].shape(), (Shape{3, 2}));
  for (std::size_t n = 4; n < good.size(); ++n)
    EXPECT_THROW(FileError, "cut is not a Caffe model", (void)caffe::read_net(good.substr(0, n), "cut"));
  const std::string layer_of = "\xa2\x06";  // field 100
  EXPECT_THROW(FileError, "a field would have", (void)caffe::read_net(layer_of + "\xff\xff\xff\xff\x0f", "x"));
  EXPECT_THROW(FileError, "a blob of shape (1000,)",
               (void)caffe::read_net(layer_of + "\x08\x3a\x06\x3a\x04\x0a\x02\xe8\x07", "x").layers);
  EXPECT_THROW(FileError, "cannot read", CaffeFunction(folder / "absent.caffemodel"));
  EXPECT_THROW(FileError, "not a Caffe model", (void)caffe::read_net(std::string(10000, '\x0b'), "groups"));
}

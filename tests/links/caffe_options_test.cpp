// SPDX-License-Identifier: MIT
// Options of layers in Caffe's files.
#include "caffe_layers.h"

namespace {

// Fields of a file's messages, which may be others than those of this library.
std::string varint(uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out + static_cast<char>(v);
}
std::string field(uint32_t number, int64_t value) { return varint(number << 3) + varint(static_cast<uint64_t>(value)); }
std::string field(uint32_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
// The layer of a file that has one, from x to the tops.
CaffeLayer layer_of(const std::string& type, uint32_t number, const std::string& parameters,
                    const std::vector<Array>& blobs = {}, const std::vector<std::string>& tops = {"y"}) {
  std::string l = field(1, std::string("one")) + field(2, type) + field(3, std::string("x"));
  for (const std::string& top : tops) l += field(4, top);
  CaffeLayer out = caffe::read_net(field(100, l + field(number, parameters)), "file").layers[0];
  out.blobs = blobs;
  return out;
}

}  // namespace

TEST(windows_of_caffe_are_rounded_up_or_down) {
  const Array x = arange(16).reshape({1, 1, 4, 4}).astype(float32);
  const auto values = [&](const CaffeLayer& l) { return run(l, x).array(); };
  CaffeLayer pool = layer("Pooling", "p", {"x"}, {"y"});
  pool.window.kernel = {3, 3}, pool.window.stride = {2, 2};
  EXPECT_CLOSE(values(pool), array({10.f, 11.f, 14.f, 15.f}).reshape({1, 1, 2, 2}));
  pool.round_down = true;
  EXPECT_CLOSE(values(pool), array({10.f}).reshape({1, 1, 1, 1}));
  pool.pool = chainer::caffe::Pool::average;
  EXPECT_CLOSE(values(pool), array({5.f}).reshape({1, 1, 1, 1}));
  // Means leave out what is past the padding.
  pool.round_down = false;
  EXPECT_CLOSE(values(pool), array({5.f, 6.5f, 11.f, 12.5f}).reshape({1, 1, 2, 2}));
  // A window must begin before the end of the padding: here the third would not.
  pool.window.kernel = {2, 2}, pool.window.stride = {3, 3}, pool.window.pad = {1, 1};
  EXPECT_CLOSE(values(pool), array({0.f, 1.25f, 5.f, 12.5f}).reshape({1, 1, 2, 2}));
  pool.pool = chainer::caffe::Pool::max;
  EXPECT_CLOSE(values(pool), array({0.f, 3.f, 12.f, 15.f}).reshape({1, 1, 2, 2}));
  // One window may be larger than the image, but not by a stride or more.
  pool.window = {{5, 5}, {2, 2}, {0, 0}, {1, 1}};
  EXPECT_CLOSE(values(pool), array({15.f}).reshape({1, 1, 1, 1}));
  pool.pool = chainer::caffe::Pool::average;
  EXPECT_CLOSE(values(pool), array({7.5f}).reshape({1, 1, 1, 1}));
  pool.window.kernel = {6, 6};
  EXPECT_THROW(ValueError, "layer 'p' (Pooling): windows of 6 x 6 with strides 2 and 2 do not fit", values(pool));
  EXPECT_THROW(DimensionError, "layer 'p' (Pooling) needs images", run(pool, ones({2, 3})));
  const Variable v(x);
  pool.pool = chainer::caffe::Pool::average, pool.window = {{3, 3}, {2, 2}, {0, 0}, {1, 1}};
  F::sum(run(pool, v)).backward();
  EXPECT(std::abs(v.grad()[{0, 0, 3, 3}].item<float>() - 0.25f) < 1e-6f);
}

TEST(options_of_layers_in_caffe_files) {
  if (!with_protobuf()) return;
  const Array x = draw({2, 3, 4, 4});
  // Fillers, engines and other options that change no result.
  const std::string filler = field(1, std::string("xavier"));
  CaffeLayer l = layer_of("InnerProduct", 117, field(1, 5) + field(3, filler) + field(4, filler) + field(6, 1),
                          {draw({48, 5}), draw({5}, 1)});
  EXPECT(l.transpose && l.unsupported.empty());
  EXPECT_CLOSE(run(l, x).array(), F::linear(x, l.blobs[0].transpose().copy(), l.blobs[1]).array());
  l.blobs = {draw({48, 6}), draw({5})};
  EXPECT_THROW(FileError, "must have 5 columns", function_of(l));
  EXPECT(layer_of("Pooling", 121, field(2, 3) + field(3, 2) + field(11, 2) + field(13, 1)).round_down);
  l = layer_of(
      "Convolution", 106,
      field(1, 2) + field(2, 0) + field(7, filler) + field(8, filler) + field(15, 2) + field(16, -3) + field(17, 1),
      {draw({2, 3, 1, 1})});
  EXPECT_EQ(run(l, x).shape(), (Shape{2, 2, 4, 4}));
  EXPECT(layer_of("LRN", 118, field(6, 1)).unsupported.empty());
  EXPECT(layer_of("ReLU", 123, field(2, 1)).unsupported.empty());
  EXPECT(layer_of("Eltwise", 110, field(3, 0)).unsupported.empty());
  EXPECT(layer_of("Scale", 142, field(2, 1) + field(3, filler) + field(5, filler)).unsupported.empty());

  const auto reshape = [](const std::string& dims, int64_t axis, int64_t count) {
    return layer_of("Reshape", 133, field(1, field(1, dims)) + field(2, axis) + field(3, count));
  };
  EXPECT_EQ(run(reshape(varint(uint64_t(-1)), 1, -1), x).shape(), (Shape{2, 48}));
  EXPECT_EQ(run(reshape(varint(12) + varint(1), 1, 2), x).shape(), (Shape{2, 12, 1, 4}));
  EXPECT_EQ(run(reshape(varint(0) + varint(2) + varint(2), -3, -1), x).shape(), (Shape{2, 3, 4, 2, 2}));
  EXPECT_EQ(run(reshape(varint(1), 4, 0), x).shape(), (Shape{2, 3, 4, 4, 1}));
  EXPECT_THROW(ValueError, "layer 'one' (Reshape): axis 3 and num_axes 2 do not fit", run(reshape(varint(1), 3, 2), x));

  // Losses.
  const Array scores = draw({3, 4}), labels = array({1, 0, 3});
  const auto loss = [&](const std::string& parameters) {
    CaffeLayer s = layer_of("SoftmaxWithLoss", 101, parameters);
    s.bottoms.push_back("t");
    return run(s, scores, labels).array();
  };
  EXPECT_CLOSE(loss(field(1, 0)), F::softmax_cross_entropy(scores, labels, {.ignore_label = 0}).array());
  const Array by_size = F::softmax_cross_entropy(scores, labels, {.normalize = false, .ignore_label = 0}).array();
  EXPECT_CLOSE(loss(field(1, 0) + field(3, 2)), by_size);
  EXPECT_CLOSE(loss(field(1, 0) + field(2, 0)), by_size);
  EXPECT_THROW(ValueError, "layer 'one' (SoftmaxWithLoss): normalization NONE is not supported", loss(field(3, 3)));
  EXPECT_THROW(ValueError, "normalization FULL with ignore_label", loss(field(1, 0) + field(3, 0)));

  EXPECT_THROW(ValueError, "layer 'one' (Convolution): axis must be 1, not 2",
               function_of(layer_of("Convolution", 106, field(1, 2) + field(16, 2), {draw({2, 3, 1, 1})})));
  // Options of other versions of Caffe.
  for (const auto& [type, number, name] :
       std::vector<std::tuple<std::string, uint32_t, std::string>>{{"Concat", 104, "concat"},
                                                                   {"Convolution", 106, "convolution"},
                                                                   {"Deconvolution", 106, "convolution"},
                                                                   {"Dropout", 108, "dropout"},
                                                                   {"Eltwise", 110, "eltwise"},
                                                                   {"InnerProduct", 117, "inner_product"},
                                                                   {"LRN", 118, "lrn"},
                                                                   {"Pooling", 121, "pooling"},
                                                                   {"ReLU", 123, "relu"},
                                                                   {"Sigmoid", 124, "sigmoid"},
                                                                   {"Softmax", 125, "softmax"},
                                                                   {"SoftmaxWithLoss", 101, "loss"},
                                                                   {"Slice", 126, "slice"},
                                                                   {"Reshape", 133, "reshape"},
                                                                   {"BatchNorm", 139, "batch_norm"},
                                                                   {"Scale", 142, "scale"}})
    EXPECT_THROW(ValueError, text("layer 'one' (", type, "): field 90 of ", name, "_param, or its value, is not known"),
                 function_of(layer_of(type, number, field(90, 1))));
  EXPECT_THROW(ValueError, "field 1 of pooling_param, or its value",
               function_of(layer_of("Pooling", 121, field(1, 7))));
  EXPECT_EQ(layer_of("Magic", 121, field(90, 1)).unsupported, "");
}

TEST(negative_axes_in_caffe_files) {
  if (!with_protobuf()) return;
  const Array x = draw({2, 3, 4, 4});
  const Array other = draw({2, 3, 4, 4}, 1);
  CaffeLayer l = layer_of("Concat", 104, field(2, -1));
  l.bottoms.push_back("t");
  EXPECT_CLOSE(run(l, x, other).array(), concatenate({x, other}, 3));
  EXPECT_EQ(layer_of("Concat", 104, field(1, 2)).axis, 2);
  l = layer_of("Slice", 126, field(3, -1), {}, {"y", "z"});
  EXPECT_CLOSE(run(l, x).array(), x[{Ellipsis(), Slice(0, 2)}]);
  EXPECT_EQ(layer_of("Slice", 126, field(1, 2)).axis, 2);
}

TEST(options_of_layers_are_written) {
  if (!with_protobuf()) return;
  CaffeLayer full = layer("InnerProduct", "f", {"x"}, {"y"}, {draw({2, 3})}),
             pool = layer("Pooling", "p", {"y"}, {"z"}), reshape = layer("Reshape", "r", {"z"}, {"r"}),
             lost = layer("SoftmaxWithLoss", "l", {"r", "t"}, {"l"});
  full.num_output = 3, full.bias_term = false, full.transpose = true;
  pool.window.kernel = {2, 2}, pool.round_down = true;
  reshape.shape = {-1}, reshape.first_axis = 1, reshape.num_axes = 2;
  lost.ignore_label = 7, lost.by_batch_size = true;
  Net net;
  net.layers = {full, pool, reshape, lost};
  const Net back = caffe::read_net(caffe::write_net(net), "bytes");
  EXPECT(back.layers[0].transpose && back.layers[1].round_down);
  EXPECT(back.layers[2].first_axis == 1 && back.layers[2].num_axes == 2);
  EXPECT(back.layers[3].ignore_label == 7 && back.layers[3].by_batch_size);
  const std::string prototxt = caffe::to_prototxt(net);
  for (const char* part : {"transpose: true", "round_mode: FLOOR", "axis: 1\n    num_axes: 2"})
    EXPECT(prototxt.find(part) != std::string::npos);
}

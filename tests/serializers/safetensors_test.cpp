// SPDX-License-Identifier: MIT
#include "chainer/serializers/safetensors.h"

#include <chainer/chainer.h>

#include <filesystem>
#include <fstream>

#include "chainer/core/system/file.h"
#include "chainer/core/little_endian.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
using namespace chainer::serializers;
namespace fs = std::filesystem;

namespace {

const std::string data = TEST_DATA "safetensors/";
using test::folder;

// The layers of tests/interop/make_safetensors.py.
struct Layers : Chain {
  L::Linear linear{4, 3};
  L::Convolution1D conv1{2, 3, 2};
  L::Convolution2D conv2{4, 6, {2, 3}, {.groups = 2}};
  L::Deconvolution2D deconv2{3, 2, {3, 2}, {.stride = 2}};
  L::BatchNormalization bn{3, {.eps = 1e-5}};
  L::LayerNormalization ln{5};
  L::GroupNormalization gn{2, 4};
  L::EmbedID embed{7, 3};
  L::LSTM lstm{5};
  L::NStepBiLSTM steps{2, 3, 4, 0};
  L::NStepGRU gru{2, 3, 4, 0};
  L::NStepRNNTanh rnn{1, 3, 4, 0};
  Sequential block{L::Linear(2, {.nobias = true}), F::relu};
  CHAINER_MEMBERS(Layers, linear, conv1, conv2, deconv2, bn, ln, gn, embed, lstm, steps, gru, rnn, block);
};
struct KerasLayers : Chain {
  L::Linear dense{3};
  L::Convolution2D conv{2, 3, {2, 3}};
  L::Deconvolution2D deconv{2, 3, {2, 3}};
  L::BatchNormalization bn{3};
  L::EmbedID embed{7, 3};
  L::LSTM lstm{3, 5};
  CHAINER_MEMBERS(KerasLayers, dense, conv, deconv, bn, embed, lstm);
};
struct Small : Chain {
  L::Linear l1{3, 2}, l2{2, 2};
  CHAINER_MEMBERS(Small, l1, l2);
};
struct Persistent : Chain {
  L::BatchNormalization bn{2};
  std::string note = "first";
  double ratio = 0.25;
  bool flag = true;
  CHAINER_MEMBERS(Persistent, bn, note, ratio, flag);
};

// Reshapes the sequence x (T, 1, n) for n-step links.
Array only_sequence(const Array& x) { return x.reshape({x.shape(0), x.shape(2)}); }

// Returns a file with this header and data.
std::string file_of(const std::string& header, const std::string& bytes) {
  std::string out;
  put_little_endian(out, header.size(), 8);
  return out + header + bytes;
}

}  // namespace

TEST(every_dtype_of_the_published_package_is_read_or_refused_by_name) {
  const SafetensorsFile file(data + "dtypes.safetensors");
  EXPECT_EQ(file.metadata().size(), 2u);
  EXPECT_EQ(file.metadata().at("b"), "ü \"quoted\"");
  for (const char* name : {"int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"}) {
    EXPECT_EQ(file.array(name).dtype(), parse_dtype(name));
    EXPECT(file.array(name).to_vector<double>() == (std::vector<double>{0, 1, 2}));
  }
  EXPECT(file.array("bool").to_vector<int>() == (std::vector<int>{0, 1, 1}));
  for (const char* name : {"uint16", "uint32", "uint64"}) {
    EXPECT_EQ(file.array(name).dtype(), int64);
    EXPECT(file.array(name).to_vector<int64_t>() == (std::vector<int64_t>{0, 1, 2}));
  }
  EXPECT_EQ(file.array("bfloat16").dtype(), bfloat16);
  EXPECT(file.array("bfloat16").to_vector<double>() == (std::vector<double>{0, 1, -2.5}));
  EXPECT_EQ(file.array("scalar").shape(), Shape{});
  EXPECT_EQ(file.array("scalar").item<float>(), 7.f);
  EXPECT_EQ(file.array("empty").shape(), (Shape{0, 3}));
  EXPECT_EQ(file.array("naïve \"name\"\n").shape(), (Shape{2, 1, 2}));
  EXPECT_THROW(FileError, "'float8': arrays of dtype 'F8_E4M3' cannot be read", (void)file.array("float8"));
  EXPECT_THROW(KeyError, "no entry named 'other'", (void)file.array("other"));
}

TEST(aligned_arrays_of_a_file_are_its_pages_and_writes_stay_in_the_process) {
  const fs::path path = folder / "mapped.safetensors";
  write_safetensors(path, {{"a", arange(5000).astype(float32)}, {"b", array({true, false})}, {"c", array(3)}});
  Array a = SafetensorsFile(path).array("a");  // outlives the object
  EXPECT_EQ(a[4999].item<float>(), 4999.f);
  const int64_t before = memory::statistics().in_use;
  const Array again = SafetensorsFile(path).array("a");
  EXPECT_EQ(memory::statistics().in_use, before);
  a.set(Slice(0, 2), 9.0);
  a += 1.0;
  EXPECT_EQ(a[0].item<float>(), 10.f);
  EXPECT_EQ(again[0].item<float>(), 0.f);
  EXPECT_EQ(SafetensorsFile(path).array("a")[0].item<float>(), 0.f);
}

TEST(arrays_of_every_dtype_and_layout_round_trip) {
  std::map<std::string, Array> values;
  for (Dtype d : {Dtype::bool_, Dtype::int8, uint8, Dtype::int16, int32, int64, float16, bfloat16, float32, float64})
    values[text("of ", d)] = arange(6).astype(d).reshape({2, 3}).T();
  values["empty"] = zeros({0, 2});
  values["scalar"] = array(2.5);
  const std::string bytes = safetensors_bytes(values, {{"key", "line\nbreak"}});
  const SafetensorsFile file(bytes, "memory");
  EXPECT_EQ(file.entries().size(), values.size());
  EXPECT_EQ(file.metadata().at("key"), "line\nbreak");
  for (const auto& [name, a] : values) {
    EXPECT_EQ(file.array(name).dtype(), a.dtype());
    EXPECT_EQ(file.array(name).shape(), a.shape());
    EXPECT_CLOSE(file.array(name), a);
  }
  EXPECT_EQ(safetensors_bytes({}), safetensors_bytes({}));
  EXPECT(SafetensorsFile(safetensors_bytes({}), "empty").entries().empty());
  EXPECT(SafetensorsFile(safetensors_bytes({}, {{"a", "b"}}), "texts").entries().empty());
  EXPECT_THROW(ValueError, "'x' is None", (void)safetensors_bytes({{"x", Array()}}));
  EXPECT_THROW(ValueError, "__metadata__", (void)safetensors_bytes({{"__metadata__", array(1)}}));
}

TEST(weights_of_pytorch_fill_links_and_give_its_outputs) {
  Layers m;
  const LoadReport report = load_safetensors(data + "torch.safetensors", m, {.from = WeightNames::pytorch});
  EXPECT(report.missing.empty() && report.unused.empty());
  const SafetensorsFile expected(data + "torch_expected.safetensors");
  const auto x = [&](const char* name) { return Variable(expected.array(text("x_", name))); };
  const auto y = [&](const char* name) { return expected.array(text("y_", name)); };
  const UsingConfig test_mode(&Config::train, false);
  EXPECT_CLOSE(m.linear(x("linear")).array(), y("linear"));
  EXPECT_CLOSE(m.conv1(x("conv1")).array(), y("conv1"));
  EXPECT_CLOSE(m.conv2(x("conv2")).array(), y("conv2"));
  EXPECT_CLOSE(m.deconv2(x("deconv2")).array(), y("deconv2"));
  EXPECT_CLOSE(m.bn(x("bn")).array(), y("bn"));
  EXPECT_CLOSE(m.ln(x("ln")).array(), y("ln"));
  EXPECT_CLOSE(m.gn(x("gn")).array(), y("gn"));
  EXPECT_CLOSE(m.embed(x("embed")).array(), y("embed"));
  EXPECT_CLOSE(m.block[0].link().call({x("block")})[0].array(), y("block"));
  for (int64_t t = 0; t < 4; ++t) EXPECT_CLOSE(m.lstm(x("lstm")[t]).array(), y("lstm")[t]);
  EXPECT_CLOSE(m.steps(Variable(), Variable(), Variables{only_sequence(x("steps").array())}).ys[0].array(),
               only_sequence(y("steps")));
  EXPECT_CLOSE(m.gru(Variable(), Variables{only_sequence(x("gru").array())}).ys[0].array(), only_sequence(y("gru")));
  EXPECT_CLOSE(m.rnn(Variable(), Variables{only_sequence(x("rnn").array())}).ys[0].array(), only_sequence(y("rnn")));
}

TEST(weights_of_keras_fill_links_and_give_its_outputs) {
  KerasLayers m;
  load_safetensors(data + "keras.safetensors", m, {.from = WeightNames::keras});
  const SafetensorsFile expected(data + "keras_expected.safetensors");
  const auto x = [&](const char* name) { return Variable(expected.array(text("x_", name))); };
  const auto y = [&](const char* name) { return expected.array(text("y_", name)); };
  const UsingConfig test_mode(&Config::train, false);
  EXPECT_CLOSE(m.dense(x("dense")).array(), y("dense"));
  EXPECT_CLOSE(m.conv(F::transpose(x("conv"), {0, 3, 1, 2})).array(), y("conv").transpose({0, 3, 1, 2}));
  EXPECT_CLOSE(m.deconv(F::transpose(x("deconv"), {0, 3, 1, 2})).array(), y("deconv").transpose({0, 3, 1, 2}));
  EXPECT_CLOSE(m.bn(x("bn")).array(), y("bn"));
  EXPECT_CLOSE(m.embed(x("embed")).array(), y("embed"));
  for (int64_t t = 0; t < 4; ++t) EXPECT_CLOSE(m.lstm(x("lstm")[{Slice(), t}]).array(), y("lstm")[{Slice(), t}]);
}

TEST(a_map_of_names_leads_to_layers_and_single_values) {
  Small m;
  const fs::path path = folder / "renamed.safetensors";
  write_safetensors(path, {{"net.0.weight", ones({2, 3})},
                           {"net.0.bias", full({2}, 2.f)},
                           {"head.weight", full({2, 2}, 3.f)},
                           {"offset", full({2}, 4.f)}});
  load_safetensors(path, m,
                   {.from = WeightNames::pytorch, .names = {{"l1", "net.0"}, {"l2", "head"}, {"l2/b", "offset"}}});
  EXPECT(m.l1.b->array().to_vector<float>() == (std::vector<float>{2, 2}));
  EXPECT(m.l2.W.array().to_vector<float>() == (std::vector<float>{3, 3, 3, 3}));
  EXPECT(m.l2.b->array().to_vector<float>() == (std::vector<float>{4, 4}));
  write_safetensors(path, {{"m.l1.weight", ones({2, 3})}, {"m.l1.bias", zeros({2})}});
  const LoadReport report =
      load_safetensors(path, m, {.from = WeightNames::pytorch, .strict = false, .names = {{"", "m"}}});
  EXPECT(m.l1.b->array().to_vector<float>() == (std::vector<float>{0, 0}));
  EXPECT(report.missing ==
         (std::vector<std::string>{"l2/W ('m.l2.weight' in the file)", "l2/b ('m.l2.bias' in the file)"}));
  EXPECT(report.loaded == (std::vector<std::string>{"m.l1.weight", "m.l1.bias"}));
}

TEST(what_does_not_fit_is_one_error_with_all_of_it_and_changes_nothing) {
  Small m;
  const Array before = m.l1.W.array().copy();
  const fs::path path = folder / "wrong.safetensors";
  write_safetensors(
      path,
      {{"l1.weight", ones({2, 3})}, {"l1.bias", zeros({3})}, {"l2.weight", ones({2, 2})}, {"l3.weight", ones({2, 2})}});
  const char* shape = "l1/b has shape (2,), 'l1.bias' has (3,)";
  EXPECT_THROW(ValueError, shape, load_safetensors(path, m, {.from = WeightNames::pytorch}));
  EXPECT_THROW(ValueError, "missing: l2/b ('l2.bias' in the file)",
               load_safetensors(path, m, {.from = WeightNames::pytorch}));
  EXPECT_THROW(ValueError, "not used: 'l3.weight'", load_safetensors(path, m, {.from = WeightNames::pytorch}));
  EXPECT_THROW(ValueError, shape, load_safetensors(path, m, {.from = WeightNames::pytorch, .strict = false}));
  EXPECT_CLOSE(m.l1.W.array(), before);
  // Matrices are never transposed by their shape: it must match the rule of the class.
  write_safetensors(path, {{"l1/kernel", ones({2, 3})}, {"l1/bias", zeros({2})}});
  EXPECT_THROW(ValueError, "l1/W has shape (2, 3), 'l1/kernel' has (3, 2)",
               load_safetensors(path, m, {.from = WeightNames::keras, .strict = false}));
}

TEST(links_round_trip_under_their_own_paths) {
  Persistent a, b;
  a.bn.avg_mean.fill(3);
  a.bn.N = 7;
  a.note = "second ✓", a.ratio = 0.5, a.flag = false;
  const fs::path path = folder / "own.safetensors";
  save_safetensors(path, a, {{"framework", "chainer"}});
  load_safetensors(path, b);
  EXPECT_CLOSE(b.bn.avg_mean, a.bn.avg_mean);
  EXPECT(b.bn.N == 7 && b.note == "second ✓" && b.ratio == 0.5 && !b.flag);
  EXPECT_EQ(SafetensorsFile(path).metadata().at("framework"), "chainer");
  L::Linear undecided(3), filled(3);
  EXPECT_THROW(ValueError, "'W' is None", save_safetensors(path, undecided));
  (void)filled(ones({1, 2}));
  save_safetensors(path, filled);
  load_safetensors(path, undecided);
  EXPECT_CLOSE(undecided.W.array(), filled.W.array());
  // An interrupted or failed write leaves no file behind.
  EXPECT_THROW(FileError, "cannot write", save_safetensors(folder / "absent" / "x.safetensors", filled));
}

TEST(damaged_safetensors_files_are_errors_that_name_file_and_entry) {
  const auto read = [](const std::string& bytes) { (void)SafetensorsFile(bytes, "bad.safetensors"); };
  const auto entry = [](const std::string& shape, const std::string& offsets, const std::string& dtype = "F32") {
    return "\"w\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
  };
  const std::string good = entry("[2]", "[0,8]"), eight(8, 'x');
  read(file_of("{" + good + "}", eight));
  read(file_of("{" + good + "}   ", eight));
  EXPECT_THROW(FileError, "bad.safetensors", read("short"));
  EXPECT_THROW(FileError, "header claims", read(std::string("\xff\xff\xff\xff\xff\xff\xff\x0f{}", 10)));
  EXPECT_THROW(FileError, "header claims 99 bytes", read(std::string("\x63\0\0\0\0\0\0\0{}", 10)));
  EXPECT_THROW(FileError, "not a JSON object", read(file_of("[]", "")));
  EXPECT_THROW(FileError, "expected a name", read(file_of("{" + good + ",}", eight)));
  EXPECT_THROW(FileError, "expected ':'", read(file_of("{\"w\"}", eight)));
  EXPECT_THROW(FileError, "bytes follow", read(file_of("{" + good + "}x", eight)));
  EXPECT_THROW(FileError, "it occurs twice", read(file_of("{" + good + "," + good + "}", eight)));
  EXPECT_THROW(FileError, "8 bytes, but the file has 9", read(file_of("{" + good + "}", eight + "x")));
  EXPECT_THROW(FileError, "'w': its shape needs 12 bytes", read(file_of("{" + entry("[3]", "[0,8]") + "}", eight)));
  EXPECT_THROW(FileError, "'w': data_offsets", read(file_of("{" + entry("[4]", "[0,16]") + "}", eight)));
  EXPECT_THROW(FileError, "'w': data_offsets", read(file_of("{" + entry("[2]", "[8,0]") + "}", eight)));
  EXPECT_THROW(FileError, "begin at 4", read(file_of("{" + entry("[1]", "[4,8]") + "}", eight)));
  EXPECT_THROW(FileError, "overflows 64 bits",
               read(file_of("{" + entry("[4294967296,4294967296,2]", "[0,8]") + "}", eight)));
  EXPECT_THROW(FileError, "integers of 0 or more", read(file_of("{" + entry("[-2]", "[0,8]") + "}", eight)));
  EXPECT_THROW(FileError, "integers of 0 or more", read(file_of("{" + entry("[2.0]", "[0,8]") + "}", eight)));
  EXPECT_THROW(FileError, "dtype 'Q4' is unknown", read(file_of("{" + entry("[2]", "[0,8]", "Q4") + "}", eight)));
  EXPECT_THROW(FileError, "not of the form", read(file_of("{\"w\":{}}", eight)));
  EXPECT_THROW(FileError, "not of the form", read(file_of("{\"w\":3}", eight)));
  const auto nested = [&](std::size_t n) {
    return file_of("{\"w\":" + std::string(n, '[') + std::string(n, ']') + "}", "");
  };
  EXPECT_THROW(FileError, "nested too deeply", read(nested(2000)));
  EXPECT_THROW(FileError, "entry is too long", read(nested(10000)));
  EXPECT_THROW(FileError, "after the value of 'w'", read(file_of("{\"w\":" + std::string(10000, '['), "")));
  EXPECT_THROW(FileError, "metadata 'a' is not a string", read(file_of("{\"__metadata__\":{\"a\":1}}", "")));
  EXPECT_THROW(FileError, "metadata occurs twice", read(file_of("{\"__metadata__\":{},\"__metadata__\":{}}", "")));
  EXPECT_THROW(
      FileError, "it has 11 axes",
      (void)SafetensorsFile(file_of("{" + entry("[1,1,1,1,1,1,1,1,1,1,2]", "[0,8]") + "}", eight), "x").array("w"));
  EXPECT_THROW(FileError, "cannot read", (void)SafetensorsFile(folder / "absent.safetensors"));
}

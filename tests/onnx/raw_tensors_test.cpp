// SPDX-License-Identifier: MIT
// Weights that are read in the bytes of a file.
#include <chainer/chainer.h>
#include <chainer/onnx/onnx.h>

#include "../array/bits.h"
#include "chainer/core/protobuf_wire.h"
#include "chainer/onnx/model_file.h"
#include "chainer/onnx/raw_tensors.h"
#include "test.h"

using namespace chainer;

namespace {

std::string field(uint64_t number, std::string_view content) {
  std::string out;
  wire::put_varint(out, number << 3 | wire::kBytes);
  wire::put_varint(out, content.size());
  return out.append(content);
}
std::string field(uint64_t number, uint64_t value) {
  std::string out;
  wire::put_varint(out, number << 3 | wire::kVarint);
  wire::put_varint(out, value);
  return out;
}
// A vector of float32, whose elements are given twice.
std::string tensor(const std::string& name, int64_t n, float before, float value) {
  const auto elements = [&](float v, int64_t count) {
    const std::vector<float> all(static_cast<std::size_t>(count), v);
    return field(9, {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float)});
  };
  return field(
      5, field(1, static_cast<uint64_t>(n)) + field(2, 1) + elements(before, n) + field(8, name) + elements(value, n));
}

}  // namespace

TEST(large_weights_are_read_in_place) {
  L::Linear link(40, 30);
  const std::string bytes = onnx::export_model(link, {Variable(ones({2, 40}))});
  const onnx::SplitModel split = onnx::split_model(bytes);
  EXPECT(split.rest.size() + 40 * 30 * 4 <= bytes.size());
  const onnx::ModelFile file = onnx::read_model(bytes, {}, "link");
  EXPECT_EQ(split.of_weights.size(), file.initializers.size());
  int in_place = 0;
  for (std::size_t i = 0; i < file.initializers.size(); ++i) {
    const Array& a = file.initializers[i].second;
    const bool is_large = a.nbytes() >= 1024;
    EXPECT_EQ(split.of_weights[i].size(), static_cast<std::size_t>(is_large ? a.nbytes() : 0));
    in_place += is_large && same_bits(a, link.W.array().reshape(a.shape()));
  }
  EXPECT_EQ(in_place, 1);
}

// As in protobuf: of a field that occurs again the last one counts, and the parts of a message are one message.
TEST(fields_that_occur_again) {
  for (const int64_t n : {255, 256, 300}) {
    const std::string bytes = field(7, tensor("a", n, 1, 2) + tensor("b", 3, 3, 4)) + field(7, tensor("c", n, 5, 6));
    const onnx::ModelFile file = onnx::read_model(bytes, {}, "a model");
    EXPECT_EQ(file.initializers.size(), std::size_t(3));
    for (const auto& [name, value] : file.initializers) {
      EXPECT_EQ(value.size(), name == "b" ? 3 : n);
      EXPECT(all(value == (name == "a" ? 2.f : name == "b" ? 4.f : 6.f)).item<bool>());
    }
  }
}

TEST(models_that_end_early_are_errors) {
  const std::string bytes = field(7, tensor("a", 300, 1, 2));
  for (std::size_t n = 1; n < bytes.size(); n += n < 40 ? 1 : 97)
    EXPECT_THROW(FileError, "a model: damaged", onnx::read_model(bytes.substr(0, n), {}, "a model"));
  EXPECT_THROW(FileError, "1200 bytes",
               onnx::read_model(field(7, field(5, field(1, 299) + field(2, 1) + field(9, std::string(1200, 'x')))), {},
                                "a model"));
}

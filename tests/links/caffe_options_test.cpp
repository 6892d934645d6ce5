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

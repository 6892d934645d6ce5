// SPDX-License-Identifier: MIT
// Encoding of values for other processes: round trips, and errors for damaged bytes.
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>

#include <cstring>
#include <random>

#include "test.h"

using namespace chainer;
using chainermn::decode;
using chainermn::encode;
using chainermn::Object;
using chainermn::ObjectList;
using chainermn::ObjectMap;

namespace {

Object sample() {
  return Object(ObjectMap{{"a", Object(ObjectList{Object(), Object(true), Object(-3), Object(2.5), Object("text")})},
                          {"b", Object(array({{1.f, 2.f}, {3.f, 4.f}}))},
                          {"c", Object(zeros({0, 3}, int64))},
                          {"d", Object(Array())},
                          {"e", Object(ObjectMap())}});
}

}  // namespace

TEST(object_round_trip) {
  const Object o = sample();
  EXPECT(decode(encode(o)) == o);
  for (const Dtype d : {bool_, int8, int16, int32, int64, uint8, float16, float32, float64, bfloat16}) {
    const Object a(array({0, 1, 1}).astype(d));
    EXPECT(decode(encode(a)) == a);
    EXPECT(decode(encode(a)).to_array().dtype() == d);
  }
  // Arrays in other orders arrive in C order.
  const Array t = array({{1, 2, 3}, {4, 5, 6}}).T();
  EXPECT(decode(encode(Object(t))).to_array().to_vector<int>() == t.to_vector<int>());
  EXPECT(decode(encode(Object(std::string("a\0b", 3)))).to_text().size() == 3);
}

TEST(object_kinds) {
  EXPECT_THROW(TypeError, "expected a string, got an integer", Object(1).to_text());
  EXPECT_THROW(TypeError, "an array of float32 (2,)", Object(array({1.f, 2.f})).to_list());
  EXPECT_THROW(KeyError, "'z'", sample()["z"]);
  EXPECT_EQ(Object(3).to_number(), 3.0);
  EXPECT(chainermn::add(Object(1), Object(2)) == Object(3));
  EXPECT(chainermn::add(Object(1), Object(0.5)) == Object(1.5));
  EXPECT(chainermn::add(Object("a"), Object("b")) == Object("ab"));
  EXPECT(chainermn::add(Object(array({1.f})), Object(array({2.f}))) == Object(array({3.f})));
  EXPECT_THROW(TypeError, "cannot add a string and an integer", chainermn::add(Object("a"), Object(1)));
}

TEST(object_examples) {
  const Example single(array({1.f})), tuple{array({1.f}), array(2)};
  const Example dict(std::vector<std::pair<std::string, Array>>{{"z", array(1)}, {"a", array(2)}});
  EXPECT(chainermn::to_example(chainermn::to_object(single)).is_single());
  EXPECT_EQ(chainermn::to_example(chainermn::to_object(tuple)).size(), 2u);
  EXPECT_EQ(chainermn::to_example(chainermn::to_object(dict)).names()[0], std::string("z"));
}

TEST(object_damage) {
  const std::string good = encode(sample());
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_THROW(ValueError, "decode: byte", decode(std::string_view(good).substr(0, n)));
  EXPECT_THROW(ValueError, "bytes follow the end of the value", decode(good + "x"));
  EXPECT_THROW(ValueError, "not an encoded value", decode("CMO2" + good.substr(4)));
  const auto with = [](std::string kind_and_rest) { return "CMO1" + kind_and_rest; };
  const auto word = [](int64_t v) { return std::string(reinterpret_cast<const char*>(&v), 8); };
  EXPECT_THROW(ValueError, "unknown kind 9", decode(with("\x09")));
  EXPECT_THROW(ValueError, "a list of -1", decode(with("\x06" + word(-1))));
  EXPECT_THROW(ValueError, "a list of 4611686018427387904", decode(with("\x06" + word(int64_t(1) << 62))));
  EXPECT_THROW(ValueError, "a string of 9223372036854775807 bytes", decode(with("\x04" + word(INT64_MAX))));
  const std::string f32 = word(7) + "float32";
  EXPECT_THROW(ValueError, "but 0 bytes are left",
               decode(with("\x05" + f32 + word(2) + word(1 << 20) + word(1 << 20))));
  EXPECT_THROW(ValueError, "an array of shape",
               decode(with("\x05" + f32 + word(3) + word(int64_t(1) << 40) + word(int64_t(1) << 40) + word(0))));
  EXPECT_THROW(ValueError, "an axis of length -1", decode(with("\x05" + f32 + word(1) + word(-1))));
  EXPECT_THROW(ValueError, "no dtype named 'float99'", decode(with("\x05" + word(7) + "float99" + word(0))));
  EXPECT_THROW(ValueError, "does not follow",
               decode(with("\x07" + word(2) + word(1) + "b" + std::string(1, 0) + word(1) + "a" + std::string(1, 0))));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "\x06" + word(1);
  EXPECT_THROW(ValueError, "nested deeper than 64", decode(with(deep + std::string(1, 0))));
  Object nested;
  for (int i = 0; i < 100; ++i) nested = Object(ObjectList{nested});
  EXPECT_THROW(ValueError, "nested deeper than 64", encode(nested));
  // Modified bytes give a value or a ValueError.
  std::mt19937 r(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 3; ++k) bad[r() % bad.size()] = static_cast<char>(r());
    try {
      (void)decode(bad);
    } catch (const ValueError&) {}
  }
}

// SPDX-License-Identifier: MIT
#include "chainer/array/external.h"

#include <chainer/array/exclusive.h>
#include <chainer/chainer.h>
#include <chainer/interop/dlpack.h>

#include <cstring>

#include "test.h"

using namespace chainer;

TEST(external_memory_is_an_array_until_its_last_view_goes) {
  std::vector<float> memory(6);
  for (std::size_t i = 0; i < 6; ++i) memory[i] = static_cast<float>(i);
  int released = 0;
  Array view;
  {
    const Array a = external_array(memory.data(), {2, 3}, float32, [&] { ++released; });
    EXPECT(a.raw() == memory.data());
    view = a[{1, Slice(0, 2)}];
    EXPECT_EQ(sum(a).item<float>(), 15.f);
  }
  EXPECT_EQ(released, 0);
  view.set(0, 9.0);
  EXPECT_EQ(memory[3], 9.f);
  view = Array();
  EXPECT_EQ(released, 1);
  (void)external_array(nullptr, {0, 3}, float32, [&] { ++released; });
  EXPECT_EQ(released, 2);
}

// An exception thrown from a destructor would end the process.
TEST(external_memory_that_outlives_all_arrays_needs_no_release) {
  std::vector<float> memory(6, 1);
  EXPECT_EQ(sum(external_array(memory.data(), {6}, float32, nullptr)).item<float>(), 6.f);
  EXPECT_THROW(ValueError, "multiple of 4", (void)external_array(nullptr, {6}, float32, {}));
}

TEST(external_memory_goes_back_when_it_is_refused) {
  int released = 0;
  const auto release = [&] { ++released; };
  alignas(8) char bytes[16] = {};
  EXPECT_THROW(ValueError, "multiple of 4", (void)external_array(bytes + 1, {2}, float32, release));
  EXPECT_THROW(ValueError, "address", (void)external_array(nullptr, {2}, float32, release));
  EXPECT_THROW(DimensionError, "1 strides",
               (void)external_array(bytes, {2, 1}, float32, release, {.strides = Dims{1}}));
  EXPECT_THROW(ValueError, "", (void)external_array(bytes, {-1}, float32, release));
  EXPECT_EQ(released, 4);
}

TEST(external_memory_may_have_strides_of_either_sign) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  const Array columns = external_array(memory, {3, 2}, float32, [] {}, {.strides = Dims{1, 3}});
  EXPECT(columns.to_vector<float>() == (std::vector<float>{0, 3, 1, 4, 2, 5}));
  const Array backwards = external_array(memory + 5, {6}, float32, [] {}, {.strides = Dims{-1}});
  EXPECT(backwards.to_vector<float>() == (std::vector<float>{5, 4, 3, 2, 1, 0}));
  const Array repeated = external_array(memory + 2, {3}, float32, [] {}, {.strides = Dims{0}});
  EXPECT_EQ(sum(repeated).item<float>(), 6.f);
}

TEST(read_only_memory_refuses_every_write) {
  std::vector<float> memory(4096, 1.f);
  Array a = external_array(memory.data(), {4096}, float32, [] {}, {.writable = false});
  EXPECT(!is_writable(a) && !is_writable(a[Slice(0, 2)]) && is_writable(a.copy()));
  EXPECT_THROW(ValueError, "cannot be written to", a.fill(0));
  EXPECT_THROW(ValueError, "cannot be written to", a += 1.0);
  EXPECT_THROW(ValueError, "cannot be written to", a.set(0, 1.0));
  EXPECT_THROW(ValueError, "cannot be written to", a[Slice(0, 8)].fill(0));
  EXPECT_THROW(ValueError, "cannot be written to", (void)a.mutable_raw());
  const Array twice = a * 2.0 + 1.0;  // reading is allowed
  EXPECT_EQ(twice[7].item<float>(), 3.f);
  EXPECT_EQ(memory[0], 1.f);
}

TEST(nothing_waits_for_memory_that_others_write_to) {
  std::vector<float> memory(4096, 1.f);
  const Array a = external_array(memory.data(), {4096}, float32, [] {}, {.shared = true});
  const Array twice = a * 2.0;
  memory[5] = 100;
  EXPECT_EQ(twice[5].item<float>(), 2.f);
  // An array of the library that is exported while a computation is deferred.
  Array own = ones({4096});
  const Array before = own + 1.0;
  share_memory(own);
  const_cast<float*>(own.data<float>())[5] = 100;
  EXPECT_EQ(before[5].item<float>(), 2.f);
  const Array after = own + 1.0;
  const_cast<float*>(own.data<float>())[6] = 100;
  EXPECT_EQ(after[5].item<float>(), 101.f);
  EXPECT_EQ(after[6].item<float>(), 2.f);
}

TEST(operands_in_place_may_overlap_in_memory) {
  // Two arrays with the same memory but different owners must behave like views of one array.
  const auto expect = [](int64_t from, int64_t to, auto write) {
    std::vector<float> memory(6000), ours(6000);
    for (std::size_t i = 0; i < 6000; ++i) memory[i] = ours[i] = static_cast<float>(i % 97);
    Array a = external_array(memory.data() + to, {5000}, float32, [] {});
    const Array b = external_array(memory.data() + from, {5000}, float32, [] {});
    Array all = array(ours), to_part = all[Slice(to, to + 5000)];
    const Array from_part = all[Slice(from, from + 5000)].copy();
    write(a, b), write(to_part, from_part);
    EXPECT(memory == all.to_vector<float>());
  };
  for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, 1}, {1, 0}, {0, 0}, {0, 700}, {1000, 3}}) {
    expect(from, to, [](Array& a, const Array& b) { a += b; });
    expect(from, to, [](Array& a, const Array& b) { a *= b; });
    expect(from, to, [](Array& a, const Array& b) { a.set(Slice(), b); });
    expect(from, to, [](Array& a, const Array& b) { a.set(Slice({}, {}, -1), b); });
    expect(from, to, [](Array& a, const Array& b) { a.set(a > 50, b[a > 50]); });
    expect(from, to, [](Array& a, const Array& b) { a -= b[Slice({}, {}, -1)]; });
  }
  // The library's memory, exported and imported again.
  Array own = arange(3000).astype(float32);
  const Array again = from_dlpack(to_dlpack(own))[Slice(0, 2999)];
  Array behind = own[Slice(1, 3000)];
  behind += again;
  EXPECT_EQ(own[2999].item<float>(), 2999.f + 2998.f);
}

TEST(what_repeats_elements_is_not_written_to) {
  const Array row = arange(3).astype(float32);
  Array wide = broadcast_to(row, {2, 3});
  EXPECT(!is_writable(wide) && !is_writable(wide[0]) && is_writable(row) && is_writable(wide.copy()));
  EXPECT_THROW(ValueError, "repeats elements", wide += 1);
  EXPECT_THROW(ValueError, "(2, 3) cannot be written to", wide.set({0, 0}, 5));
  EXPECT_THROW(ValueError, "repeats elements", wide.T().fill(0));
  EXPECT_THROW(ValueError, "repeats elements", (void)wide.mutable_raw());
  EXPECT(row.to_vector<int>() == (std::vector<int>{0, 1, 2}));
}

TEST(an_array_of_others_memory_is_not_exclusive) {
  float memory[4] = {};
  const auto alone = [](const Array& a) { return is_exclusive(a); };
  EXPECT(alone(ones({4})) && !alone(external_array(memory, {4}, float32, [] {})));
  EXPECT(!alone(broadcast_to(ones({1}), {4})));
  const Array shared = ones({4});
  share_memory(shared);
  EXPECT(!alone(shared));
}

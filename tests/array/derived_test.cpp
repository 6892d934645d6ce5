// SPDX-License-Identifier: MIT
// Derived forms of an array's elements are kept until the array is written to, and no longer.
#include <chainer/array/derived.h>
#include <chainer/array/external.h>
#include <chainer/array/order.h>
#include <chainer/chainer.h>
#include <chainer/interop/dlpack.h>

#include <algorithm>
#include <cstring>

#include "test.h"

using namespace chainer;

namespace {

// A derived form: the elements doubled.
int made = 0;
std::shared_ptr<const DerivedForm> doubled(const Array& a, uint64_t kind = 1) {
  return derived_form(a, kind, static_cast<std::size_t>(a.nbytes()), [&](void* to) {
    ++made;
    for (int64_t i = 0; i < a.size(); ++i) static_cast<float*>(to)[i] = 2 * a.data<float>()[i];
  });
}
float first(const DerivedForm& f) { return *static_cast<const float*>(f.block.data); }
int made_by(const Array& a, uint64_t kind = 1) {
  const int before = made;
  const auto form = doubled(a, kind);
  EXPECT_EQ(first(*form), 2 * a.data<float>()[0]);
  return made - before;
}

}  // namespace

TEST(a_form_is_kept_from_the_second_request_on) {
  const int64_t before = derived_forms();
  {
    const Array a = full({40, 50}, 3, float32);
    EXPECT_EQ(made_by(a), 1);
    EXPECT_EQ(derived_forms(), before);
    EXPECT_EQ(made_by(a), 1);
    EXPECT_EQ(derived_forms(), before + 1);
    EXPECT_EQ(made_by(a), 0);
    // Another kind and another part of the array are other forms.
    EXPECT_EQ(made_by(a, 2), 1);
    EXPECT_EQ(made_by(a[{Slice(5, 40)}]), 1);
    EXPECT_EQ(made_by(a), 0);
    // At most four are kept.
    for (uint64_t kind = 3; kind < 9; ++kind) (void)doubled(a, kind), (void)doubled(a, kind);
    EXPECT_EQ(derived_forms(), before + 4);
  }
  EXPECT_EQ(derived_forms(), before);
}

TEST(a_form_goes_with_every_write) {
  Array a = full({40, 50}, 3, float32), b = ones({40, 50}, float32);
  const std::pair<const char*, std::function<void()>> writes[] = {
      {"a pointer", [&] { *a.mutable_data<float>() = 7; }},
      {"in place", [&] { a += b; }},
      {"a view", [&] { a[{Slice(0, 1)}].fill(9); }},
      {"a view of a view",
       [&] {
         a.reshape({50, 40}).T()[{0}].fill(8);
       }},
      {"assignment to a part",
       [&] {
         a.set(Slice(0, 2), full({2, 50}, 4, float32));
       }},
      {"fill", [&] { a.fill(5); }},
  };
  for (const auto& [name, write] : writes) {
    for (int i = 0; i < 2; ++i) (void)doubled(a);
    EXPECT_EQ(made_by(a), 0);
    const Array waits = a * 2 + 1;  // a deferred computation that reads the same memory
    const float old = *a.data<float>();
    write();
    EXPECT_EQ(made_by(a), 1);
    EXPECT_EQ(*waits.data<float>(), 2 * old + 1);
  }
}

TEST(convolutions_see_what_was_written_to_their_filters) {
  const Array x = random::uniform(-1, 1, {2, 32, 9, 9}, float32);
  Array W = random::uniform(-1, 1, {32, 32, 3, 3}, float32);
  const auto equals_fresh = [&] {
    const Array y = F::convolution_2d(x, W).array(), z = F::deconvolution_2d(x, W).array();
    EXPECT_CLOSE(y, F::convolution_2d(x, W.copy()).array(), {0, 0});
    EXPECT_CLOSE(z, F::deconvolution_2d(x, W.copy()).array(), {0, 0});
  };
  for (int i = 0; i < 3; ++i) equals_fresh();
  for (int i = 0; i < 3; ++i) {
    W *= 0.5;
    equals_fresh(), equals_fresh();
    W[{i}].fill(1);
    equals_fresh(), equals_fresh();
  }
  L::Convolution2D conv(32, 32, 3);
  optimizers::SGD sgd(optimizers::SGDOptions{.lr = 0.1});
  sgd.setup(conv);
  for (int i = 0; i < 3; ++i) {
    const Variable y = conv(x), again = conv(x);
    EXPECT_CLOSE(y.array(), again.array(), {0, 0});
    EXPECT_CLOSE(y.array(), F::convolution_2d(x, conv.W.array().copy(), conv.b->array()).array(), {0, 0});
    conv.cleargrads();
    F::sum(F::square(y)).backward();
    sgd.update();
  }
}

TEST(nothing_is_kept_of_memory_that_others_write_to) {
  // Filters in memory that another library may also write to: the next convolution must see a write.
  const Array x = ones({2, 32, 9, 9});
  const auto first_result = [&](const Array& W) { return F::convolution_2d(x, W).array()[{0, 0, 0, 0}].item<float>(); };
  const auto fill = [](void* p, float v) { std::fill_n(static_cast<float*>(p), 32 * 32 * 9, v); };
  {
    const Array W = ones({32, 32, 3, 3});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(first_result(W), 288.f);  // forms are kept in this case
    auto* handed_over = to_dlpack(W);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(first_result(W), 288.f);
    fill(handed_over->dl_tensor.data, 3);
    EXPECT_EQ(first_result(W), 864.f);
    handed_over->deleter(handed_over);
  }
  std::vector<float> memory(32 * 32 * 9, 2.f);
  for (const bool writable : {true, false}) {
    fill(memory.data(), 2);
    const Array W =
        external_array(memory.data(), {32, 32, 3, 3}, float32, [] {}, {.writable = writable, .shared = true});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(first_result(W), 576.f);
    fill(memory.data(), 6);
    EXPECT_EQ(first_result(W), 1728.f);
  }
  // When read-only memory becomes shared, derived forms are dropped.
  fill(memory.data(), 2);
  const Array W = external_array(memory.data(), {32, 32, 3, 3}, float32, [] {}, {.writable = false});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(first_result(W), 576.f);
  share_memory(W);
  fill(memory.data(), 6);
  EXPECT_EQ(first_result(W), 1728.f);
}

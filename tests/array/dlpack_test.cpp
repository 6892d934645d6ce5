// SPDX-License-Identifier: MIT
#include "chainer/interop/dlpack.h"

#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;
using namespace chainer::dlpack;

namespace {

int deleted = 0;

// A producer's tensor in its own memory.
template <class Managed>
struct Produced {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  std::vector<int64_t> shape = {2, 3}, strides = {3, 1};
  Managed managed{};
  Produced() {
    managed.dl_tensor = {.data = memory.data(),
                         .device = {kCPU, 0},
                         .ndim = 2,
                         .dtype = {kFloat, 32, 1},
                         .shape = shape.data(),
                         .strides = strides.data(),
                         .byte_offset = 0};
    managed.deleter = [](Managed*) { ++deleted; };
    if constexpr (requires { managed.version; }) managed.version = {1, 1};
  }
};
using Versioned = Produced<ManagedTensorVersioned>;

}  // namespace

TEST(dlpack_tensors_become_arrays_on_the_same_memory) {
  deleted = 0;
  Versioned p;
  {
    Array a = from_dlpack(&p.managed);
    EXPECT(a.raw() == p.memory.data());
    EXPECT_EQ(a.shape(), (Shape{2, 3}));
    a.set({1, 2}, 50.0);
    EXPECT_EQ(p.memory[5], 50.f);
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  Produced<ManagedTensor> old;
  old.managed.dl_tensor.strides = nullptr;
  old.managed.dl_tensor.byte_offset = 4;
  old.shape = {5, 1};
  EXPECT(from_dlpack(&old.managed).to_vector<float>() == (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(deleted, 2);
}

TEST(dlpack_tensors_keep_strides_and_the_read_only_flag) {
  Versioned p;
  p.shape = {3, 2}, p.strides = {1, 3};
  p.managed.flags = kReadOnly;
  Array a = from_dlpack(&p.managed);
  EXPECT(a.to_vector<float>() == (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_THROW(ValueError, "cannot be written to", a += 1.0);
  ManagedTensorVersioned* out = to_dlpack(a);
  EXPECT_EQ(out->flags, kReadOnly);
  EXPECT(out->dl_tensor.strides[0] == 1 && out->dl_tensor.strides[1] == 3);
  out->deleter(out);
  EXPECT_THROW(ValueError, "pass a copy", (void)to_dlpack_unversioned(a));
  ManagedTensor* copied = to_dlpack_unversioned(a, {.copy = true});
  EXPECT(copied->dl_tensor.data != p.memory.data());
  copied->deleter(copied);
}

TEST(dlpack_elements_that_do_not_fit_are_copied) {
  deleted = 0;
  Versioned p;
  p.shape = {2, 2}, p.strides = {3, 1};
  p.managed.dl_tensor.dtype = {kBool, 8, 1};
  auto* bytes = reinterpret_cast<unsigned char*>(p.memory.data());
  bytes[0] = 2, bytes[1] = 0, bytes[3] = 0, bytes[4] = 255;
  const Array truths = from_dlpack(&p.managed);
  EXPECT(truths.to_vector<int>() == (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(deleted, 1);
  Versioned q;
  q.shape = {1}, q.managed.dl_tensor.ndim = 1, q.strides = {1};
  q.managed.dl_tensor.byte_offset = 2;
  EXPECT_EQ(from_dlpack(&q.managed).shape(), Shape{1});
  EXPECT_EQ(deleted, 2);
}

TEST(dlpack_tensors_that_make_no_sense_are_errors_and_are_given_back) {
  deleted = 0;
  const auto change = [](auto f) {
    Versioned p;
    f(p);
    (void)from_dlpack(&p.managed);
  };
  EXPECT_THROW(DeviceError, "no device '@cuda:99'", change([](Versioned& p) {
                 p.managed.dl_tensor.device = {kCUDA, 99};
               }));
  EXPECT_THROW(DeviceError, "DLPack's type 8", change([](Versioned& p) {
                 p.managed.dl_tensor.device = {DeviceType(8), 0};
               }));
  EXPECT_THROW(TypeError, "code 1 with 16 bits", change([](Versioned& p) {
                 p.managed.dl_tensor.dtype = {kUInt, 16, 1};
               }));
  EXPECT_THROW(TypeError, "4 lane(s)", change([](Versioned& p) { p.managed.dl_tensor.dtype.lanes = 4; }));
  EXPECT_THROW(ValueError, "not 11", change([](Versioned& p) { p.managed.dl_tensor.ndim = 11; }));
  EXPECT_THROW(ValueError, "not -1", change([](Versioned& p) { p.managed.dl_tensor.ndim = -1; }));
  EXPECT_THROW(ValueError, "no shape", change([](Versioned& p) { p.managed.dl_tensor.shape = nullptr; }));
  EXPECT_THROW(ValueError, "no data", change([](Versioned& p) { p.managed.dl_tensor.data = nullptr; }));
  EXPECT_THROW(ValueError, "negative", change([](Versioned& p) { p.shape[0] = -2; }));
  EXPECT_THROW(Error, "from_dlpack", change([](Versioned& p) { p.shape = {int64_t(1) << 40, int64_t(1) << 40}; }));
  EXPECT_THROW(RuntimeError, "version 2.0", change([](Versioned& p) { p.managed.version = {2, 0}; }));
  EXPECT_EQ(deleted, 11);
  EXPECT_THROW(ValueError, "no tensor", (void)from_dlpack(static_cast<ManagedTensor*>(nullptr)));
}

TEST(arrays_of_every_dtype_go_out_and_come_back) {
  for (Dtype d : {Dtype::bool_, Dtype::int8, uint8, Dtype::int16, int32, int64, float16, bfloat16, float32, float64}) {
    const Array a = arange(6).astype(d).reshape({2, 3}).T();
    const Array back = from_dlpack(to_dlpack(a));
    EXPECT_EQ(back.dtype(), d);
    EXPECT_CLOSE(back, a);
    EXPECT(d == Dtype::bool_ || back.raw() == a.raw());
    ManagedTensorVersioned* copy = to_dlpack(a, {.copy = true});
    EXPECT(copy->flags == kIsCopied && copy->dl_tensor.data != a.raw() && copy->version.major == 1);
    EXPECT_CLOSE(from_dlpack(copy), a);
    EXPECT_CLOSE(from_dlpack(to_dlpack_unversioned(a)), a);
  }
  EXPECT_EQ(from_dlpack(to_dlpack(zeros({0, 3}))).shape(), (Shape{0, 3}));
  EXPECT_EQ(from_dlpack(to_dlpack(array(2.5))).item<double>(), 2.5);
}

TEST(an_exported_array_lives_as_long_as_its_consumer) {
  ManagedTensorVersioned* t = nullptr;
  {
    Array a = arange(4096).astype(float32);
    const Array waiting = a * 2.0;
    t = to_dlpack(a);
    static_cast<float*>(t->dl_tensor.data)[1] = 100;  // the consumer writes
    EXPECT_EQ(waiting[1].item<float>(), 2.f);
    EXPECT_EQ((a + 1.0)[1].item<float>(), 101.f);
  }
  EXPECT_EQ(static_cast<float*>(t->dl_tensor.data)[4095], 4095.f);
  t->deleter(t);
}

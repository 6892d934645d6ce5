// SPDX-License-Identifier: MIT
// Convolutions by a fake of cuDNN that computes on the host: layouts, paddings, bias, the choice of engines,
// convolutions left to the kernel, errors. No result is computed by cuDNN.
#include "chainer/backend/cuda/cudnn.h"

#include <chainer/chainer.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/host.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/driver_cuda.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "environment_variable.h"
#include "fake_library.h"
#include "test.h"

using namespace chainer;

namespace {

struct FakeEngine {
  unsigned notes = 0;
  int64_t workspace = 0;
  bool broken = false;
};
// Notes of engines, with the numbers of cuDNN.
enum FakeNotes : unsigned {
  note_units = 1,
  note_rounds = 2,
  note_narrow = 4,
  note_fourier = 8,
  note_varies = 16,
  note_winograd = 32
};

struct FakeConvolutions : FakeLibrary {
  void (*fail)(const char*, int) = find<void(const char*, int)>("fake_cudnn_fail");
  void (*biases)(int) = find<void(int)>("fake_biases");
  int (*planned)() = find<int()>("fake_planned");
  int (*executed)() = find<int()>("fake_executed");
  int (*engine)() = find<int()>("fake_engine");
  int (*descriptors)() = find<int()>("fake_descriptors");
  const EnvironmentVariable named{"CHAINER_CUDNN_LIBRARY", FAKE_LIBCUDA};
  FakeConvolutions() { engines({{}}, {}); }
  FakeConvolutions(const FakeConvolutions&) = delete;
  FakeConvolutions& operator=(const FakeConvolutions&) = delete;
  ~FakeConvolutions() { fail("", 0), engines({{}}, {}); }
  // Sets the engines named by the heuristics, and those of the fallback.
  void engines(const std::vector<FakeEngine>& first, const std::vector<FakeEngine>& others) const {
    std::vector<unsigned> notes;
    std::vector<int64_t> workspaces;
    std::vector<int> broken;
    for (const auto* list : {&first, &others})
      for (const FakeEngine& e : *list)
        notes.push_back(e.notes), workspaces.push_back(e.workspace), broken.push_back(e.broken);
    find<void(const unsigned*, const int64_t*, const int*, int, int)>("fake_engines")(
        notes.data(), workspaces.data(), broken.data(), static_cast<int>(first.size()), static_cast<int>(notes.size()));
  }
};

// An emulated device that uses the fake for convolutions.
struct EmulatedConvolutions : FakeConvolutions {
  cuda::CudaBackend backend;
  Device device{backend, 0};
  EmulatedConvolutions() : backend(made(), "@emulated") {}
  static std::unique_ptr<cuda::Driver> made() {
    auto driver = std::make_unique<cuda::emulation::EmulatedDriver>(
        cuda::emulation::EmulatedDriver::Options{.devices = 1, .memory = std::size_t(64) << 20});
    driver->convolutions_by(cuda::Cudnn::open());
    return driver;
  }
};

struct ConvolutionByLibrary {
  Shape x, w, y;
  ConvolutionPlan plan;
};
Array drawn_for_library(const Shape& s, Dtype d, uint32_t seed) { return random::RandomState(seed).randn(s).astype(d); }
// Memory orders on the device: C order, channels last, or with gaps.
enum class Lies { in_order, channels_last, with_gaps };
Array put_on(const Device& d, const Array& a, Lies lies) {
  if (lies == Lies::in_order) return a.to_device(d);
  Shape wider = a.shape();
  if (lies == Lies::with_gaps) wider[1] += 2;
  Array out = channels_last(wider, a.dtype(), d);
  if (lies == Lies::with_gaps) {
    d.backend().fill(out, 7);
    out = out[{Slice(), Slice(1, 1 + a.shape()[1])}];
  }
  copy_elements(a.to_device(d), out);
  return out;
}

}  // namespace

TEST(convolutions_of_every_layout_by_the_library) {
  EmulatedConvolutions fake;
  fake.engines({{.workspace = 1000}}, {});
  const std::array<ConvolutionByLibrary, 9> cases{
      {{{2, 3, 9}, {4, 3, 3}, {2, 4, 5}, {{2}, {1}, {1}, 1}},
       {{2, 3, 6, 7}, {5, 3, 3, 2}, {2, 5, 6, 4}, {{1, 2}, {1, 1}, {1, 1}, 1}},
       {{2, 3, 6, 7}, {5, 3, 1, 1}, {2, 5, 3, 4}, {{2, 2}, {0, 0}, {1, 1}, 1}},  // elements outside of all windows
       {{2, 3, 5, 6}, {5, 3, 2, 2}, {2, 5, 4, 4}, {{2, 2}, {1, 1}, {1, 1}, 1}},  // more padding at the end
       {{2, 4, 7, 7}, {6, 2, 3, 3}, {2, 6, 3, 3}, {{1, 1}, {0, 0}, {2, 2}, 2}},
       {{2, 4, 5, 5}, {8, 1, 3, 3}, {2, 8, 5, 5}, {{1, 1}, {1, 1}, {1, 1}, 4}},
       {{1, 1, 5, 5}, {1, 1, 3, 3}, {1, 1, 3, 3}, {{1, 1}, {0, 0}, {1, 1}, 1}},
       {{3, 7, 1, 1}, {6, 7, 1, 1}, {3, 6, 1, 1}, {{1, 1}, {0, 0}, {1, 1}, 1}},
       {{1, 2, 3, 4, 5}, {3, 2, 2, 2, 2}, {1, 3, 2, 3, 2}, {{1, 1, 2}, {0, 0, 0}, {1, 1, 1}, 1}}}};
  int count = 0;
  for (const ConvolutionByLibrary& c : cases)
    for (const Dtype dtype : {float32, float64})
      for (const Lies lies : {Lies::in_order, Lies::channels_last, Lies::with_gaps}) {
        const auto f = [&](const Device& d) {
          const Array x = put_on(d, drawn_for_library(c.x, dtype, 1), lies), none;
          const Array w = put_on(d, drawn_for_library(c.w, dtype, 2), lies);
          const Array y = put_on(d, drawn_for_library(c.y, dtype, 3), lies);
          const Lies order = lies == Lies::with_gaps ? Lies::channels_last : lies;
          const auto result = [&](const Shape& s) { return put_on(d, drawn_for_library(s, dtype, 4), order); };
          const auto numbers = [&](int64_t n) { return drawn_for_library({n}, dtype, 5).to_device(d); };
          const Array bias = numbers(c.w[0]), of_images = numbers(c.x[1]);
          Arrays out{result(c.y), result(c.y), result(c.y), result(c.x), result(c.x), result(c.w), result(c.w)};
          const int before = fake.executed();
          Backend& b = d.backend();
          b.convolution({Convolution::forward, c.plan, x, w, none, out[0], false});
          b.convolution({Convolution::forward, c.plan, x, w, bias, out[1], false});
          b.convolution({Convolution::forward, c.plan, x, w, bias, out[2], true});
          b.convolution({Convolution::backward_data, c.plan, y, w, none, out[3], false});
          b.convolution({Convolution::backward_data, c.plan, y, w, of_images, out[4], false});
          b.convolution({Convolution::backward_weights, c.plan, x, y, none, out[5], false});
          b.convolution({Convolution::backward_weights, c.plan, x, y, none, out[6], true});
          d.synchronize();
          count += fake.executed() - before;
          return out;
        };
        const Arrays want = f(Device()), got = f(fake.device);
        for (std::size_t i = 0; i < want.size(); ++i)
          EXPECT_CLOSE(to_host(got[i]), want[i], {.atol = 1e-4, .rtol = 1e-4});
      }
  EXPECT_EQ(count, 9 * 2 * 3 * 7);  // none was computed by the kernel
}

// The library adds a bias in the same call if it has a plan for that; otherwise it adds its result to the bias.
TEST(biases_of_convolutions_by_the_library) {
  for (const bool planned : {true, false}) {
    EmulatedConvolutions fake;  // without plans yet
    fake.biases(planned);
    for (const Lies lies : {Lies::in_order, Lies::channels_last})
      for (const Shape& in : {Shape{2, 3, 6, 7}, Shape{2, 3, 9}, Shape{1, 2, 3, 4, 5}}) {
        Shape filters = in, out = in;
        filters[0] = 4, out[1] = 4;
        const int axes = in.ndim() - 2;
        for (int d = 0; d < axes; ++d) filters[d + 2] = 2, --out[d + 2];
        const auto all = [&](int64_t v) { return Dims::filled(axes, v); };
        const ConvolutionPlan plan{all(1), all(0), all(1), 1};
        const Array x = drawn_for_library(in, float32, 1), w = drawn_for_library(filters, float32, 2),
                    b = drawn_for_library({4, 2}, float32, 3);
        for (const bool gaps : {false, true}) {
          const auto f = [&](const Device& d) {
            Array y = put_on(d, zeros(out), lies);
            const Array bias = gaps ? b.to_device(d)[{Slice(), 0}] : b[{Slice(), 0}].copy().to_device(d);
            d.backend().convolution({Convolution::forward, plan, put_on(d, x, lies), put_on(d, w, lies), bias, y});
            return y;
          };
          const Array y = f(fake.device);  // plans are made
          fake.device.synchronize();
          const int executed = fake.executed();
          const int64_t calls = fake.backend.counts(0).calls;
          const Array again = f(fake.device);
          fake.device.synchronize();
          EXPECT_EQ(fake.executed() - executed, 1);
          if (lies == Lies::in_order) EXPECT_EQ(fake.backend.counts(0).calls - calls, planned && !gaps ? 1 : 2);
          EXPECT_CLOSE(to_host(y), f(Device()), {.atol = 1e-4, .rtol = 1e-4});
          EXPECT_CLOSE(to_host(again), to_host(y), {.atol = 0, .rtol = 0});
        }
      }
    fake.biases(true);
  }
}

TEST(a_network_learns_by_convolutions_of_the_library) {
  EmulatedConvolutions fake;
  const auto gradients = [](const Device& d) {
    const auto sent = [&](const Shape& s, uint32_t seed) {
      return Variable(drawn_for_library(s, float32, seed).to_device(d));
    };
    Variable x = sent({2, 3, 8, 8}, 1), w = sent({4, 3, 3, 3}, 2), b = sent({4}, 3), v = sent({4, 2, 4, 4}, 4);
    Variable y = F::deconvolution_2d(F::relu(F::convolution_2d(x, w, b, {.stride = 2, .pad = 1})), v, Variable(),
                                     {.stride = 2, .pad = 1});
    Variable loss = F::sum(y * y);
    loss.backward();
    return Arrays{to_host(loss.array()), to_host(x.grad()), to_host(w.grad()), to_host(b.grad()), to_host(v.grad())};
  };
  const int before = fake.executed();
  const Arrays want = gradients(Device()), got = gradients(fake.device);
  EXPECT_EQ(fake.executed() - before, 6);
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_CLOSE(got[i], want[i], {.atol = 1e-3, .rtol = 1e-4});
  {
    const UsingConfig tuned(&Config::autotune, true);
    fake.engines({{.workspace = 4}, {.workspace = 8}}, {});
    fake.device.synchronize();
    const Arrays measured = gradients(fake.device);
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_CLOSE(measured[i], want[i], {.atol = 1e-3, .rtol = 1e-4});
  }
  const int so_far = fake.executed();
  const UsingConfig never(&Config::use_cudnn, "never");
  const Arrays by_kernels = gradients(fake.device);
  EXPECT_EQ(fake.executed(), so_far);
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_CLOSE(by_kernels[i], want[i], {.atol = 1e-3, .rtol = 1e-4});
}

TEST(what_the_library_does_not_convolve_the_kernel_does) {
  EmulatedConvolutions fake;
  const auto by_kernel = [&](const Shape& x, const Shape& w, const Shape& y, const ConvolutionPlan& plan, Dtype dtype,
                             bool gaps = false) {
    const auto f = [&](const Device& d) {
      Array out = put_on(d, zeros(y, dtype), gaps ? Lies::with_gaps : Lies::channels_last);
      d.backend().convolution({Convolution::forward, plan, drawn_for_library(x, dtype, 1).to_device(d),
                               drawn_for_library(w, dtype, 2).to_device(d), Array(), out, false});
      return to_host(out);
    };
    const int before = fake.executed();
    const Array got = f(fake.device);
    const bool kernel = fake.executed() == before;
    EXPECT_CLOSE(got, f(Device()), {.atol = 1e-2, .rtol = 1e-2});
    return kernel;
  };
  const ConvolutionPlan one{{1, 1}, {0, 0}, {1, 1}, 1};
  EXPECT(!by_kernel({2, 3, 4, 4}, {2, 3, 3, 3}, {2, 2, 2, 2}, one, float32));
  EXPECT(by_kernel({2, 3, 4, 4}, {2, 3, 3, 3}, {2, 2, 2, 2}, one, float32, true));  // a result with gaps
  EXPECT(by_kernel({1, 2, 3, 2, 3, 2}, {2, 2, 2, 1, 2, 1}, {1, 2, 2, 2, 2, 2},
                   {{1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, 1}, float32));
  EXPECT(by_kernel({2, 3, 9, 9}, {2, 3, 3, 3}, {2, 2, 2, 2}, one, float32));  // fewer positions than fit
  EXPECT(by_kernel({2, 0, 4, 4}, {2, 0, 3, 3}, {2, 2, 2, 2}, one, float32));
  ConvolutionPlan own = one;
  own.by_library = false;
  EXPECT(by_kernel({2, 3, 4, 4}, {2, 3, 3, 3}, {2, 2, 2, 2}, own, float32));
  fake.engines({{.workspace = int64_t(100) << 20}}, {});  // the device has 64 MiB
  EXPECT(by_kernel({2, 3, 5, 5}, {2, 3, 3, 3}, {2, 2, 3, 3}, one, float32));
  fake.engines({{.broken = true}}, {{.notes = note_varies}});
  EXPECT(by_kernel({2, 3, 6, 6}, {2, 3, 3, 3}, {2, 2, 4, 4}, one, float32));
}

namespace {

cuda::LibraryConvolution::Tensor tensor_at(void* data, const Dims& size) {
  Dims strides = size;
  int64_t step = 1;
  for (int d = size.ndim() - 1; d >= 0; step *= size[d--]) strides[d] = step;
  return {data, size, strides, 4};
}
cuda::LibraryConvolution call_of(Dtype dtype, bool units, int64_t images = 1, void* data = nullptr) {
  return {Convolution::forward,
          tensor_at(data, {images, 1, 3, 3}),
          tensor_at(data, {1, 1, 3, 3}),
          tensor_at(data, {images, 1, 1, 1}),
          dtype,
          {1, 1},
          {0, 0},
          {0, 0},
          {1, 1},
          false,
          units};
}

}  // namespace

// The first engine of the heuristics with the required properties is chosen.
TEST(engines_that_keep_bits_and_precision) {
  const FakeConvolutions fake;
  fake.engines({{.notes = note_varies},
                {.notes = note_fourier},
                {.notes = note_units | note_narrow},
                {.notes = note_units | note_rounds}},
               {{.notes = note_units}, {.notes = note_winograd}, {}});
  const auto chosen = [&](Dtype dtype, bool allowed) {
    const std::unique_ptr<cuda::Cudnn> library = cuda::Cudnn::open();
    EXPECT(library->workspace(call_of(dtype, allowed)).has_value());
    return fake.engine();
  };
  EXPECT_EQ(chosen(float32, true), 3);
  EXPECT_EQ(chosen(float32, false), 5);
  for (const Dtype dtype : {float16, bfloat16, float64}) {
    EXPECT_EQ(chosen(dtype, true), 4);
    EXPECT_EQ(chosen(dtype, false), 5);
  }
  fake.engines({{.broken = true}, {.workspace = int64_t(2) << 30}, {.workspace = 12}}, {{}});
  EXPECT_EQ(chosen(float32, false), 2);
  EXPECT_EQ(fake.descriptors(), 0);  // all descriptors were destroyed
}

TEST(plans_are_built_once_a_shape) {
  const FakeConvolutions fake;
  fake.engines({{.workspace = 12}}, {});
  const std::unique_ptr<cuda::Cudnn> library = cuda::Cudnn::open();
  const int before = fake.planned();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*library->workspace(call_of(float32, false)), 12u);
  EXPECT_EQ(fake.planned(), before + 1);
  library->workspace(call_of(float64, true));
  library->workspace(call_of(float32, false, 2));
  cuda::LibraryConvolution other = call_of(float32, false);
  other.x.alignment = 16;
  library->workspace(other);
  other.accumulate = true;
  library->workspace(other);
  EXPECT_EQ(fake.planned(), before + 5);
  EXPECT_EQ(library->plans(), 5u);
  library->forget_plans();
  EXPECT_EQ(fake.descriptors(), 0);
  library->workspace(other);
  EXPECT_EQ(fake.planned(), before + 6);
  // Convolutions without a plan are not requested again.
  fake.engines({}, {});
  for (int i = 0; i < 2; ++i) EXPECT(!library->workspace(call_of(float32, false)));
  EXPECT(library->why_not().find("no engine with deterministic sums") != std::string::npos);
  EXPECT_EQ(library->plans(), 2u);
}

// Allocations and CUDA may fail while memory is short; other failures stay.
TEST(plans_that_failed_for_want_of_memory_are_built_later) {
  const FakeConvolutions fake;
  for (const int status : {4003, 4004}) {
    const std::unique_ptr<cuda::Cudnn> library = cuda::Cudnn::open();
    fake.fail("cudnnBackendFinalize", status);
    for (int i = 0; i < 2; ++i) EXPECT(!library->workspace(call_of(float32, false)));
    EXPECT_EQ(library->plans(), 0u);
    fake.fail("", 0);
    EXPECT(library->workspace(call_of(float32, false)).has_value());
    EXPECT_EQ(library->plans(), 1u);
    // A plan stays if those to be measured cannot be built.
    cuda::LibraryConvolution call = call_of(float32, false);
    call.tune = true;
    fake.fail("cudnnBackendFinalize", status);
    EXPECT(library->workspace(call).has_value());
    fake.fail("", 0);
    EXPECT(library->workspace(call_of(float32, false)).has_value());
  }
  const std::unique_ptr<cuda::Cudnn> library = cuda::Cudnn::open();
  fake.fail("cudnnBackendFinalize", 3000);
  EXPECT(!library->workspace(call_of(float32, false)));
  fake.fail("", 0);
  EXPECT(!library->workspace(call_of(float32, false)));
}

// With `tune`, plans are measured once: the fastest is kept, results of measurements do not reach the output.
TEST(plans_are_measured) {
  const FakeConvolutions fake;
  fake.engines({{.workspace = 40}, {.broken = true}, {.workspace = 24}, {.notes = note_varies}, {}}, {{}});
  const std::unique_ptr<cuda::Cudnn> library = cuda::Cudnn::open();
  alignas(16) float data[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, out[4] = {100};
  cuda::LibraryConvolution call = call_of(float32, false, 1, data);
  call.y.data = out, call.accumulate = true;
  const std::vector<double> seconds{3, 4, 5, 1, 9, 7, 2, 2, 2};  // three measurements of each of three plans
  std::size_t measured = 0;
  const auto time = [&](const std::function<void()>& work) {
    work();
    EXPECT_EQ(out[0], 100);
    return seconds[measured++ % seconds.size()];
  };
  std::vector<char> room(4096);
  const auto run = [&] {
    EXPECT(library->workspace(call).value() <= room.size());
    const int before = fake.executed();
    library->convolve(nullptr, call, room.data(), time);
    return fake.executed() - before;
  };
  EXPECT_EQ(run(), 1);  // not asked for
  EXPECT_EQ(out[0], 109);
  out[0] = 100;
  call.tune = true;
  EXPECT_EQ(*library->workspace(call), 256u + sizeof(float));
  EXPECT_EQ(run(), 3 * 4 + 1);
  EXPECT_EQ(measured, 9u);
  EXPECT_EQ(out[0], 109);
  EXPECT_EQ(*library->workspace(call), 24u);  // the third engine, measured with 1 s
  EXPECT_EQ(run(), 1);
  call.tune = false;
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(*library->workspace(call), 24u);
  // Plans that fail when they run are not chosen.
  library->forget_plans();
  call.tune = true;
  fake.fail("cudnnBackendExecute", 2000);
  EXPECT_THROW(DeviceError, "cudnnBackendExecute", library->convolve(nullptr, call, room.data(), time));
  fake.fail("", 0);
  library->forget_plans();
  EXPECT_EQ(fake.descriptors(), 0);
}

TEST(errors_of_the_library_have_names) {
  const FakeConvolutions fake;
  const std::unique_ptr<cuda::Cudnn> library = cuda::Cudnn::open();
  alignas(16) float data[16] = {};
  const cuda::LibraryConvolution call = call_of(float32, false, 1, data);
  EXPECT_EQ(*library->workspace(call), 0u);
  fake.fail("cudnnBackendExecute", 2000);
  EXPECT_THROW(DeviceError,
               "cudnnBackendExecute: CUDNN_STATUS_BAD_PARAM (as it was told) for a convolution (forward) of x (1, 1, "
               "3, 3), W (1, 1, 3, 3), y (1, 1, 1, 1) of float32",
               library->convolve(nullptr, call, nullptr, {}));
  fake.fail("cudnnBackendFinalize", 3000);
  EXPECT(!library->workspace(call_of(float32, false, 3)));
  EXPECT_EQ(library->why_not(), "cudnnBackendFinalize of a convolution: CUDNN_STATUS_NOT_SUPPORTED (as it was told)");
  EXPECT_THROW(DeviceError, "cuDNN has no plan: ", library->convolve(nullptr, call_of(float32, true), nullptr, {}));
  fake.fail("cudnnCreate", 1001);
  EXPECT(!cuda::Cudnn::open());  // it finds no device
  EXPECT_EQ(cuda::Cudnn::description(), text("cuDNN 9.19.0 (", FAKE_LIBCUDA, ")"));
  EXPECT(runtime_info().find(text("; cuDNN 9.19.0 (", FAKE_LIBCUDA, ") was found")) != std::string::npos);
  for (const char* nobody : {"none", "libcudnn_of_nobody.so"}) {
    const EnvironmentVariable other("CHAINER_CUDNN_LIBRARY", nobody);
    EXPECT(!cuda::Cudnn::open());
    EXPECT_EQ(cuda::Cudnn::description(), "");
  }
}

// The driver of real devices opens the library for the first convolution of a device.
TEST(convolutions_of_the_real_driver) {
  const FakeConvolutions fake;
  cuda::CudaBackend backend(fake_driver(), "@fake");
  const Device device(backend, 0);
  fake.engines({{.workspace = 100}}, {});
  const Array x = drawn_for_library({2, 3, 5, 5}, float32, 1), w = drawn_for_library({4, 3, 3, 3}, float32, 2);
  Array out(Shape{2, 4, 3, 3}, float32, device);
  const int before = fake.executed();
  const int64_t calls = backend.counts(0).calls;
  const ConvolutionPlan plan{{1, 1}, {0, 0}, {1, 1}, 1};
  backend.convolution({Convolution::forward, plan, x.to_device(device), w.to_device(device), Array(), out, false});
  EXPECT_EQ(fake.executed(), before + 1);
  EXPECT_EQ(backend.counts(0).calls, calls + 1);
  EXPECT_CLOSE(to_host(out), F::convolution_2d(Variable(x), Variable(w)).array(), {.atol = 1e-4, .rtol = 1e-4});
}

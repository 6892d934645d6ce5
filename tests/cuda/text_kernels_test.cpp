// SPDX-License-Identifier: MIT
// Kernels written as text, compiled by the host's compiler for emulated devices: results against the host's for random
// shapes, layouts and dtypes, errors, the cache, threads; and NVRTC, if installed, accepts the same sources.
#include <chainer/chainer.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "../array/bits.h"
#include "../environment_variable.h"
#include "../folder.h"
#include "chainer/array/host.h"
#include "chainer/array/operations/kernel_text.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/driver_cuda.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "chainer/backend/cuda/nvrtc.h"
#include "test.h"

using namespace chainer;
using backends::cuda::KernelOutputs;
using cuda::CudaBackend, cuda::emulation::EmulatedDriver;
namespace gpu = backends::cuda;

namespace {

// Collects the texts that it compiles.
class CompilingDriver final : public EmulatedDriver {
 public:
  explicit CompilingDriver(const char* compiler = TEST_COMPILER)
      : EmulatedDriver({.devices = 2, .memory = std::size_t(1) << 28, .compiler = compiler}) {}
  std::string compile_text(int device, const KernelText& kernel) override {
    texts.push_back(kernel);
    return EmulatedDriver::compile_text(device, kernel);
  }
  std::vector<KernelText> texts;
};

// Two emulated devices; with CHAINER_TEST_DEVICE=@cuda:0 a GPU (tests/cuda/day). Images are in a folder of their own.
struct Devices {
  test::Folder folder;
  EnvironmentVariable there{"CHAINER_KERNEL_CACHE", (folder.path / "kernels").c_str()};
  CompilingDriver* driver = new CompilingDriver;
  CudaBackend emulated{std::unique_ptr<CompilingDriver>(driver), "@text"};
  bool is_real = std::string_view(std::getenv("CHAINER_TEST_DEVICE") ? std::getenv("CHAINER_TEST_DEVICE") : "")
                     .starts_with("@cuda:");
  Device d = is_real ? get_device(std::getenv("CHAINER_TEST_DEVICE")) : Device(emulated, 0), second{emulated, 1};
  CudaBackend& backend = dynamic_cast<CudaBackend&>(d.backend());
};

Array random_array(random::RandomState& r, const Shape& shape, Dtype dtype) {
  return (r.randn(shape) * 10.0).astype(dtype);
}

}  // namespace

TEST(the_kernels_of_the_manual) {
  Devices devices;
  random::RandomState r(1);
  const Array x = r.randn({3, 4}).astype(float32), y = r.randn({3, 4}).astype(float32),
              z = r.randn({3, 4}).astype(float32);
  const Array gx = x.to_device(devices.d), gy = y.to_device(devices.d), gz = z.to_device(devices.d);
  for (const char* type : {"float32", "T"}) {
    const std::string in = text(type, " x, ", type, " y, ", type, " z");
    const auto forward = gpu::elementwise(in, text(type, " w"), "w = x * y + z", "muladd_fwd");
    const Array w = forward(gx, gy, gz);
    EXPECT(w.device() == devices.d);
    EXPECT_CLOSE(to_host(w), x * y + z, {.atol = 0, .rtol = 1e-6});
    const auto backward = gpu::elementwise(in, text(type, " gx, ", type, " gy"), R"(
        gx = y * z;  // a comment
        gy = x * z;  // at the end)",
                                           "muladd_bwd");
    const KernelOutputs g = backward(gx, gy, gz);
    EXPECT_EQ(g.size(), 2u);
    EXPECT(same_bits(to_host(g[0]), y * z));
    EXPECT(same_bits(to_host(g[1]), x * z));
    EXPECT_THROW(ValueError, "a kernel with 2 outputs has no single result", Array(g));
  }
  if (!devices.is_real) EXPECT_EQ(devices.backend.text_kernels().counts().compiled, 4);
}

TEST(elementwise_kernels_take_every_layout_and_dtype) {
  Devices devices;
  const auto kernel = gpu::elementwise("T x, S y, float64 k", "T a, S b, bool c",
                                       "a = x + T(1); b = y + S(2); c = x > T(0) && i % 2 == 0", "mixed");
  random::RandomState r(2);
  const std::vector<Dtype> dtypes{bool_, int8, int16, int32, int64, uint8, float16, float32, float64, bfloat16};
  for (std::size_t k = 0; k < dtypes.size(); ++k) {
    const Dtype t = dtypes[k], s = dtypes[(k + 3) % dtypes.size()];
    const Array base = random_array(r, {4, 6, 5}, t).to_device(devices.d);
    const Array x = base[{Slice(), Slice(std::nullopt, std::nullopt, k % 2 ? 2 : -2), Slice(1, 4)}];
    const Array y = random_array(r, k % 3 ? Shape{3, 1} : Shape{3, 3, 4}, s).to_device(devices.d);
    const Array moved = k % 3 ? y : y.transpose();
    const auto out = kernel(x, moved, k);
    const Array hx = to_host(x), positions = arange(36).reshape({4, 3, 3});
    EXPECT_EQ(out[0].dtype(), t);
    EXPECT(same_bits(to_host(out[0]), t == bool_ ? ones({4, 3, 3}, bool_) : (hx + 1).astype(t)));
    const Array hy = broadcast_to(to_host(moved), {4, 3, 3});
    EXPECT(same_bits(to_host(out[1]), s == bool_ ? ones({4, 3, 3}, bool_) : (hy + 2).astype(s)));
    EXPECT(same_bits(to_host(out[2]), logical_and(hx.astype(float32) > 0, positions % 2 == 0)));
  }
  // Outputs that are given, in another order and as a part of an array; no axes, and no elements.
  const Array x = random_array(r, {4, 3}, float64).to_device(devices.d);
  Array wide = zeros({3, 8}, float64).to_device(devices.d);
  const Array part = wide[{Slice(), Slice(0, std::nullopt, 2)}].T();
  const auto twice = gpu::elementwise("T x", "T y", "y = 2 * x", "twice");
  EXPECT(Array(twice(x, part)).is(part));
  EXPECT(same_bits(to_host(part), to_host(x) * 2.0));
  EXPECT_EQ(to_host(wide).to_vector<double>()[1], 0.);
  EXPECT_EQ(to_host(twice(x[{0, 0}].reshape({}))).shape(), Shape{});
  EXPECT_EQ(Array(twice(x[{Slice(0, 0)}])).shape(), (Shape{0, 3}));
  const Array more = arange(1000).astype(float32).to_device(devices.d);
  EXPECT(same_bits(to_host(twice(more + 1.f)), (arange(1000).astype(float32) + 1.f) * 2.f));  // of pending elements
  (void)twice(more, more);
  const auto add_to = gpu::elementwise("T x", "T y", "y += x", "add_to");
  const Array pending = arange(5000).astype(float32).to_device(devices.d) * 2.f, read = pending + 1.f;
  (void)add_to(pending, pending);
  EXPECT(same_bits(to_host(pending), arange(5000).astype(float32) * 4.f));
  EXPECT(same_bits(to_host(read), arange(5000).astype(float32) * 2.f + 1.f));
  EXPECT_EQ(to_host(more).to_vector<float>()[999], 1998.f);  // in place
}

TEST(whole_arrays_and_sizes) {
  Devices devices;
  random::RandomState r(3);
  const Array table = r.randn({5, 7}).astype(float32), index = r.randint(0, 35, {4, 6});
  const Array on_device = table.T().contiguous().to_device(devices.d).T(), places = index.to_device(devices.d);
  EXPECT(!on_device.is_contiguous());
  const auto take = gpu::elementwise("raw T x, int64 k", "T y", "y = x[k]", "taken");
  EXPECT(same_bits(to_host(take(on_device, places)), chainer::take(table.ravel(), index)));
  const auto shape = gpu::elementwise(
      "T x, raw T all", "int64 size, int64 row, T again",
      "size = _ind.size() + all.size() + all.shape()[1]; row = _ind.get()[0]; again = all[_ind.get()]", "shapes");
  const auto seen = shape(on_device, on_device);
  EXPECT_EQ(to_host(seen[0]).to_vector<int64_t>()[34], 77);
  EXPECT_EQ(to_host(seen[1]).to_vector<int64_t>()[34], 4);
  EXPECT(same_bits(to_host(seen[2]), table));
  EXPECT(same_bits(to_host(shape(on_device.contiguous(), on_device)[2]), table));
  // Scattered additions, and a loop over a number of elements.
  Array sums = zeros({7}).to_device(devices.d);
  const auto scatter =
      gpu::elementwise("raw T x, raw int64 k", "raw T y", "atomicAdd(&y[k[i] % 7], x[i % 35])", "added");
  (void)scatter.call({on_device, places, sums}, {.size = 24, .block_size = 7});
  std::vector<float> expected(7);
  for (std::size_t i = 0; i < 24; ++i)
    expected[static_cast<std::size_t>(index.to_vector<int64_t>()[i] % 7)] += table.to_vector<float>()[i];
  EXPECT_CLOSE(to_host(sums), array(expected), {.atol = 1e-5, .rtol = 1e-5});
  // Text around the operation, compiler's options, unsigned types.
  const auto around = gpu::elementwise("uint32 x, uint8 y", "uint64 z", "z = half_of(x) + y + start", "around",
                                       {.preamble = "__device__ unsigned half_of(unsigned x) { return x / HALF; }",
                                        .loop_prep = "const int start = 3;",
                                        .after_loop = "// nothing",
                                        .options = {"-DHALF=2"}});
  EXPECT_THROW(TypeError, "x must be an array of uint32 (in memory int32), not of int64",
               around(ones({2}, int64).to_device(devices.d), 1));
  const Array ones_of_32 = full({2}, -1, int32).to_device(devices.d);
  EXPECT_EQ(to_host(around(ones_of_32, 250)).to_vector<int64_t>()[1], (int64_t(1) << 31) - 1 + 253);
}

TEST(reductions_as_text) {
  Devices devices;
  random::RandomState r(4);
  const auto norm = gpu::reduce("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm_of");
  const Array x = r.randn({4, 300, 5}).astype(float64);
  for (const bool moved : {false, true}) {
    const Array on_device = moved ? x.T().contiguous().to_device(devices.d).T() : x.to_device(devices.d);
    for (const Axes& axes : {Axes(), Axes(0), Axes(1), Axes{0, 2}, Axes(-1), Axes{0, 1}})
      for (const bool keepdims : {false, true}) {
        Array first;
        for (const auto order : {cuda::emulation::Order::forward, cuda::emulation::Order::shuffled}) {
          cuda::emulation::set_order(order);
          const Array y = to_host(norm.call({on_device}, {.axis = axes, .keepdims = keepdims}));
          EXPECT_CLOSE(y, sqrt(sum(x * x, axes, keepdims)), {.atol = 0, .rtol = 1e-12});
          if (first) EXPECT(same_bits(first, y));
          first = y;
        }
      }
  }
  cuda::emulation::set_order(cuda::emulation::Order::forward);
  const Array none = zeros({0, 2}, float64).to_device(devices.d);
  EXPECT(same_bits(to_host(norm.call({none}, {.axis = 0})), zeros({2}, float64)));
  EXPECT_EQ(Array(norm.call({none}, {.axis = 1})).shape(), Shape{0});
  Array given = zeros({4, 1, 10}, float64).to_device(devices.d)[{Slice(), Slice(), Slice(0, std::nullopt, 2)}];
  EXPECT(Array(norm.call({x.to_device(devices.d), given}, {.axis = 1, .keepdims = true})).is(given));
  EXPECT_CLOSE(to_host(given), sqrt(sum(x * x, 1, true)), {.atol = 0, .rtol = 1e-12});

  // Without an identity; a type of values of its own; two inputs that are broadcast, two outputs; a whole array.
  EXPECT_THROW(ValueError, "kernel 'whole': a reduction needs an output",
               gpu::reduce("T x", "", "x", "a", "", "", "whole"));
  const auto found = gpu::reduce(
      "T x, S y, raw int64 offsets", "T value, int64 position", "Place<T>{T(x + y), _j}", "a.value < b.value ? b : a",
      "value = a.value; position = a.position + offsets[0]", "", "largest_of",
      {.preamble = "template <class V> struct Place { V value; ptrdiff_t position; };", .reduce_type = "Place<T>"});
  const Array m = r.randn({6, 50}).astype(float32), v = r.randn({50}).astype(float64);
  const auto both = found(m.to_device(devices.d), v.to_device(devices.d), array({int64_t(100)}).to_device(devices.d));
  const Array total = (m + v).astype(float32);
  EXPECT_CLOSE(to_host(both[0]), max(total), {.atol = 0, .rtol = 1e-6});
  EXPECT_EQ(to_host(both[1]).item<int64_t>(), argmax(total).item<int64_t>() + 100);
  EXPECT_THROW(
      ValueError, "kernel 'largest_of': no elements along the reduced axes of (0, 50), and no identity",
      found(m[{Slice(0, 0)}].to_device(devices.d), v.to_device(devices.d), array({int64_t(100)}).to_device(devices.d)));
  EXPECT_THROW(IndexError, "kernel 'norm_of'", norm.call({x.to_device(devices.d)}, {.axis = 3}));
  EXPECT_THROW(DimensionError, "kernel 'norm_of': y must have the shape (), not (2,)",
               norm(x.to_device(devices.d), zeros({2}, float64).to_device(devices.d)));
  const auto sum_of_halves =
      gpu::reduce("T x", "T y", "x", "a + b", "y = a", "0", "halves", {.reduce_type = "float32"});
  // Many elements of few outputs are combined in parts.
  const auto total_of = gpu::reduce("T x", "T y", "x + 1", "a + b", "y = a", "0", "total_of");
  const Array many = arange(120000).reshape({40000, 3}), on_device = many.to_device(devices.d);
  const int64_t before = devices.backend.counts(0).calls;
  for (const Axes& axes : {Axes(), Axes(0)}) {
    cuda::emulation::set_order(cuda::emulation::Order::shuffled);
    EXPECT(same_bits(to_host(total_of.call({on_device}, {.axis = axes})), sum(many + 1, axes)));
    EXPECT(same_bits(to_host(total_of.call({on_device.T()}, {.axis = axes.given() ? Axes(1) : axes})),
                     sum(many + 1, axes)));
  }
  EXPECT_EQ(devices.backend.counts(0).calls - before, 8);
  cuda::emulation::set_order(cuda::emulation::Order::forward);
  const Array halves = full({3000}, 1, float16).to_device(devices.d);
  EXPECT_EQ(to_host(sum_of_halves(halves)).to_vector<float>()[0], 3000.f);
}

TEST(raw_kernels) {
  Devices devices;
  const auto reversed = gpu::raw(R"(
#define LENGTH 64
__device__ int other(int k) { return LENGTH - 1 - k; }
extern "C" __global__ void reversed(const float* x, float* y, const int n, const double scale, const bool twice) {
  __shared__ float tile[LENGTH];
  extern __shared__ double more[];
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) tile[threadIdx.x] = x[k];
  if (threadIdx.x == 0) more[0] = scale * (twice ? 2 : 1);
  __syncthreads();
  if (k < n) y[k] = tile[other(threadIdx.x)] * more[0];
})",
                                 "reversed");
  const Array x = arange(128).astype(float32), y = zeros({128});
  const Array gx = x.to_device(devices.d), gy = y.to_device(devices.d);
  reversed({.grid = {2}, .block = {64}, .shared_memory = 8}, gx, gy, 128, 0.5, true);
  EXPECT(same_bits(to_host(gy), flip(x.reshape({2, 64}), 1).ravel()));
  if (!devices.is_real)
    EXPECT_THROW(DeviceError, "its parameters have 33 bytes, the given arguments 40",
                 reversed({.grid = {2}, .block = {64}, .shared_memory = 8}, gx, gy, 128, 0.5, 1LL));
  EXPECT_THROW(ValueError,
               "kernel 'reversed': grid must have one to three sizes of 1 to (2147483647, 65535, 65535), "
               "not (0,)",
               reversed({.grid = {0}, .block = {64}}, gx));
  EXPECT_THROW(ValueError, "kernel 'reversed': block must have", reversed({.grid = {1}, .block = {}}, gx));
  EXPECT_THROW(ValueError, "a block has at most 1024 threads, not (64, 32)",
               reversed({.grid = {1}, .block = {64, 32}}, gx));
  EXPECT_THROW(ValueError, "shared_memory must be 0 to 49152 bytes, not 50000",
               reversed({.grid = {1}, .block = {64}, .shared_memory = 50000}, gx));
  EXPECT_THROW(DeviceError, "kernel 'reversed': argument 1 is on the host",
               reversed({.grid = {1}, .block = {64}}, gx, y));
  EXPECT_THROW(ValueError, "kernel 'a b': the name must be one of a function in C++", gpu::raw("", "a b"));
}

TEST(wrong_texts_and_arguments) {
  Devices devices;
  const auto defined = [](const char* in, const char* out = "T y") { return gpu::elementwise(in, out, "", "f"); };
  EXPECT_THROW(ValueError, "kernel 'f': the parameter 'x': expected a type and a name, as in 'float32 x'",
               defined("x"));
  EXPECT_THROW(ValueError, "unknown type 'float'; expected one letter, or one of bool, int8", defined("float x"));
  EXPECT_THROW(ValueError, "unknown word 'const'; expected raw", defined("const T x"));
  EXPECT_THROW(ValueError, "the name i, and names that begin with _, are reserved", defined("T i"));
  EXPECT_THROW(ValueError, "'2x' is not a name", defined("T 2x"));
  EXPECT_THROW(ValueError, "two parameters are named y", defined("T y"));
  EXPECT_THROW(ValueError, "the parameter '': expected", defined("T x,"));
  EXPECT_THROW(ValueError, "kernel '': the name must be", gpu::elementwise("T x", "T y", "y = x", ""));

  const auto f =
      gpu::elementwise("T x, T y, float32 z, raw S table", "T w, raw S other", "w = x + nothing", "wrong_text");
  const Array a = ones({2, 3}).to_device(devices.d), b = ones({2, 3}, float64).to_device(devices.d);
  EXPECT_THROW(ValueError, "kernel 'wrong_text': expected 4 arguments, or 6 with the outputs, not 2", f(a, a));
  EXPECT_THROW(TypeError,
               "kernel 'wrong_text': y must be an array of T, which is float32 as in x, not of "
               "float64",
               f(a, b, a, a));
  EXPECT_THROW(TypeError, "z must be an array of float32, not of float64", f(a, a, b, a));
  EXPECT_THROW(TypeError, "kernel 'wrong_text': no array determines the type T of x", f(1, 2, 3, a));
  EXPECT_THROW(TypeError, "kernel 'wrong_text': table must be an array, not the number 7", f(a, a, a, 7));
  EXPECT_THROW(ValueError, "other is raw, so the array must be given", f(a, a, a, a));
  EXPECT_THROW(TypeError, "w must be an array, not the number 1", f(a, a, a, a, 1, a));
  EXPECT_THROW(DimensionError, "w must have the shape (2, 3), not (3,)", f(a, a, a, a, a[{0}], a));
  EXPECT_THROW(DimensionError, "kernel 'wrong_text'", f(a, a[{Slice(), Slice(0, 2)}], a, a, a, a));
  EXPECT_THROW(DeviceError, "kernel 'wrong_text': y is on the host; the arrays must be on a device",
               f(a, ones({2, 3}), a, a, a, a));
  EXPECT_THROW(DeviceError, "kernel 'wrong_text': x is on @text:0, z on @text:1",
               f(a, a, ones({2, 3}).to_device(devices.second), a, a, a));
  const auto raw = gpu::elementwise("raw T x", "raw T y", "y[i] = x[i]", "whole");
  EXPECT_THROW(ValueError, "kernel 'whole': no array that is not raw determines the size of the loop; give size",
               raw(a, a));
  EXPECT_THROW(ValueError, "size must not be negative, but is -1", raw.call({a, a}, {.size = -1}));
  EXPECT_THROW(ValueError, "size may be given if all arrays are raw, and x is not",
               f.call({a, a, a, a, a, a}, {.size = 6}));
  EXPECT_THROW(ValueError, "block_size must be 1 to 1024, not 0", raw.call({a, a}, {.size = 6, .block_size = 0}));

  // The compiler's messages name the lines of the text, which follow with numbers.
  EXPECT_THROW(RuntimeError, "kernel 'wrong_text': @cuda-emulated: ", f(a, a, a, a, a, a));
  EXPECT_THROW(RuntimeError, "wrong_text:14:9: error: 'nothing' was not declared", [&] {
    const EnvironmentVariable plain("LC_ALL", "C");
    (void)f(a, a, a, a, a, a);
  }());
  EXPECT_THROW(RuntimeError, "\n  14  w = x + nothing", f(a, a, a, a, a, a));
  EXPECT_EQ(devices.backend.text_kernels().counts().compiled, 0);
  EXPECT_THROW(RuntimeError, "kernel 'no_name': ", gpu::raw("int x;", "no_name")({.grid = {1}, .block = {1}}, a));
  // The device works on.
  EXPECT_EQ(to_host(a + 1.f).to_vector<float>()[5], 2.f);
  const auto same = gpu::elementwise("T x", "T y", "y = x", "same");
  EXPECT_THROW(DeviceError, "kernel 'same': @reference has no compiler",
               same(ones({2}).to_device(get_device("@reference"))));
  CudaBackend without(std::make_unique<EmulatedDriver>(EmulatedDriver::Options{.memory = std::size_t(1) << 26}),
                      "@none");
  EXPECT_THROW(DeviceError, "kernel 'same' on @none:0: there is no compiler",
               same(ones({2}).to_device(Device(without, 0))));
}

TEST(text_is_compiled_once) {
  Devices devices;
  const auto f = gpu::elementwise("T x", "T y", "y = x * x + 1", "once");
  const auto run = [&](CudaBackend& backend) {
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&, k] {
        for (int n = 1; n < 20; ++n) {
          const Array x = full({n, 3}, n, float32).to_device(Device(backend, k % 2));
          EXPECT_EQ(to_host(f(x)).to_vector<float>()[0], static_cast<float>(n * n + 1));
        }
      });
    for (std::thread& t : threads) t.join();
    return backend.text_kernels().counts();
  };
  auto counts = run(devices.emulated);
  EXPECT_EQ(counts.compiled, 1);
  EXPECT_EQ(counts.read, 1);  // by the second device
  // Another process with the same folder; then with a damaged file.
  CudaBackend next(std::make_unique<CompilingDriver>(), "@next");
  counts = run(next);
  EXPECT_EQ(counts.compiled, 0);
  EXPECT_EQ(counts.read, 2);
  for (const auto& file : std::filesystem::directory_iterator(devices.folder.path / "kernels"))
    std::filesystem::resize_file(file.path(), 10);
  CudaBackend damaged(std::make_unique<CompilingDriver>(), "@damaged");
  EXPECT_EQ(run(damaged).compiled, 1);
  // The same definition again, and one with another option.
  const auto again = gpu::elementwise("T x", "T y", "y = x * x + 1", "once");
  (void)to_host(again(ones({2}).to_device(Device(devices.emulated, 0))));
  EXPECT_EQ(devices.emulated.text_kernels().counts().compiled, 1);
  const auto other = gpu::elementwise("T x", "T y", "y = x * x + 1", "once", {.options = {"-DOTHER"}});
  (void)to_host(other(ones({2}).to_device(Device(devices.emulated, 0))));
  EXPECT_EQ(devices.emulated.text_kernels().counts().compiled, 2);
}

TEST(nvrtc_compiles_kernels_of_users) {
  const auto compiler = cuda::Nvrtc::open(cuda::kernel_headers());
  if (!compiler)
    return std::printf("  NVRTC is not installed, or this build has no kernels: nothing compiled\n"), void();
  Devices devices;
  const Array x = ones({4, 6}).to_device(devices.d), k = ones({4, 6}, int32).to_device(devices.d);
  for (const Dtype t : {float16, bfloat16, float64, bool_, uint8})
    (void)gpu::elementwise("T x, raw S y, uint16 z", "T a, raw S b",
                           "a = x; a += max(x, T(0)) * 2; b[_ind.get()] = y[i]",
                           "mixed")(x.astype(t).T(), k, 3, x.astype(t).T(), k.T());
  (void)gpu::reduce("T x", "T y, int64 n", "x * x", "a + b", "y = sqrt(a); n = 3", "0", "norm_of")
      .call({x.T()}, {.axis = 1});
  gpu::raw("extern \"C\" __global__ void own(int* x) { extern __shared__ int t[]; atomicAdd(x, t[0] = 1); }", "own")(
      {.grid = {1}, .block = {1}, .shared_memory = 4}, k);
  EXPECT_EQ(devices.driver->texts.size(), 7u);
  for (const int capability : {80, 90})
    for (const KernelText& t : devices.driver->texts) {
      std::string said = "not compiled";
      const std::string image = compiler->compile_text(t, capability, &said);
      EXPECT_EQ(image.substr(1, 3), std::string("ELF"));
      EXPECT_EQ(said, std::string());  // no warnings
    }
  const KernelText foreign{
      "foreign",
      "f",
      "#include <stdint.h>\n#include <cfloat>\n#include <cstdio>\n#include <assert.h>\n"
      "extern \"C\" __global__ void f(float* x, uint64_t n) { assert(n); x[n] = INFINITY + NAN + M_PI + FLT_MAX; }",
      {"--std=c++11"}};
  EXPECT_EQ(compiler->compile_text(foreign, 90).substr(1, 3), std::string("ELF"));
  const KernelText wrong{"named", "f", "\nint is(int x) { return what; }", {}};
  EXPECT_THROW(DeviceError, "named(2): error: identifier \"what\" is undefined", compiler->compile_text(wrong, 90));
}

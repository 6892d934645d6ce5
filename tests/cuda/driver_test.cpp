// SPDX-License-Identifier: MIT
// The driver of real devices with a fake of NVIDIA's library: its calls, and the errors when one fails. No kernel is
// run here.
#include "chainer/backend/cuda/driver_cuda.h"

#include <chainer/chainer.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "../captured_stderr.h"
#include "../environment_variable.h"
#include "../folder.h"
#include "chainer/array/host.h"
#include "chainer/array/time_mark.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/libraries.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/run_time_library.h"
#include "chainer/core/warnings.h"
#include "test.h"

using namespace chainer;
using namespace chainer::cuda;

namespace {

struct Fake {
  void* library = run_time_library::open(FAKE_LIBCUDA);
  void (*fail)(const char*, CuResult) = reinterpret_cast<void (*)(const char*, CuResult)>(find("fake_fail"));
  void (*device)(int, int) = reinterpret_cast<void (*)(int, int)>(find("fake_device"));
  void (*devices)(int) = reinterpret_cast<void (*)(int)>(find("fake_devices"));
  const char* (*retained)() = reinterpret_cast<const char* (*)()>(find("fake_retained"));
  CuResult (*set_context)(CuHandle) = reinterpret_cast<CuResult (*)(CuHandle)>(find("cuCtxSetCurrent"));
  CuResult (*context)(CuHandle*) = reinterpret_cast<CuResult (*)(CuHandle*)>(find("cuCtxGetCurrent"));
  const char* (*launched)() = reinterpret_cast<const char* (*)()>(find("fake_launched"));
  void* find(const char* name) const { return run_time_library::find(library, name); }
  ~Fake() { fail("", 0), device(13000, 9), devices(1), set_context(nullptr); }
};
const unsigned char kImage[] = {0};
const unsigned char* const kImages[] = {kImage};

std::unique_ptr<CudaDriver> driver() {
  return std::make_unique<CudaDriver>(open_libcuda(FAKE_LIBCUDA), Kernels{kImages, {}, 13000});
}

}  // namespace

TEST(what_is_missing_is_named) {
  const Fake fake;
  EXPECT_THROW(DeviceError, "no CUDA driver: ", open_libcuda("libcuda_of_nobody.so.1"));
  EXPECT_THROW(DeviceError, "NVIDIA's driver provides libcuda_of_nobody.so.1", open_libcuda("libcuda_of_nobody.so.1"));
  EXPECT_THROW(DeviceError, "this build has no kernels", CudaDriver(open_libcuda(FAKE_LIBCUDA), {}));
  fake.device(12040, 9);
  EXPECT_THROW(DeviceError, "the driver supports CUDA 12.4, kernels of this build require CUDA 13.0 or later",
               driver());
  fake.device(13010, 7);
  EXPECT_THROW(DeviceError, "Fake, 64 MiB, compute capability 7.0: kernels of this build require",
               driver()->make_stream(0));
  fake.device(13010, 8);
  fake.fail("cuInit", kCuNoDevice);
  EXPECT_THROW(DeviceError, "the driver finds no device", driver());
  fake.fail("cuInit", 999);
  EXPECT_THROW(DeviceError, "cuInit: CUDA_ERROR (as it was told)", driver());
}

TEST(arrays_go_to_a_device_and_back) {
  const Fake fake;
  CudaBackend backend(driver(), "@fake");
  EXPECT(backend.description() == "fake: @fake:0, Fake, 64 MiB, compute capability 9.0");
  const Device d(backend, 0);
  const Array a = arange(3000000).astype(float32), b = a.to_device(d);
  EXPECT(to_host(b).to_vector<float>() == a.to_vector<float>());
  EXPECT_THROW(MemoryError, "@fake:0", zeros({20000000}).to_device(d));
  Array c(Shape{1000}, float32, d);
  backend.fill(c, 1.0);
  EXPECT(std::string(fake.launched()) == "fill_float64 4 x 256, 0");
  const Array* const in[] = {&c};
  backend.elementwise(Elementwise::exp, in, c, float32);
  EXPECT(std::string(fake.launched()) == "program 2 x 128, 0");
  const auto begin = backend.mark(0);
  EXPECT(std::abs(backend.mark(0)->seconds_since(*begin) - 1.5e-3) < 1e-9);  // as reported by the fake
}

// The calls for streams: copies of more than 512 KiB are in one of their own, and other libraries have theirs.
TEST(streams_are_ordered_by_these_calls) {
  const Fake fake;
  const auto order = reinterpret_cast<const char* (*)()>(fake.find("fake_order"));
  CudaBackend backend(driver(), "@fake");
  const Device d(backend, 0);
  const std::string ours = text(backend.stream_handle(0));
  auto since = [&, at = std::string(order()).size()]() mutable {
    const std::string all = order(), out = all.substr(at);
    at = all.size();
    return out;
  };
  (void)zeros({1000}).to_device(d);
  EXPECT_EQ(since(), "send " + ours + ";");
  (void)zeros({200000}).to_device(d);
  const std::string calls = since(), copies = calls.substr(5, calls.find(';') - 5);
  EXPECT(copies != ours);
  EXPECT_EQ(calls, text("send ", copies, ";record ", copies, ";wait ", ours, ";copy ", ours, ";record ", ours, ";"));
  backend.wait_for_stream(0, 1);
  EXPECT_EQ(since(), "record 1;wait " + ours + ";");
  backend.let_stream_wait(0, 4321);
  EXPECT_EQ(since(), "record " + ours + ";wait 4321;");
  backend.wait_for_stream(0, backend.stream_handle(0)), backend.let_stream_wait(0, backend.stream_handle(0));
  EXPECT_EQ(since(), "");
  fake.fail("cuMemcpyDtoDAsync", 1);
  EXPECT_THROW(DeviceError, "cuMemcpyDtoDAsync: CUDA_ERROR", (void)zeros({200000}).to_device(d));
}

TEST(a_device_alone_has_the_only_context) {
  const Fake fake;
  fake.devices(2);
  const std::string before = fake.retained();
  CudaBackend backend(driver(), "@fake");
  const Array a = arange(100).astype(float32), b = a.to_device(Device(backend, 1));  // through pinned memory
  EXPECT(to_host(b).to_vector<float>() == a.to_vector<float>());
  EXPECT(fake.retained() == before + "1");
}

// The driver copies between the contexts of two devices.
TEST(devices_copy_to_each_other) {
  const Fake fake;
  fake.devices(2);
  const auto copied = reinterpret_cast<const char* (*)()>(fake.find("fake_copied"));
  CudaBackend backend(driver(), "@fake");
  const Array a = arange(100).astype(float32), b = a.to_device(Device(backend, 1)), c = b.to_device(Device(backend, 0));
  EXPECT_EQ(std::string(copied()), "400");
  EXPECT(to_host(c).to_vector<float>() == a.to_vector<float>());
  fake.fail("cuMemcpyPeerAsync", 1);
  EXPECT_THROW(DeviceError, "cuMemcpyPeerAsync: CUDA_ERROR", c.to_device(Device(backend, 1)));
}

// The order of the calls, and what remains after a call that fails.
TEST(a_graph_is_captured_by_these_calls) {
  const Fake fake;
  const auto graphs = reinterpret_cast<const char* (*)()>(fake.find("fake_graphs"));
  auto since = [&, at = std::string(graphs()).size()]() mutable {
    const std::string all = graphs(), out = all.substr(at);
    at = all.size();
    return out;
  };
  CudaBackend backend(driver(), "@fake");
  Array a = ones({100}).to_device(Device(backend, 0));
  auto work = backend.capture(0, [&] { backend.fill(a, 1.0); });
  EXPECT_EQ(since(), "begin 2;end;instantiate 0;end graph;");
  work->launch(), work->launch();
  EXPECT_EQ(since(), "launch;launch;");
  EXPECT_EQ(backend.counts(0).calls, 2);
  work.reset();
  EXPECT_EQ(since(), "end executable;");
  fake.fail("cuLaunchKernel", 900);
  EXPECT_THROW(DeviceError, "cuLaunchKernel", (void)backend.capture(0, [&] { backend.fill(a, 1.0); }));
  EXPECT_EQ(since(), "begin 2;end;end graph;");
  fake.fail("cuGraphInstantiate", 801);
  EXPECT_THROW(DeviceError, "cuGraphInstantiate", (void)backend.capture(0, [&] { backend.fill(a, 1.0); }));
  fake.fail("", 0);
  EXPECT(backend.capture(0, [&] { backend.fill(a, 1.0); }) != nullptr);
  EXPECT_EQ(backend.counts(0).calls, 2);
}

TEST(the_context_of_another_library_stays_current) {
  const Fake fake;
  CudaBackend backend(driver(), "@fake");
  const Device d(backend, 0);
  int others = 0;
  CuHandle now = nullptr;
  const auto stays = [&](auto&& call) {
    fake.set_context(&others);
    call();
    return fake.context(&now) == 0 && now == &others;
  };
  Array a;
  EXPECT(stays([&] { a = ones({100}).to_device(d); }));  // the first use of the device
  EXPECT(stays([&] { backend.fill(a, 1.0); }));
  EXPECT(stays([&] { (void)to_host(a); }));
  EXPECT(stays([&] { d.synchronize(); }));
  EXPECT(stays([&] { a = Array(); }));
  fake.fail("cuLaunchKernel", 1);
  Array b(Shape{3}, float64, d);
  EXPECT(stays([&] { EXPECT_THROW(DeviceError, "cuLaunchKernel", backend.fill(b, 1.0)); }));
}

// In the toolkit and in packages of Python; each file once, in the order of the names.
TEST(libraries_are_looked_for_where_people_have_them) {
  const test::Folder made;
  const std::filesystem::path& folder = made.path;
  const auto file = [&](const std::string& name) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << "x";
    return (folder / name).string();
  };
  const std::string old = file("toolkit/lib64/libsome.so.12"), toolkit = file("toolkit/lib64/libsome.so.13"),
                    package = file("venv/lib/python3.11/site-packages/nvidia/some/lib/libsome.so.13"),
                    conda = file("conda/lib/libsome.so.13"),
                    user = file("user/lib/python3.12/site-packages/nvidia/cu13/lib/libsome.so.13");
  std::filesystem::create_directories(folder / "bin");
  file("user/bin/python3");
  std::filesystem::create_symlink("../user/bin/python3", folder / "bin/python3");
  const EnvironmentVariable path("CUDA_PATH", (folder / "toolkit").c_str()), home("CUDA_HOME", ""),
      venv("VIRTUAL_ENV", (folder / "venv").c_str()), prefix("CONDA_PREFIX", (folder / "conda").c_str()),
      programs("PATH", ("/none:" + (folder / "bin").string()).c_str());
  const auto places = [] { return library_places("CHAINER_SOME_LIBRARY", {"libsome.so.13", "libsome.so.12"}); };
  EXPECT((places() == std::vector<std::string>{"libsome.so.13", toolkit, package, conda, user, "libsome.so.12", old}));
  {
    const EnvironmentVariable chosen("CHAINER_SOME_LIBRARY", "other.so");
    EXPECT(places() == std::vector<std::string>{"other.so"});
  }
  const EnvironmentVariable none("CHAINER_SOME_LIBRARY", "none");
  EXPECT(places().empty());
}

// Images of kernels written as text depend on CUDA's headers: on their folder and on their text.
TEST(headers_of_two_toolkits_make_two_keys) {
  const Fake fake;
  const test::Folder made;
  const auto toolkit = [&](const std::string& name, const std::string& header) {
    std::filesystem::create_directories(made.path / name / "include");
    std::ofstream(made.path / name / "include/cuda_fp16.h") << header;
    return (made.path / name).string();
  };
  const EnvironmentVariable library("CHAINER_NVRTC_LIBRARY", FAKE_LIBCUDA), home("CUDA_HOME", "");
  static constexpr KernelHeader headers[] = {{"a.h", "// text"}};
  CudaDriver d(open_libcuda(FAKE_LIBCUDA), Kernels{kImages, {}, 13000, headers});
  const auto key = [&](const std::string& folder) {
    const EnvironmentVariable path("CUDA_PATH", folder.c_str());
    return d.text_compiler(0);
  };
  const std::string first = key(toolkit("13.0", "// 13.0"));
  EXPECT(first.find("in " + (made.path / "13.0/include").string()) != first.npos);
  EXPECT_EQ(key((made.path / "13.0").string()), first);
  EXPECT(key(toolkit("13.1", "// 13.0")) != first);
  EXPECT(key(toolkit("13.0", "// 13.2")) != first);  // updated in its place
  const EnvironmentVariable none("CHAINER_NVRTC_LIBRARY", "none");
  EXPECT_EQ(CudaDriver(open_libcuda(FAKE_LIBCUDA), Kernels{kImages, {}, 13000, headers}).text_compiler(0), "");
}

// The absence of a library is said once, unless it is wanted.
TEST(a_missing_library_is_said_once) {
  const Fake fake;
  const test::Folder folder;
  fake.devices(2);
  const auto said = [&](const char* library) {
    const EnvironmentVariable chosen("CHAINER_CUBLASLT_LIBRARY", library);
    const std::string file = (folder.path / "said").string();
    {
      const test::CapturedStderr captured(file);
      CudaBackend backend(driver(), "@fake");
      for (const int i : {0, 1}) {
        const Array a = ones({2, 2}).to_device(Device(backend, i));
        (void)matmul(a, a).raw();
      }
    }
    return read_file(file);
  };
  EXPECT_EQ(said("none"), "");
  const std::string message = said("libcublasLt_of_nobody.so");
  const std::string start =
      "warning: cuBLASLt (libcublasLt.so.13 or .12) was not found or could not be initialized, so products of "
      "matrices are slow";
  EXPECT(message.starts_with(start));
  EXPECT_EQ(message.rfind("was not found"), message.find("was not found"));
}

// A library that cannot be used is followed by the next one.
TEST(the_next_library_is_tried) {
  const EnvironmentVariable path("CUDA_PATH", "");
  std::vector<std::string> tried;
  const auto found = open_library("CHAINER_SOME_LIBRARY", {"libm.so.6", "libc.so.6"}, [&](void*, const std::string& p) {
    tried.push_back(p);
    return p == "libc.so.6" ? std::optional(1) : std::nullopt;
  });
  EXPECT(found.has_value());
  EXPECT((tried == std::vector<std::string>{"libm.so.6", "libc.so.6"}));
}

TEST(errors_of_the_driver_have_names) {
  const Fake fake;
  CudaBackend backend(driver(), "@fake");
  const Device d(backend, 0);
  Array a = ones({3}).to_device(d), c(Shape{3}, float32, d);
  fake.fail("cuLaunchKernel", 1);
  EXPECT_THROW(DeviceError, "cuLaunchKernel: CUDA_ERROR (as it was told)", backend.fill(c, 1.0));
  fake.fail("", 0);
  backend.fill(c, 1.0);
  fake.fail("cuStreamSynchronize", 719);
  EXPECT_THROW(DeviceError,
               "@fake:0 is lost: cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED (as it was told); launched "
               "last: fill_float64 fill_float64",
               d.synchronize());
  fake.fail("", 0);
  EXPECT_THROW(DeviceError, "is lost", (void)to_host(a));
}

// From the third run on, the image compiled by NVRTC is loaded; programs rejected by NVRTC or the driver are
// interpreted.
TEST(programs_are_compiled_for_the_device) {
  const Fake fake;
  const EnvironmentVariable library("CHAINER_NVRTC_LIBRARY", FAKE_LIBCUDA), nowhere("CHAINER_KERNEL_CACHE", "");
  const auto refuse = reinterpret_cast<void (*)(const char*)>(fake.find("fake_compiler"));
  static const KernelHeader headers[] = {{"a.h", ""}, {"b.h", ""}};
  const auto launched = [&](Elementwise op, int runs = 4) {
    CudaBackend backend(std::make_unique<CudaDriver>(open_libcuda(FAKE_LIBCUDA), Kernels{kImages, {}, 13000, headers}),
                        "@fake");
    const Device d(backend, 0);
    const Array a = ones({3, 4}).to_device(d), row = a[{0}];
    Array c(Shape{3, 4}, float32, d);
    const Array* const in[] = {&a, &row};
    std::string all;
    for (int k = 0; k < runs; ++k) {
      backend.elementwise(op, in, c, float32);
      backend.compiled_programs().wait();
      all += std::string(fake.launched()).substr(0, 8) + " ";
    }
    return all;
  };
  EXPECT_EQ(launched(Elementwise::add), std::string("program  program  program  program_ "));
  EXPECT_EQ(reinterpret_cast<int (*)()>(fake.find("fake_headers"))(), 2 + 16);  // with replacements of the C library
  refuse("a.h(1): error");
  EXPECT_EQ(launched(Elementwise::add), std::string("program  program  program  program  "));
  EXPECT(last_warning().find("NVRTC 13.7 for sm_90, options and headers ") != std::string::npos);
  EXPECT(last_warning().find("cannot compile a program (status 6): a.h(1): error") != std::string::npos);
  refuse("");
  fake.device(13000, 12);  // a device newer than the compiler
  EXPECT_EQ(launched(Elementwise::add), std::string("program  program  program  program_ "));
  EXPECT(Nvrtc::open(headers)->description(120).starts_with("NVRTC 13.7 for compute_90, options and headers "));
  const EnvironmentVariable none("CHAINER_NVRTC_LIBRARY", "none");
  EXPECT_EQ(launched(Elementwise::add), std::string("program  program  program  program  "));
}

// Kernels that users write as text: NVRTC compiles them, and their parameters are packed.
TEST(text_is_compiled_and_launched) {
  const Fake fake;
  const EnvironmentVariable library("CHAINER_NVRTC_LIBRARY", FAKE_LIBCUDA), nowhere("CHAINER_KERNEL_CACHE", "");
  const auto refuse = reinterpret_cast<void (*)(const char*)>(fake.find("fake_compiler"));
  static const KernelHeader headers[] = {{"a.h", ""}};
  CudaBackend backend(std::make_unique<CudaDriver>(open_libcuda(FAKE_LIBCUDA), Kernels{kImages, {}, 13000, headers}),
                      "@fake");
  const Array a = ones({3, 4}).to_device(Device(backend, 0));
  refuse("twice(1): error: expected an expression");
  const auto twice = backends::cuda::elementwise("T x", "T y", "y = x +", "twice");
  EXPECT_THROW(RuntimeError, "kernel 'twice': NVRTC 13.7 for sm_90, options and headers ", twice(a));
  EXPECT_THROW(RuntimeError, "twice(1): error: expected an expression\nThe source:\n   1  using namespace", twice(a));
  refuse("");
  const auto fill = backends::cuda::raw("extern \"C\" __global__ void fill(float* x, bool b, double v) {}", "fill");
  fill({.grid = {2, 3}, .block = {4, 5}, .shared_memory = 6}, a, true, 1.5);
  EXPECT(std::string(fake.launched()).starts_with("fill "));
  EXPECT(std::string(fake.launched()).ends_with(" 6 x 20, 6, packed 24"));
  fake.fail("cuModuleGetFunction", 500);
  EXPECT_THROW(RuntimeError, "kernel 'other': its source must define extern \"C\" __global__ void other(...): cuModule",
               backends::cuda::raw("", "other")({.grid = {1}, .block = {1}}, a));
  fake.fail("", 0);
  const EnvironmentVariable none("CHAINER_NVRTC_LIBRARY", "none");
  CudaBackend without(std::make_unique<CudaDriver>(open_libcuda(FAKE_LIBCUDA), Kernels{kImages, {}, 13000, headers}),
                      "@fake");
  EXPECT_THROW(DeviceError, "kernel 'fill' on @fake:0: there is no compiler for kernels written as text (NVRTC",
               fill({.grid = {1}, .block = {1}}, ones({1}).to_device(Device(without, 0))));
}

// Without a GPU, the error names the reason; with one, tests/cuda/day runs other tests.
TEST(a_device_that_is_not_there) {
  if (runtime_info().find("cuda: no device: ") == std::string::npos) return;
  EXPECT_THROW(DeviceError, "get_device: no device '@cuda:0': ", get_device("@cuda:0"));
  EXPECT_THROW(DeviceError, "get_device: no device '@cuda:0': ", get_device(0));
  EXPECT_THROW(DeviceError, "get_device: no device '@cuda:3': ", get_device("3"));
}

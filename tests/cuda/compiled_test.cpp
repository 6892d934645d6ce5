// SPDX-License-Identifier: MIT
// Programs that run often are compiled to kernels: for emulated devices, sources compiled by the host's compiler give
// the same bits as the interpreter; NVRTC, if installed, accepts the same sources; and compiled kernels are found in
// the cache folder.
#include "chainer/backend/cuda/compiled_programs.h"

#include <chainer/chainer.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "../array/bits.h"
#include "../array/random_program.h"
#include "../environment_variable.h"
#include "../folder.h"
#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "chainer/backend/cuda/nvrtc.h"
#include "chainer/core/system/file.h"
#include "chainer/core/warnings.h"
#include "test.h"

using namespace chainer;
using cuda::CudaBackend, cuda::emulation::EmulatedDriver;
using random_programs::RandomProgram;

namespace {

// An emulated driver with different handling of the sources of programs.
class DriverOfTest final : public EmulatedDriver {
 public:
  // Collects the sources; programs are still interpreted.
  explicit DriverOfTest(std::vector<std::string>& sources)
      : EmulatedDriver({.devices = 1, .memory = std::size_t(1) << 30, .compiler = "none"}), sources_(&sources) {}
  // Has all of them in a compiled image.
  explicit DriverOfTest(std::string image)
      : EmulatedDriver({.devices = 1, .memory = std::size_t(1) << 30, .compiler = "of all"}),
        image_(std::move(image)) {}
  std::string compile(int, const std::string& source) override {
    if (sources_) sources_->push_back(source);
    return image_;
  }

 private:
  std::vector<std::string>* sources_ = nullptr;
  std::string image_;
};

EmulatedDriver::Options compiling(const char* compiler = TEST_COMPILER) {
  return {.devices = 2, .memory = std::size_t(1) << 28, .compiler = compiler};
}

// Twelve programs with different dtypes, layouts of operands and operations; each runs separately.
Arrays programs(const Device& d) {
  const Array a = random::RandomState(4).randn({40, 40}).astype(float32).to_device(d);
  const Array column = a[{Slice(), Slice(0, 1)}], row = a[{Slice(0, 1)}], n = (a * 100.0).astype(int32);
  Arrays out;
  const auto add = [&out](Array y) {
    y.raw();
    out.push_back(std::move(y));
  };
  add(tanh(a * 1.5 + 0.25));
  add(where(a > 0.5, exp(a), sigmoid(a)));
  add((a + column) * row - 1.0);
  add(a.astype(float16) * row.astype(float16) + column.astype(float16));
  add((a.astype(bfloat16) * 3.0).astype(float64) / 7.0);
  add(n % 7 + n / 3);
  add((n > 10).astype(uint8) + 200);
  add(log(abs(a)) + sqrt(abs(a.T())));
  add(a[{Slice(std::nullopt, std::nullopt, 2)}] * a[{Slice(1, std::nullopt, 2)}]);
  add(isnan(a / (a - a)));
  add(sum(a * a + 1.0, 0));
  add(a.reshape({2, 20, 40}) + a.reshape({20, 2, 40}).transpose({1, 0, 2}));
  return out;
}

void expect_same(const Arrays& got, const Arrays& want, const std::string& what) {
  EXPECT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ++test::expectations;
    if (!same_bits(to_host(got[i]), to_host(want[i])))
      test::fail(__FILE__, __LINE__, text(what, ": array ", i, " differs from the interpreter's"));
  }
}

std::string library_of(const std::vector<std::string>& sources) {
  std::string all;
  for (const std::string& s : sources) all += s;
  return EmulatedDriver(compiling()).compile(0, all);
}

}  // namespace

TEST(random_programs_compiled_have_the_bits_of_the_interpreter) {
  const EnvironmentVariable nowhere("CHAINER_KERNEL_CACHE", "");
  constexpr uint32_t kFirst = 90000, kPrograms = 10, kRuns = 3;
  std::vector<std::string> sources;
  CudaBackend interpreting(std::make_unique<DriverOfTest>(sources), "@interpreted");
  std::vector<Arrays> interpreted;
  const Device first(interpreting, 0);
  for (uint32_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
    for (uint32_t k = 1; k < kRuns; ++k)
      for (const Array& a : RandomProgram(seed, first).run(40)) (void)to_host(a);
    interpreted.push_back(RandomProgram(seed, first).run(40));
    for (const Array& a : interpreted.back()) (void)to_host(a);
  }
  interpreting.compiled_programs().wait();
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  EXPECT(sources.size() > 50);

  CudaBackend compiling(std::make_unique<DriverOfTest>(library_of(sources)), "@compiled");
  const Device second(compiling, 0);
  for (uint32_t i = 0; i < kPrograms; ++i) {
    const uint32_t seed = kFirst + i;
    for (uint32_t k = 0; k < kRuns; ++k) expect_same(RandomProgram(seed, second).run(40), interpreted[i], "before");
    compiling.compiled_programs().wait();
    for (const auto order : {cuda::emulation::Order::forward, cuda::emulation::Order::shuffled}) {
      cuda::emulation::set_order(order, seed);
      expect_same(RandomProgram(seed, second).run(40), interpreted[i], text("seed ", seed));
    }
    cuda::emulation::set_order(cuda::emulation::Order::forward);
  }
  const auto counts = compiling.compiled_programs().counts();
  EXPECT_EQ(counts.failed, 0);
  EXPECT_EQ(counts.compiled, static_cast<int64_t>(sources.size()));
  std::printf("  %zu programs\n", sources.size());
}

// Two devices, each with a thread, and two backends (as of two processes) with the same folder.
TEST(what_was_compiled_is_found_by_the_next_process) {
  const test::Folder folder;
  const EnvironmentVariable there("CHAINER_KERNEL_CACHE", (folder.path / "kernels").c_str());
  std::vector<std::string> none;
  CudaBackend interpreting(std::make_unique<DriverOfTest>(none), "@interpreted");
  const Arrays want = programs(Device(interpreting, 0));
  const auto run = [&](CudaBackend& backend) {
    for (int k = 0; k < 5; ++k) {
      std::thread other([&] { expect_same(programs(Device(backend, 1)), want, text("device 1, run ", k)); });
      expect_same(programs(Device(backend, 0)), want, text("device 0, run ", k));
      other.join();
      if (k >= 2) backend.compiled_programs().wait();
    }
    EXPECT_EQ(backend.compiled_programs().counts().failed, 0);
    return backend.compiled_programs().counts();
  };
  int64_t programs_of_all = 0;
  {
    CudaBackend first(std::make_unique<EmulatedDriver>(compiling()), "@first");
    const auto counts = run(first);
    EXPECT_EQ(counts.compiled, counts.read);  // one device finds the kernel that the other has compiled
    programs_of_all = counts.compiled + counts.read;
    EXPECT(programs_of_all > 24);
  }
  // A truncated file, the file of another program, an empty one, one with a modified byte: compiled again.
  std::vector<std::filesystem::path> files;
  for (const auto& f : std::filesystem::directory_iterator(folder.path / "kernels")) files.push_back(f.path());
  EXPECT_EQ(static_cast<int64_t>(files.size()) * 2, programs_of_all);
  std::filesystem::resize_file(files[0], std::filesystem::file_size(files[0]) / 2);
  std::filesystem::copy_file(files[2], files[1], std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(files[3], 0);
  std::string changed = read_file(files[4]);
  changed[changed.size() / 2] ^= 1;
  write_file(files[4], changed);
  CudaBackend second(std::make_unique<EmulatedDriver>(compiling()), "@second");
  const auto counts = run(second);
  EXPECT_EQ(counts.compiled, 4);
  EXPECT_EQ(counts.compiled + counts.read, programs_of_all);
}

TEST(a_program_that_does_not_compile_is_interpreted_on) {
  const test::Folder folder;
  std::ofstream(folder.path / "file") << "no folder";
  const EnvironmentVariable unwritable("CHAINER_KERNEL_CACHE", (folder.path / "file" / "kernels").c_str());
  const auto run = [](const EmulatedDriver::Options& options, bool works) {
    CudaBackend backend(std::make_unique<EmulatedDriver>(options), "@failing");
    const Array a = arange(100).astype(float32).to_device(Device(backend, 0));
    for (int k = 0; k < 5; ++k) {
      const Array b = a * 2.0 + 1.0;
      EXPECT_EQ(to_host(b).to_vector<float>()[99], 199.f);
      backend.compiled_programs().wait();
    }
    const auto counts = backend.compiled_programs().counts();
    EXPECT_EQ(counts.failed > 0, !works);
    EXPECT_EQ(counts.compiled > 0, works);
  };
  run(compiling("false"), false);
  EXPECT(last_warning().find(
             "an elementwise program is interpreted, since it could not be compiled: @cuda-emulated: false -o") !=
         std::string::npos);
  run(compiling("true"), false);  // creates no file
  run(compiling(), true);
  CudaBackend backend(std::make_unique<DriverOfTest>(std::string("no library")), "@failing");
  const Array a = arange(100).astype(float32).to_device(Device(backend, 0));
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(to_host(floor(a / 7.0) * ceil(a)).to_vector<float>()[99], 1386.f);  // a program that no other test uses
    backend.compiled_programs().wait();
  }
  EXPECT(backend.compiled_programs().counts().failed > 0);
  EXPECT(last_warning().find("not be compiled: @cuda-emulated: program_") != std::string::npos);
}

// A compiling thread, and requests that wait for it, end with the backend.
TEST(a_backend_ends_while_its_programs_are_compiled) {
  const EnvironmentVariable nowhere("CHAINER_KERNEL_CACHE", "");
  CudaBackend backend(std::make_unique<EmulatedDriver>(compiling()), "@ending");
  for (int k = 0; k < 3; ++k) EXPECT_EQ(programs(Device(backend, 0)).size(), 12u);
}

// A compiler whose library registers a handler of exit() when it first compiles, as NVRTC does, and must not be used
// after it has run.
class DriverWithHandlers final : public EmulatedDriver {
 public:
  DriverWithHandlers() : EmulatedDriver({.devices = 1, .memory = std::size_t(1) << 28, .compiler = "slow"}) {}
  std::string compile(int, const std::string&) override {
    static std::atomic<bool> gone{false};
    [[maybe_unused]] static const int once = std::atexit([] { gone = true; });
    compiling = true;
    for (int i = 0; i < 30; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (gone) _exit(99);
    }
    return {};
  }
  static inline std::atomic<bool> compiling{false};
};

TEST(a_process_ends_while_its_programs_are_compiled) {
  if (const char* const who = std::getenv("CHAINER_TEST_ENDS")) {
    auto* const backend = new CudaBackend(std::make_unique<DriverWithHandlers>(), "@handlers");  // never destroyed
    const auto use = [&] {
      for (int k = 0; k < 3; ++k) (void)programs(Device(*backend, 0));
      while (!DriverWithHandlers::compiling) std::this_thread::yield();
    };
    if (who == std::string("main")) use(), std::exit(0);
    if (who == std::string("quick")) use(), std::quick_exit(0);
    std::thread([&] { use(), std::exit(0); }).join();
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const char* who : {"main", "other", "quick"})
    EXPECT_EQ(std::system(text("CHAINER_KERNEL_CACHE= CHAINER_TEST_ENDS=", who, " '", self,
                               "' a_process_ends_while_its_programs_are_compiled > /dev/null")
                              .c_str()),
              0);
}

// The end of a thread interrupts compilations; others get their kernels nevertheless.
TEST(programs_are_compiled_after_the_end_of_a_thread) {
  const EnvironmentVariable nowhere("CHAINER_KERNEL_CACHE", "");
  std::vector<std::string> sources;
  CudaBackend backend(std::make_unique<DriverOfTest>(sources), "@interrupted");
  std::thread([&] {
    for (int k = 0; k < 3; ++k) (void)programs(Device(backend, 0));
  }).join();
  backend.compiled_programs().wait();
  EXPECT(sources.size() >= 12);
}

TEST(nvrtc_compiles_the_sources_of_programs) {
  const auto compiler = cuda::Nvrtc::open(cuda::kernel_headers());
  if (!compiler)
    return std::printf("  NVRTC is not installed, or this build has no kernels: nothing compiled\n"), void();
  const EnvironmentVariable nowhere("CHAINER_KERNEL_CACHE", "");
  std::vector<std::string> sources;
  CudaBackend backend(std::make_unique<DriverOfTest>(sources), "@interpreted");
  for (int k = 0; k < 3; ++k) EXPECT_EQ(programs(Device(backend, 0)).size(), 12u);
  backend.compiled_programs().wait();
  EXPECT(sources.size() >= 12);
  for (const int capability : {80, 90})
    for (const std::string& source : sources) {
      const std::string image = compiler->compile(source, capability);
      EXPECT(image.substr(1, 3) == "ELF");
    }
  std::printf("  %zu sources by %s\n", sources.size(), compiler->description(90).c_str());
  EXPECT(compiler->compile(sources[0], 999).find(".target sm_") != std::string::npos);  // an unknown, newer device
  EXPECT_THROW(DeviceError, "cannot compile a program (status 6): program.cu(1): error: identifier \"what\"",
               compiler->compile("int is(int x) { return what; }", 90));
}

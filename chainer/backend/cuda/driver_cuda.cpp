// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/driver_cuda.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "chainer/core/warnings.h"

namespace chainer::cuda {

// A stream or an event, with its device.
struct HandleOfDevice {
  CuHandle handle = nullptr;
  int device = 0;
};

namespace {

constexpr int kMajor = 75, kMinor = 76;  // attributes of the compute capability
constexpr int kRelaxed = 2;              // CU_STREAM_CAPTURE_MODE_RELAXED: the thread may allocate memory
constexpr unsigned kNonBlocking = 1, kWithoutTimes = 2, kPortable = 1;
// CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE
void *const kPackedBuffer = reinterpret_cast<void*>(1), *const kPackedBytes = reinterpret_cast<void*>(2);

HandleOfDevice& of(Stream s) { return *reinterpret_cast<HandleOfDevice*>(s); }
HandleOfDevice& of(Event e) { return *reinterpret_cast<HandleOfDevice*>(e); }
CuAddress address(const void* p) { return reinterpret_cast<CuAddress>(p); }

// Warns that a library is not used, unless its variable says "none" or it `was_said` before.
void say_missing(bool& was_said, const char* variable, const char* library, const char* effect) {
  const char* const chosen = std::getenv(variable);
  if (std::exchange(was_said, true) || (chosen && std::string_view(chosen) == "none")) return;
  warn(text(library, " was not found or could not be initialized, so ", effect,
            "; it is part of CUDA and a package of Python; ", variable,
            " names its file, or none for no warning (chainer info shows what was found)"));
}

std::string version_text(int v) { return text(v / 1000, ".", v % 1000 / 10); }

}  // namespace

void CudaDriver::expect_success(CuResult r, const char* call) const {
  if (r == 0) return;
  const char *name = nullptr, *why = nullptr;
  cu_.error_name(r, &name), cu_.error_text(r, &why);
  const std::string message = text(call, ": ", name ? name : text("error ", r), why ? text(" (", why, ")") : "");
  if (is_lost(r)) throw DeviceLost(message);
  throw DeviceError(message);
}

CudaDriver::CudaDriver(const Libcuda& library, Kernels kernels) : cu_(library), kernels_(kernels) {
  const char* blocking = std::getenv("CHAINER_CUDA_BLOCKING");
  blocking_ = blocking && std::string_view(blocking) != "0";
  if (kernels_.images.empty())
    throw DeviceError("this build has no kernels: nvcc was missing or unusable when it was configured");
  int version = 0;
  expect_success(cu_.driver_version(&version), "cuDriverGetVersion");
  if (version / 1000 < kernels_.version / 1000)
    throw DeviceError("the driver supports CUDA ", version_text(version), ", kernels of this build require CUDA ",
                      version_text(kernels_.version / 1000 * 1000), " or later");
  if (const CuResult r = cu_.init(0); r == kCuNoDevice)
    throw DeviceError("the driver finds no device");
  else
    expect_success(r, "cuInit");
  int count = 0;
  expect_success(cu_.device_count(&count), "cuDeviceGetCount");
  if (count == 0) throw DeviceError("the driver finds no device");
  devices_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    expect_success(cu_.device(&devices_[static_cast<std::size_t>(i)].number, i), "cuDeviceGet");
}

std::string CudaDriver::describe(int device) const {
  const CuDevice d = devices_[static_cast<std::size_t>(device)].number;
  char name[256] = "";
  std::size_t bytes = 0;
  expect_success(cu_.device_name(name, sizeof name, d), "cuDeviceGetName");
  expect_success(cu_.device_memory(&bytes, d), "cuDeviceTotalMem");
  const int c = capability(device);
  return text(name, ", ", bytes >> 20, " MiB, compute capability ", c / 10, ".", c % 10);
}

CudaDriver::~CudaDriver() {
  for (int i = 0; i < device_count(); ++i)
    if (void* const room = devices_[static_cast<std::size_t>(i)].workspace) release(i, room, CublasLt::kWorkspace);
}

// Makes a device current for this thread and loads its kernels at its first use. The destructor makes the context of
// another library current again.
class CudaDriver::Use {
 public:
  Use(CudaDriver& driver, int device) : driver_(driver), device_(driver.devices_[static_cast<std::size_t>(device)]) {
    if (driver.cu_.current_context(&before_) != 0) before_ = nullptr;
    if (device_.context) {
      make_current(device_.context);
      return;
    }
    int major = 0;
    driver.expect_success(driver.cu_.device_attribute(&major, kMajor, device_.number), "cuDeviceGetAttribute");
    if (major < 8)
      throw DeviceError(driver.describe(device), ": kernels of this build require compute capability 8.0 or later");
    CuHandle context = nullptr;
    driver.expect_success(driver.cu_.retain_context(&context, device_.number), "cuDevicePrimaryCtxRetain");
    make_current(context);
    try {
      load();
    } catch (...) {
      restore();
      throw;
    }
    device_.context = context;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { restore(); }
  OneDevice* operator->() const { return &device_; }
  OneDevice& operator*() const { return device_; }

 private:
  void make_current(CuHandle context) {
    if (context == before_) return;
    driver_.expect_success(driver_.cu_.set_context(context), "cuCtxSetCurrent");
    changed_ = true;
  }
  void restore() noexcept {
    if (changed_ && before_) driver_.cu_.set_context(before_);
  }
  void load() {
    device_.modules.clear();
    for (const auto& part : {driver_.kernels_.images, driver_.kernels_.later})
      for (const unsigned char* image : part) {
        device_.modules.emplace_back();
        driver_.expect_success(driver_.cu_.load_module(&device_.modules.back(), image), "cuModuleLoadData");
      }
  }

  CudaDriver& driver_;
  OneDevice& device_;
  CuHandle before_ = nullptr;
  bool changed_ = false;
};

CuHandle CudaDriver::function_of(OneDevice& d, std::string_view kernel) {
  CuHandle& found = d.functions[std::string(kernel)];
  for (std::size_t i = 0; !found && i < d.modules.size(); ++i)
    if (cu_.find_function(&found, d.modules[i], std::string(kernel).c_str()) != 0) found = nullptr;
  if (!found) throw DeviceError("launch of ", kernel, ": no such kernel");
  return found;
}

void* CudaDriver::allocate(int device, std::size_t bytes) {
  const Use current(*this, device);
  CuAddress memory = 0;
  const CuResult r = cu_.allocate(&memory, bytes);
  if (r == kCuOutOfMemory) return nullptr;
  expect_success(r, "cuMemAlloc");
  return reinterpret_cast<void*>(memory);
}
void CudaDriver::release(int device, void* memory, std::size_t) noexcept {
  try {
    const Use current(*this, device);
    cu_.release(address(memory));
  } catch (const DeviceError&) {}  // the device is lost, and its memory with it
}
void* CudaDriver::allocate_pinned(int device, std::size_t bytes) {
  const Use current(*this, device);
  void* memory = nullptr;
  const CuResult r = cu_.allocate_pinned(&memory, bytes, kPortable);
  if (r == kCuOutOfMemory) return nullptr;
  expect_success(r, "cuMemHostAlloc");
  return memory;
}
void CudaDriver::release_pinned(void* memory, std::size_t) noexcept { cu_.release_pinned(memory); }

Stream CudaDriver::make_stream(int device) {
  const Use current(*this, device);
  auto made = std::make_unique<HandleOfDevice>(HandleOfDevice{nullptr, device});
  expect_success(cu_.make_stream(&made->handle, kNonBlocking), "cuStreamCreate");
  return reinterpret_cast<Stream>(made.release());
}
void CudaDriver::end_stream(Stream s) noexcept {
  cu_.end_stream(of(s).handle);
  delete &of(s);
}
Event CudaDriver::make_event(int device, bool times) {
  const Use current(*this, device);
  auto made = std::make_unique<HandleOfDevice>(HandleOfDevice{nullptr, device});
  expect_success(cu_.make_event(&made->handle, times ? 0 : kWithoutTimes), "cuEventCreate");
  return reinterpret_cast<Event>(made.release());
}
void CudaDriver::end_event(Event e) noexcept {
  cu_.end_event(of(e).handle);
  delete &of(e);
}

void CudaDriver::record(Event e, Stream s) {
  const Use current(*this, of(s).device);
  expect_success(cu_.record(of(e).handle, of(s).handle), "cuEventRecord");
}
void CudaDriver::wait(Stream s, Event e) {
  const Use current(*this, of(s).device);
  expect_success(cu_.wait(of(s).handle, of(e).handle, 0), "cuStreamWaitEvent");
}
void CudaDriver::synchronize(Event e) {
  const Use current(*this, of(e).device);
  expect_success(cu_.synchronize_event(of(e).handle), "cuEventSynchronize");
}
bool CudaDriver::reached(Event e) {
  const Use current(*this, of(e).device);
  const CuResult r = cu_.query_event(of(e).handle);
  if (r != kCuNotReady) expect_success(r, "cuEventQuery");
  return r == 0;
}
double CudaDriver::seconds_between(Event begin, Event end) {
  const Use current(*this, of(end).device);
  float milliseconds = 0;
  expect_success(cu_.time_between(&milliseconds, of(begin).handle, of(end).handle), "cuEventElapsedTime");
  return milliseconds * 1e-3;
}
void CudaDriver::synchronize(Stream s) {
  const Use current(*this, of(s).device);
  expect_success(cu_.synchronize_stream(of(s).handle), "cuStreamSynchronize");
}

void CudaDriver::copy_to_device(Stream s, void* to, const void* from, std::size_t bytes) {
  const Use current(*this, of(s).device);
  expect_success(cu_.copy_to_device(address(to), from, bytes, of(s).handle), "cuMemcpyHtoDAsync");
}
void CudaDriver::copy_to_host(Stream s, void* to, const void* from, std::size_t bytes) {
  const Use current(*this, of(s).device);
  expect_success(cu_.copy_to_host(to, address(from), bytes, of(s).handle), "cuMemcpyDtoHAsync");
  synchronize(s);  // host memory is never pinned here
}

CuHandle CudaDriver::record_in(OneDevice& d, CuHandle stream) {
  if (!d.event) expect_success(cu_.make_event(&d.event, kWithoutTimes), "cuEventCreate");
  expect_success(cu_.record(d.event, stream), "cuEventRecord");
  return d.event;
}
void CudaDriver::copy_between(Stream to_stream, void* to, Stream from_stream, const void* from, std::size_t bytes) {
  CuHandle source = nullptr, read = nullptr, written = nullptr;
  {
    const Use current(*this, of(from_stream).device);
    source = current->context, read = record_in(*current, of(from_stream).handle);
  }
  {
    const Use current(*this, of(to_stream).device);
    expect_success(cu_.wait(of(to_stream).handle, read, 0), "cuStreamWaitEvent");
    expect_success(cu_.copy_between(address(to), current->context, address(from), source, bytes, of(to_stream).handle),
                   "cuMemcpyPeerAsync");
    written = record_in(*current, of(to_stream).handle);
  }
  const Use current(*this, of(from_stream).device);
  expect_success(cu_.wait(of(from_stream).handle, written, 0), "cuStreamWaitEvent");
}

void CudaDriver::copy_within(Stream s, void* to, const void* from, std::size_t bytes) {
  const Use current(*this, of(s).device);
  expect_success(cu_.copy_within(address(to), address(from), bytes, of(s).handle), "cuMemcpyDtoDAsync");
}

std::uintptr_t CudaDriver::handle(Stream s) { return reinterpret_cast<std::uintptr_t>(of(s).handle); }
void CudaDriver::wait_for_other(Stream s, std::uintptr_t other) {
  if (other == handle(s)) return;
  const Use current(*this, of(s).device);
  expect_success(cu_.wait(of(s).handle, record_in(*current, reinterpret_cast<CuHandle>(other)), 0),
                 "cuStreamWaitEvent");
}
void CudaDriver::let_other_wait(std::uintptr_t other, Stream s) {
  if (other == handle(s)) return;
  const Use current(*this, of(s).device);
  expect_success(cu_.wait(reinterpret_cast<CuHandle>(other), record_in(*current, of(s).handle), 0),
                 "cuStreamWaitEvent");
}

void CudaDriver::launch(Stream s, const Launch& l, const void* args) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  void* all[] = {const_cast<void*>(args)};
  std::size_t bytes = l.args_bytes;
  void* buffer[] = {kPackedBuffer, const_cast<void*>(args), kPackedBytes, &bytes, nullptr};
  expect_success(cu_.launch(function_of(d, l.kernel), l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z,
                            static_cast<unsigned>(l.dynamic_shared), of(s).handle, l.packed ? nullptr : all,
                            l.packed ? buffer : nullptr),
                 "cuLaunchKernel");
  if (blocking_) synchronize(s);
}

std::shared_ptr<const Nccl> CudaDriver::groups() {
  const std::lock_guard lock(opening_);
  if (!asked_for_groups_) groups_ = Nccl::open();
  asked_for_groups_ = true;
  return groups_;
}
void* CudaDriver::join_group(int device, const std::string& key, int rank, int size) {
  const Use current(*this, device);
  return groups_->join(key, rank, size);
}
void CudaDriver::sum_over(Stream s, void* group, void* data, int64_t count, Dtype dtype) {
  const Use current(*this, of(s).device);
  groups_->sum(group, data, count, dtype, of(s).handle);
}

void CudaDriver::begin_capture(Stream s) {
  const Use current(*this, of(s).device);
  expect_success(cu_.begin_capture(of(s).handle, kRelaxed), "cuStreamBeginCapture");
  current->captures = true;
}
Graph CudaDriver::end_capture(Stream s) {
  const Use current(*this, of(s).device);
  CuHandle graph = nullptr, executable = nullptr;
  current->captures = false;
  expect_success(cu_.end_capture(of(s).handle, &graph), "cuStreamEndCapture");
  const CuResult r = cu_.instantiate(&executable, graph, 0);
  cu_.end_graph(graph);
  expect_success(r, "cuGraphInstantiate");
  ++current->graphs;
  return reinterpret_cast<Graph>(executable);
}
void CudaDriver::drop_capture(Stream s) noexcept {
  try {
    const Use current(*this, of(s).device);
    CuHandle graph = nullptr;  // none if a call of the capture failed
    current->captures = false;
    if (cu_.end_capture(of(s).handle, &graph) == 0 && graph) cu_.end_graph(graph);
  } catch (const DeviceError&) {}  // the next call throws it
}
void CudaDriver::launch_graph(Stream s, Graph graph) {
  const Use current(*this, of(s).device);
  expect_success(cu_.launch_graph(reinterpret_cast<CuHandle>(graph), of(s).handle), "cuGraphLaunch");
}
void CudaDriver::end_graph(int device, Graph graph) noexcept {
  try {
    const Use current(*this, device);
    --current->graphs;
    cu_.end_executable(reinterpret_cast<CuHandle>(graph));  // freed after its launches have run
  } catch (const DeviceError&) {}                           // the device is lost, and its graphs with it
}

// Returns 90 for compute capability 9.0.
int CudaDriver::capability(int device) const {
  const CuDevice d = devices_[static_cast<std::size_t>(device)].number;
  int major = 0, minor = 0;
  expect_success(cu_.device_attribute(&major, kMajor, d), "cuDeviceGetAttribute");
  expect_success(cu_.device_attribute(&minor, kMinor, d), "cuDeviceGetAttribute");
  return 10 * major + minor;
}
std::string CudaDriver::compiler(int device) {
  {
    const std::lock_guard lock(opening_);
    if (!asked_for_compiler_) compiler_ = Nvrtc::open(kernels_.headers);
    asked_for_compiler_ = true;
  }
  return compiler_ ? compiler_->description(capability(device)) : "";
}
std::string CudaDriver::compile(int device, const std::string& source) {
  return compiler_->compile(source, capability(device));
}
std::string CudaDriver::text_compiler(int device) {
  const std::string found = compiler(device);
  return found.empty() ? found : text(found, ", ", Nvrtc::headers_of_cuda());
}
std::string CudaDriver::compile_text(int device, const KernelText& kernel) {
  return compiler_->compile_text(kernel, capability(device));
}
void CudaDriver::add_kernel(int device, const std::string& name, const std::string& image) {
  add_text_kernel(device, name, image, name);
}
void CudaDriver::add_text_kernel(int device, const std::string& name, const std::string& image,
                                 const std::string& function_name) {
  const Use current(*this, device);
  OneDevice& d = *current;
  CuHandle module = nullptr, function = nullptr;
  expect_success(cu_.load_module(&module, image.data()), "cuModuleLoadData");
  d.modules.push_back(module);
  expect_success(cu_.find_function(&function, module, function_name.c_str()), "cuModuleGetFunction");
  d.functions[name] = function;
}

bool CudaDriver::multiply(Stream s, const ProductCall& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!d.asked_for_products) {
    d.asked_for_products = true;
    d.products = CublasLt::open();
    if (!d.products)
      say_missing(products_are_missing_, "CHAINER_CUBLASLT_LIBRARY", "cuBLASLt (libcublasLt.so.13 or .12)",
                  "products of matrices are slow");
    CuAddress room = 0;
    if (d.products && cu_.allocate(&room, CublasLt::kWorkspace) == 0) d.workspace = reinterpret_cast<void*>(room);
  }
  if (!d.products || !d.products->multiply(of(s).handle, call, d.workspace)) return false;
  if (blocking_) synchronize(s);
  return true;
}

Cudnn* CudaDriver::cudnn_of(OneDevice& d) {
  if (!d.asked_for_cudnn) {
    d.asked_for_cudnn = true;
    d.cudnn = Cudnn::open();
    if (d.cudnn)
      d.recurrent = CudnnRnn::open(*d.cudnn);
    else
      say_missing(cudnn_is_missing_, "CHAINER_CUDNN_LIBRARY", "cuDNN (libcudnn.so.9)",
                  "convolutions and recurrent networks are slow");
  }
  return d.cudnn.get();
}
std::optional<std::size_t> CudaDriver::convolution_workspace(Stream s, const LibraryConvolution& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  Cudnn* const cudnn = cudnn_of(d);
  if (!cudnn) return {};
  if (cudnn->plans() >= Cudnn::kMostPlans && d.graphs == 0 && !d.captures) {
    synchronize(s);
    cudnn->forget_plans();
  }
  return cudnn->workspace(call);
}
void CudaDriver::convolve(Stream s, const LibraryConvolution& call, void* workspace) {
  const Use current(*this, of(s).device);
  const auto time = [&](const std::function<void()>& work) {
    if (!current->begins) {
      expect_success(cu_.make_event(&current->begins, 0), "cuEventCreate");
      expect_success(cu_.make_event(&current->ends, 0), "cuEventCreate");
    }
    expect_success(cu_.record(current->begins, of(s).handle), "cuEventRecord");
    work();
    expect_success(cu_.record(current->ends, of(s).handle), "cuEventRecord");
    expect_success(cu_.synchronize_event(current->ends), "cuEventSynchronize");
    float milliseconds = 0;
    expect_success(cu_.time_between(&milliseconds, current->begins, current->ends), "cuEventElapsedTime");
    return milliseconds * 1e-3;
  };
  current->cudnn->convolve(of(s).handle, call, workspace, call.tune ? Cudnn::Timer(time) : Cudnn::Timer());
  if (blocking_) synchronize(s);
}

std::optional<std::size_t> CudaDriver::fourier_workspace(Stream s, const FourierCall& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!d.asked_for_fourier) {
    d.asked_for_fourier = true;
    d.fourier = Cufft::open();
    if (!d.fourier)
      say_missing(fourier_is_missing_, "CHAINER_CUFFT_LIBRARY", "cuFFT (libcufft.so.12 or .11)",
                  "Fourier transforms are computed on the host");
  }
  if (!d.fourier) return {};
  if (d.captures && !d.fourier->has_plan(call)) return {};  // making a plan cannot be captured
  if (d.fourier->plans() >= Cufft::kMostPlans && d.graphs == 0 && !d.captures) {
    synchronize(s);
    d.fourier->forget_plans();
  }
  return d.fourier->workspace(call);
}
void CudaDriver::transform(Stream s, const FourierCall& call, void* workspace) {
  const Use current(*this, of(s).device);
  current->fourier->transform(of(s).handle, call, workspace);
  if (blocking_) synchronize(s);
}

// Without the library kernels do its work, more slowly: nothing is missing.
std::optional<std::size_t> CudaDriver::solver_workspace(Stream s, const SolverCall& call) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!std::exchange(d.asked_for_solver, true)) d.solver = Cusolver::open();
  return d.solver ? d.solver->workspace(call) : std::nullopt;
}
void CudaDriver::solve(Stream s, const SolverCall& call, void* workspace) {
  const Use current(*this, of(s).device);
  current->solver->solve(of(s).handle, call, workspace);
  if (blocking_) synchronize(s);
}

std::optional<std::size_t> CudaDriver::recurrent_workspace(Stream s, const RecurrentLayer& layer,
                                                           RecurrentSpaces* spaces) {
  const Use current(*this, of(s).device);
  OneDevice& d = *current;
  if (!cudnn_of(d) || !d.recurrent) return {};
  if (spaces && d.recurrent->plans() >= CudnnRnn::kMostPlans && d.graphs == 0 && !d.captures) {
    synchronize(s);
    d.recurrent->forget_plans();
  }
  return d.recurrent->workspace(layer, spaces, [&](std::size_t bytes, const std::function<void(void*)>& use) {
    CuAddress memory = 0;
    const CuResult r = cu_.allocate(&memory, bytes);
    if (r == kCuOutOfMemory) return false;
    expect_success(r, "cuMemAlloc");
    try {
      use(reinterpret_cast<void*>(memory));
    } catch (...) {
      cu_.release(memory);
      throw;
    }
    cu_.release(memory);
    return true;
  });
}
void CudaDriver::recurrent_forward(Stream s, const RecurrentCall& call) {
  const Use current(*this, of(s).device);
  current->recurrent->forward(of(s).handle, call);
  if (blocking_) synchronize(s);
}
void CudaDriver::recurrent_backward(Stream s, const RecurrentCall& call) {
  const Use current(*this, of(s).device);
  current->recurrent->backward(of(s).handle, call);
  if (blocking_) synchronize(s);
}

}  // namespace chainer::cuda

// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/driver_cuda.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "chainer/backend/cuda/driver_cuda_use.h"

namespace chainer::cuda {

namespace {

constexpr int kMajor = 75, kMinor = 76;  // attributes of the compute capability
constexpr int kRelaxed = 2;              // CU_STREAM_CAPTURE_MODE_RELAXED: the thread may allocate memory
constexpr unsigned kNonBlocking = 1, kWithoutTimes = 2, kPortable = 1;
// CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE
void *const kPackedBuffer = reinterpret_cast<void*>(1), *const kPackedBytes = reinterpret_cast<void*>(2);

CuAddress address(const void* p) { return reinterpret_cast<CuAddress>(p); }

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

}  // namespace chainer::cuda

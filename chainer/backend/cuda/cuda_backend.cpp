// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/cuda_backend.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "chainer/array/operations/indices.h"
#include "chainer/array/time_mark.h"
#include "chainer/backend/cuda/device_state.h"
#include "chainer/backend/cuda/kernels/fill.h"
#include "chainer/backend/cuda/kernels/indices.h"
#include "chainer/backend/cuda/kernels/program.h"
#include "chainer/backend/cuda/parts.h"
#include "chainer/backend/cuda/program_source.h"
#include "chainer/backend/cuda/spaces.h"
#include "chainer/core/system/fork.h"

namespace chainer::cuda {

// True in children of fork(), which cannot use devices.
std::atomic<bool>& is_child() {
  static std::atomic<bool> child{false};
  static const bool asked = [] {
    at_fork({kForkLeaf, [] {}, [] {}, [] { is_child() = true; }});
    return true;
  }();
  (void)asked;
  return child;
}

namespace {

constexpr std::size_t kMostConstants = 1024;

}  // namespace

CudaBackend::CudaBackend(std::unique_ptr<Driver> driver, std::string prefix)
    : driver_(std::move(driver)), prefix_(std::move(prefix)) {
  is_child();
  for (int i = 0; i < driver_->device_count(); ++i) devices_.push_back(std::make_unique<DeviceState>(*driver_, i));
}
CudaBackend::~CudaBackend() {
  for (const auto& d : devices_) d->constants.clear(), d->reversed.clear();  // their memory goes back to this backend
}

int CudaBackend::device_count() const { return static_cast<int>(devices_.size()); }
std::string CudaBackend::name(int index) const { return text(prefix_, ":", index); }
std::string CudaBackend::description() const {
  std::string out;
  for (int i = 0; i < device_count(); ++i)
    out += text(i ? "\n" : "", prefix_.substr(1), ": ", name(i), ", ", driver_->describe(i));
  return out;
}

void CudaBackend::expect_number(int index) const {
  if (index < 0 || index >= device_count())
    throw DeviceError(name(index), ": no such device; the number of devices is ", device_count());
}

Stream CudaBackend::stream(int index) {
  return with_device(index, [](DeviceState& d) { return d.stream; });
}
memory::Statistics CudaBackend::memory_statistics(int index) {
  return with_device(index, [](DeviceState& d) { return d.pool.statistics(); });
}
CudaBackend::Counts CudaBackend::counts(int index) {
  return with_device(index, [](DeviceState& d) { return d.counts; });
}
void CudaBackend::reset_memory_peak(int index) {
  with_device(index, [](DeviceState& d) { d.pool.reset_peak(); });
}
void CudaBackend::empty_cache(int index) {
  with_device(index, [](DeviceState& d) {
    d.constants.clear(), d.reversed.clear();
    d.staging.release_zone(d.stream);
    d.pool.empty_cache();
  });
}
// Numbers in formulas are the same in each step: each is sent to the device once.
Array CudaBackend::constant(Scalar value, Dtype dtype, const Device& device) {
  const std::pair<Dtype, uint64_t> key{dtype, is_floating(dtype)      ? std::bit_cast<uint64_t>(value.to<double>())
                                              : dtype == Dtype::bool_ ? uint64_t(value.to<bool>())
                                                                      : static_cast<uint64_t>(value.to<int64_t>())};
  const auto known = [&](DeviceState& d) {
    const auto found = d.constants.find(key);
    return found == d.constants.end() ? Array() : found->second;
  };
  if (Array found = with_device(device.index(), known)) {
    if (Capturing* const c = Capturing::of(*this, device.index())) c->constants.push_back(found);
    return found;
  }
  const Array made = Backend::constant(value, dtype, device);
  return with_device(device.index(), [&](DeviceState& d) {
    if (d.constants.size() >= kMostConstants) d.constants.clear();
    return d.constants.emplace(key, made).first->second;
  });
}
void CudaBackend::set_memory_limit(int64_t bytes, int index) {
  with_device(index, [bytes](DeviceState& d) { d.pool.set_limit(bytes); });
}

memory::Block CudaBackend::allocate(std::size_t bytes, int index) {
  return with_device(index, [&](DeviceState& d) {
    const memory::Block b = allocate_in(d, bytes);
    if (b.data) driver_->begin_block(index, d.stream, b.data, bytes, d.pool.size_of(b));
    return b;
  });
}

void CudaBackend::release(memory::Block block, int index) {
  if (is_child()) return;
  DeviceState& d = *devices_[static_cast<std::size_t>(index)];
  const std::lock_guard lock(d.mutex);
  if (!d.lost.empty()) return;
  if (Capturing* const c = Capturing::of(*this, index)) {  // the graph writes to it at each launch
    c->made.erase(block.data);
    c->spare.push_back(block);
    return;
  }
  try {
    driver_->end_block(index, d.stream, block.data, d.pool.size_of(block));
  } catch (const DeviceError&) {}  // the next call throws it
  try {
    d.pool.release(block);
  } catch (const DeviceError&) {}  // without a cache it waits for the device
}

void CudaBackend::host_to_device(int device, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  with_device(device, [&](DeviceState& d) {
    Capturing::refuse(*this, d.index, "it copies from the host");
    ++d.counts.sent;
    d.staging.copy_to_device(d.stream, to, from, bytes);
  });
}
void CudaBackend::device_to_host(int device, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  with_device(device, [&](DeviceState& d) {
    Capturing::refuse(*this, d.index, "it copies to the host");
    ++d.counts.fetched;
    driver_->copy_to_host(d.stream, to, from, bytes);
    report_wrong_indices(d);
  });
}
// Locks the devices in the order of their numbers, as every thread does.
bool CudaBackend::device_to_device(void* to, int to_index, const void* from, int from_index, std::size_t bytes) {
  with_device(std::min(to_index, from_index), [&](DeviceState& first) {
    with_device(std::max(to_index, from_index), [&](DeviceState& second) {
      DeviceState &target = first.index == to_index ? first : second,
                  &source = first.index == to_index ? second : first;
      for (const DeviceState* s : {&source, &target}) Capturing::refuse(*this, s->index, "it copies between devices");
      ++target.counts.calls;
      driver_->copy_between(target.stream, to, source.stream, from, bytes);
    });
  });
  return true;
}
void CudaBackend::synchronize(int index) {
  with_device(index, [&](DeviceState& d) {
    Capturing::refuse(*this, d.index, "it waits for the device");
    ++d.counts.waits;
    driver_->synchronize(d.stream);
    report_wrong_indices(d);
  });
}

// An event. Its driver lives as long as the process, as do all backends.
class CudaBackend::MarkOfDevice final : public TimeMark {
 public:
  MarkOfDevice(CudaBackend& backend, int index) : backend_(backend), index_(index) {
    backend_.with_device(index_, [this](DeviceState& d) {
      Capturing::refuse(backend_, index_, "it records an event");
      event_ = d.driver.make_event(index_, true);
      d.driver.record(event_, d.stream);
    });
  }
  MarkOfDevice(const MarkOfDevice&) = delete;
  MarkOfDevice& operator=(const MarkOfDevice&) = delete;
  ~MarkOfDevice() override {
    if (!is_child()) backend_.driver().end_event(event_);
  }
  void wait() const override {
    backend_.with_device(index_, [this](DeviceState& d) { d.driver.synchronize(event_); });
  }
  double seconds_since(const TimeMark& earlier) const override {
    const auto* before = dynamic_cast<const MarkOfDevice*>(&earlier);
    if (!before || &before->backend_ != &backend_ || before->index_ != index_)
      throw DeviceError("get_elapsed_time: the events are on ", backend_.name(index_), " and on another device");
    before->wait(), wait();
    return backend_.with_device(index_,
                                [&](DeviceState& d) { return d.driver.seconds_between(before->event_, event_); });
  }

 private:
  CudaBackend& backend_;
  int index_;
  Event event_ = nullptr;
};
std::shared_ptr<const TimeMark> CudaBackend::mark(int index) { return std::make_shared<MarkOfDevice>(*this, index); }

void CudaBackend::report_wrong_indices(DeviceState& d) {
  if (d.checks.empty()) return;
  const std::vector<IndexCheck> checks = std::exchange(d.checks, {});
  std::vector<WrongIndex> wrong(checks.size());
  driver_->copy_to_host(d.stream, wrong.data(), d.wrong, wrong.size() * sizeof(WrongIndex));
  for (std::size_t k = 0; k < checks.size(); ++k) {
    if (wrong[k].high == WrongIndex::kNone) continue;
    forget_wrong_indices(d);
    checks[k].fail(wrong[k].value(), wrong[k].position(), checks[k]);
  }
}

void CudaBackend::forget_wrong_indices(DeviceState& d) {
  constexpr uint32_t kWords = kChecks * 2;
  FillArgs args{};
  args.space.ndim = 1, args.space.size = kWords, args.space.extent[0] = divider(kWords);
  args.out.data = reinterpret_cast<char*>(d.wrong), args.out.stride[0] = 8, args.out.type = Type::int64;
  args.integer = static_cast<int64_t>(WrongIndex::kNone);
  launch(d.index, "fill_int64", {}, {256, 1, 1}, args);
}

WrongIndex* CudaBackend::next_check(DeviceState& d, const IndexCheck& check) {
  Capturing::refuse(*this, d.index, "it checks its operands");
  if (!d.wrong) {
    constexpr std::size_t bytes = kChecks * sizeof(WrongIndex);
    d.wrong = static_cast<WrongIndex*>(driver_->allocate(d.index, bytes));
    if (!d.wrong) throw DeviceError(name(d.index), ": cannot allocate ", bytes, " bytes for errors");
    driver_->begin_block(d.index, d.stream, d.wrong, bytes, bytes);
    forget_wrong_indices(d);
  }
  if (d.checks.size() == kChecks) {
    ++d.counts.waits;
    report_wrong_indices(d);
  }
  d.checks.push_back(check);
  return d.wrong + d.checks.size() - 1;
}

void CudaBackend::check_indices(const IndexCheck& check, const Array& index, Array& out) {
  if (out.size() == 0) return;
  // An empty axis has no row that a kernel could read or write in place of that of a wrong index.
  if (out.size() > most_elements || check.size == 0) return Backend::check_indices(check, index, out);
  const Array dense = index.contiguous();
  IndicesArgs args{};
  args.index = static_cast<const char*>(dense.raw()), args.out = static_cast<int64_t*>(out.mutable_raw());
  args.type = type_of(dense.dtype()), args.bytes = static_cast<int>(item_size(dense.dtype()));
  args.ignores = check.ignored.has_value(), args.ignored = check.ignored.value_or(0);
  args.columns = check.columns, args.wraps = check.wraps, args.inner = check.inner;
  args.n = out.size(), args.size = check.size;
  with_device(out.device().index(), [&](DeviceState& d) {
    args.wrong = next_check(d, check);
    const Threads t(args.n);
    launch(d.index, "check_indices", t.grid, t.block, args);
  });
}

void CudaBackend::launch_kernel(int index, Launch l, const void* args) {
  with_device(index, [&](DeviceState& d) {
    std::string& name = d.launched[d.launches++ % kRemembered];
    name = l.kernel;
    if (!Capturing::of(*this, index)) ++d.counts.calls;
    driver_->launch(d.work_stream(*this), l, args);
  });
}

void CudaBackend::launch_program(int index, Dim3 grid, Dim3 block, const ProgramArgs& args, std::size_t shared) {
  const std::string_view kernel =
      with_device(index, [&](DeviceState&) { return compiled_programs_.kernel_for(index, args); });
  if (kernel == CompiledPrograms::kInterpreter) return launch(index, kernel, grid, block, args, shared);
  with_compact_args(args.operand_count, axes_of(args), [&]<int operands, int axes>(CompactArgs<operands, axes>*) {
    CompactArgs<operands, axes> compact{};
    compact.space.size = args.space.size;
    std::copy_n(args.space.extent, std::min(axes, args.space.ndim), compact.space.extent);
    for (int k = 0; k < args.operand_count; ++k) {
      compact.operands[k].data = args.operands[k].data;
      std::copy_n(args.operands[k].stride, std::min(axes, args.space.ndim), compact.operands[k].stride);
    }
    launch(index, kernel, grid, block, compact);
  });
}

void CudaBackend::launch_text(const TextLaunch& t) {
  (void)stream(t.index);  // throws for a device that cannot be used, before the kernel is compiled
  const std::string_view kernel = text_kernels_.kernel_for(
      t.index, name(t.index), *t.kernel, [&](auto&& add) { with_device(t.index, [&](DeviceState&) { add(); }); });
  std::vector<char> args = t.args;
  for (const std::size_t at : t.addresses) {
    std::intptr_t address = 0;
    std::memcpy(&address, &args[at], sizeof address);
    if (address) address += driver_->distance();
    std::memcpy(&args[at], &address, sizeof address);
  }
  launch_kernel(t.index,
                {kernel,
                 {t.grid[0], t.grid[1], t.grid[2]},
                 {t.block[0], t.block[1], t.block[2]},
                 t.shared_bytes,
                 args.size(),
                 &typeid(PackedParameters),
                 true},
                args.data());
}

std::optional<std::size_t> CudaBackend::convolution_workspace(int index, const LibraryConvolution& call) {
  return with_device(index, [&](DeviceState& d) { return driver_->convolution_workspace(d.stream, call); });
}
void CudaBackend::convolve(int index, const LibraryConvolution& call, void* workspace) {
  with_device(index, [&](DeviceState& d) {
    if (!Capturing::of(*this, index)) ++d.counts.calls;
    driver_->convolve(d.work_stream(*this), call, workspace);
  });
}

}  // namespace chainer::cuda

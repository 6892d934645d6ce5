// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/cudnn.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "chainer/backend/cuda/libraries.h"
#include "chainer/core/small_vector.h"

namespace chainer::cuda {
namespace {

// The library's constants.
enum CudnnKinds {
  kind_pointwise = 0,
  kind_convolution = 1,
  kind_engine = 2,
  kind_configuration = 3,
  kind_heuristics = 4,
  kind_plan = 5,
  kind_pointwise_operation = 13,
  kind_graph = 15,
  kind_arguments = 16,
  kind_tensor = 17,
  kind_device = 38
};
enum CudnnTypes {
  of_handle = 0,
  of_data_type = 1,
  of_bool = 2,
  of_int64 = 3,
  of_float = 4,
  of_double = 5,
  of_address = 6,
  of_convolution_mode = 7,
  of_heuristics_mode = 8,
  of_note = 11,
  of_pointwise_mode = 14,
  of_descriptor = 15,
  of_char = 24
};
enum CudnnNames {
  pointwise_mode = 0,
  pointwise_compute = 1,
  convolution_compute = 100,
  convolution_mode = 101,
  convolution_dilations = 102,
  convolution_strides = 103,
  convolution_post_paddings = 104,
  convolution_pads = 105,
  convolution_axes = 106,
  heuristics_mode = 200,
  heuristics_graph = 201,
  heuristics_results = 202,
  heuristics_device = 204,
  configuration_engine = 300,
  plan_handle = 400,
  plan_configuration = 401,
  plan_workspace = 402,
  plan_device = 407,
  pointwise = 750,
  pointwise_x = 751,
  pointwise_other = 752,
  pointwise_y = 753,
  graph_handle = 800,
  graph_operations = 801,
  tensor_alignment = 900,
  tensor_type = 901,
  tensor_size = 902,
  tensor_strides = 903,
  tensor_id = 906,
  tensor_virtual = 907,
  arguments_ids = 1000,
  arguments_addresses = 1001,
  arguments_workspace = 1003,
  engine_notes = 1303,
  device_json = 2702
};
enum CudnnNotes {
  tensor_cores = 0,
  inputs_rounded = 1,
  narrow_sums = 2,
  fourier = 3,
  changing_bits = 4,
  all_notes = 10
};
// Failed allocations on the host and on the device.
bool is_short(int status) { return status == 4003 || status == 4004; }
enum CudnnModes { mode_fallback = 2, mode_a = 3, cross_correlation = 1, pointwise_add = 0 };

// Per operation: its kind, and the names of its attributes.
struct CudnnOperation {
  const char* name;
  int kind, alpha, beta, convolution, w, x, y;
};
constexpr CudnnOperation kCudnnOperations[] = {{"forward", 10, 700, 701, 702, 703, 704, 705},
                                               {"backward_data", 12, 706, 707, 708, 709, 710, 711},
                                               {"backward_weights", 11, 712, 713, 714, 715, 716, 717}};
const CudnnOperation& cudnn_operation(Convolution op) { return kCudnnOperations[static_cast<std::size_t>(op)]; }
// The tensors of a call, numbered from 1. The bias may not be given.
std::array<const LibraryConvolution::Tensor*, 4> tensors_of(const LibraryConvolution& call) {
  return {&call.x, &call.w, &call.y, &call.bias};
}

template <class Call>
auto& result_of(Call& call) {
  return call.op == Convolution::forward ? call.y : call.op == Convolution::backward_data ? call.x : call.w;
}
std::size_t bytes_of(const LibraryConvolution::Tensor& t, Dtype d) {
  return static_cast<std::size_t>(t.size.product() * item_size(d));
}

std::optional<CudnnFunctions> open_cudnn(std::string* path = nullptr) {
  return open_library("CHAINER_CUDNN_LIBRARY", {"libcudnn.so.9"},
                      [&](void* library, const std::string& found) -> std::optional<CudnnFunctions> {
                        CudnnFunctions f;
                        bool all = true;
#define X(MEMBER, NAME, RESULT, PARAMETERS) all = find_function(library, #NAME, f.MEMBER) && all;
                        CHAINER_CUDNN(X)
#undef X
                        if (path) *path = found;
                        f.library = library;
                        return all ? std::optional(f) : std::nullopt;
                      });
}

}  // namespace

std::optional<int> cudnn_type(Dtype d) {
  switch (d) {
    case Dtype::float32: return 0;
    case Dtype::float64: return 1;
    case Dtype::float16: return 2;
    case Dtype::bfloat16: return 9;
    default: return {};
  }
}

void CudnnFunctions::expect_success(int status, const std::string& what) const {
  if (status == 0) return;
  char why[512] = "";
  last_error(why, sizeof why);
  throw DeviceError(what, ": ", status_name(status), *why ? text(" (", why, ")") : "");
}

// A descriptor of the library. Errors throw DeviceError.
class Cudnn::Descriptor {
 public:
  Descriptor(Cudnn& library, int kind) : library_(library) {
    library_.expect_success(library_.f_.make(kind, &raw), "cudnnBackendCreateDescriptor");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { library_.f_.end(raw); }
  Descriptor& set(int name, int type, int64_t count, const void* values) {
    library_.expect_success(library_.f_.set(raw, name, type, count, values),
                            text("cudnnBackendSetAttribute of ", name));
    return *this;
  }
  Descriptor& set(int name, const Descriptor& other) { return set(name, of_descriptor, 1, &other.raw); }
  Descriptor& set(int name, const Dims& values) { return set(name, of_int64, values.ndim(), values.begin()); }
  Descriptor& finish(const char* what) {
    library_.expect_success(library_.f_.finish(raw), text("cudnnBackendFinalize of ", what));
    return *this;
  }
  int64_t get(int name, int type, int64_t room, void* values) const {
    int64_t count = 0;
    library_.expect_success(library_.f_.get(raw, name, type, room, &count, values),
                            text("cudnnBackendGetAttribute of ", name));
    return count;
  }
  void* raw = nullptr;

 private:
  Cudnn& library_;
};

// Plans for one call, the one to use first, with the objects that they refer to. There are several until they have been
// measured.
struct Cudnn::Plan {
  struct Choice {
    const Descriptor* plan;
    int64_t workspace;
  };
  std::deque<Descriptor> parts;
  std::vector<Choice> choices;
  bool tuned = false;
  ~Plan() {
    while (!parts.empty()) parts.pop_back();
  }
};

Cudnn::Cudnn(const CudnnFunctions& f, std::string described) : f_(f), described_(std::move(described)) {}
Cudnn::~Cudnn() {
  plans_.clear();
  if (handle_) f_.destroy(handle_);
}
std::unique_ptr<Cudnn> Cudnn::open(const std::string& described) {
  const std::optional<CudnnFunctions> f = open_cudnn();
  if (!f) return nullptr;
  std::unique_ptr<Cudnn> made(new Cudnn(*f, described));
  return !described.empty() || f->create(&made->handle_) == 0 ? std::move(made) : nullptr;
}
std::string Cudnn::description() {
  std::string path;
  const std::optional<CudnnFunctions> f = open_cudnn(&path);
  if (!f) return {};
  const std::size_t v = f->version();
  return text("cuDNN ", v / 10000, ".", v / 100 % 100, ".", v % 100, " (", path, ")");
}

void Cudnn::expect_success(int status, const std::string& what) {
  was_short_ = was_short_ || is_short(status);
  f_.expect_success(status, what);
}

// Whether an engine keeps what the class promises.
bool Cudnn::is_allowed(const Descriptor& configuration, const LibraryConvolution& call) {
  Descriptor engine(*this, kind_engine);
  configuration.get(configuration_engine, of_descriptor, 1, &engine.raw);
  int notes[all_notes] = {};
  const int64_t count = std::min<int64_t>(engine.get(engine_notes, of_note, all_notes, notes), all_notes);
  const auto has = [&](int note) { return std::find(notes, notes + count, note) != notes + count; };
  const bool may_round = call.dtype == Dtype::float32 && call.tensor_cores;
  return !has(changing_bits) && !has(fourier) && !has(narrow_sums) && (may_round || !has(inputs_rounded)) &&
         (call.tensor_cores || !has(tensor_cores));
}

std::unique_ptr<Cudnn::Plan> Cudnn::build(const LibraryConvolution& call) {
  const std::optional<int> type = cudnn_type(call.dtype);
  if (!type) return nullptr;
  auto out = std::make_unique<Plan>();
  const auto part = [&](int kind) -> Descriptor& { return out->parts.emplace_back(*this, kind); };
  const bool wide = call.dtype == Dtype::float64;
  const int compute = wide ? 1 : 0, mode = cross_correlation;

  const CudnnOperation& names = cudnn_operation(call.op);
  Descriptor& convolution = part(kind_convolution);
  convolution.set(convolution_compute, of_data_type, 1, &compute);
  convolution.set(convolution_mode, of_convolution_mode, 1, &mode);
  convolution.set(convolution_axes, Dims{call.stride.ndim()}).set(convolution_pads, call.pad);
  convolution.set(convolution_post_paddings, call.pad_end).set(convolution_dilations, call.dilate);
  convolution.set(convolution_strides, call.stride).finish("a convolution");
  // The result of a convolution with a bias is not in memory, but the sum is.
  const bool biased = call.bias.is_given();
  const auto tensor = [&](int64_t id, const LibraryConvolution::Tensor& t, bool in_memory = true) -> Descriptor& {
    Descriptor& d = part(kind_tensor);
    d.set(tensor_id, of_int64, 1, &id).set(tensor_type, of_data_type, 1, in_memory ? &*type : &compute);
    d.set(tensor_alignment, Dims{t.alignment}).set(tensor_size, t.size).set(tensor_strides, t.strides);
    const bool is_virtual = !in_memory;
    if (is_virtual) d.set(tensor_virtual, of_bool, 1, &is_virtual);
    return d.finish("a tensor");
  };
  Descriptor &x = tensor(1, call.x), &w = tensor(2, call.w), &y = tensor(3, call.y);
  Descriptor& convolved = biased ? tensor(5, call.y, false) : y;
  const double alpha = 1, beta = call.accumulate;
  const float alpha32 = 1, beta32 = call.accumulate;
  const int number = wide ? of_double : of_float;
  Descriptor& operation = part(names.kind);
  operation.set(names.convolution, convolution).set(names.x, x).set(names.w, w).set(names.y, convolved);
  operation.set(names.alpha, number, 1, wide ? static_cast<const void*>(&alpha) : &alpha32);
  operation.set(names.beta, number, 1, wide ? static_cast<const void*>(&beta) : &beta32).finish("an operation");
  SmallVector<void*, 2> operations{operation.raw};
  if (biased) {
    Descriptor &addition = part(kind_pointwise), &sum = part(kind_pointwise_operation);
    const int add = pointwise_add;
    addition.set(pointwise_mode, of_pointwise_mode, 1, &add);
    addition.set(pointwise_compute, of_data_type, 1, &compute).finish("an addition");
    sum.set(pointwise, addition).set(pointwise_x, convolved).set(pointwise_other, tensor(4, call.bias));
    operations.push_back(sum.set(pointwise_y, y).finish("a sum").raw);
  }

  Descriptor* device = nullptr;
  if (!described_.empty()) {
    device = &part(kind_device);
    device->set(device_json, of_char, static_cast<int64_t>(described_.size()), described_.data()).finish("a device");
  }
  Descriptor& graph = part(kind_graph);
  if (!device) graph.set(graph_handle, of_handle, 1, &handle_);
  graph.set(graph_operations, of_descriptor, static_cast<int64_t>(operations.size()), operations.data());
  graph.finish("a graph");

  why_not_ = "cuDNN has no engine with deterministic sums in the precision of the dtype";
  for (const int wanted : {mode_a, mode_fallback}) try {
      Descriptor& heuristics = part(kind_heuristics);
      heuristics.set(heuristics_graph, graph).set(heuristics_mode, of_heuristics_mode, 1, &wanted);
      if (device) heuristics.set(heuristics_device, *device);
      heuristics.finish("heuristics");
      std::vector<Descriptor*> configurations;
      std::vector<void*> raw;
      for (int64_t i = heuristics.get(heuristics_results, of_descriptor, 0, nullptr); i > 0; --i) {
        configurations.push_back(&part(kind_configuration));
        raw.push_back(configurations.back()->raw);
      }
      if (raw.empty()) continue;
      const int64_t count =
          heuristics.get(heuristics_results, of_descriptor, static_cast<int64_t>(raw.size()), raw.data());
      configurations.resize(std::min(configurations.size(), static_cast<std::size_t>(count)));
      for (const Descriptor* configuration : configurations) try {
          if (!is_allowed(*configuration, call)) continue;
          Descriptor& plan = part(kind_plan);
          if (device)
            plan.set(plan_device, *device);
          else
            plan.set(plan_handle, of_handle, 1, &handle_);
          plan.set(plan_configuration, *configuration).finish("a plan");
          int64_t workspace = 0;
          plan.get(plan_workspace, of_int64, 1, &workspace);
          if (workspace > static_cast<int64_t>(kMostWorkspace)) {
            why_not_ = text("the plan requires ", workspace, " bytes of working memory");
            continue;
          }
          out->choices.push_back({&plan, workspace});
          if (out->choices.size() == (call.tune ? kMostMeasured : 1)) return out;
        } catch (const DeviceError& e) { why_not_ = e.what(); }
      if (!out->choices.empty()) return out;
    } catch (const DeviceError& e) { why_not_ = e.what(); }
  return nullptr;
}

Cudnn::Plan* Cudnn::plan(const LibraryConvolution& call) {
  Key key{static_cast<int64_t>(call.op), static_cast<int64_t>(call.dtype), call.accumulate,
          static_cast<int64_t>(call.tensor_cores), call.stride.ndim()};
  const auto put = [&](const Dims& d) { key.insert(key.end(), d.begin(), d.end()); };
  for (const LibraryConvolution::Tensor* t : tensors_of(call)) {
    key.push_back(t->is_given() ? t->alignment : 0);
    if (t->is_given()) put(t->size), put(t->strides);
  }
  put(call.stride), put(call.pad), put(call.pad_end), put(call.dilate);
  const auto found = plans_.find(key);
  const bool is_made = found != plans_.end();
  if (is_made && (!found->second || !call.tune || found->second->tuned || found->second->choices.size() > 1))
    return found->second.get();
  std::unique_ptr<Plan> made;
  was_short_ = false;
  try {
    made = build(call);
  } catch (const DeviceError& e) { why_not_ = e.what(); }
  if (!made && (is_made || was_short_)) return is_made ? found->second.get() : nullptr;
  if (made && call.tune) made->tuned = made->choices.size() == 1;
  if (!is_made) return plans_.emplace(std::move(key), std::move(made)).first->second.get();
  replaced_.push_back(std::exchange(found->second, std::move(made)));
  return found->second.get();
}
void Cudnn::forget_plans() { plans_.clear(), replaced_.clear(); }

std::optional<std::size_t> Cudnn::workspace(const LibraryConvolution& call) {
  const Plan* p = plan(call);
  if (!p) return {};
  if (!call.tune || p->tuned) return static_cast<std::size_t>(p->choices[0].workspace);
  return results_in(*p) + bytes_of(result_of(call), call.dtype);
}

// Returns the offset of results in the workspace while plans are measured.
std::size_t Cudnn::results_in(const Plan& p) {
  int64_t most = 0;
  for (const Plan::Choice& c : p.choices) most = std::max(most, c.workspace);
  return static_cast<std::size_t>((most + 255) / 256 * 256);
}

void Cudnn::measure(Plan& p, CuHandle stream, LibraryConvolution call, char* workspace, const Timer& time) {
  result_of(call).data = workspace + results_in(p);
  double least = 0;
  std::optional<Plan::Choice> best;
  for (const Plan::Choice& c : p.choices) try {
      const auto run = [&] { execute(stream, *c.plan, call, workspace); };
      run();
      double seconds = time(run);
      for (int again = 0; again < 2; ++again) seconds = std::min(seconds, time(run));
      if (!best || seconds < least) best = c, least = seconds;
    } catch (const DeviceLost&) { throw; } catch (const DeviceError& e) {
      why_not_ = e.what();
    }
  if (best) p.choices = {*best};
  p.tuned = true;
}

void Cudnn::execute(CuHandle stream, const Descriptor& plan, const LibraryConvolution& call, void* workspace) {
  SmallVector<int64_t, 4> ids;
  SmallVector<void*, 4> addresses;
  int64_t id = 0;
  for (const LibraryConvolution::Tensor* t : tensors_of(call)) {
    ++id;
    if (t->is_given()) ids.push_back(id), addresses.push_back(t->data);
  }
  const auto count = static_cast<int64_t>(ids.size());
  Descriptor arguments(*this, kind_arguments);
  arguments.set(arguments_ids, of_int64, count, ids.data());
  arguments.set(arguments_addresses, of_address, count, addresses.data());
  arguments.set(arguments_workspace, of_address, 1, &workspace).finish("arguments");
  expect_success(f_.set_stream(handle_, stream), "cudnnSetStream");
  expect_success(f_.execute(handle_, plan.raw, arguments.raw), "cudnnBackendExecute");
}

void Cudnn::convolve(CuHandle stream, const LibraryConvolution& call, void* workspace, const Timer& time) {
  Plan* const p = plan(call);
  try {
    if (!p) throw DeviceError("cuDNN has no plan: ", why_not_);
    if (call.tune && !p->tuned) measure(*p, stream, call, static_cast<char*>(workspace), time);
    execute(stream, *p->choices[0].plan, call, workspace);
  } catch (const DeviceLost&) { throw; } catch (const DeviceError& e) {
    throw DeviceError(e.what(), " for a convolution (", cudnn_operation(call.op).name, ") of x ", call.x.size, ", W ",
                      call.w.size, ", y ", call.y.size, " of ", call.dtype);
  }
}

}  // namespace chainer::cuda

// SPDX-License-Identifier: MIT
// cuDNN's recurrent layers on the host's memory: one layer in one direction, by the loops of the emulation. Arguments
// are checked as strictly as the library's documentation describes them.
#include "chainer/backend/cuda/cudnn_rnn.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "chainer/backend/cuda/emulation/recurrent_loops.h"

namespace {

using chainer::RnnKind;

constexpr int kBadArgument = 2000, kUnsupported = 3000;

enum class RnnThing { dropout, data, rnn, tensor };
struct RnnObject {
  RnnThing kind;
  bool set = false;
  int type = 0;
  int cell = 0, math = 0, inputs = 0, units = 0;  // of a layer
  std::vector<int64_t> sizes;                     // of data: sequences at each time
  int columns = 0;
  std::vector<int> size, strides;  // of a tensor
};
std::set<RnnObject*> objects;
std::string failing_call;
int failing_status = 0, forwards = 0, backwards = 0, last_math = -1, last_mode = -1;
// What forward has kept at an address, and whether its first gradients are known.
struct KeptState {
  std::size_t bytes;
  bool has_gradients;
};
std::map<void*, KeptState> kept_states;

int told(const char* call) { return failing_call == call ? failing_status : 0; }
RnnObject* object(void* p, RnnThing kind, bool is_set = true) {
  auto* const found = static_cast<RnnObject*>(p);
  return objects.count(found) && found->kind == kind && (!is_set || found->set) ? found : nullptr;
}
int make_object(RnnThing kind, void** out, const char* call) {
  if (const int status = told(call)) return *out = nullptr, status;
  auto* const made = new RnnObject;
  made->kind = kind;
  objects.insert(made);
  return *out = made, 0;
}
int end_object(void* p, RnnThing kind) {
  RnnObject* const found = object(p, kind, false);
  if (!found) return kBadArgument;
  objects.erase(found);
  delete found;
  return 0;
}

RnnKind kind_of(int cell) {
  return cell == 0 ? RnnKind::relu : cell == 1 ? RnnKind::tanh : cell == 2 ? RnnKind::lstm : RnnKind::gru;
}
template <class T>
chainer::cuda::emulation::RecurrentLoops<T> loops_for(const RnnObject& rnn, const RnnObject* x) {
  return {kind_of(rnn.cell), rnn.inputs, rnn.units, x ? x->sizes : std::vector<int64_t>()};
}
template <class F>
void with_loops(const RnnObject& rnn, const RnnObject* x, const F& f) {
  if (rnn.type == 1)
    f(loops_for<double>(rnn, x), double());
  else
    f(loops_for<float>(rnn, x), float());
}
std::size_t weight_space(const RnnObject& rnn) {
  std::size_t out = 0;
  with_loops(rnn, nullptr, [&](const auto& loops, auto zero) {
    out = static_cast<std::size_t>(loops.weight_elements()) * sizeof zero;
  });
  return out;
}
std::size_t reserve_space(const RnnObject& rnn, const RnnObject& x) {  // an odd number of bytes more
  std::size_t out = 0;
  with_loops(rnn, &x, [&](const auto& loops, auto zero) {
    out = static_cast<std::size_t>(loops.kept_elements()) * sizeof zero + 3;
  });
  return out;
}
std::size_t work_space(const RnnObject& x, int mode) { return x.sizes.size() * 8 + (mode ? 100 : 50); }

// The descriptors and spaces that all calls share.
struct RnnCall {
  RnnObject *rnn, *x, *y, *h, *c;
  bool good;
  RnnCall(void* handle, void* r, const int32_t* lengths, void* xs, void* ys, void* hs, void* cs, bool needs_cells)
      : rnn(object(r, RnnThing::rnn)),
        x(object(xs, RnnThing::data)),
        y(object(ys, RnnThing::data)),
        h(object(hs, RnnThing::tensor)),
        c(cs ? object(cs, RnnThing::tensor) : nullptr) {
    good = handle && rnn && x && y && h && !lengths;
    if (!good) return;
    const int batch = static_cast<int>(x->sizes[0]);
    const std::vector<int> states{1, batch, rnn->units}, steps{batch * rnn->units, rnn->units, 1};
    good = x->sizes == y->sizes && x->columns == rnn->inputs && y->columns == rnn->units && x->type == rnn->type &&
           y->type == rnn->type && h->type == rnn->type && h->size == states && h->strides == steps;
    if (needs_cells && rnn->cell == 2) good = good && c && c->size == states && c->strides == steps;
  }
  bool has_spaces(std::size_t weights, std::size_t work, const void* workspace, std::size_t kept, int mode) const {
    return weights == weight_space(*rnn) && work >= work_space(*x, mode) && workspace &&
           kept >= (mode ? reserve_space(*rnn, *x) : 0);
  }
};

}  // namespace

extern "C" {

// What tests ask of this part of the library: a failure, and what was done.
void fake_rnn_fail(const char* call, int status) { failing_call = call, failing_status = status; }
int fake_rnn_forwards() { return forwards; }
int fake_rnn_backwards() { return backwards; }
int fake_rnn_living() { return static_cast<int>(objects.size()); }
int fake_rnn_math() { return last_math; }
int fake_rnn_mode() { return last_mode; }

int cudnnCreateTensorDescriptor(void** out) {
  return make_object(RnnThing::tensor, out, "cudnnCreateTensorDescriptor");
}
int cudnnDestroyTensorDescriptor(void* p) { return end_object(p, RnnThing::tensor); }
int cudnnSetTensorNdDescriptor(void* p, int type, int axes, const int* size, const int* strides) {
  RnnObject* const t = object(p, RnnThing::tensor, false);
  if (!t || axes < 3) return kBadArgument;
  t->set = true, t->type = type, t->size.assign(size, size + axes), t->strides.assign(strides, strides + axes);
  return told("cudnnSetTensorNdDescriptor");
}
int cudnnGetTensorNdDescriptor(void* p, int room, int* type, int* axes, int* size, int* strides) {
  const RnnObject* const t = object(p, RnnThing::tensor);
  if (!t) return kBadArgument;
  *type = t->type, *axes = static_cast<int>(t->size.size());
  for (int i = 0; i < std::min(room, *axes); ++i)
    size[i] = t->size[static_cast<std::size_t>(i)], strides[i] = t->strides[static_cast<std::size_t>(i)];
  return 0;
}
int cudnnCreateDropoutDescriptor(void** out) {
  return make_object(RnnThing::dropout, out, "cudnnCreateDropoutDescriptor");
}
int cudnnDestroyDropoutDescriptor(void* p) { return end_object(p, RnnThing::dropout); }
int cudnnSetDropoutDescriptor(void* p, void* handle, float ratio, void* states, std::size_t, unsigned long long) {
  RnnObject* const d = object(p, RnnThing::dropout, false);
  if (!d || !handle || ratio != 0 || states) return kBadArgument;
  d->set = true;
  return told("cudnnSetDropoutDescriptor");
}
int cudnnCreateRNNDataDescriptor(void** out) {
  return make_object(RnnThing::data, out, "cudnnCreateRNNDataDescriptor");
}
int cudnnDestroyRNNDataDescriptor(void* p) { return end_object(p, RnnThing::data); }
int cudnnSetRNNDataDescriptor(void* p, int type, int layout, int steps, int batch, int columns, const int* lengths,
                              void* padding) {
  RnnObject* const d = object(p, RnnThing::data, false);
  if (!d || type < 0 || type > 1 || layout != 1 || steps < 1 || batch < 1 || columns < 1 || padding)
    return kBadArgument;
  if (lengths[0] != steps || lengths[batch - 1] < 1) return kBadArgument;
  d->set = true, d->type = type, d->columns = columns;
  d->sizes.assign(static_cast<std::size_t>(steps), 0);
  for (int b = 0; b < batch; ++b) {
    if (b > 0 && lengths[b] > lengths[b - 1]) return kBadArgument;  // packed sequences are sorted
    for (int t = 0; t < lengths[b]; ++t) ++d->sizes[static_cast<std::size_t>(t)];
  }
  return told("cudnnSetRNNDataDescriptor");
}
int cudnnCreateRNNDescriptor(void** out) { return make_object(RnnThing::rnn, out, "cudnnCreateRNNDescriptor"); }
int cudnnDestroyRNNDescriptor(void* p) { return end_object(p, RnnThing::rnn); }
int cudnnSetRNNDescriptor_v8(void* p, int algorithm, int cell, int biases, int directions, int input, int type,
                             int compute, int math, int32_t inputs, int32_t units, int32_t projected, int32_t layers,
                             void* dropout, uint32_t flags) {
  RnnObject* const r = object(p, RnnThing::rnn, false);
  if (!r || !object(dropout, RnnThing::dropout) || inputs < 1 || units < 1 || projected != units || layers != 1 ||
      cell < 0 || cell > 3)
    return kBadArgument;
  if (algorithm != 0 || biases != 2 || directions != 0 || input != 0 || type > 1 || compute != type || flags != 0 ||
      (math != 0 && math != 3))
    return kUnsupported;
  r->set = true, r->type = type, r->cell = cell, r->inputs = inputs, r->units = units, r->math = math;
  return told("cudnnSetRNNDescriptor_v8");
}
int cudnnGetRNNWeightSpaceSize(void* handle, void* p, std::size_t* bytes) {
  const RnnObject* const r = object(p, RnnThing::rnn);
  if (!r || !handle) return kBadArgument;
  *bytes = weight_space(*r);
  return told("cudnnGetRNNWeightSpaceSize");
}
int cudnnGetRNNWeightParams(void* handle, void* p, int32_t layer, std::size_t bytes, const void* weights,
                            int32_t number, void* matrix, void** matrix_at, void* bias, void** bias_at) {
  const RnnObject* const r = object(p, RnnThing::rnn);
  RnnObject *const m = object(matrix, RnnThing::tensor, false), *const b = object(bias, RnnThing::tensor, false);
  if (!r || !handle || layer != 0 || bytes != weight_space(*r) || !weights || !m || !b || number < 0 ||
      number >= chainer::weight_count(kind_of(r->cell)))
    return kBadArgument;
  with_loops(*r, nullptr, [&](const auto& loops, auto zero) {
    const auto at = [&](int64_t position) {
      return const_cast<char*>(static_cast<const char*>(weights)) + position * static_cast<int64_t>(sizeof zero);
    };
    *matrix_at = at(loops.matrix(number)), *bias_at = at(loops.bias(number));
    const int columns = static_cast<int>(loops.columns(number));
    m->set = b->set = true, m->type = b->type = r->type;
    m->size = {1, r->units, columns}, m->strides = {r->units * columns, columns, 1};
    b->size = {1, r->units, 1}, b->strides = {r->units, 1, 1};
    if (failing_call == "transposed weights") m->strides = {r->units * columns, 1, r->units};
  });
  return told("cudnnGetRNNWeightParams");
}
int cudnnGetRNNTempSpaceSizes(void* handle, void* p, int mode, void* x, std::size_t* workspace, std::size_t* kept) {
  const RnnObject *const r = object(p, RnnThing::rnn), *const d = object(x, RnnThing::data);
  if (!r || !d || !handle || d->columns != r->inputs) return kBadArgument;
  *workspace = work_space(*d, mode), *kept = mode ? reserve_space(*r, *d) : 0;
  return told("cudnnGetRNNTempSpaceSizes");
}

int cudnnRNNForward(void* handle, void* rnn, int mode, const int32_t* lengths, void* x, const void* x_data, void* y,
                    void* y_data, void* h, const void* h_first, void* h_last, void* c, const void* c_first,
                    void* c_last, std::size_t weight_bytes, const void* weights, std::size_t workspace_bytes,
                    void* workspace, std::size_t kept_bytes, void* kept) {
  if (const int status = told("cudnnRNNForward")) return status;
  const RnnCall call(handle, rnn, lengths, x, y, h, c, true);
  if (!call.good || !call.has_spaces(weight_bytes, workspace_bytes, workspace, kept_bytes, mode) ||
      (mode == 1) != (kept != nullptr) || !x_data || !y_data || !weights || !h_first || !h_last ||
      (call.rnn->cell == 2 && (!c_first || !c_last)))
    return kBadArgument;
  std::memset(workspace, 0xff, workspace_bytes);
  with_loops(*call.rnn, call.x, [&]<class T>(const auto& loops, T) {
    const auto at = [](const void* p) { return static_cast<T*>(const_cast<void*>(p)); };
    loops.forward({at(x_data), at(weights), at(h_first), at(c_first), at(y_data), at(h_last), at(c_last), at(kept)});
  });
  if (kept) kept_states[kept] = {kept_bytes, false};
  ++forwards, last_math = call.rnn->math, last_mode = mode;
  return 0;
}
// (A copy of what forward has kept may be given, whose address is unknown.)
int cudnnRNNBackwardData_v8(void* handle, void* rnn, const int32_t* lengths, void* y, const void* y_data,
                            const void* gy, void* x, void* gx, void* h, const void* h_first, const void* gh_last,
                            void* gh_first, void* c, const void* c_first, const void* gc_last, void* gc_first,
                            std::size_t weight_bytes, const void* weights, std::size_t workspace_bytes, void* workspace,
                            std::size_t kept_bytes, void* kept) {
  if (const int status = told("cudnnRNNBackwardData_v8")) return status;
  const RnnCall call(handle, rnn, lengths, x, y, h, c, true);
  if (!call.good || !call.has_spaces(weight_bytes, workspace_bytes, workspace, kept_bytes, 1) || !kept || !y_data ||
      !gy || !gx || !h_first || !gh_last || !gh_first || !weights ||
      (call.rnn->cell == 2 && (!c_first || !gc_last || !gc_first)))
    return kBadArgument;
  std::memset(workspace, 0xff, workspace_bytes);
  with_loops(*call.rnn, call.x, [&]<class T>(const auto& loops, T) {
    const auto at = [](const void* p) { return static_cast<T*>(const_cast<void*>(p)); };
    loops.backward_data({nullptr, at(weights), at(h_first), at(c_first), at(y_data), nullptr, nullptr, at(kept), at(gy),
                         at(gh_last), at(gc_last), at(gx), at(gh_first), at(gc_first), nullptr});
  });
  kept_states[kept] = {kept_bytes, true};
  ++backwards, last_math = call.rnn->math;
  return 0;
}
int cudnnRNNBackwardWeights_v8(void* handle, void* rnn, int mode, const int32_t* lengths, void* x, const void* x_data,
                               void* h, const void* h_first, void* y, const void* y_data, std::size_t weight_bytes,
                               void* gweights, std::size_t workspace_bytes, void* workspace, std::size_t kept_bytes,
                               void* kept) {
  if (const int status = told("cudnnRNNBackwardWeights_v8")) return status;
  const RnnCall call(handle, rnn, lengths, x, y, h, nullptr, false);
  const auto known = kept_states.find(kept);
  if (!call.good || !call.has_spaces(weight_bytes, workspace_bytes, workspace, kept_bytes, 1) || mode != 0 || !x_data ||
      !h_first || !y_data || !gweights || known == kept_states.end() || !known->second.has_gradients ||
      known->second.bytes != kept_bytes)
    return kBadArgument;
  std::memset(workspace, 0xff, workspace_bytes);
  with_loops(*call.rnn, call.x, [&]<class T>(const auto& loops, T) {
    const auto at = [](const void* p) { return static_cast<T*>(const_cast<void*>(p)); };
    loops.backward_weights({at(x_data), nullptr, at(h_first), nullptr, at(y_data), nullptr, nullptr, at(kept), nullptr,
                            nullptr, nullptr, nullptr, nullptr, nullptr, at(gweights)});
  });
  return 0;
}

}  // extern "C"

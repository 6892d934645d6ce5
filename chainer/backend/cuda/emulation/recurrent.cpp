// SPDX-License-Identifier: MIT
// Recurrent layers in place of cuDNN's.
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/emulation/recurrent_loops.h"

namespace chainer::cuda::emulation {
namespace {

template <class T>
RecurrentLoops<T> loops_of(const RecurrentLayer& layer) {
  return {layer.kind, layer.inputs, layer.units, layer.sizes};
}
template <class T>
typename RecurrentLoops<T>::Arrays arrays_of(const RecurrentCall& c) {
  const auto at = [](void* p) { return static_cast<T*>(p); };
  return {at(c.x),  at(c.weights), at(c.h),       at(c.c),  at(c.y),  at(c.h_last), at(c.c_last),  at(c.kept),
          at(c.gy), at(c.gh_last), at(c.gc_last), at(c.gx), at(c.gh), at(c.gc),     at(c.gweights)};
}
template <class F>
auto with_type(Dtype dtype, F&& f) {
  return dtype == Dtype::float64 ? f(double()) : f(float());
}
std::size_t workspace_bytes(const RecurrentLayer& layer) {
  return static_cast<std::size_t>(layer.items() * layer.units * item_size(layer.dtype));
}

}  // namespace

void EmulatedDriver::convolutions_by(std::unique_ptr<Cudnn> library) {
  recurrent_ = nullptr;
  convolutions_ = std::move(library);
  if (convolutions_) recurrent_ = CudnnRnn::open(*convolutions_);
}

std::optional<std::size_t> EmulatedDriver::recurrent_workspace(Stream, const RecurrentLayer& layer,
                                                               RecurrentSpaces* spaces) {
  if (recurrent_)
    return recurrent_->workspace(layer, spaces, [](std::size_t bytes, const std::function<void(void*)>& use) {
      std::vector<char> memory(bytes);
      use(memory.data());
      return true;
    });
  const char* const chosen = std::getenv("CHAINER_CUDNN_LIBRARY");
  if (convolutions_ || (chosen && std::string_view(chosen) == "none")) return {};
  if (spaces)
    with_type(layer.dtype, [&]<class T>(T) {
      const auto loops = loops_of<T>(layer);
      const auto bytes = static_cast<int64_t>(sizeof(T)) * loops.kept_elements();
      *spaces = {loops.weight_elements(), layer.trains ? (bytes + 7) / 8 : 0, {}};
      for (int64_t k = 0; k < weight_count(layer.kind); ++k) spaces->positions.push_back(loops.matrix(k));
      for (int64_t k = 0; k < weight_count(layer.kind); ++k) spaces->positions.push_back(loops.bias(k));
    });
  return workspace_bytes(layer);
}

// The work has a layer of its own, since it runs later.
void EmulatedDriver::work_on(Stream stream, const RecurrentCall& c, std::function<void(const RecurrentCall&)> work) {
  RecurrentCall call = c;
  for (void** p :
       {&call.x, &call.weights, &call.h, &call.c, &call.y, &call.h_last, &call.c_last, &call.kept, &call.workspace,
        &call.gy, &call.gh_last, &call.gc_last, &call.gx, &call.gh, &call.gc, &call.gweights})
    if (*p) *p = opened(*p);
  reinterpret_cast<Queue*>(stream)->add([call, layer = *c.layer, work = std::move(work)]() mutable {
    call.layer = &layer;
    work(call);
  });
}

void EmulatedDriver::recurrent_forward(Stream stream, const RecurrentCall& c) {
  expect_no_failure("recurrent layer");
  if (recurrent_)
    return work_on(stream, c, [library = recurrent_, owner = convolutions_](const RecurrentCall& call) {
      library->forward(nullptr, call);
    });
  work_on(stream, c, [](const RecurrentCall& call) {
    std::memset(call.workspace, 0xff, workspace_bytes(*call.layer));
    with_type(call.layer->dtype, [&]<class T>(T) { loops_of<T>(*call.layer).forward(arrays_of<T>(call)); });
  });
}
void EmulatedDriver::recurrent_backward(Stream stream, const RecurrentCall& c) {
  expect_no_failure("gradients of a recurrent layer");
  if (recurrent_)
    return work_on(stream, c, [library = recurrent_, owner = convolutions_](const RecurrentCall& call) {
      library->backward(nullptr, call);
    });
  work_on(stream, c, [](const RecurrentCall& call) {
    std::memset(call.workspace, 0xff, workspace_bytes(*call.layer));
    with_type(call.layer->dtype, [&]<class T>(T) {
      const auto loops = loops_of<T>(*call.layer);
      loops.backward_data(arrays_of<T>(call));
      if (call.gweights) loops.backward_weights(arrays_of<T>(call));
    });
  });
}

}  // namespace chainer::cuda::emulation

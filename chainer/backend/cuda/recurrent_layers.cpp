// SPDX-License-Identifier: MIT
// Recurrent layers by a library. It reads sequences from their beginning: for a layer in the other direction, items are
// put in the order in which it reads them.
#include "chainer/array/operations/recurrent_layer.h"

#include "chainer/backend/cuda/device_state.h"

namespace chainer::cuda {
namespace {

constexpr std::size_t kMostOrders = 256;

Array elements(const Array& like) { return Array(like.shape(), like.dtype(), like.device()); }
void* address_of(const Array& a) { return const_cast<void*>(a.raw()); }
Array workspace_of(std::optional<std::size_t> bytes, const Device& device) {
  if (!bytes) throw DeviceError("a recurrent layer: its library does not support it any more");
  return Array(Shape{static_cast<int64_t>(*bytes)}, uint8, device);
}

}  // namespace

bool CudaBackend::recurrent_spaces(const RecurrentLayer& layer, int index, RecurrentSpaces& spaces) {
  return with_device(
      index, [&](DeviceState& d) { return driver_->recurrent_workspace(d.stream, layer, &spaces).has_value(); });
}

// The order is its own inverse.
Array CudaBackend::reversed_rows(const RecurrentLayer& layer, const Device& device) {
  const int index = device.index();
  const auto known = [&](DeviceState& d) {
    const auto found = d.reversed.find(layer.sizes);
    return found == d.reversed.end() ? Array() : found->second;
  };
  if (const Array found = with_device(index, known)) return found;
  std::vector<int64_t> starts, rows;
  for (int64_t at = 0; const int64_t n : layer.sizes) starts.push_back(at), at += n;
  for (std::size_t t = 0; t < layer.sizes.size(); ++t)
    for (std::size_t b = 0, length = layer.sizes.size(); b < static_cast<std::size_t>(layer.sizes[t]); ++b) {
      while (layer.sizes[length - 1] <= static_cast<int64_t>(b)) --length;
      rows.push_back(starts[length - 1 - t] + static_cast<int64_t>(b));
    }
  Array on_host(Shape{static_cast<int64_t>(rows.size())}, int64);
  std::copy(rows.begin(), rows.end(), on_host.mutable_data<int64_t>());
  const Array made = on_host.to_device(device);
  return with_device(index, [&](DeviceState& d) {
    if (d.reversed.size() >= kMostOrders) d.reversed.clear();
    return d.reversed.emplace(layer.sizes, made).first->second;
  });
}

// (Whether cuDNN's recurrent layers use streams of their own, which a capture would have to include, is not documented,
// so they run between captured graphs.)
constexpr const char* kNotCapturedLayer = "it calls cuDNN's recurrent layers";

void CudaBackend::recurrent_layer(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) {
  const Device device = in[0].device();
  const int index = device.index();
  Capturing::refuse(*this, index, kNotCapturedLayer);
  const Array order = layer.reverse ? reversed_rows(layer, device) : Array();
  Array x = in[0], y = out[0];
  if (order) {
    x = elements(in[0]), y = elements(out[0]);
    take_rows(in[0], order, x);
  }
  const Array room = workspace_of(
      with_device(index, [&](DeviceState& d) { return driver_->recurrent_workspace(d.stream, layer, nullptr); }),
      device);
  const std::size_t states = layer.has_cell() ? 2 : 1;
  RecurrentCall call{&layer,
                     address_of(x),
                     address_of(in[1]),
                     address_of(in[2]),
                     states == 2 ? address_of(in[3]) : nullptr,
                     y.mutable_raw(),
                     out[1].mutable_raw(),
                     states == 2 ? out[2].mutable_raw() : nullptr,
                     layer.trains ? out[1 + states].mutable_raw() : nullptr,
                     address_of(room)};
  with_device(index, [&](DeviceState& d) {
    ++d.counts.calls;
    driver_->recurrent_forward(d.stream, call);
  });
  if (order) take_rows(y, order, out[0]);
}

void CudaBackend::recurrent_layer_grad(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) {
  const Device device = in[0].device();
  const int index = device.index();
  Capturing::refuse(*this, index, kNotCapturedLayer);
  const std::size_t states = layer.has_cell() ? 2 : 1, from_y = 2 + states;
  const Array order = layer.reverse ? reversed_rows(layer, device) : Array();
  const auto in_order = [&](const Array& rows) {
    if (!order) return rows;
    Array to = elements(rows);
    take_rows(rows, order, to);
    return to;
  };
  const Array x = in_order(in[0]), y = in_order(in[from_y]), gy = in_order(in[from_y + 2]);
  Array kept = elements(in[from_y + 1]);  // the library overwrites it, and gradients may be computed again
  copy_elements(in[from_y + 1], kept);
  Array gx = order ? elements(out[0]) : out[0];
  const Array room = workspace_of(
      with_device(index, [&](DeviceState& d) { return driver_->recurrent_workspace(d.stream, layer, nullptr); }),
      device);
  const bool of_weights = out.size() > 1 + states;
  if (of_weights) fill(out[1 + states], 0);  // the library adds to it
  RecurrentCall call{
      &layer,       address_of(x), address_of(in[1]), address_of(in[2]), states == 2 ? address_of(in[3]) : nullptr,
      address_of(y)};
  call.kept = kept.mutable_raw(), call.workspace = address_of(room);
  call.gy = address_of(gy), call.gh_last = address_of(in[from_y + 3]);
  call.gx = gx.mutable_raw(), call.gh = out[1].mutable_raw();
  if (states == 2) call.gc_last = address_of(in[from_y + 4]), call.gc = out[2].mutable_raw();
  if (of_weights) call.gweights = out[1 + states].mutable_raw();
  with_device(index, [&](DeviceState& d) {
    ++d.counts.calls;
    driver_->recurrent_backward(d.stream, call);
  });
  if (order) take_rows(gx, order, out[0]);
}

}  // namespace chainer::cuda

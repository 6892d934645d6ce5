// SPDX-License-Identifier: MIT
#include "chainer/functions/rnn/library_layer.h"

#include "chainer/core/error.h"
#include "chainer/routines/creation.h"

namespace chainer::functions {
namespace {

Array first_rows(const Array& a, int64_t count) { return a[Slice(0, count)]; }

// Returns an array like `a`, whose first `count` rows are about to be written, and the others are those of `a`.
Array others_of(const Array& a, int64_t count) {
  return count < a.shape()[0] ? a.copy() : Array(a.shape(), a.dtype(), a.device());
}

}  // namespace

// Returns the parameters, or their gradients, as parts of the joined ones.
Arrays LibraryLayer::parts_of(const Array& weights) const {
  Arrays out;
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    const int64_t at = spaces_.positions[k];
    out.push_back(weights[Slice(at, at + shapes_[k].product())].reshape(shapes_[k]));
  }
  return out;
}

std::optional<LibraryLayer> LibraryLayer::apply(RecurrentLayer layer, const Array& x, const Array& h, const Array& c,
                                                std::span<const Array> parameters, Arrays& out) {
  while (!layer.sizes.empty() && layer.sizes.back() == 0) layer.sizes.pop_back();
  if (layer.sizes.empty() || layer.inputs == 0 || layer.units == 0) return {};
  const Device device = x.device();
  Backend& backend = device.backend();
  LibraryLayer made;
  if (!backend.recurrent_spaces(layer, device.index(), made.spaces_)) return {};
  try {
    int64_t filled = 0;
    for (const Array& p : parameters) made.shapes_.push_back(p.shape()), filled += p.size();
    const Shape joined{made.spaces_.weights};
    made.weights_ = filled == joined[0] ? Array(joined, layer.dtype, device) : zeros(joined, layer.dtype, device);
    Arrays parts = made.parts_of(made.weights_);
    backend.copy_all(parameters, {parts.data(), parts.size()});

    const int64_t batch = layer.sizes[0];
    const Array h_all = dense(h, layer.dtype), c_all = layer.has_cell() ? dense(c, layer.dtype) : Array();
    made.x_ = dense(x, layer.dtype), made.h_ = first_rows(h_all, batch);
    made.y_ = Array({layer.items(), layer.units}, layer.dtype, device);
    Arrays in = {made.x_, made.weights_, made.h_}, results = {made.y_, others_of(h_all, batch)};
    Arrays written = {made.y_, first_rows(results[1], batch)};
    if (layer.has_cell()) {
      in.push_back(made.c_ = first_rows(c_all, batch));
      results.push_back(others_of(c_all, batch));
      written.push_back(first_rows(results[2], batch));
    }
    if (layer.trains) written.push_back(made.kept_ = Array({made.spaces_.kept}, int64, device));
    backend.recurrent_layer(layer, {in.data(), in.size()}, {written.data(), written.size()});
    out = std::move(results);
  } catch (const MemoryError&) { return {}; }
  made.layer_ = std::move(layer);
  return made;
}

std::optional<LibraryLayer::Gradients> LibraryLayer::gradients(const Array& gy, const Array& gh, const Array& gc,
                                                               bool of_parameters) const {
  const Device device = x_.device();
  const int64_t batch = layer_.sizes[0];
  const auto dense_rows = [&](const Array& g) { return first_rows(dense(g, layer_.dtype), batch); };
  try {
    const Array to_y = gy ? dense(gy, layer_.dtype) : zeros(y_.shape(), layer_.dtype, device);
    Gradients out{Array(x_.shape(), layer_.dtype, device), others_of(dense(gh, layer_.dtype), batch), {}, {}};
    Arrays in = {x_, weights_, h_}, written = {out.x, first_rows(out.h, batch)};
    if (layer_.has_cell()) {
      out.c = others_of(dense(gc, layer_.dtype), batch);
      in.push_back(c_), written.push_back(first_rows(out.c, batch));
    }
    for (const Array& a : {y_, kept_, to_y, dense_rows(gh)}) in.push_back(a);
    if (layer_.has_cell()) in.push_back(dense_rows(gc));
    if (of_parameters) written.push_back(Array(weights_.shape(), layer_.dtype, device));
    device.backend().recurrent_layer_grad(layer_, {in.data(), in.size()}, {written.data(), written.size()});
    if (of_parameters) out.parameters = parts_of(written.back());
    return out;
  } catch (const MemoryError&) { return {}; }
}

}  // namespace chainer::functions

// Convolutions by oneDNN: activations stay channels-last, filters are brought into the library's own order, which costs
// little beside the convolution. Winograd's algorithm (Lavin and Gray, arXiv:1509.09308) has activations in the
// library's order, too; that costs a tenth of what it saves.
#include <cstdlib>
#include <string_view>

#include "chainer/array/backend.h"
#include "chainer/array/derived.h"
#include "chainer/array/order.h"
#include "chainer/backend/cpu/onednn/library.h"
#include "chainer/backend/cpu/onednn/onednn.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu::onednn {
namespace {

using Key = std::vector<int64_t>;
using Layout = dnnl_memory_desc_t;

Layout with_strides(const Dims& shape, const Dims& strides) {
  Layout l;
  dnnl_dims_t dims, steps;
  std::copy(shape.begin(), shape.end(), dims), std::copy(strides.begin(), strides.end(), steps);
  if (library()->memory_desc_init_by_strides(&l, shape.ndim(), dims, dnnl_f32, steps) != dnnl_success)
    throw RuntimeError("oneDNN: no layout of shape ", shape);
  return l;
}
Layout of_any_order(const Layout& like) {
  Layout l;
  if (library()->memory_desc_init_by_tag(&l, like.ndims, like.dims, dnnl_f32, dnnl_format_tag_any) != dnnl_success)
    throw RuntimeError("oneDNN: no layout");
  return l;
}

// Filters (K, C / groups, k...) as oneDNN names their axes: groups come first where there are several.
Layout filters_layout(const Array& W, int64_t groups) {
  Dims shape = W.shape(), strides = contiguous_strides(W.shape());
  if (groups > 1) {
    shape[0] /= groups;
    shape.insert(0, groups);
    strides.insert(0, strides[0] * shape[1]);
  }
  return with_strides(shape, strides);
}

// The layout of images in one of the two orders. (An axis of length one leaves an array's own strides open.)
Layout image_layout(const Dims& shape, bool channels_last) {
  if (!channels_last) return with_strides(shape, contiguous_strides(shape));
  Dims memory = shape;  // (N, spatial..., C)
  memory.erase(1);
  memory.push_back(shape[1]);
  const Dims steps = contiguous_strides(memory);
  Dims strides{steps[0], 1};
  for (int d = 1; d < steps.ndim() - 1; ++d) strides.push_back(steps[d]);
  return with_strides(shape, strides);
}
Layout layout_of(const Array& image) { return image_layout(image.shape(), channels_to_end(image).is_contiguous()); }
Layout reordered(const Layout& image, bool channels_last) {
  return image_layout(Dims(image.dims, image.dims + image.ndims), channels_last);
}
// Any other order becomes channels-last.
bool is_image_order(const Array& a) { return a.is_contiguous() || channels_to_end(a).is_contiguous(); }
Array in_image_order(const Array& a) {
  return is_image_order(a) ? a : channels_to_front(channels_to_end(a).contiguous());
}

// A primitive, and what brings its operands and its result from one order into another (null: no need).
struct Route {
  std::shared_ptr<const Primitive> compute;
  std::shared_ptr<const Primitive> change[3];  // of a, b and the result
  uint64_t form = 0;                           // number of the order that `compute` wants filters in
  bool winograd = false;
};

struct Problem {
  Convolution op;
  const ConvolutionPlan& plan;
  Layout x, W, y;  // as the arrays are
  bool bias, accumulate;
};

std::shared_ptr<const Primitive> make_compute(const Problem& p, const Layout& x, const Layout& W, const Layout& y,
                                              dnnl_alg_kind_t algorithm = dnnl_convolution_direct) {
  const Library& l = *library();
  const int axes = x.ndims - 2;
  dnnl_dims_t stride, dilate, pad, pad_end;
  for (int d = 0; d < axes; ++d) {
    stride[d] = p.plan.stride[d], dilate[d] = p.plan.dilate[d] - 1, pad[d] = p.plan.pad[d];
    pad_end[d] = p.plan.pad_end(d, x.dims[d + 2], W.dims[W.ndims - axes + d], y.dims[d + 2]);
  }
  const Layout bias = with_strides({y.dims[1]}, {1});
  dnnl_convolution_desc_t c;
  switch (p.op) {
    case Convolution::forward:
      if (l.dilated_convolution_forward_desc_init(&c, dnnl_forward_training, algorithm, &x, &W,
                                                  p.bias ? &bias : nullptr, &y, stride, dilate, pad,
                                                  pad_end) != dnnl_success)
        return nullptr;
      // The one by batches of products takes a line of results at a time, of which there is little here.
      return make_primitive(&c, {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
                            y.dims[y.ndims - 1] <= 4 && y.dims[0] > 1 && stride[axes - 1] == 1 ? "brgconv:" : "");
    case Convolution::backward_data:
      if (l.dilated_convolution_backward_data_desc_init(&c, algorithm, &x, &W, &y, stride, dilate, pad, pad_end) !=
          dnnl_success)
        return nullptr;
      return make_primitive(&c, {dnnl_query_diff_dst_md, dnnl_query_weights_md, dnnl_query_diff_src_md});
    case Convolution::backward_weights:
      if (l.dilated_convolution_backward_weights_desc_init(&c, algorithm, &x, &W, nullptr, &y, stride, dilate, pad,
                                                           pad_end) != dnnl_success)
        return nullptr;
      return make_primitive(&c, {dnnl_query_src_md, dnnl_query_diff_dst_md, dnnl_query_diff_weights_md});
  }
  return nullptr;
}

// The operands and the result of an operation, in the order of make_compute's layouts.
std::array<const Layout*, 3> in_order(const Problem& p) {
  if (p.op == Convolution::forward) return {&p.x, &p.W, &p.y};
  if (p.op == Convolution::backward_data) return {&p.y, &p.W, &p.x};
  return {&p.x, &p.y, &p.W};
}

// A number for each order of filters in memory that differs from those before. Called behind the cache's lock.
uint64_t number_of(const Layout& filters) {
  static std::vector<Layout>* seen = new std::vector<Layout>;
  for (std::size_t i = 0; i < seen->size(); ++i)
    if (library()->memory_desc_equal(&(*seen)[i], &filters)) return i;
  seen->push_back(filters);
  return seen->size() - 1;
}

std::shared_ptr<const Route> make_route(const Problem& p) {
  auto route = std::make_shared<Route>();
  if (suits_winograd(p.plan, p.W.dims, p.y.dims, p.y.ndims)) {
    route->compute =
        make_compute(p, of_any_order(p.x), of_any_order(p.W), of_any_order(p.y), dnnl_convolution_winograd);
    route->winograd = route->compute != nullptr;
  }
  // Channels-last, but for the gradient by two or three channels, which is computed faster in C order.
  const bool few = p.op == Convolution::backward_data && p.x.dims[1] > 1 && p.x.dims[1] <= 3;
  if (!route->compute) route->compute = make_compute(p, reordered(p.x, !few), of_any_order(p.W), reordered(p.y, !few));
  // (The library's plain loops are slower than products of matrices.)
  if (!route->compute || route->compute->implementation.starts_with("ref")) return nullptr;
  const auto given = in_order(p);
  if (p.op != Convolution::backward_weights) route->form = number_of(route->compute->layouts[1]);
  for (std::size_t i = 0; i < 3; ++i) {
    const Layout& wanted = route->compute->layouts[i];
    const bool result = i == 2;
    if (library()->memory_desc_equal(given[i], &wanted) && !(result && p.accumulate)) continue;
    route->change[i] = result ? make_reorder(wanted, *given[i], p.accumulate) : make_reorder(*given[i], wanted, false);
    if (!route->change[i]) return nullptr;
  }
  return route;
}

void append(Key& key, const Layout& l) {
  key.insert(key.end(), l.dims, l.dims + l.ndims);
  key.insert(key.end(), l.format_desc.blocking.strides, l.format_desc.blocking.strides + l.ndims);
}
Key key_of(const Problem& p) {
  Key key{static_cast<int64_t>(p.op), p.bias, p.accumulate, p.plan.groups, primitive_threads()};
  for (const Dims* d : {&p.plan.stride, &p.plan.pad, &p.plan.dilate}) key.insert(key.end(), d->begin(), d->end());
  append(key, p.x), append(key, p.W), append(key, p.y);
  return key;
}

}  // namespace

bool suits_winograd(const ConvolutionPlan& plan, const int64_t* filters, const int64_t* results, int ndim) {
  static const bool wanted = [] {
    const char* variable = std::getenv("CHAINER_CONVOLUTION");
    const std::string_view choice = variable ? variable : "";
    if (!choice.empty() && choice != "direct")
      throw ValueError("CHAINER_CONVOLUTION must be direct, or not set, not '", choice, "'");
    return choice.empty();
  }();
  if (!wanted || !library() || ndim != 4 || plan.groups != 1) return false;
  for (int d = 0; d < 2; ++d)
    if (filters[d + 2] != 3 || plan.stride[d] != 1 || plan.dilate[d] != 1 || plan.pad[d] > 1) return false;
  for (int d = 0; d < 2; ++d)
    if (filters[d] < 32 || filters[d] % 16 != 0) return false;
  // Results are made in tiles of 4x4: parts of them that lie outside are computed in vain, and a few tiles do not pay.
  const int64_t tiles = results[0] * ((results[2] + 3) / 4) * ((results[3] + 3) / 4);
  return tiles >= 48 && 16 * 3 * tiles <= 4 * results[0] * results[2] * results[3];
}

bool convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias,
                 Array& out, bool accumulate) {
  if (!library()) return false;
  static Cache<Route>* cache = new Cache<Route>;  // never destroyed: other threads may still compute at exit
  const bool weights = op == Convolution::backward_weights;
  const Array first = in_image_order(a), second = weights ? in_image_order(b) : dense(b, float32);
  if (!(weights ? out.is_contiguous() : is_image_order(out))) return false;
  const Array& filters = weights ? out : second;
  const Problem problem{op,
                        plan,
                        op == Convolution::backward_data ? layout_of(out) : layout_of(first),
                        filters_layout(filters, plan.groups),
                        op == Convolution::forward ? layout_of(out) : layout_of(weights ? second : first),
                        bias && op == Convolution::forward,
                        accumulate};
  const auto route = cache->get(key_of(problem), [&] { return make_route(problem); });
  if (!route) return false;

  constexpr const char* kName = "convolution";
  const Library& l = *library();
  const auto given = in_order(problem);
  const auto& wanted = route->compute->layouts;
  const bool kept = !weights && route->change[1] != nullptr;  // filters may be there in this order already
  const auto room = [&](std::size_t i) {
    return route->change[i] && !(i == 1 && kept) ? l.memory_desc_get_size(&wanted[i]) : 0;
  };
  const Scratch scratch[] = {Scratch(room(0)), Scratch(room(1)), Scratch(room(2))};
  void* memory[] = {const_cast<void*>(first.raw()), const_cast<void*>(second.raw()), out.mutable_raw()};
  void* used[3];
  const std::size_t place_of_filters = weights ? 2 : 1;
  const auto change = [&](std::size_t i, void* to) {
    if (i != place_of_filters && !route->winograd) count_order_copy();
    execute(*route->change[i], {{DNNL_ARG_FROM, given[i], memory[i]}, {DNNL_ARG_TO, &wanted[i], to}}, kName);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    used[i] = route->change[i] ? scratch[i].block.data : memory[i];
    if (room(i) && i < 2) change(i, used[i]);
  }
  std::shared_ptr<const DerivedForm> form;
  if (kept) {
    form = derived_form(second, route->form, l.memory_desc_get_size(&wanted[1]), [&](void* to) { change(1, to); });
    used[1] = form->block.data;
  }
  if (op == Convolution::forward && bias) {
    const Array dense_bias = dense(bias, float32);
    const Layout line = with_strides(dense_bias.shape(), {1});
    execute(*route->compute,
            {{DNNL_ARG_SRC, &wanted[0], used[0]},
             {DNNL_ARG_WEIGHTS, &wanted[1], used[1]},
             {DNNL_ARG_BIAS, &line, const_cast<void*>(dense_bias.raw())},
             {DNNL_ARG_DST, &wanted[2], used[2]}},
            kName);
  } else {
    constexpr int roles[][3] = {{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
                                {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC},
                                {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS}};
    const int* role = roles[static_cast<int>(op)];
    execute(*route->compute,
            {{role[0], &wanted[0], used[0]}, {role[1], &wanted[1], used[1]}, {role[2], &wanted[2], used[2]}}, kName);
  }
  if (route->change[2]) {
    if (!weights && !route->winograd) count_order_copy();
    execute(*route->change[2], {{DNNL_ARG_FROM, &wanted[2], used[2]}, {DNNL_ARG_TO, given[2], memory[2]}}, kName);
  }
  if (bias && op == Convolution::backward_data) {
    Array view = channels_to_end(out);
    view += bias;
  }
  return true;
}

}  // namespace chainer::cpu::onednn

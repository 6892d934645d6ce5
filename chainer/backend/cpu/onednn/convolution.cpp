// SPDX-License-Identifier: MIT
// Convolutions by oneDNN. Activations stay channels-last; filters are converted to the library's own layout, which is
// cheap compared with the convolution.
#include <algorithm>
#include <optional>

#include "chainer/array/backend.h"
#include "chainer/array/derived.h"
#include "chainer/array/order.h"
#include "chainer/backend/cpu/onednn/compute.h"

namespace chainer::cpu::onednn {
namespace {

using Key = std::vector<int64_t>;

// The lengths and strides of axes, which determine a Layout and identify it.
struct Order {
  Dims shape, strides;
  Layout layout() const { return Layout::with_strides(shape, strides); }
};

// The axes of filters (K, C / groups, k...) as in oneDNN: groups come first if there are several.
Order filters_order(const Array& W, int64_t groups) {
  Dims shape = W.shape(), strides = contiguous_strides(W.shape());
  if (groups > 1) {
    shape[0] /= groups;
    shape.insert(0, groups);
    strides.insert(0, strides[0] * shape[1]);
  }
  return {shape, strides};
}

// Images in one of the two orders. (An array's own strides are undefined for axes of length one.)
Order image_order(const Dims& shape, bool channels_last) {
  if (!channels_last) return {shape, contiguous_strides(shape)};
  Dims memory = shape;  // (N, spatial..., C)
  memory.erase(1);
  memory.push_back(shape[1]);
  const Dims steps = contiguous_strides(memory);
  Dims strides{steps[0], 1};
  for (int d = 1; d < steps.ndim() - 1; ++d) strides.push_back(steps[d]);
  return {shape, strides};
}
Order order_of(const Array& image) { return image_order(image.shape(), channels_to_end(image).is_contiguous()); }
bool is_image_order(const Array& a) { return a.is_contiguous() || channels_to_end(a).is_contiguous(); }

}  // namespace

// A primitive, and the reorders of its operands and its result (null if not needed).
struct Route {
  std::shared_ptr<const Primitive> compute;
  Layout given[3];                             // the layouts of the arrays a, b and the result
  std::shared_ptr<const Primitive> change[3];  // their reorders
  Layout bias;                                 // of a forward convolution
  uint64_t form = 0;                           // identifies the layout that `compute` requires for filters
};

namespace {

struct Problem {
  Convolution op;
  const ConvolutionPlan& plan;
  Order x, W, y;  // the layouts of the arrays
  bool bias, accumulate;
};

Order bias_order(const Problem& p) { return {{p.y.shape[1]}, {1}}; }

std::shared_ptr<const Primitive> make_compute(const Problem& p, const Layout& x, const Layout& W, const Layout& y) {
  const Dims &in = p.x.shape, &filters = p.W.shape, &out = p.y.shape;
  const int axes = in.ndim() - 2;
  const Layout bias = p.bias ? bias_order(p).layout() : Layout();
  WantedConvolution w{p.op, x, W, y, p.bias ? &bias : nullptr, {}, {}, {}, {}};
  for (int d = 0; d < axes; ++d) {
    w.stride[d] = p.plan.stride[d], w.dilate[d] = p.plan.dilate[d] - 1, w.pad[d] = p.plan.pad[d];
    w.pad_end[d] = p.plan.pad_end(d, in[d + 2], filters[filters.ndim() - axes + d], out[d + 2]);
  }
  // Excludes batch-reduce implementations: they split sums by the number of threads, which would change bits, and are
  // not faster.
  return make_primitive(w, "brg");
}

// Returns the operands and the result of an operation, in the order of the primitive's layouts.
std::array<const Order*, 3> in_order(const Problem& p) {
  if (p.op == Convolution::forward) return {&p.x, &p.W, &p.y};
  if (p.op == Convolution::backward_data) return {&p.y, &p.W, &p.x};
  return {&p.x, &p.y, &p.W};
}

// Returns a number that identifies a layout of filters. Called under the cache's lock.
uint64_t number_of(const Layout& filters) {
  static std::vector<Layout>* seen = new std::vector<Layout>;
  for (std::size_t i = 0; i < seen->size(); ++i)
    if ((*seen)[i] == filters) return i;
  seen->push_back(filters);
  return seen->size() - 1;
}

std::shared_ptr<const Route> make_route(const Problem& p) {
  auto route = std::make_shared<Route>();
  // Channels-last; except for gradients with respect to two or three channels, which are faster in C order.
  const bool few = p.op == Convolution::backward_data && p.x.shape[1] > 1 && p.x.shape[1] <= 3;
  route->compute = make_compute(p, image_order(p.x.shape, !few).layout(), Layout::of_any_order(p.W.shape),
                                image_order(p.y.shape, !few).layout());
  // (The library's reference loops are slower than matrix products; its gemm implementations split sums by the number
  // of threads.)
  const auto is = [&](const char* name) { return route->compute->implementation.starts_with(name); };
  if (!route->compute || is("ref") || is("gemm")) return nullptr;
  const auto given = in_order(p);
  if (p.bias) route->bias = bias_order(p).layout();
  if (p.op != Convolution::backward_weights) route->form = number_of(route->compute->layouts[1]);
  for (std::size_t i = 0; i < 3; ++i) {
    const Layout& wanted = route->compute->layouts[i];
    const Layout& is = route->given[i] = given[i]->layout();
    const bool result = i == 2;
    if (is == wanted && !(result && p.accumulate)) continue;
    route->change[i] = result ? make_reorder(wanted, is, p.accumulate) : make_reorder(is, wanted, false);
    if (!route->change[i]) return nullptr;
  }
  return route;
}

void append(Key& key, const Order& o) {
  key.insert(key.end(), o.shape.begin(), o.shape.end());
  key.insert(key.end(), o.strides.begin(), o.strides.end());
}
Key key_of(const Problem& p) {
  Key key{static_cast<int64_t>(p.op), p.bias, p.accumulate, p.plan.groups, primitive_threads()};
  for (const Dims* d : {&p.plan.stride, &p.plan.pad, &p.plan.dilate}) key.insert(key.end(), d->begin(), d->end());
  append(key, p.x), append(key, p.W), append(key, p.y);
  return key;
}

constexpr const char* kName = "convolution";

// An array of a convolution: its own layout and the one that the primitive requires.
struct Operand {
  int role;                 // the library's name for the operand
  const Layout* given;      // the array's layout
  const Layout* wanted;     // the primitive's layout
  const Primitive* change;  // reorder from given to wanted (of the result: back); null if they are equal
  void* memory;             // of the array
  bool counts;              // a reorder of images counts as a copy between memory orders
  void* used = nullptr;     // memory that the primitive uses
  std::optional<Scratch> scratch = {};
  std::shared_ptr<const DerivedForm> form = {};

  Argument argument() const { return {role, *wanted, used}; }
  void make_room() {
    used = memory;
    if (change) used = scratch.emplace(wanted->bytes()).block.data;
  }
  void bring(void* to) const {
    if (counts) count_order_copy();
    execute(*change, {{DNNL_ARG_FROM, *given, memory}, {DNNL_ARG_TO, *wanted, to}}, kName);
  }
  void take() {
    make_room();
    if (change) bring(used);
  }
  // Returns filters in the required layout, possibly cached by an earlier call.
  std::shared_ptr<const DerivedForm> kept(const Array& filters, uint64_t kind) const {
    return derived_form(filters, kind, wanted->bytes(), [this](void* to) { bring(to); });
  }
  void take(std::shared_ptr<const DerivedForm> ready) {
    form = std::move(ready);
    used = form->block.data;
  }
  void give_back() const {
    if (!change) return;
    if (counts) count_order_copy();
    execute(*change, {{DNNL_ARG_FROM, *wanted, used}, {DNNL_ARG_TO, *given, memory}}, kName);
  }
};

// The library's names for the operands and the result of an operation.
struct Roles {
  int first, second, result;
};
Roles roles_of(Convolution op) {
  switch (op) {
    case Convolution::forward: return {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    case Convolution::backward_data: return {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC};
    default: return {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS};
  }
}

}  // namespace

Array in_image_order(const Array& a) {
  return is_image_order(a) ? a : channels_to_front(channels_to_end(a).contiguous());
}

namespace {

Operand operand_of(const Route& r, std::size_t i, int role, void* memory, bool filters) {
  return {role, &r.given[i], &r.compute->layouts[i], r.change[i].get(), memory, !filters};
}

}  // namespace

Computation::Computation(const ConvolutionCall& call) : op_(call.op), bias_(call.bias), out_(call.out) {
  static Cache<Route>* cache = new Cache<Route>;  // never destroyed: other threads may still compute at exit
  const Convolution op = call.op;
  const Array& out = call.out;
  const bool weights = op == Convolution::backward_weights;
  if (!(weights ? out.is_contiguous() : is_image_order(out))) return;
  first_ = in_image_order(call.a), second_ = weights ? in_image_order(call.b) : dense(call.b, float32);
  const Problem problem{op,
                        call.plan,
                        op == Convolution::backward_data ? order_of(out) : order_of(first_),
                        filters_order(weights ? out : second_, call.plan.groups),
                        op == Convolution::forward ? order_of(out) : order_of(weights ? second_ : first_),
                        call.bias && op == Convolution::forward,
                        call.accumulate};
  route_ = cache->get(key_of(problem), [&] { return make_route(problem); });
}

SharedForm Computation::filters() const {
  const Operand second = operand_of(*route_, 1, DNNL_ARG_WEIGHTS, const_cast<void*>(second_.raw()), true);
  if (!second.change) return {};
  return {second.kept(second_, route_->form), route_->form};
}

void Computation::run(const SharedForm& filters) const {
  const bool weights = op_ == Convolution::backward_weights;
  const Roles roles = roles_of(op_);
  Operand first = operand_of(*route_, 0, roles.first, const_cast<void*>(first_.raw()), false);
  Operand second = operand_of(*route_, 1, roles.second, const_cast<void*>(second_.raw()), !weights);
  Operand result = operand_of(*route_, 2, roles.result, out_.mutable_raw(), weights);
  first.take();
  if (weights || !second.change)
    second.take();
  else
    second.take(filters.form && filters.kind == route_->form ? filters.form : second.kept(second_, route_->form));
  result.make_room();
  if (bias_ && op_ == Convolution::forward) {
    const Array dense_bias = dense(bias_, float32);
    const Argument added{DNNL_ARG_BIAS, route_->bias, const_cast<void*>(dense_bias.raw())};
    execute(*route_->compute, {first.argument(), second.argument(), added, result.argument()}, kName);
  } else {
    execute(*route_->compute, {first.argument(), second.argument(), result.argument()}, kName);
  }
  result.give_back();
  if (bias_ && op_ == Convolution::backward_data) {
    Array view = channels_to_end(out_);
    view += bias_;
  }
}

}  // namespace chainer::cpu::onednn

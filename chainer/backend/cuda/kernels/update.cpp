// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/formulas.h"

#include "chainer/array/operations/update_ops.h"
#include "chainer/backend/cuda/kernels/update.h"

namespace chainer::cuda {
namespace {

/// The same values as chainer::Update.
enum class Rule {
#define X(NAME, ...) NAME,
  CHAINER_UPDATE_OPS(X)
#undef X
};

/// Applies the formula of `rule` to one element: w is the parameter, g its gradient, s its states.
template <class T>
DEVICE void step(Rule rule, const T* h, T& w, T g, T* s) {
  T &s0 = s[0], &s1 = s[1], &s2 = s[2];
  switch (rule) {
#define X(NAME, STATES, ...) \
  case Rule::NAME: {         \
    __VA_ARGS__              \
    break;                   \
  }
    CHAINER_UPDATE_OPS(X)
#undef X
  }
  (void)s0, (void)s1, (void)s2;
}

template <class T>
DEVICE void update(const UpdateArgs& a) {
  T h[UpdateArgs::kHyper];
  for (int k = 0; k < UpdateArgs::kHyper; ++k) h[k] = static_cast<T>(a.hyper[k]);
  for (int64_t n = first_element(); n < a.space.size; n += element_step()) {
    const uint32_t i = static_cast<uint32_t>(n);
    char* at = a.param.data + offset(a.space, a.param, i);
    T w = load<T>(at, a.param.type);
    const T g = load<T>(a.grad.data + offset(a.space, a.grad, i), a.grad.type);
    char* state[UpdateArgs::kStates];
    T s[UpdateArgs::kStates] = {};
    for (int k = 0; k < UpdateArgs::kStates; ++k) {
      if (!a.states[k].data) continue;
      state[k] = a.states[k].data + offset(a.space, a.states[k], i);
      s[k] = load<T>(state[k], a.states[k].type);
    }
    step(static_cast<Rule>(a.op), h, w, g, s);
    store(at, a.param.type, w);
    for (int k = 0; k < UpdateArgs::kStates; ++k)
      if (a.states[k].data) store(state[k], a.states[k].type, s[k]);
  }
}

/// Returns the address of element i of an array of this type.
DEVICE char* item_at(char* first, Type type, int64_t i) {
  const int bytes = type == Type::float64 ? 8 : type == Type::float32 ? 4 : 2;
  return first + i * bytes;
}

template <class T>
DEVICE void update_list(const UpdateListArgs& a) {
  int at = 0;
  while (at + 1 < a.count && blockIdx.x >= a.items[at + 1].first_block) ++at;
  const UpdateListArgs::Item& item = a.items[at];
  const int64_t blocks = (at + 1 < a.count ? a.items[at + 1].first_block : gridDim.x) - item.first_block;
  T h[kUpdateHyper];
  for (int k = 0; k < kUpdateHyper; ++k) h[k] = static_cast<T>(item.hyper[k]);
  for (int64_t i = int64_t(blockIdx.x - item.first_block) * blockDim.x + threadIdx.x; i < item.size;
       i += blocks * blockDim.x) {
    char* const to = item_at(item.param, item.param_type, i);
    T w = load<T>(to, item.param_type), s[kUpdateStates] = {};
    const T g = load<T>(item_at(item.grad, item.grad_type, i), item.grad_type);
    for (int k = 0; k < kUpdateStates; ++k)
      if (item.states[k]) s[k] = load<T>(item_at(item.states[k], item.state_types[k], i), item.state_types[k]);
    step(static_cast<Rule>(item.op), h, w, g, s);
    store(to, item.param_type, w);
    for (int k = 0; k < kUpdateStates; ++k)
      if (item.states[k]) store(item_at(item.states[k], item.state_types[k], i), item.state_types[k], s[k]);
  }
}

}  // namespace

KERNEL(update_float32, UpdateArgs) { update<float>(a); }
KERNEL(update_float64, UpdateArgs) { update<double>(a); }
KERNEL(update_list_float32, UpdateListArgs) { update_list<float>(a); }
KERNEL(update_list_float64, UpdateListArgs) { update_list<double>(a); }

}  // namespace chainer::cuda

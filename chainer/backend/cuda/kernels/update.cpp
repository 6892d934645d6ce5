#include "chainer/backend/cuda/kernels/formulas.h"

#include "chainer/array/operations/update_ops.h"
#include "chainer/backend/cuda/kernels/update.h"

namespace chainer::cuda {
namespace {

/// As chainer::Update.
enum class Rule {
#define X(NAME, ...) NAME,
  CHAINER_UPDATE_OPS(X)
#undef X
};

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
    T &s0 = s[0], &s1 = s[1], &s2 = s[2];
    switch (static_cast<Rule>(a.op)) {
#define X(NAME, STATES, ...) \
  case Rule::NAME: {         \
    __VA_ARGS__              \
    break;                   \
  }
      CHAINER_UPDATE_OPS(X)
#undef X
    }
    store(at, a.param.type, w);
    for (int k = 0; k < UpdateArgs::kStates; ++k)
      if (a.states[k].data) store(state[k], a.states[k].type, s[k]);
    (void)s0, (void)s1, (void)s2;
  }
}

}  // namespace

KERNEL(update_float32, UpdateArgs) { update<float>(a); }
KERNEL(update_float64, UpdateArgs) { update<double>(a); }

}  // namespace chainer::cuda

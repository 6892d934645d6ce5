// SPDX-License-Identifier: MIT
// The update formulas of the optimizers, each one fused pass over parameter, gradient and states. A row is
//   X(name, number of states, formula)
// In a formula, `w` is the parameter, `g` the gradient, `s0`, `s1`, `s2` the states, and `h[...]` the hyperparameters
// in the order in which the optimizer passes them. The formulas are those of Chainer 5.4.0.
#pragma once
// clang-format off

#define CHAINER_UPDATE_OPS(X)                                                                                       \
  X(sgd, 0, w -= h[0] * g;)                                                                                         \
  X(momentum_sgd, 1, s0 = h[1] * s0 - h[0] * g; w += s0;)                                                           \
  X(corrected_momentum_sgd, 1, s0 = h[1] * s0 - g; w += h[0] * s0;)                                                 \
  X(nesterov_ag, 1, s0 = h[1] * s0 - h[0] * g; w += h[1] * h[1] * s0 - (T(1) + h[1]) * h[0] * g;)                   \
  X(ada_grad, 1, s0 += g * g; w -= h[0] * g / (m::sqrt(s0) + h[1]);)                                                \
  X(ada_delta, 2, s0 = h[0] * s0 + (T(1) - h[0]) * g * g; const T dx = m::sqrt((s1 + h[1]) / (s0 + h[1])) * g;      \
    s1 = h[0] * s1 + (T(1) - h[0]) * dx * dx; w -= dx;)                                                             \
  X(adam, 2, s0 += h[1] * (g - s0); s1 += h[2] * (g * g - s1);                                                      \
    w -= h[4] * (h[0] * s0 / (m::sqrt(s1) + h[3]) + h[5] * w);)                                                     \
  X(ams_grad, 3, s0 += h[1] * (g - s0); s1 += h[2] * (g * g - s1); s2 = s2 > s1 ? s2 : s1;                          \
    w -= h[4] * (h[0] * s0 / (m::sqrt(s2) + h[3]) + h[5] * w);)                                                     \
  X(rmsprop, 1, s0 = h[1] * s0 + (T(1) - h[1]) * g * g; w -= h[0] * g / (m::sqrt(s0) + h[2]);)                      \
  X(rmsprop_inside, 1, s0 = h[1] * s0 + (T(1) - h[1]) * g * g; w -= h[0] * g / m::sqrt(s0 + h[2]);)                 \
  X(rmsprop_graves, 3, s0 = h[1] * s0 + (T(1) - h[1]) * g * g; s1 = h[1] * s1 + (T(1) - h[1]) * g;                  \
    s2 = h[2] * s2 - h[0] * g / m::sqrt(s0 - s1 * s1 + h[3]); w += s2;)                                             \
  X(smorms3, 3, const T r = T(1) / (s0 + T(1)); s1 = (T(1) - r) * s1 + r * g; s2 = (T(1) - r) * s2 + r * g * g;     \
    const T x = s1 * s1 / (s2 + h[1]); w -= g * (x < h[0] ? x : h[0]) / (m::sqrt(s2) + h[1]);                       \
    s0 = T(1) + s0 * (T(1) - x);)                                                                                   \
  X(msvag, 2, s0 += h[1] * (g - s0); s1 += h[1] * (g * g - s1); const T mt = s0 / h[2]; const T vt = s1 / h[2];     \
    const T m2 = mt * mt; const T s = (vt - m2) / (T(1) - h[3]); const T q = m2 / (m2 + h[3] * s);                  \
    const T f = q == q ? (q < T(0) ? T(0) : (q > T(1) ? T(1) : q)) : T(0); w -= h[4] * (h[0] * mt * f + h[5] * w);)
// clang-format on

// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"
#include "chainer/autograd/mixed_precision.h"
#include "chainer/autograd/repeated_state.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/links/link_hooks/named_weight.h"
#include "chainer/links/parameter_hooks.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::link_hooks {
namespace {

Array normalized(const Array& v, double eps) { return v / (sqrt(sum(v * v)) + eps); }

// The two vectors after some iterations from u; u^T W v is then the singular value.
Arrays iterate(const Array& w, Array u, int64_t count, double eps) {
  Array v = normalized(matmul(u, w), eps);
  for (int64_t i = 0; i < count; ++i) {
    u = normalized(matmul(w, v), eps);
    if (i + 1 < count) v = normalized(matmul(u, w), eps);
  }
  return {u, v};
}

}  // namespace

void SpectralNormalization::added(Link* link) {
  if (!link) throw ValueError("SpectralNormalization: add the hook to a link");
  if (options_.n_power_iteration < 1)
    throw ValueError("SpectralNormalization: n_power_iteration must be positive, not ", options_.n_power_iteration);
  const Parameter& w = named_weight("SpectralNormalization", *link, options_.weight_name);
  const Array rows = as_rows(w.variable(), output_axis(*link)).array();
  const Array u = random::normal(0, 1, {rows.shape(0)}, rows.dtype()).to_device(rows.device());
  if (options_.use_gamma) {
    const Arrays both = iterate(rows, u, 10, options_.eps);
    const Array sigma = sum(matmul(both[0], rows) * both[1]);
    link->add_param(options_.weight_name + "_gamma", Shape(), sigma);
  }
  link->add_persistent(options_.weight_name + "_u", u);
}

Variable SpectralNormalization::replacement(Link& link, const std::string& name, const Parameter& p) {
  if (name != options_.weight_name) return {};
  const Variable rows = as_rows(p, output_axis(link));
  Array& stored = link.persistent(name + "_u");
  const bool train = config().train;
  // In test mode the stored vector counts, with the other one that follows from it.
  const Arrays both = StateRecord::get([&] {
    const Arrays now = iterate(rows.array(), stored, train ? options_.n_power_iteration : 0, options_.eps);
    if (train) stored = now[0];
    return now;
  });
  const PlainPrecision plain;
  const Variable sigma = F::sum(F::matmul(Variable(both[0], false), rows) * Variable(both[1], false));
  const Variable scale =
      options_.use_gamma ? link.param(name + "_gamma") / sigma : options_.factor.value_or(1.0) / sigma;
  const Variable scaled = options_.use_gamma && options_.factor ? scale * *options_.factor : scale;
  return p * F::broadcast_to(scaled, p.shape());
}

}  // namespace chainer::link_hooks

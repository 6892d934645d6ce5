// SPDX-License-Identifier: MIT
// Default entries that use the host's backend, for backends without an implementation.
#include <cmath>
#include <vector>

#include "chainer/array/host.h"
#include "chainer/array/operations/block_function.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/operations/kernel_text.h"
#include "chainer/backend/common/composed/steps.h"

namespace chainer {
namespace {

// A result computed on the host, and its copy to the target.
class HostResult {
 public:
  explicit HostResult(Array& target) : array(target.shape(), target.dtype()), target_(&target) {}
  void store() { copy_elements(array, *target_); }
  Array array;

 private:
  Array* target_;
};

// Operands on the host, with pointers to them.
struct HostOperands {
  std::vector<Array> arrays;
  std::vector<const Array*> pointers;
  explicit HostOperands(std::span<const Array* const> in) {
    for (const Array* a : in) arrays.push_back(to_host(*a));
    for (const Array& a : arrays) pointers.push_back(&a);
  }
};

}  // namespace

void Backend::apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
                    Dtype compute) {
  const HostOperands operands(in);
  std::vector<HostResult> results;
  std::vector<Array*> pointers;
  for (Array* a : out) results.emplace_back(*a);
  for (HostResult& r : results) pointers.push_back(&r.array);
  kHostBackend->apply(f, operands.pointers, pointers, compute);
  for (HostResult& r : results) r.store();
}

void Backend::fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
                   Dtype compute) {
  HostResult result(out);
  kHostBackend->fold(map, fold, HostOperands(in).pointers, result.array, compute);
  result.store();
}

void Backend::update(Update op, Array& param, const Array& grad, std::span<Array> states,
                     std::span<const double> hyper) {
  Array w = to_host(param);
  std::vector<Array> s;
  for (const Array& a : states) s.push_back(to_host(a));
  kHostBackend->update(op, w, to_host(grad), s, hyper);
  copy_elements(w, param);
  for (std::size_t i = 0; i < s.size(); ++i) copy_elements(s[i], states[i]);
}

void Backend::update_all(std::span<UpdatePass> passes) {
  for (UpdatePass& p : passes) update(p.op, p.param, p.grad, p.states, p.hyper);
}

void Backend::launch_text(const TextLaunch& launch) {
  throw DeviceError("kernel '", launch.kernel->name, "': ", name(launch.index),
                    " has no compiler for kernels written as text; CUDA devices have one");
}

void Backend::random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) {
  HostResult result(out);
  kHostBackend->random(fill, seed, counter, a, b, result.array);
  result.store();
}

void Backend::check_indices(const IndexCheck& c, const Array& index, Array& out) {
  HostResult result(out);
  copy_elements(to_host(index).reshape(out.shape()), result.array);
  int64_t* p = result.array.mutable_data<int64_t>();
  for (int64_t i = 0; i < out.size(); ++i) {
    if (c.ignored && p[i] == *c.ignored)
      p[i] = 0;
    else if (p[i] < (c.wraps ? -c.size : 0) || p[i] >= c.size)
      c.fail(p[i], i, c);
    else if (p[i] < 0)
      p[i] += c.size;
    if (c.columns) p[i] = (i / c.inner * c.size + p[i]) * c.inner + i % c.inner;
  }
  result.store();
}

void Backend::scatter_largest(Array& out, const Array& index, const Array& values) {
  const int64_t width = index.size() ? values.size() / index.size() : 0;
  Array y = to_host(out).astype(float64).contiguous();
  const Array from = to_host(values).astype(float64).contiguous(), rows = to_host(index).contiguous();
  double* const to = y.mutable_data<double>();
  const double* const v = from.data<double>();
  const int64_t* const at = rows.data<int64_t>();
  for (int64_t i = 0; i < rows.size(); ++i)
    for (int64_t k = 0; k < width; ++k)
      if (double& d = to[at[i] * width + k]; v[i * width + k] > d || std::isnan(v[i * width + k])) d = v[i * width + k];
  copy_elements(y, out);
}

int64_t Backend::invert(Array& matrices) {
  Array m = to_host(matrices);
  const int64_t singular = kHostBackend->invert(m);
  copy_elements(m, matrices);
  return singular;
}

void Backend::determinants(Array& matrices, Array& out) {
  Array m = to_host(matrices);
  HostResult result(out);
  kHostBackend->determinants(m, result.array);
  result.store();
}

void Backend::svd(const Array& a, Array& u, Array& s, Array& vt) {
  HostResult left(u), values(s), right(vt);
  kHostBackend->svd(to_host(a), left.array, values.array, right.array);
  left.store(), values.store(), right.store();
}

}  // namespace chainer

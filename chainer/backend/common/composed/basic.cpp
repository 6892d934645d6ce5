// SPDX-License-Identifier: MIT
// Composed forms of a backend's simplest entries: fill, cumulative sums, programs, rows by index.
#include <vector>

#include "chainer/array/deferred/pending.h"
#include "chainer/array/operations/ops.h"
#include "chainer/array/order.h"
#include "chainer/array/time_mark.h"
#include "chainer/backend/common/composed/steps.h"
#include "chainer/core/clock.h"
#include "chainer/core/error.h"

namespace chainer {

using namespace composed;

void Backend::synchronize(int) {}
std::shared_ptr<const TimeMark> Backend::mark(int) {
  struct Now final : TimeMark {
    double time = now();
    void wait() const override {}
    double seconds_since(const TimeMark& earlier) const override {
      const auto* before = dynamic_cast<const Now*>(&earlier);
      if (!before) throw DeviceError("get_elapsed_time: the events are on the host and on another device");
      return time - before->time;
    }
  };
  return std::make_shared<Now>();
}
memory::Statistics Backend::memory_statistics(int) { return {}; }
void Backend::reset_memory_peak(int) {}
void Backend::empty_cache(int) {}
void Backend::set_memory_limit(int64_t, int) {}
std::string Backend::description() const { return "backend: " + name(0); }

void Backend::copy_all(std::span<const Array> from, std::span<Array> to) {
  for (std::size_t i = 0; i < from.size(); ++i) copy_elements(from[i], to[i]);
}
bool Backend::device_to_device(void*, int, const void*, int, std::size_t) { return false; }

Array Backend::constant(Scalar value, Dtype dtype, const Device& device) {
  Array out(Shape{}, dtype, device);
  out.fill(value);
  return out;
}

void Backend::fill(Array& out, Scalar value) {
  if (out.size() == 0) return;
  Array one(Shape{}, out.dtype());
  visit(out.dtype(), "fill", [&]<class T>() { *one.mutable_data<T>() = value.to<T>(); });
  const Array constant = spread(one.to_device(out.device()), out.shape());
  const Array* const in[] = {&constant};
  elementwise(Elementwise::copy, in, out, conversion_type(out.dtype(), out.dtype()));
}

void Backend::gemm_bias(const Array& a, const Array& b, const Array& bias, Array& out) {
  copy_elements(spread(bias, out.shape()), out);  // the product is added to it in place
  if (a.shape()[1]) gemm(a, b, out, 1, 1);
}

void Backend::scan(Scan op, const Array& a, int axis, Array& out) {
  if (a.size() == 0) return;
  Shape shape = a.shape();
  shape.erase(axis);
  Strides from = a.strides(), to = out.strides();
  const int64_t step = from[axis], out_step = to[axis];
  from.erase(axis), to.erase(axis);
  Array total = filled(shape, compute_dtype(out.dtype()), op == Scan::cumsum ? 0 : 1, a);
  for (int64_t i = 0; i < a.shape()[axis]; ++i) {
    const Array next = window(a, shape, from, i * step);
    Array target = window(out, shape, to, i * out_step);
    compute_into(op == Scan::cumsum ? Elementwise::add : Elementwise::multiply, {total, next}, total, total.dtype());
    copy_elements(total, target);
  }
}

namespace {

// Returns an array on the memory of a body that a program reads or computes, with another layout. The program keeps the
// body alive; a view of the body would be pending, because for the evaluator the body still is.
Array memory_of(const ArrayBody& b, const Shape& shape, const Strides& strides) {
  Ref<ArrayBody> view = make_ref<ArrayBody>(shape, b.dtype, b.device, shape.product());
  view->set_strides(strides);
  view->data = b.data;
  return Array(std::move(view));
}
Array memory_of(const ArrayBody& b, const Shape& shape) { return memory_of(b, shape, contiguous_strides(shape)); }

}  // namespace

// Executes the instructions in sequence on the whole space, each with a result array of its own.
void Backend::run(const Program& p) {
  using Kind = Program::Instruction::Kind;
  std::vector<Array> values(p.slots.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (p.slots[i].memory) values[i] = memory_of(*p.slots[i].memory, p.space);
  const auto device = [&]() -> Device {
    for (const auto& s : p.slots)
      if (s.memory) return s.memory->device;
    for (const auto* code : {&p.constants, &p.code})
      for (const auto& i : *code)
        if (i.source) return i.source->device;
    return p.reductions[0].out->device;
  }();
  const auto execute = [&](const Program::Instruction& i) {
    const auto to = static_cast<std::size_t>(i.out);
    if (!values[to]) values[to] = Array(p.space, p.slots[to].dtype, device);
    Array in[3];
    const Array* operands[3];
    std::size_t count = i.kind == Kind::kernel ? static_cast<std::size_t>(arity(i.op)) : 1;
    for (std::size_t k = 0; k < count; ++k) {
      in[k] = i.kind == Kind::load ? memory_of(*i.source, p.space, permuted(i.source->effective_strides(), p.order))
                                   : values[static_cast<std::size_t>(i.in[k])];
      operands[k] = &in[k];
    }
    if (i.kind == Kind::kernel)
      elementwise(i.op, {operands, count}, values[to], i.compute);
    else
      elementwise(Elementwise::copy, {operands, 1}, values[to], conversion_type(in[0].dtype(), values[to].dtype()));
  };
  for (const auto& i : p.constants) execute(i);
  for (const auto& i : p.code) execute(i);
  const Traversal& t = p.traversal;
  for (const Program::Reduction& r : p.reductions) {
    const Shape seen = t.columns ? Shape{t.outer, t.rows, t.width} : Shape{t.outer, t.width};
    Array out = memory_of(*r.out, t.columns ? Shape{t.outer, t.width} : Shape{t.outer});
    reduce(r.op, values[static_cast<std::size_t>(r.in)].reshape(seen), Dims{1}, out);
  }
}

namespace {

// Returns the rows of w (v, d) that an index (n, k) selects: (n, k, d).
Array rows_of(const Array& w, const Array& index) {
  const int64_t n = index.shape()[0], k = index.shape()[1], d = w.shape()[1];
  Array out({n * k, d}, w.dtype(), w.device());
  if (out.size()) w.device().backend().take_rows(w, index.reshape({n * k}), out);
  return out.reshape({n, k, d});
}
Array with_axis(const Array& a, int axis) {
  Shape s = a.shape();
  s.insert(axis, 1);
  return a.reshape(s);
}
Array in_work_type(const Array& a) { return a.astype(compute_dtype(a.dtype()), false); }

}  // namespace

void Backend::rows_dot(const Array& x, const Array& w, const Array& index, Array& out) {
  const Array left = in_work_type(x), products = multiply(in_work_type(rows_of(w, index)), with_axis(left, 1));
  copy_elements(reduced(Reduce::sum, products, {2}).reshape(out.shape()), out);
}

void Backend::rows_combine(const Array& g, const Array& w, const Array& index, Array& out) {
  const Array factors = in_work_type(g), products = multiply(in_work_type(rows_of(w, index)), with_axis(factors, 2));
  copy_elements(reduced(Reduce::sum, products, {1}).reshape(out.shape()), out);
}

void Backend::rows_scatter(const Array& g, const Array& x, const Array& index, Array& out) {
  const Array products = multiply(with_axis(in_work_type(g), 2), with_axis(in_work_type(x), 1));
  scatter_rows(out, index.reshape({index.size()}), products.reshape({index.size(), x.shape()[1]}), true);
}

}  // namespace chainer

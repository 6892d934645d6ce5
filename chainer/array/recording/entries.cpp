// SPDX-License-Identifier: MIT
// The recorder's overrides: each call of the backend becomes a step.
#include <algorithm>
#include <memory>

#include "chainer/array/deferred/pending.h"
#include "chainer/array/operations/batch_factors.h"
#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/array/operations/recurrent_cells.h"
#include "chainer/array/recording/join.h"
#include "chainer/array/recording/recorder.h"

namespace chainer::recording {
namespace {

std::span<const Array* const> read(const std::initializer_list<const Array*>& r) { return {r.begin(), r.size()}; }
std::span<Array* const> written(const std::initializer_list<Array*>& w) { return {w.begin(), w.size()}; }

}  // namespace

void Recorder::host_to_device(int device, void* to, const void* from, std::size_t bytes) {
  // (Of numbers: raw() refused others.)
  if (on_host_) refuse("bytes are copied from the host");
  real_.host_to_device(device, to, from, bytes);
}
void Recorder::device_to_host(int device, void* to, const void* from, std::size_t bytes) {
  refuse("bytes are copied to the host");
  real_.device_to_host(device, to, from, bytes);
}

void Recorder::elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) {
  const std::size_t n = inputs.size(), before = steps().size();
  perform(chainer::name(op).data(), inputs, written({&out}), [&real = real_, op, compute, n](Array* const* x) {
    real.elementwise(op, {const_cast<const Array* const*>(x), n}, *x[n], compute);
  });
  if (!refused_.empty() || steps().size() == before || outer_) return;
  if (on_host_) phase_->steps.back().kernel = host_kernels::direct_kernel(op, inputs, out, compute);
  phase_->steps.back().size = out.size();
}

void Recorder::reduce(Reduce op, const Array& a, const Dims& axes, Array& out) {
  perform("reduce", read({&a}), written({&out}),
          [&real = real_, op, axes](Array* const* x) { real.reduce(op, *x[0], axes, *x[1]); });
}
void Recorder::arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) {
  perform("arg_reduce", read({&a}), written({&out}),
          [&real = real_, op, axis](Array* const* x) { real.arg_reduce(op, *x[0], axis, *x[1]); });
}

void Recorder::gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) {
  if (beta != 0) expect_known(out);
  perform("gemm", read({&a, &b}), written({&out}),
          [&real = real_, alpha, beta](Array* const* x) { real.gemm(*x[0], *x[1], *x[2], alpha, beta); });
}
void Recorder::gemm_bias(const Array& a, const Array& b, const Array& bias, Array& out) {
  perform("gemm_bias", read({&a, &b, &bias}), written({&out}),
          [&real = real_](Array* const* x) { real.gemm_bias(*x[0], *x[1], *x[2], *x[3]); });
}
void Recorder::take_rows(const Array& a, const Array& index, Array& out) {
  perform("take_rows", read({&a, &index}), written({&out}),
          [&real = real_](Array* const* x) { real.take_rows(*x[0], *x[1], *x[2]); });
}
void Recorder::scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) {
  expect_known(out);
  perform("scatter_rows", read({&index, &values}), written({&out}),
          [&real = real_, accumulate](Array* const* x) { real.scatter_rows(*x[2], *x[0], *x[1], accumulate); });
}
void Recorder::fill(Array& out, Scalar value) {
  perform("fill", {}, written({&out}), [&real = real_, value](Array* const* x) { real.fill(*x[0], value); });
}

void Recorder::run(const Program& program) {
  if (outer_) {
    refuse("the host computes with many elements");
    const Pause inside;
    return real_.run(program);
  }
  // The arrays of the program, each once; those only read come first.
  std::vector<ArrayBody*> reads, writes;
  const auto add = [](std::vector<ArrayBody*>& to, ArrayBody* b) {
    if (b && std::find(to.begin(), to.end(), b) == to.end()) to.push_back(b);
  };
  for (const auto& i : program.code)
    if (i.kind != Program::Instruction::Kind::load) add(writes, program.slots[static_cast<std::size_t>(i.out)].memory);
  for (const auto& r : program.reductions) add(writes, r.out);
  for (const auto& s : program.slots) add(reads, s.memory);
  for (const auto* code : {&program.constants, &program.code})
    for (const auto& i : *code) add(reads, i.source);
  std::erase_if(reads, [&](ArrayBody* b) { return std::find(writes.begin(), writes.end(), b) != writes.end(); });

  // (The evaluator still treats these bodies as pending: perform() would evaluate them.)
  const auto position = [&](ArrayBody* b) -> int {
    if (!b) return -1;
    if (const auto it = std::find(reads.begin(), reads.end(), b); it != reads.end())
      return static_cast<int>(it - reads.begin());
    return static_cast<int>(reads.size() +
                            static_cast<std::size_t>(std::find(writes.begin(), writes.end(), b) - writes.begin()));
  };
  auto places = std::make_shared<ProgramStep>();
  places->program = program;
  for (const auto& s : program.slots) places->slots.push_back(position(s.memory));
  for (const auto& i : program.constants) places->constants.push_back(position(i.source));
  for (const auto& i : program.code) places->code.push_back(position(i.source));
  for (const auto& r : program.reductions) places->reductions.push_back(position(r.out));
  Step step;
  step.name = "program";
  in_program_ = true;
  for (ArrayBody* b : reads)
    if (refused_.empty()) step.operands.push_back(operand(*b, false));
  for (ArrayBody* b : writes)
    if (refused_.empty()) step.operands.push_back(operand(*b, true));
  in_program_ = false;
  {
    const Pause inside;
    real_.run(program);
  }
  if (!refused_.empty()) return;
  step.writes = static_cast<int>(writes.size());
  step.program = places;
  step.pure = true;
  step.run = [&real = real_, places](Array* const* x) { real.run(places->on(x)); };
  phase_->steps.push_back(std::move(step));
}

// The formula is on the caller's stack, so only computations on numbers of the host can be executed.
void Recorder::apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
                     Dtype compute) {
  for (const Array* a : in) force(a->body());
  const auto now = [&] { real_.apply(f, in, out, compute); };
  if (of_numbers(in, out, now)) return;
  refuse("a formula of routines/kernel.h");
  now();
}
void Recorder::fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
                    Dtype compute) {
  for (const Array* a : in) force(a->body());
  const auto now = [&] { real_.fold(map, fold, in, out, compute); };
  if (of_numbers(in, written({&out}), now)) return;
  refuse("a formula of routines/kernel.h");
  now();
}
// Refused because its hyperparameters count steps.
void Recorder::update(Update op, Array& param, const Array& grad, std::span<Array> states,
                      std::span<const double> hyper) {
  refuse("an optimizer's update");
  real_.update(op, param, grad, states, hyper);
}
void Recorder::update_all(std::span<UpdatePass> passes) {
  refuse("an optimizer's update");
  real_.update_all(passes);
}
// The library's generators record a step of their own, because seed and counter belong to the generator.
void Recorder::random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) {
  refuse("random numbers are not drawn by a generator of the library");
  real_.random(fill, seed, counter, a, b, out);
}

void Recorder::scan(Scan op, const Array& a, int axis, Array& out) {
  perform("scan", read({&a}), written({&out}),
          [&real = real_, op, axis](Array* const* x) { real.scan(op, *x[0], axis, *x[1]); });
}
void Recorder::rows_dot(const Array& x, const Array& w, const Array& index, Array& out) {
  perform("rows_dot", read({&x, &w, &index}), written({&out}),
          [&real = real_](Array* const* a) { real.rows_dot(*a[0], *a[1], *a[2], *a[3]); });
}
void Recorder::rows_combine(const Array& g, const Array& w, const Array& index, Array& out) {
  perform("rows_combine", read({&g, &w, &index}), written({&out}),
          [&real = real_](Array* const* a) { real.rows_combine(*a[0], *a[1], *a[2], *a[3]); });
}
void Recorder::rows_scatter(const Array& g, const Array& x, const Array& index, Array& out) {
  expect_known(out);
  perform("rows_scatter", read({&g, &x, &index}), written({&out}),
          [&real = real_](Array* const* a) { real.rows_scatter(*a[0], *a[1], *a[2], *a[3]); });
}

void Recorder::standardize(const Array& x, double eps, Array& y, Array& rstd) {
  perform("standardize", read({&x}), written({&y, &rstd}),
          [&real = real_, eps](Array* const* a) { real.standardize(*a[0], eps, *a[1], *a[2]); });
}
void Recorder::standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) {
  perform("standardize_grad", read({&gy, &y, &rstd}), written({&gx}),
          [&real = real_](Array* const* a) { real.standardize_grad(*a[0], *a[1], *a[2], *a[3]); });
}
void Recorder::softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) {
  perform(log ? "log_softmax" : "softmax", read({&a}), written({&out}),
          [&real = real_, log, outer, n, inner](Array* const* x) { real.softmax(log, *x[0], outer, n, inner, *x[1]); });
}

void Recorder::convolution(const ConvolutionCall& call) {
  if (call.accumulate) expect_known(call.out);
  const std::size_t before = steps().size();
  const auto step = [&real = real_, op = call.op, plan = call.plan, biased = static_cast<bool>(call.bias),
                     accumulate = call.accumulate](Array* const* x) {
    const Array none;
    real.convolution({op, plan, *x[0], *x[1], biased ? *x[2] : none, *x[biased ? 3 : 2], accumulate});
  };
  if (call.bias)
    perform("convolution", read({&call.a, &call.b, &call.bias}), written({&call.out}), step);
  else
    perform("convolution", read({&call.a, &call.b}), written({&call.out}), step);
  if (call.op != Convolution::forward || call.accumulate || !refused_.empty() || steps().size() == before || outer_)
    return;
  phase_->steps.back().convolution = std::make_shared<const ConvolutionPlan>(call.plan);
}
void Recorder::pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position) {
  const bool reads = op == Pooling::gather || op == Pooling::scatter;
  if (!position)
    perform("pooling", read({&in}), written({&out}),
            [&real = real_, op, plan](Array* const* x) { real.pooling(op, plan, *x[0], *x[1], nullptr); });
  else if (reads)
    perform("pooling", read({&in, position}), written({&out}),
            [&real = real_, op, plan](Array* const* x) { real.pooling(op, plan, *x[0], *x[2], x[1]); });
  else
    perform("pooling", read({&in}), written({&out, position}),
            [&real = real_, op, plan](Array* const* x) { real.pooling(op, plan, *x[0], *x[1], x[2]); });
}

void Recorder::moments(const Array& x, Array& mean, Array& squares) {
  perform("moments", read({&x}), written({&mean, &squares}),
          [&real = real_](Array* const* a) { real.moments(*a[0], *a[1], *a[2]); });
}
void Recorder::moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) {
  perform("moments_grad", read({&gy, &x, &mean}), written({&total, &along}),
          [&real = real_](Array* const* a) { real.moments_grad(*a[0], *a[1], *a[2], *a[3], *a[4]); });
}
void Recorder::batch_factors(BatchFactors& f) {
  const bool runs = static_cast<bool>(f.running_mean);
  if (runs) expect_known(f.running_mean), expect_known(f.running_var);
  Array* const all[] = {&f.average, &f.rstd, &f.scale, &f.running_mean, &f.running_var};
  perform("batch_factors", read({&f.x, &f.gamma}), {all, runs ? 5u : 3u},
          [&real = real_, eps = f.eps, decay = f.decay, runs](Array* const* a) {
            BatchFactors g{*a[0], *a[1], eps,  decay, runs ? *a[5] : Array(), runs ? *a[6] : Array(),
                           *a[2], *a[3], *a[4]};
            real.batch_factors(g);
          });
}
void Recorder::batch_gradients(const Array& gy, const Array& x, const Array& average, const Array& rstd,
                               const Array& gamma, Array& gx, Array& ggamma, Array& gbeta) {
  perform("batch_gradients", read({&gy, &x, &average, &rstd, &gamma}), written({&gx, &ggamma, &gbeta}),
          [&real = real_](Array* const* a) {
            real.batch_gradients(*a[0], *a[1], *a[2], *a[3], *a[4], *a[5], *a[6], *a[7]);
          });
}
void Recorder::centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                                    const Array& c, Array& gx) {
  perform("centered_combination", read({&gy, &x, &mean, &a, &b, &c}), written({&gx}), [&real = real_](Array* const* p) {
    real.centered_combination(*p[0], *p[1], *p[2], *p[3], *p[4], *p[5], *p[6]);
  });
}

void Recorder::lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
                    Array& h) {
  std::vector<const Array*> reads;
  std::vector<int> where(c_prev.size(), -1);  // of a cell that may be empty
  for (const Array& a : x) reads.push_back(&a);
  for (std::size_t i = 0; i < c_prev.size(); ++i)
    if (c_prev[i]) where[i] = static_cast<int>(reads.size()), reads.push_back(&c_prev[i]);
  const std::size_t n = x.size(), all = reads.size();
  perform("lstm", reads, written({&c, &h}), [&real = real_, cells, n, all, where](Array* const* p) {
    Arrays gates, before;
    for (std::size_t i = 0; i < n; ++i) gates.push_back(*p[i]);
    for (const int i : where) before.push_back(i < 0 ? Array() : *p[i]);
    real.lstm(cells, {gates.data(), gates.size()}, {before.data(), before.size()}, *p[all], *p[all + 1]);
  });
}

void Recorder::lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev,
                         const Array& c, const Array& gc, const Array& gh, std::span<Array> gx,
                         std::span<Array> gc_prev) {
  // The position of each array in the list, or -1 if it is empty; gc itself may be among gc_prev.
  std::vector<const Array*> reads;
  std::vector<Array*> writes;
  const auto reading = [&](const Array& a) {
    if (!a) return -1;
    reads.push_back(&a);
    return static_cast<int>(reads.size()) - 1;
  };
  std::vector<int> xs, before, gxs, gbefore;
  for (const Array& a : x) xs.push_back(reading(a));
  for (const Array& a : c_prev) before.push_back(reading(a));
  const int at_c = reading(c), at_gc = reading(gc), at_gh = reading(gh);
  const auto write = [&](Array& a) {
    if (!a) return -1;
    writes.push_back(&a);
    return static_cast<int>(reads.size() + writes.size()) - 1;
  };
  for (Array& a : gx) gxs.push_back(write(a));
  for (Array& a : gc_prev) gbefore.push_back(write(a));
  perform("lstm_grad", reads, writes, [=, &real = real_](Array* const* p) {
    const auto take = [&](const std::vector<int>& from) {
      Arrays out;
      for (const int i : from) out.push_back(i < 0 ? Array() : *p[i]);
      return out;
    };
    const Arrays gates = take(xs), cells_before = take(before);
    Arrays to_gates = take(gxs), to_cells = take(gbefore);
    const Array none;
    real.lstm_grad(cells, {gates.data(), gates.size()}, {cells_before.data(), cells_before.size()}, *p[at_c],
                   at_gc < 0 ? none : *p[at_gc], at_gh < 0 ? none : *p[at_gh], {to_gates.data(), to_gates.size()},
                   {to_cells.data(), to_cells.size()});
  });
}

void Recorder::gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) {
  perform("gru", read({&x, &hx, &h_prev}), written({&h}),
          [&real = real_](Array* const* p) { real.gru(*p[0], *p[1], *p[2], *p[3]); });
}
void Recorder::gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                        Array& gh_prev) {
  perform("gru_grad", read({&x, &hx, &h_prev, &gh}), written({&gx, &ghx, &gh_prev}),
          [&real = real_](Array* const* p) { real.gru_grad(*p[0], *p[1], *p[2], *p[3], *p[4], *p[5], *p[6]); });
}

int64_t Recorder::invert(Array& matrices) {
  expect_known(matrices);
  auto singular = std::make_shared<int64_t>(-1);
  perform("invert", {}, written({&matrices}), [&real = real_, singular, recorded = false](Array* const* x) mutable {
    const int64_t i = real.invert(*x[0]);
    if (recorded && i >= 0) throw ValueError("inv: matrix ", i, " is singular");
    recorded = true;
    *singular = i;
  });
  return *singular;
}
void Recorder::determinants(Array& matrices, Array& out) {
  expect_known(matrices);
  perform("determinants", {}, written({&matrices, &out}),
          [&real = real_](Array* const* x) { real.determinants(*x[0], *x[1]); });
}
void Recorder::svd(const Array& a, Array& u, Array& s, Array& vt) {
  perform("svd", read({&a}), written({&u, &s, &vt}),
          [&real = real_](Array* const* x) { real.svd(*x[0], *x[1], *x[2], *x[3]); });
}
void Recorder::check_indices(const IndexCheck& check, const Array& index, Array& out) {
  perform("check_indices", read({&index}), written({&out}),
          [&real = real_, check](Array* const* x) { real.check_indices(check, *x[0], *x[1]); });
}
bool Recorder::argsort(const Array& rows, Array& order) {
  return attempt("argsort", read({&rows}), written({&order}),
                 [&real = real_](Array* const* x) { return real.argsort(*x[0], *x[1]); });
}
void Recorder::scatter_largest(Array& out, const Array& index, const Array& values) {
  expect_known(out);
  perform("scatter_largest", read({&index, &values}), written({&out}),
          [&real = real_](Array* const* x) { real.scatter_largest(*x[2], *x[0], *x[1]); });
}

}  // namespace chainer::recording

// SPDX-License-Identifier: MIT
// The recorder's overrides of entries that a device may leave to the host.
#include <memory>

#include "chainer/array/operations/ctc_paths.h"
#include "chainer/array/operations/recurrent_layer.h"
#include "chainer/array/recording/recorder.h"

namespace chainer::recording {
namespace {

std::span<const Array* const> all(const std::initializer_list<const Array*>& r) { return {r.begin(), r.size()}; }

}  // namespace

bool Recorder::attempt(const char* name, std::span<const Array* const> reads, std::span<Array* const> writes,
                       std::function<bool(Array* const*)> call) {
  if (on_host_) return false;
  const auto done = std::make_shared<bool>(false);
  perform(name, reads, writes, [call = std::move(call), done](Array* const* x) { *done = call(x); });
  if (!*done) refuse(text("the host computes ", name));
  return *done;
}

bool Recorder::roi_argmax(const Array& pixels, int64_t h, int64_t w, const Array& rois, int64_t out_h, int64_t out_w,
                          double spatial_scale, Array& at) {
  Array* const out[] = {&at};
  return attempt("roi_argmax", all({&pixels, &rois}), out, [=, &real = real_](Array* const* p) {
    return real.roi_argmax(*p[0], h, w, *p[1], out_h, out_w, spatial_scale, *p[2]);
  });
}
bool Recorder::roi_align_argmax(const Array& pixels, const Array& around, const Array& weights, const Array& starts,
                                Array& at) {
  Array* const out[] = {&at};
  return attempt("roi_align_argmax", all({&pixels, &around, &weights, &starts}), out,
                 [&real = real_](Array* const* p) { return real.roi_align_argmax(*p[0], *p[1], *p[2], *p[3], *p[4]); });
}

bool Recorder::ctc_forward(const CtcPaths& paths, const Array& x, Array& alphas, Array& totals) {
  Array* const out[] = {&alphas, &totals};
  return attempt("ctc_forward", all({&x, &paths.symbols, &paths.input_length, &paths.path_length}), out,
                 [&real = real_, blank = paths.blank](Array* const* p) {
                   return real.ctc_forward({blank, *p[1], *p[2], *p[3]}, *p[0], *p[4], *p[5]);
                 });
}
void Recorder::ctc_backward(const CtcPaths& paths, const Array& x, const Array& alphas, const Array& totals,
                            const Array& weights, Array& gx) {
  Array* const out[] = {&gx};
  perform("ctc_backward",
          all({&x, &paths.symbols, &paths.input_length, &paths.path_length, &alphas, &totals, &weights}), out,
          [&real = real_, blank = paths.blank](Array* const* p) {
            real.ctc_backward({blank, *p[1], *p[2], *p[3]}, *p[0], *p[4], *p[5], *p[6], *p[7]);
          });
}

bool Recorder::coo_multiply(const Array& data, const Array& row, const Array& col, const Array& x, Array& c) {
  Array* const out[] = {&c};
  return attempt("coo_multiply", all({&data, &row, &col, &x}), out,
                 [&real = real_](Array* const* p) { return real.coo_multiply(*p[0], *p[1], *p[2], *p[3], *p[4]); });
}
bool Recorder::coo_sampled(const Array& g, const Array& row, const Array& col, const Array& x, Array& out) {
  Array* const outs[] = {&out};
  return attempt("coo_sampled", all({&g, &row, &col, &x}), outs,
                 [&real = real_](Array* const* p) { return real.coo_sampled(*p[0], *p[1], *p[2], *p[3], *p[4]); });
}

bool Recorder::cumprod_grad(const Array& x, const Array& y, const Array& gy, Array& gx, int64_t outer, int64_t n,
                            int64_t inner) {
  Array* const out[] = {&gx};
  return attempt("cumprod_grad", all({&x, &y, &gy}), out, [=, &real = real_](Array* const* p) {
    return real.cumprod_grad(*p[0], *p[1], *p[2], *p[3], outer, n, inner);
  });
}
bool Recorder::fourier(const Array& re, const Array& im, bool inverse, double scale, Array& yr, Array& yi) {
  Array* const out[] = {&yr, &yi};
  return attempt("fourier", all({&re, &im}), out, [=, &real = real_](Array* const* p) {
    return real.fourier(*p[0], *p[1], inverse, scale, *p[2], *p[3]);
  });
}

namespace {
// Returns a call of f(in, out) for arrays of which the first `n` are read.
template <class F>
auto call_with_lists(F f, std::size_t n, std::size_t m) {
  return [f = std::move(f), n, m](Array* const* p) {
    Arrays in, out;
    for (std::size_t i = 0; i < n; ++i) in.push_back(*p[i]);
    for (std::size_t i = 0; i < m; ++i) out.push_back(*p[n + i]);
    f(std::span<const Array>(in.data(), n), std::span<Array>(out.data(), m));
  };
}
template <class A>
std::vector<A*> pointers(std::span<A> arrays) {
  std::vector<A*> out;
  for (A& a : arrays) out.push_back(&a);
  return out;
}
}  // namespace

void Recorder::copy_all(std::span<const Array> from, std::span<Array> to) {
  perform("copy_all", pointers(from), pointers(to),
          call_with_lists([&real = real_](auto in, auto out) { real.copy_all(in, out); }, from.size(), to.size()));
}
void Recorder::recurrent_layer(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) {
  perform("recurrent_layer", pointers(in), pointers(out),
          call_with_lists([&real = real_, layer](auto i, auto o) { real.recurrent_layer(layer, i, o); }, in.size(),
                          out.size()));
}
void Recorder::recurrent_layer_grad(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) {
  perform("recurrent_layer_grad", pointers(in), pointers(out),
          call_with_lists([&real = real_, layer](auto i, auto o) { real.recurrent_layer_grad(layer, i, o); }, in.size(),
                          out.size()));
}

}  // namespace chainer::recording

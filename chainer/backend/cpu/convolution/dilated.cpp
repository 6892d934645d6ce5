// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/convolution/dilated.h"

#include "chainer/array/backend.h"
#include "chainer/array/index.h"
#include "chainer/backend/cpu/convolution/winograd.h"

namespace chainer::cpu {
namespace {

// The images of a batch by remainders (phases) of their rows and columns, in the order of the remainders.
class Phases {
 public:
  Phases(const ConvolutionPlan& plan, const Shape& images) : step_{plan.dilate[0], plan.dilate[1]}, n_(images[0]) {}
  Shape shape(const Shape& images) const {
    return {step_[0] * step_[1] * n_, images[1], length(images[2], 0), length(images[3], 1)};
  }
  // Returns the images of all phases, with zeros where one has fewer rows or columns than others.
  Array split(const Array& images, const Shape& shape) const {
    Array out = channels_last(shape, images.dtype(), images.device());
    if (images.size() != out.size()) out.fill(0);
    each(images, out, [](const Array& whole, Array& part) { copy_elements(whole, part); });
    return out;
  }
  // Writes the elements of the images of all phases back; zeros are left out.
  void join(const Array& parts, Array& images) const {
    each(images, parts, [](Array whole, const Array& part) { copy_elements(part, whole); });
  }

 private:
  int64_t length(int64_t n, int axis) const { return (n + step_[axis] - 1) / step_[axis]; }
  template <class Copy>
  void each(const Array& images, const Array& parts, const Copy& copy) const {
    int64_t phase = 0;
    for (int64_t r = 0; r < step_[0]; ++r)
      for (int64_t c = 0; c < step_[1]; ++c, ++phase) {
        const Array whole = images[{Slice(), Slice(), Slice(r, {}, step_[0]), Slice(c, {}, step_[1])}];
        Array part =
            parts[{Slice(phase * n_, (phase + 1) * n_), Slice(), Slice(0, whole.shape(2)), Slice(0, whole.shape(3))}];
        if (whole.size()) copy(whole, part);
      }
  }
  int64_t step_[2], n_;
};

}  // namespace

bool dilated_convolution(const ConvolutionCall& call) {
  const ConvolutionPlan& plan = call.plan;
  if (plan.stride != Dims{1, 1} || plan.dilate == Dims{1, 1} || call.a.dtype() != float32 ||
      call.b.dtype() != float32 || call.out.dtype() != float32)
    return false;
  const bool weights = call.op == Convolution::backward_weights;
  if ((call.accumulate && !weights) || (weights && !call.out.is_contiguous())) return false;
  ConvolutionPlan dense = plan;
  dense.dilate = {1, 1};
  for (int d = 0; d < 2; ++d) {
    if (plan.pad[d] % plan.dilate[d]) return false;
    dense.pad[d] = plan.pad[d] / plan.dilate[d];
  }
  const Shape &filters = call.filters().shape(), &images = call.images().shape();
  const Phases phases(plan, images);
  const Shape inputs = phases.shape(images);
  const Shape results{inputs[0], filters[0], inputs[2] + 2 * dense.pad[0] - filters[2] + 1,
                      inputs[3] + 2 * dense.pad[1] - filters[3] + 1};
  if (results[2] < 1 || results[3] < 1 || !suits_winograd(dense, filters, results)) return false;
  if (weights) {
    const Array x = phases.split(call.a, inputs), y = phases.split(call.b, results);
    winograd_convolution({call.op, dense, x, y, call.bias, call.out, call.accumulate});
    return true;
  }
  const bool forward = call.op == Convolution::forward;
  const Array from = phases.split(call.a, forward ? inputs : results);
  Array to = channels_last(forward ? results : inputs, float32, call.out.device());
  winograd_convolution({call.op, dense, from, call.b, call.bias, to});
  phases.join(to, call.out);
  return true;
}

}  // namespace chainer::cpu

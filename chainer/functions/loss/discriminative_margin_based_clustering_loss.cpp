// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array/pick.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

// The norm of vectors along axes: the sum of absolute values, or the Euclidean norm with gradient 0 at 0.
Variable length(const Variable& x, int64_t norm, const Axes& axes) {
  if (norm == 1) return sum(absolute(x), axes);
  const Variable squares = sum(x * x, axes);
  const Variable apart = sign(squares);  // 0 for a vector of zeros, otherwise 1
  return sqrt(squares + (1 - apart)) * apart;
}

}  // namespace

Variables DiscriminativeMarginBasedClusteringLoss::operator()(const Variable& embeddings, const Variable& labels,
                                                              double delta_v, double delta_d, int64_t max_embedding_dim,
                                                              const ClusteringLossOptions& o) const {
  if (are_narrow(embeddings)) return (*this)(widened(embeddings), labels, delta_v, delta_d, max_embedding_dim, o);
  if (o.norm != 1 && o.norm != 2) throw ValueError(name, ": norm can only be 1 or 2, not ", o.norm);
  if (max_embedding_dim <= 0) throw ValueError(name, ": max_embedding_dim must be positive, not ", max_embedding_dim);
  type_check::check(
      "DiscriminativeMarginBasedClusteringLoss", {embeddings.array(), labels.array()},
      [&](const type_check::TypeInfos& in) {
        in.names({"embeddings", "labels"});
        using type_check::expect;
        expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4, in[1].dtype().kind() == 'i', in[1].ndim() == 3);
        expect(in[0].shape(1) == type_check::make_variable(max_embedding_dim, "max_embedding_dim"));
        expect(in[0].shape(0) == in[1].shape(0), in[0].shape(2) == in[1].shape(1), in[0].shape(3) == in[1].shape(2));
      });
  const PlainPrecision plain;
  const int64_t N = embeddings.shape()[0], C = max_embedding_dim;
  const int64_t pixels = embeddings.shape()[2] * embeddings.shape()[3];
  // mask[n, c, p] is 1 if pixel p belongs to instance c + 1. Matrix products with it give the means of instances and
  // put means back at pixels.
  const Array instance = (arange(C) + 1).reshape({1, C, 1});
  const Array mask = equal(labels.array().reshape({N, 1, pixels}), instance).astype(embeddings.dtype());
  const Variable points = transpose(embeddings.reshape({N, C, pixels}), {0, 2, 1});  // (N, pixels, dimension)
  const Array counts = chainer::maximum(sum(Variable(mask, false), 2).array(), 1);   // (N, C)
  const Variable means = matmul(mask, points) / counts.reshape({N, C, 1});           // (N, C, dimension)

  const Variable regularization = sum(length(means, o.norm, {0, 2})) * (1 / static_cast<double>(C * N));

  const Variable own = matmul(mask, means, {.transa = true});  // the mean at each pixel, zero where there is none
  const Variable member = sum(Variable(mask, false), 1);       // (N, pixels): 1 where a pixel belongs to an instance
  const Variable apart = length((own - points) * expand_dims(member, 2), o.norm, 2);
  const Variable excess = square(relu(apart - delta_v));  // (N, pixels)
  const Array total = chainer::maximum(sum(Variable(mask, false), {0, 2}).array(), 1).reshape({1, C, 1});
  const Variable weight = sum(Variable(mask / total, false), 1);  // one over the size of the pixel's instance
  Variable variance = sum(excess * weight) * (1 / static_cast<double>(C));

  std::vector<int64_t> left, right;
  for (int64_t a = 0; a < C; ++a)
    for (int64_t b = a + 1; b < C; ++b) left.push_back(a), right.push_back(b);
  Variable distance(zeros({}, embeddings.dtype(), embeddings.device()), false);
  if (!left.empty()) {
    const Shape pairs = {static_cast<int64_t>(left.size())};
    const Variable gap = length(pick(means, array(left, pairs), 1) - pick(means, array(right, pairs), 1), o.norm, 2);
    distance = sum(square(relu(2 * delta_d - gap))) * (1 / static_cast<double>(pairs[0] * std::max<int64_t>(N, 1)));
  }
  return {variance * o.alpha, distance * o.beta, regularization * o.gamma};
}

}  // namespace chainer::functions

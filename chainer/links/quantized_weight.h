// SPDX-License-Identifier: MIT
// What links with a weight of few bits share.
#pragma once
#include <atomic>

#include "chainer/functions/quantized_linear.h"
#include "chainer/links/connection.h"
#include "chainer/core/other_options.h"

namespace chainer::links {

/// Returns the weight in few bits and makes the parameter uninitialized. Throws RuntimeError, beginning with the class
/// of the link, if it is uninitialized before, `already` is a quantized weight, or a hook of the link replaces W.
QuantizedMatrix quantized_weight(const Link& link, chainer::Parameter& W, const QuantizedMatrix& already,
                                 const QuantizeOptions& options);
CHAINER_OTHER_OPTIONS_OF(quantized_weight, ".bits, .group, .search", const Link&, chainer::Parameter&,
                         const QuantizedMatrix&);
/// The functions of quantized weights. quantized_weight() sets them, so that programs that quantize nothing are linked
/// without their kernels.
struct QuantizedFunctions {
  decltype(&functions::quantized_linear) linear;
  decltype(&functions::quantized_rows) rows;
};
inline constinit std::atomic<const QuantizedFunctions*> quantized_functions{nullptr};
/// Visits W, or W_values and W_scales if the weight is quantized.
void visit_weight(MemberVisitor& v, chainer::Parameter& W, QuantizedMatrix& q);

}  // namespace chainer::links

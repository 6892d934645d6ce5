// SPDX-License-Identifier: MIT
// What links with a weight of few bits share.
#pragma once
#include <atomic>

#include "chainer/functions/quantized_linear.h"
#include "chainer/links/connection.h"
#include "chainer/core/other_options.h"

namespace chainer::links {

/// Returns why the weight of a link cannot be quantized, beginning with its class; empty if it can: it is initialized,
/// `already` is no quantized weight, and no hook of the link computes with W.
std::string why_not_quantized(const Link& link, const chainer::Parameter& W, const QuantizedMatrix& already);
/// Returns the weight in few bits and makes the parameter uninitialized. Throws RuntimeError if why_not_quantized()
/// gives a reason.
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

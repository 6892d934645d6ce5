// SPDX-License-Identifier: MIT
// Memory order: the sequence of an array's axes in memory. Results of elementwise operations have the order of their
// operands (NumPy's order 'K'), so that, for example, images stay channels-last from layer to layer.
#pragma once
#include <span>

#include "chainer/array/array.h"

namespace chainer {

/// Returns the axes of an array from the one with the largest stride to the one with the smallest: (0, 1, 2, 3) is C
/// order, (0, 2, 3, 1) is channels-last for (N, C, H, W). Axes of length one or stride zero keep their position.
Dims memory_order(const Dims& shape, const Strides& strides);
Dims memory_order(const Array& a);
/// Returns true if an order is C order; the empty list is C order.
bool is_c_order(const Dims& order);
/// Returns strides without gaps for a shape whose axes are stored in this order.
Strides strides_in_order(const Dims& shape, const Dims& order);
/// Returns the entries of `d` in the sequence of `order`; `d` itself for an empty order.
Dims permuted(const Dims& d, const Dims& order);
/// Returns an undefined array without gaps, with its axes stored in this order. Error messages name `operation`, by
/// default the calling function. Throws as Array's constructor.
Array empty_in_order(const Shape& shape, Dtype dtype, Device device, const Dims& order,
                     const char* operation = __builtin_FUNCTION());
/// Returns the array itself if its elements are stored in this order without gaps, else such a copy.
Array in_order(const Array& a, const Dims& order);

/// Returns true if the strides do not grow along `order` (C order if empty), so that memory is read in long runs.
bool follows(const ArrayBody& a, const Dims& order);
/// Returns the array itself if it follows `order`, else a copy that does; broadcast axes remain broadcast.
Array aligned(const Array& a, const Dims& order);
/// Returns true if the elements fill one run of memory, in any order.
bool is_dense(const ArrayBody& a);
/// Returns true if two arrays of one shape have each element at the same offset from the first.
bool same_layout(const ArrayBody& a, const ArrayBody& b);
/// Returns true if the memory ranges of two arrays, from the first to the last element, overlap: through a common
/// owner, or in external memory (NumPy's may_share_memory()).
bool overlap(const Array& a, const Array& b);
/// Returns the memory order of the result of an elementwise operation, empty for C order: the common order of the
/// operands; if they differ, the order of the first operand that is not in C order. Operands have one shape; broadcast
/// operands are considered only if all are broadcast.
Dims result_order(std::span<const Array* const> operands);

/// Returns how many arrays were copied from one memory order into another so far; zero for a network in one order.
int64_t order_copies();
void count_order_copy();

}  // namespace chainer

// Memory order: the sequence in which an array's axes lie in memory. Results of elementwise operations keep that of
// their operands (NumPy's order 'K'), so that an image whose channels are stored last stays so from layer to layer.
#pragma once
#include <span>

#include "chainer/array/array.h"

namespace chainer {

/// The axes of an array from the one whose neighbours are farthest apart in memory to the nearest: (0, 1, 2, 3) is C
/// order, (0, 2, 3, 1) channels-last for (N, C, H, W). Axes of length one or with stride zero stay where they stand.
Dims memory_order(const Dims& shape, const Strides& strides);
Dims memory_order(const Array& a);
/// Whether an order is C order; so is an empty list.
bool is_c_order(const Dims& order);
/// Strides without gaps of a shape whose axes lie in memory in this order.
Strides strides_in_order(const Dims& shape, const Dims& order);
/// The entries of `d` in the sequence of `order`; `d` itself for an empty order.
Dims permuted(const Dims& d, const Dims& order);
/// Undefined elements without gaps, the axes in this order in memory. Errors about the size name `operation`, by
/// default the function that calls.
Array empty_in_order(const Shape& shape, Dtype dtype, Device device, const Dims& order,
                     const char* operation = __builtin_FUNCTION());
/// The array itself if its elements lie in memory in this order without gaps, else a copy that does.
Array in_order(const Array& a, const Dims& order);

/// Whether the strides do not grow along `order` (C order if empty), so that memory is read in long runs.
bool follows(const ArrayBody& a, const Dims& order);
/// The array itself if it follows `order`, else a copy that does; broadcast axes remain broadcast.
Array aligned(const Array& a, const Dims& order);
/// Whether the elements fill one run of memory, in whatever order.
bool is_dense(const ArrayBody& a);
/// Whether two arrays of one shape have their elements at the same places, counted from the first.
bool same_layout(const ArrayBody& a, const ArrayBody& b);
/// Whether the stretches of memory between the first and the last element of both overlap, through one owner or through
/// external memory that two arrays describe (NumPy's may_share_memory()).
bool overlap(const Array& a, const Array& b);
/// The order of the result of an elementwise operation, empty for C order: that of the operands; where they differ, of
/// the first that is not in C order. Operands have one shape; broadcast ones count if all are.
Dims result_order(std::span<const Array* const> operands);

/// How many arrays were copied from one memory order into another so far: a network in one order needs none.
int64_t order_copies();
void count_order_copy();

}  // namespace chainer

// SPDX-License-Identifier: MIT
// The source of reductions written as text.
#pragma once
#include <string>

namespace chainer::backends::cuda {

constexpr int kThreadsOfReduction = 256;

/// The parts of the source that differ between kernels.
struct ReductionSource {
  std::string types;  ///< typedefs of letters
  std::string preamble, type, function, parameters;
  std::string map, reduce, post_map, identity;
  std::string inputs, outputs;  ///< the declarations of elements in `map` and `post_map`
};
/// Returns the source of a kernel for blocks of kThreadsOfReduction threads. The parameters after those of the user are
/// _in_ind, _out_ind, _partial (an array of the type that is combined), and the numbers _count, _chunk, _parts,
/// _together and _phase. A block computes `_together` results at a time, each by as many lanes as remain; lane k
/// combines elements k, k + lanes, ..., and then lanes are combined by halves. In phase 0 there is one result for each
/// output, of all its `_count` elements; in phase 1 one for each of its `_parts` parts of `_chunk` elements, which go
/// to `_partial`; in phase 2 one for each output, of its `_count` parts.
std::string reduction_source(const ReductionSource& s);

}  // namespace chainer::backends::cuda

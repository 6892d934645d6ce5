// SPDX-License-Identifier: MIT
// The test of a function from one row of a table: name, function, inputs, options. Needs no test framework: what is
// wrong throws AssertionError and says where.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "chainer/testing/gradient_check.h"

namespace chainer::testing {

/// A function with inputs, and what it must compute. Inputs are float64, or integers where the function takes them.
struct OpCase {
  std::string name;    ///< the manual's name
  std::string python;  ///< the same in the reference's words, of x[0], x[1], ...; empty where it has nothing like it
  std::function<Variables(const Variables&)> function;
  Arrays inputs;
  std::function<Arrays(const Arrays&)> reference = {};  ///< plain loops in float64, if there are any
  bool elementwise = false;                             ///< takes any shape: also tested 0-d, empty, and large
  bool differentiable = true;                           ///< false for counts and the like
  bool repeats = true;                                  ///< may be tested on inputs that repeat one row
  bool float64_result = false;                          ///< scores, whatever the inputs' dtype is
  bool twice = true;                                    ///< has second derivatives
  double tolerance = 1e-5;                              ///< in float32
  double half_tolerance = 2e-2;                         ///< in float16
  double double_tolerance = 1e-11;                      ///< in float64
  double eps = 1e-4;                                    ///< the step of finite differences
};

/// Forward in float16, float32 and float64 on contiguous, transposed, padded, reversed, broadcast and (from three axes
/// on) channels-last inputs: results have the inputs' dtype and agree with the reference, or with float64 on contiguous
/// inputs.
void check_forward(const OpCase& c);
/// First and second derivatives against finite differences in float64, on each of these layouts; gradients have their
/// inputs' shapes and dtypes.
void check_gradients(const OpCase& c);
/// Results have a creator only where a gradient is wanted, gradients only with enable_double_backprop; backward runs
/// twice through one graph; inputs stay as they are.
void check_graph(const OpCase& c);
/// Each input is used twice, by the function and by an `add` that hands one gradient array to it and to another
/// variable: gradients are the sums of what both give apart, to rounding. Arrays that the caller passed to set_grad or
/// keeps from an earlier backward, the other variables' gradients and the outputs' keep their bits.
void check_shared_gradients(const OpCase& c);
/// Inputs that depend on one of them: gradients with a graph, which some functions compute by way of other functions,
/// are those without, so each way is counted once.
void check_dependent_inputs(const OpCase& c);
/// One input alone wants a gradient: it is the same.
void check_inputs_alone(const OpCase& c);
/// Of several outputs one has a gradient and the others none: as if theirs were zeros.
void check_outputs_alone(const OpCase& c);
/// Inputs, gradients of the outputs and gradients that were set lie in memory of owners outside of the library, at
/// addresses that are multiples of an element's size only: memory that must not be written to, and memory that others
/// may write to. Results and gradients are those of ordinary memory, and the elements there keep their bits.
void check_outside_memory(const OpCase& c);
/// Elementwise functions on arrays that threads share and that are computed later: the same bits for any number of
/// threads, deferred or not, and those of the small array.
void check_large(const OpCase& c);
/// In mixed precision (mixed16), inputs of float16, of float32, and of both: results and gradients are those in
/// float64, to the rounding of float16; gradients have the dtypes of their inputs.
void check_mixed_precision(const OpCase& c);
/// Forward, backward and double backward leak neither arrays nor nodes.
void check_leaks(const OpCase& c);
/// All of the above; the message of a failure begins with the name.
void check_op(const OpCase& c);

}  // namespace chainer::testing

// SPDX-License-Identifier: MIT
// Helpers shared by the checks of op_case.h.
#pragma once
#include <exception>
#include <string>

#include "chainer/core/error.h"
#include "chainer/routines/random.h"
#include "chainer/testing/op_case.h"

namespace chainer::testing {

Arrays copies(const Arrays& in);
/// Returns the arrays as variables; floating ones require gradients.
Variables roots(const Arrays& in);
Arrays arrays_of(const Variables& xs);
/// Returns normally distributed arrays with the shapes and dtypes of `in`; empty ones for integers.
Arrays random_like(const Arrays& in, random::RandomState& r);
bool same_bits(const Array& a, const Array& b);
void expect(bool condition, const std::string& what);
/// Calls f(). The message of a failure names `what`.
template <class F>
void named(const std::string& what, F&& f) {
  try {
    f();
  } catch (const MissingPartError&) {
    throw;  // not a failure of the function
  } catch (const std::exception& e) { throw AssertionError(what, ": ", e.what()); }
}

}  // namespace chainer::testing

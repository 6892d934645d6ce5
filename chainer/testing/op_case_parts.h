// SPDX-License-Identifier: MIT
// What the checks of op_case.h share.
#pragma once
#include <exception>
#include <string>

#include "chainer/core/error.h"
#include "chainer/routines/random.h"
#include "chainer/testing/op_case.h"

namespace chainer::testing {

Arrays copies(const Arrays& in);
/// Variables that want gradients where they can have one.
Variables roots(const Arrays& in);
Arrays arrays_of(const Variables& xs);
/// Normal numbers of the arrays' shapes and dtypes; none for integers.
Arrays random_like(const Arrays& in, random::RandomState& r);
bool same_bits(const Array& a, const Array& b);
void expect(bool condition, const std::string& what);
/// f(), whose failure is said to be one of `what`.
template <class F>
void named(const std::string& what, F&& f) {
  try {
    f();
  } catch (const MissingPartError&) {
    throw;  // nothing is wrong with the function
  } catch (const std::exception& e) { throw AssertionError(what, ": ", e.what()); }
}

}  // namespace chainer::testing

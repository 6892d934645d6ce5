// Programs that must not compile, one for each number; the comment behind a number is what the compiler has to say.
#include "chainer/autograd/type_check.h"
#include "chainer/links/connection.h"
#include "chainer/optimizers/optimizers.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

#include <algorithm>

using namespace chainer;

#if CASE == 1  // CHAINER_MEMBERS takes links, Parameter, Child
struct RawPointer : Chain {
  L::Linear* borrowed = nullptr;
  CHAINER_MEMBERS(RawPointer, borrowed);
};
RawPointer value;
#elif CASE == 2   // CHAINER_MEMBERS takes links, Parameter, Child
struct Unknown : Chain {
  struct Anything {
  } thing;
  CHAINER_MEMBERS(Unknown, thing);
};
Unknown value;
#elif CASE == 3   // CHAINER_MEMBERS takes links, Parameter, Child
struct SharedParameter : Chain {
  std::shared_ptr<chainer::Parameter> p;
  CHAINER_MEMBERS(SharedParameter, p);
};
SharedParameter value;
#elif CASE == 4   // deleted
void assign(L::Linear& a, const L::Linear& b) { a = b; }
#elif CASE == 5   // deleted function
void decide(const type_check::Condition& c) {
  if (c) return;
}
#elif CASE == 6   // deleted function
void decide(const Array& a, const Array& b) {
  if (a == b) return;
}
#elif CASE == 7   // deleted function
Array combined(const Array& a) { return a[(a > 0) && (a < 1)]; }
#elif CASE == 8   // deleted function
bool any_is_nan(const Array& a) { return any(isnan(a)) ? true : false; }
#elif CASE == 9   // no match for
bool same(const Arrays& a, const Arrays& b) { return a == b; }
#elif CASE == 10  // deleted function
Array total(const Array& a) { return sum(a, true); }
#elif CASE == 11  // Mask
bool found(const std::vector<Array>& list, const Array& a) {
  return std::find(list.begin(), list.end(), a) != list.end();
}
#elif CASE == 12  // Adam has other options: .alpha (not .lr), .beta1
optimizers::Adam value({.lr = 0.1});
#elif CASE == 13  // Adam has other options
optimizers::Adam value({.alpha = 0.1, .weight_decay = 0.1});
#elif CASE == 14  // SGD has other options: .lr
optimizers::SGD value({.lr = 0.1, .momentum = 0.9});
#elif CASE == 15  // the class of this link has no CHAINER_MEMBERS
struct Bare : Chain {
  Variable forward(const Variable& x) { return x; }
};
void call_it(Bare& b, const Variable& x) { b(x); }
#elif CASE == 16  // discards qualifiers
void write(Array& a, const Array& b) { a[Slice(0, 1)] = b; }
#endif

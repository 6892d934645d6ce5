// Programs that must not compile, one for each number; the comment behind a number is what the compiler has to say.
#include "chainer/autograd/type_check.h"
#include "chainer/links/connection.h"

using namespace chainer;

#if CASE == 1  // CHAINER_MEMBERS takes links, Parameter, Child
struct RawPointer : Chain {
  L::Linear* borrowed = nullptr;
  CHAINER_MEMBERS(RawPointer, borrowed);
};
RawPointer value;
#elif CASE == 2  // CHAINER_MEMBERS takes links, Parameter, Child
struct Unknown : Chain {
  struct Anything {
  } thing;
  CHAINER_MEMBERS(Unknown, thing);
};
Unknown value;
#elif CASE == 3  // CHAINER_MEMBERS takes links, Parameter, Child
struct SharedParameter : Chain {
  std::shared_ptr<chainer::Parameter> p;
  CHAINER_MEMBERS(SharedParameter, p);
};
SharedParameter value;
#elif CASE == 4  // deleted
void assign(L::Linear& a, const L::Linear& b) { a = b; }
#elif CASE == 5  // deleted function
void decide(const type_check::Condition& c) {
  if (c) return;
}
#endif

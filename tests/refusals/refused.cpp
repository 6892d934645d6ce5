// SPDX-License-Identifier: MIT
// Programs that must not compile, one for each number; the comment behind a number is what the compiler has to say.
#include "chainer/autograd/type_check.h"
#include "chainer/datasets/datasets.h"
#include "chainer/functions/connection.h"
#include "chainer/functions/loss.h"
#include "chainer/iterators/iterators.h"
#include "chainer/links/connection.h"
#include "chainer/links/convolution.h"
#include "chainer/links/normalization.h"
#include "chainer/optimizers/optimizers.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"
#include "chainer/training/extensions.h"
#include "chainer/training/trainer.h"

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
#elif CASE == 17  // nodiscard
void test_mode() { UsingConfig(&Config::train, false); }
#elif CASE == 18  // nodiscard
void without_graph() { NoBackpropMode(); }
#elif CASE == 19  // AdamW has other options
optimizers::AdamW value({.lr = 0.1});
#elif CASE == 16  // write a.set(i, v) for a\[i\] = v
void write(Array& a, const Array& b) { a[Slice(0, 1)] = b; }
#elif CASE == 20  // write a.set(i, v) for a\[i\] = v, and a.set({i, j}, v)
void write(Array& a) { a[{0, 0}] = 1; }
#elif CASE == 21  // Linear has other options: .nobias, .initialW, .initial_bias
L::Linear value(3, 2, {.bias = false});
#elif CASE == 22  // Convolution2D has other options: .stride, .pad, .nobias
L::Convolution2D value(3, 8, 3, {.padding = 1});
#elif CASE == 23  // Convolution2D has other options: .stride, .pad, .nobias
L::Convolution2D value(3, 8, {.ksize = 3, .stride = 2});
#elif CASE == 24  // BatchNormalization has other options: .decay, .eps
L::BatchNormalization value(8, {.momentum = 0.1});
#elif CASE == 25  // softmax_cross_entropy has other options: .normalize
Variable loss(const Variable& y, const Variable& t) { return F::softmax_cross_entropy(y, t, {.reduction = 1}); }
#elif CASE == 26  // linear has other options: .n_batch_axes
Variable product(const Variable& x) { return F::linear(x, x, x, {.nobias = true}); }
#elif CASE == 27  // SerialIterator has other options: .repeat, .shuffle
iterators::SerialIterator value(AnyDataset(), 10, {.drop_last = true});
#elif CASE == 28  // read_csv has other options: .delimiter, .header
auto table = datasets::read_csv("a.csv", {.sep = ';'});
#elif CASE == 29  // LogReport has other options: .keys, .trigger
extensions::LogReport value({.interval = 10});
#elif CASE == 30  // Trainer has other options: .out, .on_nan
void train(training::Updater& u) { training::Trainer t(u, {1, "epoch"}, {.folder = "a"}); }
#elif CASE == 31  // extend has other options: .name, .trigger, .priority
void extend(training::Trainer& t) { t.extend(extensions::LogReport(), {.interval = 2}); }
#elif CASE == 32  // StandardUpdater has other options: .converter, .device
void update(Iterator& i, Optimizer& o) { training::StandardUpdater u(i, o, {.n_batch = 2}); }
#elif CASE == 33  // backward has other options: .retain_grad
void back(Variable& x) { x.backward({.retain_graph = true}); }
#elif CASE == 34  // snapshot has other options: .filename, .compression
auto snapshot = extensions::snapshot({.keep = 2});
#elif CASE == 35  // where this is ambiguous: stddev(a, axis)
Array deviation(const Array& a) { return std(a, 0); }
#endif

// SPDX-License-Identifier: MIT
// A header of a user's that knows the names only: it stands before every other include.
#include "chainer/fwd.h"

namespace {
struct Service {
  chainer::Variable& answer(chainer::Variable& x, chainer::L::Linear& layer, chainer::CopyMode mode);
  void watch(chainer::Trainer& trainer, chainer::extensions::Evaluator* evaluator);
  chainer::Trainer* trainer = nullptr;
};
}  // namespace

#include <chainer/chainer.h>

#include "test.h"

namespace {
chainer::Variable& Service::answer(chainer::Variable& x, chainer::L::Linear& layer, chainer::CopyMode mode) {
  chainer::L::Linear copy = layer.copy(mode);
  return x = copy(x);
}
void Service::watch(chainer::Trainer& t, chainer::extensions::Evaluator*) { trainer = &t; }
}  // namespace

TEST(the_names_alone_declare_what_the_headers_define) {
  Service service;
  chainer::L::Linear layer(2, 3);
  chainer::Variable x(chainer::ones({4, 2}));
  EXPECT_EQ(service.answer(x, layer, chainer::CopyMode::share).shape(), chainer::Shape({4, 3}));
  auto optimizer = chainer::optimizers::SGD().setup(layer);
  chainer::iterators::SerialIterator iterator(chainer::ones({2, 2}), 1);
  chainer::Trainer trainer(chainer::training::StandardUpdater(iterator, optimizer));
  service.watch(trainer, nullptr);
  EXPECT(service.trainer == &trainer);
}

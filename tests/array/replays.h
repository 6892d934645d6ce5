// SPDX-License-Identifier: MIT
// Shared by tests of recordings: replays a function of one array.
#pragma once
#include <chainer/array/recording/recorder.h>
#include <chainer/chainer.h>

#include <vector>

#include "test.h"

inline chainer::Array drawn_floats(const chainer::Shape& s) {
  return chainer::random::uniform(-1, 1, s, chainer::float32);
}

// Records a function and checks that replays for new arguments equal it, and that `steps` steps are left. Steps that
// read only weights run once if the weights are constant.
template <class F>
void expect_replays(F f, const chainer::Shape& shape, std::size_t steps, bool members_stay = false,
                    int line = __builtin_LINE()) {
  using namespace chainer;
  recording::Tape tape;
  tape.members_stay = members_stay;
  const Array x = drawn_floats(shape);
  (void)f(Variable(x, false)).array();  // the first call draws the weights
  int slot = -1;
  {
    recording::Recorder recorder(tape);
    slot = recorder.bind(x, false);
    recorder.others_stay = true;
    std::vector<std::pair<int, Array>> weights;
    recorder.unknown = [&](const Array& a) {
      weights.emplace_back(recorder.bind(a, true), a);
      return true;
    };
    tape.phases.push_back(std::make_unique<recording::Phase>());
    {
      const NoBackpropMode no_graph;
      const recording::Recorder::Scope scope(recorder, *tape.phases[0]);
      const Array y = f(Variable(x, false)).array();
      if (recorder.active()) recorder.finish({y});
    }
    test::equal(recorder.refused(), std::string(), "refused", __FILE__, line);
    if (!recorder.refused().empty()) return;
    for (auto& [at, a] : weights) tape.bind(at, a);
  }
  for (int i = 0; i < 3; ++i) {
    const NoBackpropMode no_graph;
    const Array other = drawn_floats(shape), wanted = f(Variable(other, false)).array();
    tape.bind(slot, other);
    const Array got = tape.run(*tape.phases[0])[0];
    test::equal(all(got == wanted).item<bool>(), true, "the same bits", __FILE__, line);
  }
#if defined(__x86_64__)
  test::equal(tape.phases[0]->steps.size(), steps, "steps", __FILE__, line);
#else  // fewer if convolutions return another order of images
  test::equal(tape.phases[0]->steps.size() <= steps, true, "at most that many steps", __FILE__, line);
#endif
}

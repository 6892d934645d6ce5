// SPDX-License-Identifier: MIT
// How time and memory of training steps grow: bench_growth_of_steps [SECONDS [NAME]]. Each kind of network is trained
// with 1, 2, 4 and 8 times the batch, the depth, the length or the width, and the exponents of time and of peak memory
// are printed, of time with respect to the multiplications. An exponent above 1 means that larger steps cost more per
// multiplication; far below 1 that small ones are bound by something else.
#include <chainer/chainer.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "chainer/array/multiply_adds.h"

using namespace chainer;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
Array floats(const Shape& s) { return random::uniform(-1, 1, s, float32); }

struct Size {
  int64_t batch, depth, length, width;
};
// A network and its loss on a drawn batch.
struct Net {
  std::shared_ptr<Link> model;
  std::function<Variable()> loss;
};

Net mlp(const Size& s) {
  auto net = std::make_shared<Sequential>();
  for (int64_t i = 0; i < s.depth; ++i) net->append(L::Linear(s.width, s.width)), net->append(F::relu);
  const Array x = floats({s.batch, s.width});
  return {net, [=] { return F::mean(F::square((*net)(x))); }};
}

Net convolutions(const Size& s) {
  auto net = std::make_shared<Sequential>();
  for (int64_t i = 0; i < s.depth; ++i) {
    net->append(L::Convolution2D(s.width, s.width, 3, {.pad = 1, .nobias = true}));
    net->append(L::BatchNormalization(s.width));
    net->append(F::relu);
  }
  const Array x = floats({s.batch, s.width, s.length, 16});
  return {net, [=] { return F::mean(F::square((*net)(x))); }};
}

// One step at a time.
Net recurrent(const Size& s) {
  auto net = std::make_shared<ChainList>();
  for (int64_t i = 0; i < s.depth; ++i) net->append(L::LSTM(s.width, s.width));
  const Array x = floats({s.length, s.batch, s.width});
  return {net, [=] {
            Variable loss;
            for (int64_t i = 0; i < s.depth; ++i) dynamic_cast<L::LSTM&>((*net)[i]).reset_state();
            for (int64_t t = 0; t < x.shape(0); ++t) {
              Variable h(x[t], false);
              for (int64_t i = 0; i < s.depth; ++i) h = dynamic_cast<L::LSTM&>((*net)[i])(h);
              loss = loss ? loss + F::mean(F::square(h)) : F::mean(F::square(h));
            }
            return loss;
          }};
}

Net transformer(const Size& s) {
  auto net = std::make_shared<ChainList>();
  for (int64_t i = 0; i < s.depth; ++i)
    net->append(L::TransformerEncoderLayer(s.width, 4, {.dropout = 0, .activation = F::gelu}));
  const Array x = floats({s.batch, s.length, s.width});
  return {net, [=] {
            Variable h(x, false);
            for (int64_t i = 0; i < s.depth; ++i) h = dynamic_cast<L::TransformerEncoderLayer&>((*net)[i])(h);
            return F::mean(F::square(h));
          }};
}

struct Measured {
  double seconds, bytes, multiplications;
};
Measured measure(const Net& net, double seconds) {
  auto optimizer = optimizers::Adam().setup(*net.model);
  const auto step = [&] {
    const Variable loss = net.loss();
    net.model->cleargrads();
    loss.backward();
    optimizer.update();
    (void)loss.array().item<float>();
  };
  step();
  memory::reset_peak();
  const MultiplyAddsCounter counter;
  step();
  const Measured once{0, static_cast<double>(memory::statistics().peak), static_cast<double>(counter.count())};
  double least = 1e9;
  int calls = 0;
  for (const double start = now(); now() - start < seconds || calls < 5; ++calls) {
    const double begin = now();
    step();
    least = std::min(least, now() - begin);
  }
  return {least, once.bytes, once.multiplications};
}

struct Kind {
  const char* name;
  Net (*make)(const Size&);
  Size base;
};
struct Axis {
  const char* name;
  int64_t Size::*of;
};

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
  const std::string only = argc > 2 ? argv[2] : "";
  const Kind kinds[] = {{"mlp", mlp, {64, 3, 0, 256}},
                        {"convolutions", convolutions, {4, 3, 16, 32}},
                        {"lstm", recurrent, {16, 1, 10, 128}},
                        {"transformer", transformer, {2, 1, 64, 128}}};
  const Axis axes[] = {
      {"batch", &Size::batch}, {"depth", &Size::depth}, {"length", &Size::length}, {"width", &Size::width}};
  std::printf("%-14s%-8s%40s%28s\n", "network", "axis", "ms for 1, 2, 4, 8 times", "exponents: time, memory");
  for (const Kind& kind : kinds) {
    if (!only.empty() && only != kind.name) continue;
    for (const Axis& axis : axes) {
      if (kind.base.*axis.of == 0) continue;
      Measured first{}, last{};
      std::string times;
      for (const int factor : {1, 2, 4, 8}) {
        Size s = kind.base;
        s.*axis.of *= factor;
        last = measure(kind.make(s), seconds);
        if (factor == 1) first = last;
        char one[32];
        std::snprintf(one, sizeof one, "%10.2f", last.seconds * 1e3);
        times += one;
      }
      const double more = last.multiplications / first.multiplications;
      std::printf("%-14s%-8s%40s%14.2f%14.2f\n", kind.name, axis.name, times.c_str(),
                  std::log(last.seconds / first.seconds) / std::log(more), std::log2(last.bytes / first.bytes) / 3);
      std::fflush(stdout);
    }
  }
}

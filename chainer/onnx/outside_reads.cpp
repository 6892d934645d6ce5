// SPDX-License-Identifier: MIT
#include "chainer/onnx/outside_reads.h"

#include "chainer/autograd/mixed_precision.h"
#include "chainer/array/recording/recorder.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/links/link_hook.h"
#include "chainer/onnx/onnx.h"

namespace chainer::onnx {
namespace {

// Counts the running functions and imported models.
struct Inside : FunctionHook, LinkHook {
  explicit Inside(recording::Recorder& r) : recorder(r) {}
  std::string name() const override { return "Inside"; }
  void forward_preprocess(FunctionNode&, const Arrays&) override { enter(); }
  void forward_postprocess(FunctionNode&, const Arrays&) override { leave(); }
  void aborted(FunctionNode&) noexcept override { leave(); }
  void forward_preprocess(const LinkHookArgs& a) override {
    if (dynamic_cast<const Model*>(&a.link)) enter();
  }
  void forward_postprocess(const LinkHookArgs& a) override {
    if (dynamic_cast<const Model*>(&a.link)) leave();
  }
  void forward_aborted(const LinkHookArgs& a) noexcept override {
    if (dynamic_cast<const Model*>(&a.link)) leave();
  }
  void enter() { ++depth; }
  void leave() noexcept {
    if (--depth == 0) recorder.host_computes = false;
  }
  recording::Recorder& recorder;
  int depth = 0;
};

}  // namespace

std::optional<std::string> outside_read(const Computation& f, const Variables& inputs) {
  const UsingConfig test_mode(&Config::train, false);
  const UsingConfig no_checks(&Config::debug, false);  // which read results
  const PlainPrecision plain;
  const NoBackpropMode no_graph;
  recording::Tape tape;
  recording::Recorder recorder(tape);
  Variables mine;
  for (const Variable& v : inputs) {
    mine.push_back(Variable(v.array().copy().contiguous(), false));
    recorder.bind(mine.back().array(), false);
  }
  recorder.others_stay = true;
  recorder.unknown = [&](const Array& a) {
    recorder.bind(a, true);
    return true;
  };
  Inside inside(recorder);
  std::optional<std::string> found;
  recorder.host_read = [&](const ArrayBody& body) {
    if (inside.depth > 0)
      recorder.host_computes = true;
    else if (!found)
      found = text(body.shape);
  };
  tape.phases.push_back(std::make_unique<recording::Phase>());
  const FunctionHookScope functions(inside);
  const LinkHookScope links(inside);
  const recording::Recorder::Scope scope(recorder, *tape.phases[0]);
  (void)f(mine);
  return found;
}

}  // namespace chainer::onnx

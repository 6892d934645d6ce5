// SPDX-License-Identifier: MIT
// The workloads of chainer_bench: the training steps of peers/peer_torch.py.
#pragma once
#include <chainer/chainer.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

/// A workload: its step, and the arrays that a check writes in addition to the loss.
struct Step {
  std::function<chainer::Variable()> run;               ///< forward, clear, backward, update; returns the loss
  std::map<std::string, chainer::Array> inputs;         ///< arrays read by the step, except parameters
  std::map<std::string, chainer::Variable> parameters;  ///< updated parameters, or inputs of the derivative
  std::function<void(std::map<std::string, chainer::Array>&)> drawn = {};  ///< adds the random draws of the last step
  std::vector<chainer::Parameter> trained = {};                            ///< parameters that an optimizer updates
};
struct Workload {
  std::string name;
  Step (*make)();
};
/// All workloads, in the order of the tables.
const std::vector<Workload>& workloads();

Step mnist_mlp();
Step word2vec_ns();
Step tiny_graph();
Step elementwise_chain();
Step double_backprop();
Step ptb_lstm();
Step nstep_lstm();
Step dynamic_language_model();
Step dynamic_tagger();
Step dynamic_tagger_characters();
Step dynamic_tree();
Step lenet5();
Step vgg_cifar();
Step resnet50_train();
Step resnet50_infer();
Step dcgan();
Step gpt_train();
Step gpt2_train();
Step attention_long();
Step vit_train();
Step bert_infer();
Step bert_infer_32();
Step gpt2_generate();

/// The device of the steps (--device).
inline chainer::Device device;
/// True if --static was given.
inline bool use_static = false;
/// Returns the function, which may read parameters of links, or with --static its static graph.
template <class F, class... Links>
auto maybe_static(F f, Links&... links) {
  auto chain = chainer::static_graph(f, links...);
  return [=](const auto&... x) {
    if (use_static) return chain(chainer::as_variable(x)...);
    return f(chainer::as_variable(x)...);
  };
}

/// Makes a step from a model, its optimizer and a loss; the parameters are named by their paths.
template <class Model, class Loss, class Optimizer = chainer::optimizers::Adam>
Step training(std::shared_ptr<Model> model, Loss loss,
              std::shared_ptr<Optimizer> optimizer = std::make_shared<Optimizer>()) {
  model->to_device(device);
  optimizer->setup(*model);
  Step s;
  s.run = [=] {
    chainer::Variable l = loss();
    model->cleargrads();
    l.backward();
    optimizer->update();
    return l;
  };
  for (auto& [path, p] : model->namedparams()) s.parameters[path] = p.variable();
  s.trained = model->params();
  return s;
}
inline chainer::Array uniform(const chainer::Shape& s) {
  return chainer::random::uniform(0, 1, s, chainer::config().dtype).to_device(device);
}
inline chainer::Array labels(int64_t classes, const chainer::Shape& s) {
  return chainer::random::randint(0, classes, s).astype(chainer::int32).to_device(device);
}

}  // namespace bench

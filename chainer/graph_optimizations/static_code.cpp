// SPDX-License-Identifier: MIT
#include "chainer/graph_optimizations/static_code.h"

#include <memory>
#include <optional>

#include "chainer/array/backend.h"
#include "chainer/array/order.h"
#include "chainer/array/recording/recorder.h"

namespace chainer::static_graphs {

Arrays run_code(const std::function<Arrays(const Arrays&, Arrays&)>& f, const Arrays& inputs, Arrays outputs) {
  if (!recording::any() || !recording::here()) return f(inputs, outputs);
  // The results of f are copied to arrays that the recording knows.
  for (const Array& a : inputs) force(a.body());
  auto first = std::make_shared<std::optional<Arrays>>();
  {
    const recording::Recorder::Pause pause;
    *first = f(inputs, outputs);
  }
  Arrays written = outputs, results;
  for (const Array& a : **first) {
    results.push_back(empty_in_order(a.shape(), a.dtype(), a.device(), memory_order(a), "static_code"));
    written.push_back(results[results.size() - 1]);
  }
  const std::size_t given = outputs.size();
  recording::record_step(
      "static_code", {inputs.data(), inputs.size()}, {written.data(), written.size()},
      [f, first, given](std::span<const Array> in, std::span<Array> out) {
        Arrays ins(in.begin(), in.end()), outs(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(given));
        // In the recording call f has run already.
        const Arrays made = *first ? *std::exchange(*first, std::nullopt) : f(ins, outs);
        if (made.size() != out.size() - given)
          throw RuntimeError("static_code: the function returned ", made.size(), " arrays, in the first call ",
                             out.size() - given);
        for (std::size_t i = 0; i < made.size(); ++i) {
          if (made[i].shape() != out[given + i].shape() || made[i].dtype() != out[given + i].dtype())
            throw RuntimeError("static_code: an array of shape ", made[i].shape(), " and dtype ", made[i].dtype(),
                               " is returned, in the first call ", out[given + i].shape(), " and ",
                               out[given + i].dtype());
          copy_elements(made[i], out[given + i]);
        }
      },
      false);
  return results;
}

}  // namespace chainer::static_graphs

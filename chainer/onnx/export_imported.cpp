// Imported models inside of an export: their operators as they are in the file.
#include <algorithm>

#include "chainer/onnx/emitter.h"
#include "chainer/onnx/program.h"

namespace chainer::onnx {
namespace {

// The steps that outputs need which somebody reads, as a mark each.
std::vector<bool> needed_steps(const Program& p, const Recorded& call) {
  std::vector<bool> read(p.plan.values.size(), false), needed(p.plan.steps.size(), false);
  for (std::size_t i = 0; i < p.output_slots.size(); ++i)
    if (call.outputs[i].present) read[static_cast<std::size_t>(p.output_slots[i])] = true;
  for (std::size_t k = p.plan.steps.size(); k-- > 0;) {
    const Step& step = p.plan.steps[k];
    needed[k] = std::any_of(step.out.begin(), step.out.end(),
                            [&](int s) { return s >= 0 && read[static_cast<std::size_t>(s)]; });
    for (const int s : step.in)
      if (needed[k] && s >= 0) read[static_cast<std::size_t>(s)] = true;
  }
  return needed;
}

void imported_model(const Emission& m) {
  const Program& p = *m.get<std::shared_ptr<const Program>>("program");
  const std::vector<bool> needed = needed_steps(p, m.call);
  std::vector<std::string> names(p.plan.values.size());
  for (std::size_t i = 0; i < p.input_slots.size(); ++i) names[static_cast<std::size_t>(p.input_slots[i])] = m.in(i);
  std::map<int, std::size_t> leaf;
  for (std::size_t i = 0; i < p.leaves.size(); ++i) leaf[p.leaves[i].slot] = p.input_slots.size() + i;
  const auto name = [&](int slot) {
    std::string& n = names[static_cast<std::size_t>(slot)];
    if (!n.empty()) return n;
    if (const auto it = leaf.find(slot); it != leaf.end()) return n = m.in(it->second);
    return n = m.e.constant(p.plan.values[static_cast<std::size_t>(slot)].array());
  };
  std::set<int> made;
  for (const Step& step : p.plan.steps) made.insert(step.out.begin(), step.out.end());
  std::map<int, std::size_t> result;  // by slot that a step makes: the first output that it is
  for (std::size_t i = p.output_slots.size(); i-- > 0;)
    if (m.call.outputs[i].present && made.contains(p.output_slots[i])) result[p.output_slots[i]] = i;
  for (std::size_t k = 0; k < p.plan.steps.size(); ++k) {
    if (!needed[k]) continue;
    const Step& step = p.plan.steps[k];
    Node n = *step.node;
    for (std::size_t i = 0; i < step.in.size(); ++i) n.inputs[i] = step.in[i] < 0 ? "" : name(step.in[i]);
    for (std::size_t i = 0; i < step.out.size(); ++i) {
      if (step.out[i] < 0) continue;
      const auto it = result.find(step.out[i]);
      n.outputs[i] = names[static_cast<std::size_t>(step.out[i])] =
          it == result.end() ? m.e.unique(n.outputs[i]) : m.out(it->second);
    }
    add_upgraded(m.e, std::move(n), p.opset);
  }
  for (std::size_t i = 0; i < p.output_slots.size(); ++i) {
    const auto it = result.find(p.output_slots[i]);
    if (m.call.outputs[i].present && (it == result.end() || it->second != i))
      m.e.node("Identity", {name(p.output_slots[i])}, {}, m.out(i));
  }
}

constexpr Exporter kExporters[] = {{kImportedModel, imported_model}};

}  // namespace

std::span<const Exporter> imported_exporters() { return kExporters; }

}  // namespace chainer::onnx

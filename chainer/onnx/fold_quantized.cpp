// SPDX-License-Identifier: MIT
// Fuses operators with the quantization around them.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "chainer/onnx/quantized.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

using host_kernels::Quantization;

void add_attributes(Node& n, const std::string& of, const Quantization& q) {
  n.attributes.push_back(attribute(of + "_scale", static_cast<double>(q.scale)));
  n.attributes.push_back(attribute(of + "_zero", q.zero));
  n.attributes.push_back(attribute(of + "_type", q.dtype == int8 ? 1 : 0));
}

class Fusion {
 public:
  Fusion(Plan& plan, const std::vector<int>& outputs, int64_t opset)
      : plan_(plan), outputs_(outputs), opset_(opset), gone_(plan.steps.size()), unread_(plan.steps.size()) {
    for (const int s : outputs) ++readers_[s];
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      for (const int s : plan.steps[i].out) maker_[s] = i;
      for (const int s : plan.steps[i].in) ++readers_[s], reader_[s] = i;
    }
  }

  void run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (gone_[i]) continue;
      const std::string op = plan_.steps[i].node->domain.empty() ? plan_.steps[i].node->op_type : "";
      if (op == "Conv" || op == "Gemm" || op == "MatMul")
        affine(i, op);
      else if (op == "Add" || op == "Mul")
        combine(i, op == "Add" ? "QuantizedAdd" : "QuantizedMul");
      else if (op == "Concat")
        concat(i);
      else if (op == "MaxPool")
        move(i, "QuantizedMaxPool");
      else if (op == "GlobalAveragePool" || op == "AveragePool")
        mean(i);
      else if (is_bounded_recurrence(*plan_.steps[i].node))
        recurrence(i, op);
      else if (op == "Reshape" || op == "Flatten" || op == "Transpose" || op == "Squeeze" || op == "Unsqueeze" ||
               op == "Expand" || op == "Slice")
        move(i, {});
    }
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      if (!gone_[i] && is(plan_.steps[i], "QuantizeLinear")) table(i);
    remove();
  }

 private:
  struct Source {  // the integers that a DequantizeLinear reads
    int slot;
    Quantization q;
  };
  // The limits of an activation and the quantization of the result, which follow an operator.
  struct Tail {
    int slot;
    std::optional<Quantization> to = {};
    std::optional<double> low = {}, high = {};
    std::vector<std::size_t> steps = {};
  };

  Array constant(int slot) const {
    return slot < 0 || !plan_.values[static_cast<std::size_t>(slot)]
               ? Array()
               : plan_.values[static_cast<std::size_t>(slot)].array();
  }
  Array constant_input(const Step& s, std::size_t i) const { return i < s.in.size() ? constant(s.in[i]) : Array(); }
  bool present(const Step& s, std::size_t i) const { return i < s.in.size() && s.in[i] >= 0; }
  const Step* made_by(int slot, std::string_view op) const {
    const auto it = maker_.find(slot);
    if (slot < 0 || it == maker_.end() || gone_[it->second]) return nullptr;
    const Step& s = plan_.steps[it->second];
    return s.node->op_type == op && s.node->domain.empty() ? &s : nullptr;
  }
  // The scale and zero point of a step, if they are constant single numbers.
  std::optional<Quantization> quantization(const Step& s) const {
    for (const Attribute& a : s.node->attributes)
      if (a.name == "block_size" || a.name == "output_dtype") return std::nullopt;
    if (!constant_input(s, 1) || (present(s, 2) && !constant_input(s, 2))) return std::nullopt;
    return single_quantization(constant_input(s, 1), constant_input(s, 2));
  }
  std::optional<Source> source(int slot) const {
    const Step* const s = made_by(slot, "DequantizeLinear");
    if (!s || s->in[0] < 0 || !present(*s, 2) || constant(s->in[0])) return std::nullopt;
    const auto q = quantization(*s);
    return q ? std::optional<Source>({s->in[0], *q}) : std::nullopt;
  }
  Tail tail(std::size_t i) const {
    Tail t{plan_.steps[i].out[0]};
    const auto next = [&]() -> const Step* {
      const auto n = readers_.find(t.slot);
      if (n == readers_.end() || n->second != 1 || !reader_.contains(t.slot)) return nullptr;
      const Step& s = plan_.steps[reader_.at(t.slot)];
      return s.node->domain.empty() && !s.in.empty() && s.in[0] == t.slot ? &s : nullptr;
    };
    const auto take = [&](const Step& s) {
      t.steps.push_back(reader_.at(t.slot));
      t.slot = s.out[0];
    };
    if (const Step* s = next(); s && s->node->op_type == "Relu") {
      t.low = 0;
      take(*s);
    } else if (s && s->node->op_type == "Clip" && s->node->attributes.empty()) {
      const Array low = constant_input(*s, 1), high = constant_input(*s, 2);
      if ((!present(*s, 1) || low) && (!present(*s, 2) || high)) {
        if (low) t.low = low.item<double>();
        if (high) t.high = high.item<double>();
        take(*s);
      }
    }
    if (const Step* s = next(); s && s->node->op_type == "QuantizeLinear")
      if ((t.to = quantization(*s))) take(*s);
    return t;
  }
  int keep(const Array& a) {
    plan_.values.push_back(Variable(a, false));
    return static_cast<int>(plan_.values.size()) - 1;
  }
  void replace(std::size_t i, const char* op, Node node, std::vector<int> in, const Tail& t) {
    if (t.low) node.attributes.push_back(attribute("low", *t.low));
    if (t.high) node.attributes.push_back(attribute("high", *t.high));
    if (t.to) add_attributes(node, "y", *t.to);
    node.op_type = op;
    node.inputs.assign(in.size(), "x");
    node.outputs.assign(1, "y");
    node.captured.clear();
    plan_.steps[i] =
        Step{quantized_operator(op), std::make_shared<const Node>(std::move(node)), std::move(in), {t.slot}};
    finish(i, t);
  }
  void finish(std::size_t i, const Tail& t) {
    for (const std::size_t s : t.steps) gone_[s] = true;
    maker_[t.slot] = i;
  }

  // Weights as integers with the scale of each channel of an axis.
  struct Weights {
    Array W, scales;
  };
  std::optional<Weights> weights(int slot, int axis) const {
    const Step* const s = made_by(slot, "DequantizeLinear");
    if (!s) return std::nullopt;
    const Array W = constant(s->in[0]), scales = constant_input(*s, 1), zero = constant_input(*s, 2);
    if (!W || W.dtype() != int8 || !scales || scales.dtype() != float32 || scales.ndim() > 1) return std::nullopt;
    if (present(*s, 2) && (!zero || zero.dtype() != int8 || max(abs(zero.astype(int32))).item<int>() != 0))
      return std::nullopt;
    int64_t along = 1;
    for (const Attribute& a : s->node->attributes) {
      if (a.name == "axis")
        along = a.integer;
      else
        return std::nullopt;
    }
    if (along < 0) along += W.ndim();
    if (scales.size() != 1 && (along != axis || scales.size() != W.shape(axis))) return std::nullopt;
    return Weights{W, scales.reshape({scales.size()})};
  }
  // The bias in units of the scales of sums; nullopt if it does not fit.
  std::optional<Array> bias(const Step& step, const Quantization& x, const Weights& w, int64_t channels) const {
    if (!present(step, 2)) return zeros({channels}, int32);
    Array b = constant(step.in[2]);
    if (const Step* const s = b ? nullptr : made_by(step.in[2], "DequantizeLinear")) {
      const Array q = constant(s->in[0]), scale = constant_input(*s, 1), zero = constant_input(*s, 2);
      if (!q || !scale || scale.ndim() > 1 || (present(*s, 2) && !zero)) return std::nullopt;
      b = (zero ? q.astype(float64) - zero.astype(float64) : q.astype(float64)) * scale.astype(float64);
    }
    if (!b || b.ndim() != 1 || b.size() != channels) return std::nullopt;
    const Array scales = w.scales.astype(float64) * static_cast<double>(x.scale);
    const Array sums = rint(b.astype(float64) / scales);
    if (!all(abs(sums) <= 2147483647.0).item<bool>()) return std::nullopt;  // (also for NaN)
    return sums.astype(int32);
  }

  void affine(std::size_t i, const std::string& op) {
    const Step& step = plan_.steps[i];
    if (step.in.size() < 2) return;
    const Call c(*step.node, 0, none_);
    const auto x = source(step.in[0]);
    if (!x) return;
    const bool transposed = op == "Gemm" && c.integer("transB", 0) != 0;
    const auto w = weights(step.in[1], op == "Conv" || transposed ? 0 : 1);
    if (!w || w->W.ndim() != (op == "Conv" ? 4 : 2)) return;
    if (const int64_t groups = c.integer("group", 1);
        op == "Conv" && groups > 1 && w->W.shape(1) < kLeastChannels && (w->W.shape(1) > 1 || w->W.shape(0) != groups))
      return;
    if (op == "Gemm" && (c.real("alpha", 1.0) != 1 || c.real("beta", 1.0) != 1 || c.integer("transA", 0))) return;
    const auto b = bias(step, x->q, *w, w->W.shape(op == "Conv" || transposed ? 0 : 1));
    if (!b) return;
    Node node = *step.node;
    std::erase_if(node.attributes, [](const Attribute& a) { return a.name == "alpha" || a.name == "beta"; });
    add_attributes(node, "x", x->q);
    replace(i, op == "Conv" ? "QuantizedConv" : "QuantizedMatMul", std::move(node),
            {x->slot, keep(w->W), keep(w->scales), keep(*b)}, tail(i));
  }

  bool has_small_numbers(int slot) const {
    const auto maker = maker_.find(slot);
    if (maker == maker_.end()) return is_small(constant(slot), nullptr, 0, {});
    const Step& s = plan_.steps[maker->second];
    const auto output = static_cast<std::size_t>(std::find(s.out.begin(), s.out.end(), slot) - s.out.begin());
    return is_small(constant(slot), s.node.get(), output, [&](std::size_t i) { return has_small_numbers(s.in[i]); });
  }
  // The integers of the state are those of [-1, 1].
  void recurrence(std::size_t i, const std::string& op) {
    Step& step = plan_.steps[i];
    if (step.in.size() < 3) return;
    const auto x = source(step.in[0]);
    const auto W = weights(step.in[1], 1), R = weights(step.in[2], 1);
    if (!x || !W || !R || W->W.ndim() != 3 || R->W.ndim() != 3) return;
    const bool small = !present(step, 5) || has_small_numbers(step.in[5]);
    if (!small && op == "GRU") return;  // its state stays near to a given one
    Node node = *step.node;
    node.op_type = "Quantized" + op;
    node.attributes.push_back(attribute("small_state", small ? 1 : 0));
    add_attributes(node, "x", x->q);
    step.op = quantized_operator(node.op_type);
    step.in.resize(8, -1);
    step.in[0] = x->slot, step.in[1] = keep(W->W), step.in[2] = keep(R->W);
    step.in.push_back(keep(W->scales));
    step.in.push_back(keep(R->scales));
    node.inputs.assign(step.in.size(), "x");
    for (std::size_t k = 0; k < step.in.size(); ++k)
      if (step.in[k] < 0) node.inputs[k].clear();
    step.node = std::make_shared<const Node>(std::move(node));
  }

  void combine(std::size_t i, const char* name) {
    const Step& step = plan_.steps[i];
    const auto x = source(step.in[0]), z = source(step.in[1]);
    const Tail t = tail(i);
    if (!x || !z || !t.to) return;
    Node node = *step.node;
    add_attributes(node, "x", x->q);
    add_attributes(node, "z", z->q);
    replace(i, name, std::move(node), {x->slot, z->slot}, t);
  }

  void concat(std::size_t i) {
    const Step& step = plan_.steps[i];
    const Tail t = tail(i);
    if (!t.to) return;
    Node node = *step.node;
    std::vector<int> in;
    for (const int s : step.in) {
      const auto x = source(s);
      if (!x) return;
      add_attributes(node, "x" + std::to_string(in.size()), x->q);
      in.push_back(x->slot);
    }
    replace(i, "QuantizedConcat", std::move(node), std::move(in), t);
  }

  // Elementwise steps between integers and integers, which depend on one array.
  struct Region {
    std::optional<Source> of = {};
    std::set<int> in = {};             // slots that hold the numbers of `of`
    std::set<std::size_t> steps = {};  // in the order of the plan
  };
  bool extend(Region& region, int slot) const {
    if (const Array a = constant(slot)) return a.ndim() == 0;  // (another shape may be that of the result)
    if (const auto s = source(slot)) {
      if (region.of && (region.of->slot != s->slot || region.of->q != s->q)) return false;
      region.of = s;
      region.in.insert(slot);
      return true;
    }
    const auto maker = maker_.find(slot);
    if (slot < 0 || maker == maker_.end() || gone_[maker->second]) return false;
    if (region.steps.contains(maker->second)) return true;
    const Step& step = plan_.steps[maker->second];
    if (!is_pointwise(*step.node) || step.op->control) return false;
    region.steps.insert(maker->second);
    return std::all_of(step.in.begin(), step.in.end(), [&](int s) { return s < 0 || extend(region, s); });
  }

  // Replaces the region before a QuantizeLinear by a table.
  void table(std::size_t i) {
    const Step& last = plan_.steps[i];
    const auto to = quantization(last);
    Region region;
    if (!to || !extend(region, last.in[0]) || !region.of) return;
    std::map<int, Variable> values;
    for (const int s : region.in) values[s] = Variable(all_numbers(region.of->q), false);
    for (const std::size_t s : region.steps) {
      const Step& step = plan_.steps[s];
      Variables in;
      for (const int k : step.in) {
        const Array a = constant(k);
        in.push_back(k < 0 ? Variable() : a ? Variable(a, false) : values.at(k));
      }
      values[step.out[0]] = step.op->run(Call(*step.node, step.node->opset ? step.node->opset : opset_, in))[0];
    }
    const Array results = values.at(last.in[0]).array();
    if (results.dtype() != float32 || results.shape() != Shape{256}) return;
    for (const std::size_t s : region.steps) unread_[s] = true;
    replace(i, "QuantizedLookUp", *last.node, {region.of->slot, keep(host_kernels::quantize(results, *to))},
            Tail{last.out[0]});
  }

  void mean(std::size_t i) {
    const auto x = source(plan_.steps[i].in[0]);
    if (!x) return;
    Node node = *plan_.steps[i].node;
    add_attributes(node, "x", x->q);
    replace(i, "QuantizedMean", std::move(node), {x->slot}, tail(i));
  }

  // Operators that give elements of their input, so that the quantization stays.
  void move(std::size_t i, std::string_view op) {
    Step& step = plan_.steps[i];
    const auto x = step.in.empty() ? std::nullopt : source(step.in[0]);
    if (!x || step.out.size() != 1) return;
    const Tail t = tail(i);
    if (t.low || t.high || t.to != x->q) return;
    step.in[0] = x->slot;
    step.out[0] = t.slot;
    if (!op.empty()) step.op = quantized_operator(op);
    finish(i, t);
  }

  static bool is(const Step& s, std::string_view op) { return s.node->domain.empty() && s.node->op_type == op; }

  // Removes replaced steps, and DequantizeLinear and steps of tables that no step reads any more.
  void remove() {
    std::map<int, int> readers;
    for (const int s : outputs_) ++readers[s];
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      if (!gone_[i])
        for (const int s : plan_.steps[i].in) ++readers[s];
    for (std::size_t i = plan_.steps.size(); i-- > 0;) {
      const Step& s = plan_.steps[i];
      if (gone_[i] || !(unread_[i] || is(s, "DequantizeLinear")) || readers[s.out[0]]) continue;
      gone_[i] = true;
      for (const int in : s.in) --readers[in];
    }
    std::vector<Step> kept;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      if (!gone_[i]) kept.push_back(std::move(plan_.steps[i]));
    plan_.steps = std::move(kept);
  }

  static constexpr int64_t kLeastChannels = 16;  // of a group, with fewer a product would mostly multiply padding
  Plan& plan_;
  const std::vector<int>& outputs_;
  int64_t opset_;
  std::vector<bool> gone_, unread_;  // unread_: steps that tables replace, unless others read their results
  std::map<int, std::size_t> maker_, reader_;
  std::map<int, int> readers_;
  const Variables none_ = {};
};

}  // namespace

bool fuse_quantized(Plan& plan, const std::vector<int>& outputs, int64_t opset) {
  const auto dequantizes = [](const Step& s) {
    return s.node->op_type == "DequantizeLinear" && s.node->domain.empty();
  };
  if (std::none_of(plan.steps.begin(), plan.steps.end(), dequantizes)) return false;
  Fusion(plan, outputs, opset).run();
  return true;
}

}  // namespace chainer::onnx

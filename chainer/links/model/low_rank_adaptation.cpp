// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/connection.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/initializers/initializers.h"
#include "chainer/links/connection.h"
#include "chainer/links/link_hooks/named_weight.h"
#include "chainer/links/parameter_hooks.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"

namespace chainer::links {
namespace {

constexpr const char *kDown = "low_rank_down", *kUp = "low_rank_up", *kHook = "LowRankAdaptation";

Variable constant(const chainer::Parameter& p) { return Variable(p.array(), false); }

// Returns true for a Linear with a weight of few bits.
bool quantized(const Link& link) {
  const auto* linear = dynamic_cast<const Linear*>(&link);
  return linear && linear->quantized();
}

// Shape and device of a link's weight, which may be quantized.
struct Weight {
  explicit Weight(Link& link) {
    if (!quantized(link)) {
      const Array w = link_hooks::named_weight("LowRankAdaptation", link, "W").array();
      shape = w.shape(), device = w.device();
    } else {
      const QuantizedMatrix& q = dynamic_cast<const Linear&>(link).quantized();
      shape = {q.rows(), q.columns}, device = q.values.device();
    }
  }
  Shape shape;
  Device device;
};

// Makes all parameters of a link constants.
class Constants : public link_hooks::ParameterHook {
 public:
  std::string name() const override { return kHook; }
  bool allows_quantized(const Link&) const override { return true; }

 protected:
  Variable replacement(Link&, const std::string&, const chainer::Parameter& p) override { return constant(p); }
};

class Adapted : public link_hooks::ParameterHook {
 public:
  Adapted(double s, double d) : scale_(s), dropout_(d) {}
  std::string name() const override { return kHook; }
  bool allows_quantized(const Link& link) const override { return dynamic_cast<const Linear*>(&link); }
  void forward_postprocess(const LinkHookArgs& args) override {
    ParameterHook::forward_postprocess(args);
    if (!drops() && !quantized(args.link)) return;
    // The object that Linear's call returns; only Linear is adapted with dropout or quantized.
    auto* y = const_cast<Variable*>(args.result.as<Variable>());
    const functions::LinearOptions axes{.n_batch_axes = y->ndim() - 1};
    const Variable x = drops() ? functions::dropout(args.args[0], dropout_) : args.args[0];
    const Variable low = functions::linear(x, args.link.param(kDown), {}, axes);
    *y = *y + functions::linear(low, args.link.param(kUp), {}, axes) * scale_;
  }

 protected:
  Variable replacement(Link& link, const std::string& name, const chainer::Parameter& p) override {
    if (name == kDown || name == kUp) return {};
    if (name != "W" || drops()) return constant(p);
    return constant(p) + functions::matmul(link.param(kUp), link.param(kDown)) * scale_;
  }

 private:
  bool drops() const { return dropout_ > 0 && config().train; }
  double scale_, dropout_;
};

// Shows a visitor the members of a model that belong to its adaptation, by path.
struct Inner : MemberVisitor {
  Inner(MemberVisitor& v, std::string p) : visitor(v), prefix(std::move(p)) {}
  void param(const std::string& name, chainer::Parameter& p) override {
    if (name == kDown || name == kUp) visitor.param(prefix + (name == kDown ? "down" : "up"), p);
  }
  void link(const std::string& name, Link& l) override {
    Inner inner(visitor, prefix + name + "/");
    l.visit(inner);
  }
  void persistent(const std::string& name, Array& v) override { visitor.persistent(prefix + name, v); }
  void persistent(const std::string& name, int64_t& v) override { visitor.persistent(prefix + name, v); }
  void persistent(const std::string& name, double& v) override { visitor.persistent(prefix + name, v); }
  void persistent(const std::string& name, bool& v) override { visitor.persistent(prefix + name, v); }
  void persistent(const std::string& name, std::string& v) override { visitor.persistent(prefix + name, v); }
  using MemberVisitor::persistent;
  MemberVisitor& visitor;
  std::string prefix;
};

}  // namespace

LowRankAdaptation::LowRankAdaptation(Kept<Link> model, const LowRankAdaptationOptions& o)
    : model_(std::move(model)), scale_(o.alpha.value_or(static_cast<double>(o.rank)) / static_cast<double>(o.rank)) {
  if (o.rank < 1) throw ValueError("LowRankAdaptation: the rank must be positive, not ", o.rank);
  if (!(o.dropout >= 0 && o.dropout < 1))
    throw ValueError("LowRankAdaptation: dropout must be in [0, 1), not ", o.dropout);
  const std::vector<std::pair<std::string, Link*>> all = model_->namedlinks();
  const auto is_chosen = [&](const std::string& path) {
    return std::find(o.links.begin(), o.links.end(), path.substr(path.rfind('/') + 1)) != o.links.end();
  };
  for (const auto& [path, link] : all) {
    for (const auto& [name, hook] : link->local_link_hooks())
      if (name == kHook) throw ValueError("LowRankAdaptation: the ", model_->class_name(), " is adapted already");
    if (!is_chosen(path)) continue;
    if (const Shape w = Weight(*link).shape; w.ndim() != 2)
      throw ValueError("LowRankAdaptation: W of ", path, " must be a matrix, not of shape ", w);
    if (o.dropout > 0 && !dynamic_cast<Linear*>(link))
      throw ValueError("LowRankAdaptation: with dropout ", path, " must be a Linear, not of class ",
                       link->class_name());
    paths_.push_back(path);
  }
  if (paths_.empty()) {
    std::string names;
    for (const std::string& n : o.links) names += (names.empty() ? "'" : ", '") + n + "'";
    throw ValueError("LowRankAdaptation: no link of the ", model_->class_name(), " is named ", names,
                     "; namedlinks() lists the paths");
  }
  const InitializerArg down = o.initial_down.value_or(initializers::LeCunNormal());
  const std::shared_ptr<LinkHook> adapted = std::make_shared<Adapted>(scale_, o.dropout),
                                  constants = std::make_shared<Constants>();
  for (const auto& [path, link] : all) {
    if (is_chosen(path)) {
      const Weight w(*link);
      link->add_param(kDown, Shape{o.rank, w.shape[1]}, down).to_device(w.device);
      link->add_param(kUp, Shape{w.shape[0], o.rank}, 0.0).to_device(w.device);
      link->add_hook(adapted);
    } else {
      link->add_hook(constants);
    }
  }
}

void LowRankAdaptation::merge() {
  if (paths_.empty()) throw RuntimeError("LowRankAdaptation: the products are merged already");
  for (const auto& [path, link] : model_->namedlinks())
    if (quantized(*link) && std::find(paths_.begin(), paths_.end(), path) != paths_.end())
      throw RuntimeError("LowRankAdaptation: the weight of ", path, " has ",
                         dynamic_cast<const Linear&>(*link).quantized().bits, " bits and cannot be merged");
  for (const auto& [path, link] : model_->namedlinks()) {
    link->delete_hook(kHook);
    if (std::find(paths_.begin(), paths_.end(), path) == paths_.end()) continue;
    chainer::Parameter w = link_hooks::named_weight("LowRankAdaptation", *link, "W"), up = link->param(kUp);
    w.set_array(w.array() + matmul(up.array(), link->param(kDown).array()) * scale_);
    up.set_array(zeros_like(up.array()));
  }
  paths_.clear();
}

Variable LowRankAdaptation::only(const Variables& y) {
  if (y.size() != 1) throw TypeError("LowRankAdaptation: the model must return one variable, got ", y.size());
  return y[0];
}

void LowRankAdaptation::visit(MemberVisitor& v) {
  if (v.visits_held()) {
    model_->visit(v);
  } else if (!paths_.empty()) {
    Inner inner(v, "");
    model_->visit(inner);
  }
  visit_added(v);
}

}  // namespace chainer::links

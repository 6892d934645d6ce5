// SPDX-License-Identifier: MIT
#include <cmath>
#include <optional>
#include <set>

#include "chainer/array/host.h"
#include "chainer/autograd/config.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/reporter.h"
#include "chainer/core/system/type_name.h"
#include "chainer/core/timeline.h"
#include "chainer/links/left_out.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/optimizers/passes.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer {

using optimizer::Timing;

namespace {

// After a loss of NaN nearly all elements of the gradients are NaN, so looking at one element of each is enough.
bool begins_with_nan(const Array& a) {
  if (!a || a.size() == 0 || !a.device().is_host()) return false;
  switch (a.dtype()) {
    case Dtype::float32: return std::isnan(*static_cast<const float*>(a.raw()));
    case Dtype::float64: return std::isnan(*static_cast<const double*>(a.raw()));
    case Dtype::float16: return std::isnan(static_cast<float>(*static_cast<const Float16*>(a.raw())));
    case Dtype::bfloat16: return std::isnan(static_cast<float>(*static_cast<const BFloat16*>(a.raw())));
    default: return false;
  }
}

// The first element of an array on a device, in float64; empty for arrays on the host, which can be read directly.
Array first_there(Array a) {
  if (!a || a.size() == 0 || a.device().is_host() || !is_floating(a.dtype())) return {};
  while (a.ndim() > 0) a = a[0];
  return a.astype(float64);
}
bool is_nan_there(const Array& first) { return first && std::isnan(to_host(first).item<double>()); }

// Returns true if another process takes part in the graph; then this process alone cannot repeat the forward pass.
bool has_partners(const Variable& loss) {
  std::vector<Ref<FunctionNode>> waiting{loss.creator()};
  std::set<const FunctionNode*, std::less<>> met;
  while (!waiting.empty()) {
    const Ref<FunctionNode> f = waiting.back();
    waiting.pop_back();
    if (!f || !met.insert(f.get()).second) continue;
    const FunctionNode& node = *f;
    if (is_declared_in(typeid(node), "chainer::mn")) return true;
    for (const auto& input : node.inputs()) waiting.push_back(Ref<FunctionNode>(input->creator()));
  }
  return false;
}

// Names the first function that makes a NaN: computes the loss again in debug mode, with the same parameters and
// without reporting values.
std::string first_nan(const Optimizer::LossFunction& lossfun, const Variable& loss) {
  if (has_partners(loss)) return "; debug mode (CHAINER_DEBUG=1) names the function";
  try {
    const DebugMode looking(true);
    Observation nowhere;
    std::optional<Reporter::ObservationScope> scope;
    if (Reporter* r = current_reporter()) scope.emplace(*r, nowhere);
    (void)lossfun();
  } catch (const std::exception& e) { return text(": ", e.what()); }
  return "; computed again (maybe with other random numbers or another batch), the loss is not NaN";
}

}  // namespace

void GradientMethod::complain_of_nan(const std::string& what, const std::string& why) {
  const std::string message = text(class_name(), ": ", what, " is NaN in update ", t + 1, why);
  if (on_nan == optimizer::OnNan::stop) throw RuntimeError(message);
  nan_seen_ = true;
  warn(text(message,
            "\n  The parameters become NaN, too; with on_nan = optimizer::OnNan::stop the update throws "
            "instead"));
}

void GradientMethod::setup_link(Kept<Link> link) {
  Optimizer::setup_link(std::move(link));
  check_left_out_members(target());
  nan_seen_ = false;
  const std::string name = class_name();
  std::vector<Parameter> params = target().params();
  if (params.empty())
    warn(text(name, ": the ", target().class_name(), " given to setup() has no parameters, so updates do nothing: ",
              target().object_size() ? "list its links in CHAINER_MEMBERS, and call setup() after add_link()"
                                     : "its class has no CHAINER_MEMBERS, which lists what is trained"));
  for (Parameter& p : params) {
    const std::shared_ptr<UpdateRule> rule = create_update_rule();
    rule->owner = hyperparam_.get();
    rule->owner_name = name;
    rule->use_fp32_update(fp32_);
    p.set_update_rule(rule);
  }
}

void GradientMethod::set(const std::string& name, double value) { hyperparam_->set_known(name, value); }

void GradientMethod::use_fp32_update(bool flag) {
  fp32_ = flag;
  if (!target_) return;
  for (const Parameter& p : target().params())
    if (auto* rule = dynamic_cast<UpdateRule*>(p.update_rule().get())) rule->use_fp32_update(flag);
}

void GradientMethod::reallocate_cleared_grads() {
  for (Parameter& p : target().params(false))
    if (!p.grad()) p.set_grad(zeros_like(p.array()));
}

void GradientMethod::update() {
  const timeline::Stretch stretch("optimizer", "update");
  (void)config();  // the first use in a thread sets the floating-point mode
  bool foreign = false, any_gradient = false;
  for (const auto& [path, p] : target().namedparams(false)) {
    any_gradient = any_gradient || static_cast<bool>(p.grad());
    if (!p.update_rule() || !p.update_rule()->enabled) continue;
    if (p.has_first_gradient())
      throw RuntimeError("update: the gradient of ", path,
                         " is still the NaN of a new parameter. Call cleargrads() "
                         "before backward(), or update(lossfun), which does both");
    const auto* rule = foreign ? nullptr : dynamic_cast<const UpdateRule*>(p.update_rule().get());
    if (rule && rule->owner && rule->owner != hyperparam_.get()) {
      foreign = true;  // warn only once
      warn(text(class_name(), ": ", path, " of the ", target().class_name(),
                " belongs to another optimizer, whose setup() was called later: the rule of that ", rule->owner_name,
                " is applied here. Give each optimizer links of its own, or call setup() of this one again"));
    }
    if (looks_for_nan() && !scales_dynamically() && begins_with_nan(p.grad()))
      complain_of_nan(text("the gradient of ", path),
                      ": the loss was NaN or a derivative infinite. Debug mode "
                      "(CHAINER_DEBUG=1, or set_debug(true)) names the function");
  }
  // Reading values waits for the device. Therefore this is done only for OnNan::stop, and once for all gradients.
  if (on_nan == optimizer::OnNan::stop && !scales_dynamically()) {
    Array total;
    for (const auto& [path, p] : target().namedparams(false))
      if (const Array first = first_there(p.grad())) total = total ? total + first.to_device(total.device()) : first;
    if (is_nan_there(total))
      for (const auto& [path, p] : target().namedparams(false))
        if (is_nan_there(first_there(p.grad())))
          complain_of_nan(text("the gradient of ", path), ": the loss was NaN or a derivative infinite");
  }
  if (!any_gradient && !target().params(false).empty())
    warn(text(class_name(), ": no parameter of the ", target().class_name(),
              " has a gradient in an update, so none is changed: backward() was not called since cleargrads(), or the ",
              "loss has no graph"));  // a constant text, so that it is printed once
  reallocate_cleared_grads();
  if (skips_update()) return;
  call_hooks(Timing::pre);
  ++t;
  std::optional<optimizer::Passes> passes;  // for parameters on devices
  for (Parameter& p : target().params(false)) {
    if (p.is_initialized() && !p.array().device().is_host()) {
      if (!passes) passes.emplace();
      auto* const rule = dynamic_cast<UpdateRule*>(p.update_rule().get());
      if (rule && rule->update_later(p, *passes)) continue;
      passes->run();
    }
    p.update();
  }
  if (passes) passes->run();
  reallocate_cleared_grads();
  call_hooks(Timing::post);
}

void GradientMethod::update(const LossFunction& lossfun) {
  const Variable loss = lossfun();
  if (!loss.creator() && !target().params().empty())
    throw RuntimeError(class_name(), ": the loss has no graph, so nothing would be trained: ", why_without_graph());
  if (use_cleargrads_)
    target().cleargrads();
  else
    target().zerograds();
  loss.backward({.loss_scale = loss_scale_});
  if ((looks_for_nan() && begins_with_nan(loss.array())) ||
      (on_nan == optimizer::OnNan::stop && is_nan_there(first_there(loss.array()))))
    complain_of_nan("the loss", first_nan(lossfun, loss));
  update();
}

}  // namespace chainer

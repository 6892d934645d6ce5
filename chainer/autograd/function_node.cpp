// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <typeinfo>

#include "chainer/array/version.h"
#include "chainer/autograd/function_hook.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"
#include "chainer/core/system/type_name.h"

namespace chainer {
namespace {

// The functions waiting for destruction while another one is being destroyed. Chains of any length are destroyed in a
// loop instead of by recursion, and without allocating memory, because they may be destroyed when there is none.
// 0: none is being destroyed; 1: one is, and none waits; else the address of the first one that waits.
thread_local constinit uintptr_t dying = 0;

bool has_nan(const Array& a) { return a && is_floating(a.dtype()) && any(isnan(a)).item<bool>(); }

// Describes the inputs of a function whose result has NaN: which inputs have NaN, and the range of the others.
std::string about_inputs(const Arrays& in) {
  std::string out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!in[i] || in[i].size() == 0) continue;
    out += text(i ? ", " : ": ", "input ", i, " of shape ", in[i].shape());
    if (has_nan(in[i]))
      out += " has NaN already";
    else
      out += text(" is within ", min(in[i]).astype(float64).item<double>(), " ... ",
                  max(in[i]).astype(float64).item<double>());
  }
  return out;
}

// Returns the array that a function's gradient reads: the retained array, or the array of the same shape and dtype that
// set_array() has put into the variable since, if the node holds the variable's array (Variable::retain_data).
const Array& current(const Array& kept, const VariableNode* n) {
  if (!n) return kept;
  const Array& now = n->data();
  return now && !now.is(kept) && now.shape() == kept.shape() && now.dtype() == kept.dtype() ? now : kept;
}

}  // namespace

FunctionNode::~FunctionNode() {
  if (ComposedCall* const call = composed_call()) call->forget(this);
}

void FunctionNode::destroy(FunctionNode* f) {
  if (f->watched_ && !last_reference(*f)) [[unlikely]]
    return;
  if (dying) {
    f->visit_ = std::exchange(dying, reinterpret_cast<uintptr_t>(f));  // no traversal will visit it again
    return;
  }
  dying = 1;
  for (;;) {
    const uint32_t bytes = f->bytes_;
    f->~FunctionNode();
    pool::release(f, bytes);
    if (dying == 1) break;
    f = reinterpret_cast<FunctionNode*>(dying);
    dying = static_cast<uintptr_t>(f->visit_);
  }
  dying = 0;
}

Variables FunctionNode::backward(const Indexes& wanted, const Variables&) { return Variables(wanted.size()); }

Variables FunctionNode::backward_accumulate(const Indexes&, const Variables&, const Variables&) {
  throw NotImplementedError(label(), ": accumulates() is true but backward_accumulate() is not defined");
}

std::string FunctionNode::impl_name() const { return type_name(typeid(*this)); }

void FunctionNode::unchain() {
  const Ref<FunctionNode> self(this);  // the outputs may hold the last references
  for (VariableNode*& n : outputs_)
    if (VariableNode* out = std::exchange(n, nullptr)) out->creator_.reset();
  inputs_.clear();
  if (composed_call()) {
    const Ref<ComposedCall> call = std::move(extra_->call);
    call->forget(this);
    const auto& makers = call->makers();
    if (std::all_of(makers.begin(), makers.end(), [](const FunctionNode* f) { return !f; })) call->inputs_.clear();
  }
}

void FunctionNode::set_composed_call(const Ref<ComposedCall>& call) { extra().call = call; }

void FunctionNode::add_hook(std::shared_ptr<FunctionHook> hook, const std::string& name) {
  const std::string key = name.empty() ? hook->name() : name;
  for (const auto& [existing, h] : extra().hooks)
    if (existing == key) throw KeyError("hook ", key, " already exists");
  hook->added(this);
  extra_->hooks.emplace_back(key, std::move(hook));
}

void FunctionNode::delete_hook(const std::string& name) {
  if (extra_) {
    Hooks& hooks = extra_->hooks;
    for (auto it = hooks.begin(); it != hooks.end(); ++it) {
      if (it->first != name) continue;
      it->second->deleted(this);
      hooks.erase(it);
      return;
    }
  }
  throw KeyError("hook ", name, " does not exist");
}

Arrays FunctionNode::input_data() const {
  Arrays out(inputs_.size());
  for (std::size_t i = 0; i < kept_in_.size(); ++i)
    out[static_cast<std::size_t>(retained_in_[i])] = unchanged(kept_in_[i], retained_in_[i], true);
  return out;
}
Arrays FunctionNode::output_data() const {
  Arrays out(outputs_.size());
  for (std::size_t i = 0; i < kept_out_.size(); ++i)
    out[static_cast<std::size_t>(retained_out_[i])] = unchanged(kept_out_[i], retained_out_[i], false);
  return out;
}

Variable FunctionNode::retained_input(int i) const {
  const auto at = static_cast<std::size_t>(i);
  if (at >= kept_in_.size())
    throw RuntimeError(label(), ": retained input ", i, " was requested, but only ", kept_in_.size(), " were retained");
  const int index = retained_in_[at];
  const Ref<VariableNode>& n = inputs_[static_cast<std::size_t>(index)];
  return Variable(current(unchanged(kept_in_[at], index, true), n.get()), n);
}

Variable FunctionNode::retained_output(int i) {
  const auto at = static_cast<std::size_t>(i);
  if (at >= kept_out_.size())
    throw RuntimeError(label(), ": retained output ", i, " was requested, but only ", kept_out_.size(),
                       " were retained");
  const auto index = static_cast<std::size_t>(retained_out_[at]);
  const Array& a = unchanged(kept_out_[at], retained_out_[at], false);
  if (VariableNode* n = outputs_[index]) return Variable(current(a, n), Ref<VariableNode>(n));
  // The output's node was destroyed with its last reference; a new one replaces it.
  Ref<VariableNode> n = make_ref<VariableNode>(a.shape(), a.dtype(), true);
  n->creator_ = Ref<FunctionNode>(this);
  n->rank_ = rank_ + 1;
  n->output_index_ = static_cast<uint16_t>(index);
  outputs_[index] = n.get();
  return Variable(a, n);
}

Variables FunctionNode::retained_inputs() const {
  Variables out;
  for (std::size_t i = 0; i < kept_in_.size(); ++i) out.push_back(retained_input(static_cast<int>(i)));
  return out;
}
Variables FunctionNode::retained_outputs() {
  Variables out;
  for (std::size_t i = 0; i < kept_out_.size(); ++i) out.push_back(retained_output(static_cast<int>(i)));
  return out;
}

void FunctionNode::keep(const Arrays& in, const Arrays& out) {
  for (int i : retained_in_) {
    const Array& a = in[static_cast<std::size_t>(i)];
    kept_in_.push_back({a, memory_version(a)});
  }
  for (int i : retained_out_) {
    const Array& a = out[static_cast<std::size_t>(i)];
    kept_out_.push_back({a, memory_version(a)});
  }
}

void FunctionNode::complain_of_write(const Retained& kept, int index, bool is_input) const {
  const std::string what =
      text(label(), ": its ", is_input ? "input " : "output ", index, ", an array of shape ", kept.array.shape());
  if (!was_written(kept.version, memory_version(kept.array)))
    return warn(text("backward of ", what,
                     ", was updated by an optimizer after the forward pass, so the gradient uses the new values. "
                     "Compute the loss again after an update, or call backward() for all losses before it"));
  throw RuntimeError("backward of ", what, ", was written to in place after the forward pass, but the gradient needs ",
                     "its old values: write to a copy (x.copy()), or after backward()");
}

bool FunctionNode::keeps_inputs() const {
  static constexpr std::string_view kLibrary = "N7chainer9functions";  // mangled
  return std::strncmp(typeid(*this).name(), kLibrary.data(), kLibrary.size()) != 0;
}

namespace {

// The arrays of the inputs. If no user code runs during the call, the handles are not counted, because the caller's
// variables keep the arrays alive.
class InputArrays {
 public:
  explicit InputArrays(const FunctionNode& node)
      : counted_(function_hook_count > 0 || node.local_function_hooks() || node.keeps_inputs()) {}
  InputArrays(const InputArrays&) = delete;
  InputArrays& operator=(const InputArrays&) = delete;
  ~InputArrays() {
    if (!counted_) arrays_.abandon();
  }
  void collect(const FunctionNode& node, const Variable* const* inputs, std::size_t count) {
    arrays_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Variable& v = *inputs[i];
      if (!v) throw TypeError(node.label(), ": input ", i, " is empty (None)");
      if (i && v.device() != arrays_[0].device())
        throw TypeError("incompatible array types are mixed in the forward input (", node.label(), ")");
      arrays_.push_back(counted_ ? v.array()
                                 : Array(Ref<ArrayBody>(v.array().body_ref().get(), Ref<ArrayBody>::Adopt{})));
    }
  }
  const Arrays& arrays() const { return arrays_; }

 private:
  const bool counted_;
  Arrays arrays_;
};

// Returns true if mixed precision casts the inputs of the function. Then functions that its forward() calls cast
// nothing.
bool casts_inputs(const FunctionNode& f) {
  return config().dtype.get().products && f.mixed_precision() != MixedPrecision::any_mix;
}
// Calls call(inputs) with the inputs in the dtypes of the function's policy, without mixed precision.
template <class Call>
auto with_cast_inputs(const FunctionNode& f, const Variable* const* inputs, std::size_t count, const Call& call) {
  Variables cast;
  SmallVector<const Variable*, 4> pointers;
  if (cast_for_mixed_precision(f.mixed_precision(), *config().dtype.get().products, inputs, count, cast)) {
    for (const Variable& v : cast) pointers.push_back(&v);
    inputs = pointers.data();
  }
  const PlainPrecision plain;
  return call(inputs);
}

// Checks the inputs and computes the outputs.
Arrays run_forward(FunctionNode& node, const Arrays& in) {
  const Config& c = config();
  try {
    node.check_type_forward(type_check::TypeInfos(in));
  } catch (const type_check::Failed&) {
    // Without type checks, failed conditions of user functions are ignored; kernels of the library rely on theirs.
    if (!c.type_check && is_declared_in(typeid(node), "chainer::functions")) type_check::refuse(node.label(), in);
    if (c.type_check) {
      type_check::run(
          node.label(), in,
          [](const void* o, const type_check::TypeInfos& t) {
            static_cast<const FunctionNode*>(o)->check_type_forward(t);
          },
          &node);
      throw RuntimeError(node.label(), ": a type check failed, but passed when it was repeated for the message");
    }
  }
  const bool hooked = function_hook_count > 0 || node.local_function_hooks();
  std::optional<HookedCall> call;
  if (hooked) call.emplace(node, [&](FunctionHook& h) { h.forward_preprocess(node, in); });
  Arrays out = [&] {
    try {
      return node.forward(in);
    } catch (const MemoryError& e) { throw MemoryError("forward of ", node.label(), ": ", e.what()); }
  }();
  if (hooked)
    call->finish([&](FunctionHook& h) {
      h.forward_postprocess(node, in);
      h.forward_results(node, in, out);
    });
  for (const Array& a : out)
    if (!a) throw TypeError(node.label(), ": forward returned an empty array (None)");
  if (c.debug)
    for (const Array& a : out)
      if (has_nan(a)) throw RuntimeError("NaN is detected on forward computation of ", node.label(), about_inputs(in));
  return out;
}

}  // namespace

bool wants_node(const Variable* const* inputs, std::size_t count) {
  if (function_hook_count > 0) return true;
  if (!config().enable_backprop) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (inputs[i]->requires_grad()) return true;
  return false;
}

Variable apply_without_node(FunctionNode& f, const Variable* const* inputs, std::size_t count) {
  if (casts_inputs(f)) [[unlikely]]
    return with_cast_inputs(f, inputs, count, [&](const auto* in) { return apply_without_node(f, in, count); });
  InputArrays in(f);
  in.collect(f, inputs, count);
  Arrays out = run_forward(f, in.arrays());
  return std::move(out[0]);
}

Variables apply_function(Ref<FunctionNode> f, const Variable* const* inputs, std::size_t count) {
  FunctionNode& node = *f;
  if (node.applied_)
    throw RuntimeError(node.label(), ": a function node can be applied only once; create a new one for each call");
  if (casts_inputs(node)) [[unlikely]]
    return with_cast_inputs(node, inputs, count, [&](const auto* in) { return apply_function(f, in, count); });
  node.applied_ = true;
  InputArrays in(node);
  in.collect(node, inputs, count);
  bool requires_grad = false;
  for (std::size_t i = 0; i < count; ++i) requires_grad |= inputs[i]->requires_grad();
  const bool graph = requires_grad && config().enable_backprop;
  if (graph) {  // now, because after forward() the caller's variables may have changed
    for (std::size_t i = 0; i < count; ++i) {
      VariableNode& n = inputs[i]->ensure_node();
      node.rank_ = std::max(node.rank_, n.rank_);
      node.inputs_.push_back(Ref<VariableNode>(&n));
    }
  }
  Arrays out = run_forward(node, in.arrays());

  Variables result;
  if (!graph) {
    for (Array& a : out) result.push_back(std::move(a));
    return result;
  }
  node.keep(in.arrays(), out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Ref<VariableNode> n = make_ref<VariableNode>(out[i].shape(), out[i].dtype(), true);
    n->rank_ = node.rank_ + 1;
    n->output_index_ = static_cast<uint16_t>(i);
    n->creator_ = i + 1 < out.size() ? f : std::move(f);
    node.outputs_.push_back(n.get());
    Variable v;
    v.array_ = std::move(out[i]);
    n->handles_.store(1, std::memory_order_relaxed);
    v.node_ = n.release();
    result.push_back(std::move(v));
  }
  return result;
}

Variables apply(const Ref<FunctionNode>& f, const Variables& inputs) {
  SmallVector<const Variable*, 8> pointers;
  for (const Variable& v : inputs) pointers.push_back(&v);
  return apply_function(f, pointers.data(), pointers.size());
}

}  // namespace chainer
